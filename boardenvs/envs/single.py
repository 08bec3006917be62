"""The Gymnasium environment over any game: one seat is yours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from boardenvs.core.chance import make_streams
from boardenvs.envs.interface import (
    RENDER_FPS,
    RENDER_MODES,
    RENDER_SIZE,
    action_number,
    base_word,
    check_rendering,
    given_options,
    given_states,
    initial_states,
    integer_box,
    plain_seed,
    rendered,
    resolve_game,
)
from boardenvs.envs.opponents import OpponentSpec, player_names
from boardenvs.envs.seat_table import SeatTable
from boardenvs.game import Game, Illegal

if TYPE_CHECKING:
    from boardenvs.episode import Episode

__all__ = ["SeatEnv"]


class SeatEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """A Gymnasium environment for one seat of a game, whose other seats opponents play.

    Observations are int8 arrays of `game.observation_shape`. `info["action_mask"]` is int8 of
    shape (num_actions,), with a 1 for each legal action and all zeros after the end.
    `action_space.sample` takes this mask. `action_masks()`, the name that sb3-contrib looks for,
    returns the mask as bool. `info["seat"]` is your seat, an int64. The game adds its own keys.
    Every info has all keys, each with one NumPy dtype and shape. The reward is your result, at
    the end.

    Example:
        >>> import gymnasium
        >>> env = gymnasium.make("boardenvs:boardenvs/Gekitai-v0", opponent="random", seat=0)
        >>> observation, info = env.reset(seed=0)
        >>> action = env.action_space.sample(info["action_mask"])
        >>> observation, reward, terminated, truncated, info = env.step(action)
        >>> observation.shape, info["action_mask"].shape, reward, type(env.unwrapped).__name__
        ((3, 6, 6), (36,), 0.0, 'SeatEnv')
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: Game | str,
        opponent: OpponentSpec = "random",
        seat: int | Literal["random"] = "random",
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        record_episode: bool = False,
        render_size: int = RENDER_SIZE,
        **params: Any,
    ) -> None:
        """Set up; `reset` starts.

        Args:
            game: a game, or its name.
            opponent: the spec of an agent of this package, such as "random", "greedy" or
                "mcts:100" (see `agents.SPECS`), an object with `act(states) -> actions`, or
                a list of those for the other seats in order.
            seat: yours, or "random" for a new one each game.
            illegal: "lose" ends the game with your loss; "raise" raises.
            render_mode: "ansi" or "human", the console text returned or printed;
                "rgb_array", a picture; or `None`.
            record_episode: whether to keep every action for `episode`; costs some speed.
            render_size: about how many pixels the longer side of a picture gets.
            **params: of the game, if it is given by name.

        Raises:
            ValueError: for any argument that is unknown or out of range.
        """
        self.game = resolve_game(game, params)
        check_rendering(render_mode, render_size)
        self.render_mode = render_mode
        self._render_size = render_size
        self.observation_space = integer_box(
            self.game.observation_high, self.game.observation_shape
        )
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._table = SeatTable(self.game, 1, opponent, seat, illegal, record=record_episode)
        self._live = False
        # Looked up here once and for all, since a step takes little longer than a few look-ups.
        self._num_actions = self.game.num_actions
        self._has_info = self.game.has_info
        self._info_is_fixed = self.game.info_is_fixed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Start a game, and play the opponents' actions before your first turn.

        Args:
            seed: of the game and the opponents' random moves.
            options: `{"state": ...}` starts from a position, a record or a dictionary as
                `Game.from_dict` takes it. With a seed its random stream begins anew, without
                one it goes on.

        Raises:
            ValueError: the state is no valid position, or ends before your turn; for any
                other key.
        """
        state = given_options(options, "state").get("state")
        states = given_states(self.game, state, 1)
        super().reset(seed=plain_seed(seed))
        base = base_word(seed, self.np_random)
        if states is None:
            self._table.reset_one(base)
        else:
            streams = make_streams(base, 1)
            initial = initial_states(self.game, states, state, streams, seeded=seed is not None)
            self._table.reset(initial, streams, np.ones(1, np.bool_), retry=False)
        self._seat = self._table.games.seats[0]
        self._live = True
        if self._info_is_fixed:
            self._own_info = self.game.info(self._table.position)
        if self.render_mode == "human":
            self.render()
        return self._table.observation.copy(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play your action, then the opponents', up to your next turn or the end.

        Raises:
            OutOfBoundsError: the action is outside of the action space.
            ValueError: it is illegal and `illegal="raise"`, or the game is over.
        """
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = action_number(action, self._num_actions)
        if not self._live:
            raise ValueError("the game is over or was never started: call reset")
        table = self._table
        table.act_one(action)
        games = table.games
        reward, terminated, truncated = (
            games.rewards.item(),
            games.terminated.item(),
            games.truncated.item(),
        )
        self._live = not (terminated or truncated)
        if self.render_mode == "human":
            self.render()
        return table.observation.copy(), reward, terminated, truncated, self._info()

    def set_opponent(self, opponent: OpponentSpec) -> None:
        """Have another opponent play the games that begin from now on; one under way goes on.

        Args:
            opponent: as for the constructor.

        Raises:
            ValueError: it is no opponent, and nothing is changed.
        """
        self._table.set_opponent(opponent)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool of shape (num_actions,)."""
        return self._table.games.masks[0].copy()

    def render(self) -> Any:
        """Return what `render_mode` says: text as str, a picture as uint8 (H, W, 3), or `None`.

        Raises:
            ValueError: the environment was made without `render_mode`, or for a picture
                where the extra `[render]` is not installed.
        """
        shown = rendered(self.game, self._table.games.states, self.render_mode, self._render_size)
        return None if shown is None else shown[0]

    @property
    def position(self) -> np.void:
        """A copy of the position, a record that `reset(options={"state": ...})` takes."""
        record: np.void = self._table.games.states.copy()[0]
        return record

    @property
    def episode(self) -> Episode:
        """The game so far, opponents' actions included.

        Opponents are named by their specs, such as `greedy`. Your name has the number of your
        seat, such as `player_0`.

        Raises:
            ValueError: the environment was made without `record_episode`, or not reset.
        """
        from boardenvs.episode import Episode

        table = self._table
        if table.played is None or table.first is None:
            raise ValueError(
                "episode needs an environment made with record_episode=True, and reset"
            )
        names = player_names(table.players(), self.game.seat_names)
        return Episode(self.game, table.first, table.played, names)

    def _info(self) -> dict[str, Any]:
        mask = self._table.action_mask.copy()
        info: dict[str, Any] = {"action_mask": mask, "seat": self._seat}
        if self._has_info:
            if self._info_is_fixed:
                for key, value in self._own_info.items():
                    info[key] = value.copy()
            else:
                info |= self.game.info(self._table.position)
        return info
