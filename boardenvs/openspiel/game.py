"""Any game of this package as an OpenSpiel game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pyspiel

from boardenvs.game import Game
from boardenvs.openspiel.chance import Chance
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


def _none(game: Game) -> int:
    return 0


def register(
    cls: type[Game],
    *,
    num_players: tuple[int, int] | None = None,
    most_outcomes: Callable[[Any], int] | None = None,
    chance: type[Chance] = Chance,
    readers: Mapping[str, Reader] | None = None,
) -> None:
    """Tell OpenSpiel of a game, as `python_boardenvs_NAME`; a second time changes nothing.

    Args:
        cls: the game. Nothing may be hidden in it, unless `chance` sees to that.
        num_players: the fewest and the most, where an argument says how many.
        most_outcomes: how many outcomes a draw has at most; needed where there is chance.
        chance: how its chance is made explicit.
        readers: of its arguments that are neither numbers nor truth values.

    Raises:
        ValueError: something is hidden, or there is chance and `most_outcomes` is missing.
    """
    name = f"python_boardenvs_{cls.name}"
    if name in pyspiel.registered_names():
        return
    if cls.has_hidden and chance is Chance:
        raise ValueError(f"{cls.name} hides something: it needs a chance that draws it when seen")
    if cls.has_chance and most_outcomes is None:
        raise ValueError(f"{cls.name} has chance: most_outcomes must say how many outcomes at most")
    members = {
        "__doc__": cls.__doc__,
        "cls": cls,
        "chance_cls": chance,
        "readers": dict(readers or {}),
        "most_outcomes": staticmethod(most_outcomes or _none),
    }
    game_cls = type(f"OpenSpiel{cls.__name__}", (BoardGame,), members)
    make: Callable[..., Game] = cls
    seats = num_players or (make().num_players,)
    defaults = specification(cls, dict(readers or {}))
    pyspiel.register_game(_game_type(cls, defaults, cls.has_chance, *seats), game_cls)
