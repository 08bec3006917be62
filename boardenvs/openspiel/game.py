"""Any game of this package as an OpenSpiel game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pyspiel

from boardenvs.explicit_chance import Chance, chance_class
from boardenvs.game import Game
from boardenvs.openspiel.observer import BoardObserver, HistoryObserver
from boardenvs.openspiel.parameters import Reader, arguments, specification
from boardenvs.openspiel.state import BoardState

__all__ = ["BoardGame", "register"]


class BoardGame(pyspiel.Game):
    """What `pyspiel.load_game` makes; `game` is the same game as `boardenvs.make` has it."""

    cls: ClassVar[type[Game]]
    chance_cls: ClassVar[type[Chance]]
    readers: ClassVar[Mapping[str, Reader]]
    most_outcomes: ClassVar[staticmethod[[Any], int]]
    """At most so many outcomes has a draw of a game; 0 for none."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Make the game.

        Args:
            params: its arguments, as `boardenvs.openspiel.parameters` has them.

        Raises:
            ValueError: a value is out of range.
        """
        given = dict(params or {})
        self.game = game = self.cls(**arguments(self.cls, given, self.readers))
        self.chance = self.chance_cls(game)
        self.dealt = self.chance.deal(())
        """The start, and the outcomes of the first draw."""
        alone = game.num_players == 1
        defaults = specification(self.cls, self.readers)
        super().__init__(
            _game_type(self.cls, defaults, self.most_outcomes(game) > 0, game.num_players),
            pyspiel.GameInfo(
                num_distinct_actions=game.num_actions,
                max_chance_outcomes=self.most_outcomes(game),
                num_players=game.num_players,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=None if alone else 0.0,
                max_game_length=game.max_plies,
            ),
            # A name that loads the game again has these alone: text may be empty in none.
            {key: value for key, value in given.items() if value != defaults[key]},
        )

    def new_initial_state(self, position: Mapping[str, Any] | None = None) -> BoardState:
        """The start of a game, or the position that a dictionary says (see `Game.from_dict`).

        Raises:
            ValueError: it is no valid position.
        """
        return BoardState(self, position)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> BoardObserver | HistoryObserver:
        """Sees the board; where perfect recall is asked for, all that happened, as text."""
        if params:
            raise ValueError(f"the observations of {self.game.name} take no parameters")
        if iig_obs_type is not None and iig_obs_type.perfect_recall:
            return HistoryObserver()
        return BoardObserver(self.game)


def _game_type(
    cls: type[Game], defaults: Mapping[str, Any], by_chance: bool, *num_players: int
) -> pyspiel.GameType:
    kinds = pyspiel.GameType
    explicit, none = kinds.ChanceMode.EXPLICIT_STOCHASTIC, kinds.ChanceMode.DETERMINISTIC
    alone = max(num_players) == 1
    return kinds(
        short_name=f"python_boardenvs_{cls.name}",
        long_name=f"boardenvs {cls.__name__}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=explicit if by_chance else none,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM if alone else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(num_players),
        min_num_players=min(num_players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(defaults),
    )


def register(
    cls: type[Game],
    *,
    num_players: tuple[int, int] | None = None,
    most_outcomes: Callable[[Any], int] | None = None,
    chance: type[Chance] | None = None,
    readers: Mapping[str, Reader] | None = None,
) -> None:
    """Tell OpenSpiel of a game, as `python_boardenvs_NAME`; a second time changes nothing.

    What is not given here the game says itself.

    Args:
        cls: the game. Nothing may be hidden in it, unless its `chance` sees to that.
        num_players: the fewest and the most, instead of its `player_counts`.
        most_outcomes: how many outcomes a draw has at most, instead of `most_chance_outcomes`.
        chance: how its chance is made explicit, instead of what
            `boardenvs.explicit_chance.chance_class` finds.
        readers: of its arguments from text, instead of its `param_readers`.

    Raises:
        ValueError: something is hidden, or there is chance and nobody says how many outcomes.
    """
    name = f"python_boardenvs_{cls.name}"
    if name in pyspiel.registered_names():
        return
    make: Callable[..., Game] = cls
    game = make()
    chance = chance or chance_class(game)
    if cls.has_hidden and chance is Chance:
        raise ValueError(f"{cls.name} hides something: it needs a chance that draws it when seen")
    counts = num_players or cls.player_counts or (game.num_players,)
    most = most_outcomes or _most_outcomes
    most(game)  # or it raises
    texts = cls.param_readers if readers is None else readers
    members = {
        "__doc__": cls.__doc__,
        "cls": cls,
        "chance_cls": chance,
        "readers": dict(texts),
        "most_outcomes": staticmethod(most),
    }
    game_cls = type(f"OpenSpiel{cls.__name__}", (BoardGame,), members)
    defaults = specification(cls, texts)
    pyspiel.register_game(_game_type(cls, defaults, cls.has_chance, *counts), game_cls)


def _most_outcomes(game: Game) -> int:
    return game.most_chance_outcomes
