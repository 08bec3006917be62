"""OpenSpiel games for all games of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pyspiel

from boardenvs.explicit_chance import Chance, chance_class
from boardenvs.game import Game
from boardenvs.openspiel.observer import BoardObserver, HistoryObserver
from boardenvs.openspiel.parameters import arguments, specification
from boardenvs.openspiel.state import BoardState

__all__ = ["BoardGame", "register"]


class BoardGame(pyspiel.Game):
    """An OpenSpiel game from `pyspiel.load_game`. `game` is the same game from `boardenvs.make`."""

    cls: ClassVar[type[Game]]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Create the game.

        Args:
            params: parameters of the game, see `boardenvs.openspiel.parameters`.

        Raises:
            ValueError: a value is out of range.
        """
        given = dict(params or {})
        self.game = game = self.cls(**arguments(self.cls, given))
        self.chance = chance_class(game)(game)
        self.dealt = self.chance.deal(())
        """Initial position, and the outcomes of the first draw."""
        most = self.chance.most_outcomes
        alone = game.num_players == 1
        defaults = specification(self.cls)
        super().__init__(
            _game_type(game, most > 0, game.num_players),
            pyspiel.GameInfo(
                num_distinct_actions=game.num_actions,
                max_chance_outcomes=most,
                num_players=game.num_players,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=None if alone else 0.0,
                max_game_length=game.max_plies,
            ),
            # The name that loads the game again has only these, and cannot have empty text.
            {key: value for key, value in given.items() if value != defaults[key]},
        )

    # Unpickling registers the game, since its class does not exist in a new process.
    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.cls, self.get_parameters())

    def new_initial_state(self, position: Mapping[str, Any] | None = None) -> BoardState:
        """Return the initial state, or the state of a dictionary (see `Game.from_dict`).

        Raises:
            ValueError: `position` is not valid.
        """
        return BoardState(self, position)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> BoardObserver | HistoryObserver:
        """Return an observer of the board, or of the history for perfect recall."""
        if params:
            raise ValueError(f"params must be None or empty, got {params!r}")
        if iig_obs_type is not None and iig_obs_type.perfect_recall:
            return HistoryObserver()
        return BoardObserver(self.game)


def _load(cls: type[Game], params: Mapping[str, Any]) -> BoardGame:
    """Register a game, and return it with the given parameters."""
    register(cls)
    game: BoardGame = pyspiel.load_game(_short_name(cls), params)
    return game


def _short_name(cls: type[Game]) -> str:
    return f"python_boardenvs_{cls.name}"


def _game_type(game: Game, has_chance: bool, *num_players: int) -> pyspiel.GameType:
    cls = type(game)
    kinds = pyspiel.GameType
    explicit, none = kinds.ChanceMode.EXPLICIT_STOCHASTIC, kinds.ChanceMode.DETERMINISTIC
    alone = max(num_players) == 1
    return kinds(
        short_name=_short_name(cls),
        long_name=f"boardenvs {cls.__name__}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=explicit if has_chance else none,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM if alone else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(num_players),
        min_num_players=min(num_players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification(cls),
    )


def register(cls: type[Game]) -> None:
    """Register a game with OpenSpiel as `python_boardenvs_NAME`, unless it is registered.

    Args:
        cls: class of the game. A game with hidden information requires a module `explicit_chance`,
            see `boardenvs.explicit_chance.chance_class`.

    Raises:
        ValueError: the game has hidden information without such a module.
    """
    if _short_name(cls) in pyspiel.registered_names():
        return
    make: Callable[..., Game] = cls
    game = make()
    if cls.has_hidden and chance_class(game) is Chance:
        raise ValueError(
            f"{cls.name} has hidden information: it needs a module explicit_chance that draws "
            f"this information when it is revealed"
        )
    kind = _game_type(game, cls.has_chance, *(cls.player_counts or (game.num_players,)))
    members = {"__doc__": cls.__doc__, "cls": cls}
    pyspiel.register_game(kind, type(f"OpenSpiel{cls.__name__}", (BoardGame,), members))
