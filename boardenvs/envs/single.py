"""A Gymnasium environment for one seat of any game."""

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
from boardenvs.envs.seat_batch import SeatBatch
from boardenvs.game import Game, Illegal

if TYPE_CHECKING:
    from boardenvs.episode import Episode

__all__ = ["SeatEnv"]


class SeatEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """A Gymnasium environment for one seat of a game; opponents play the other seats.

    Observations are int8 arrays of `game.observation_shape`. `info["action_mask"]` is int8 of
    shape (num_actions,), with a 1 for each legal action and all zeros after the end.
    `action_space.sample` accepts this mask. `action_masks()`, which sb3-contrib calls, returns
    the mask as bool. `info["seat"]` is your seat, an int64. The game adds its own keys. Every
    info has all keys, each with one NumPy dtype and shape. The reward is 0 until the end.

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
        """Create the environment; `reset` starts a game.

        Args:
            game: a game, or the name of a game.
            opponent: spec of a built-in agent, such as "random", "greedy" or "mcts:100" (see
                `agents.SPECS`), an object with `act(states) -> actions`, or a list of these
                for the other seats in order. A game for one player accepts only the default.
            seat: your seat, or "random" for a random seat in each game.
            illegal: effect of an illegal action: "lose" ends the game with your loss, "raise"
                raises `ValueError`.
            render_mode: "ansi" (`render` returns the console text), "human" (`reset` and
                `step` print it), "rgb_array" (`render` returns a picture) or `None`.
            record_episode: whether to keep every action for `episode`, which is slower.
            render_size: approximate length of a picture's longer side, in pixels.
            **params: parameters of the game, if `game` is a name.

        Raises:
            ValueError: if an argument is unknown or out of range.
        """
        self.game = resolve_game(game, params, SeatEnv, gymnasium.make)
        check_rendering(render_mode, render_size)
        self.render_mode = render_mode
        self._render_size = render_size
        self.observation_space = integer_box(
            self.game.observation_high, self.game.observation_shape
        )
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._batch = SeatBatch(self.game, 1, opponent, seat, illegal, record=record_episode)
        self._live = False
        # Looked up once: a step takes little longer than a few attribute look-ups.
        self._num_actions = self.game.num_actions
        self._has_info = self.game.has_info
        self._info_is_fixed = self.game.info_is_fixed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Start a game, and play the opponents' actions before your first turn.

        Args:
            seed: seed of the game and the opponents' random moves.
            options: `{"state": ...}` starts from a position: a record, or a dictionary for
                `Game.from_dict`. The position's random stream continues, unless a seed is
                given.

        Raises:
            ValueError: if the state is invalid or ends before your turn, or `options` has
                another key.
        """
        state = given_options(options, "state").get("state")
        states = given_states(self.game, state, 1)
        super().reset(seed=plain_seed(seed))
        base = base_word(seed, self.np_random)
        if states is None:
            self._batch.reset_one(base)
        else:
            streams = make_streams(base, 1)
            initial = initial_states(self.game, states, state, streams, seeded=seed is not None)
            self._batch.reset(initial, streams, np.ones(1, np.bool_), retry=False)
        self._seat = self._batch.games.seats[0]
        self._live = True
        if self._info_is_fixed:
            self._own_info = self.game.info(self._batch.position)
        if self.render_mode == "human":
            self.render()
        return self._batch.observation.copy(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play your action, then the opponents' actions until your next turn or the end.

        Raises:
            OutOfBoundsError: if the action is outside the action space.
            ValueError: if the action is illegal and `illegal="raise"`, or the game is over.
        """
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = action_number(action, self._num_actions)
        if not self._live:
            raise ValueError("step requires a game that is under way: call reset")
        batch = self._batch
        batch.act_one(action)
        games = batch.games
        reward, terminated, truncated = (
            games.rewards.item(),
            games.terminated.item(),
            games.truncated.item(),
        )
        self._live = not (terminated or truncated)
        if self.render_mode == "human":
            self.render()
        return batch.observation.copy(), reward, terminated, truncated, self._info()

    def set_opponent(self, opponent: OpponentSpec) -> None:
        """Set the opponent of the games that begin from now on.

        Args:
            opponent: as for the constructor.

        Raises:
            ValueError: if `opponent` is invalid; the opponent does not change then.
        """
        self._batch.set_opponent(opponent)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool of shape (num_actions,)."""
        return self._batch.games.masks[0].copy()

    def render(self) -> Any:
        """Render the position in the environment's `render_mode`.

        Returns:
            str for "ansi", uint8 of shape (H, W, 3) for "rgb_array", `None` for "human".

        Raises:
            ValueError: if the environment has no `render_mode`, or "rgb_array" is used
                without the extra `[render]`.
        """
        shown = rendered(self.game, self._batch.games.states, self.render_mode, self._render_size)
        return None if shown is None else shown[0]

    @property
    def position(self) -> np.void:
        """A copy of the position, a record for `reset(options={"state": ...})`."""
        record: np.void = self._batch.games.states.copy()[0]
        return record

    @property
    def episode(self) -> Episode:
        """The game so far, including the opponents' actions.

        Opponents are named by their specs, such as `greedy`. You are named by your seat, such as
        `player_0`.

        Raises:
            ValueError: if the environment was made without `record_episode`, or not reset.
        """
        from boardenvs.episode import Episode

        batch = self._batch
        if batch.played is None or batch.first is None:
            raise ValueError(
                "episode requires an environment made with record_episode=True, and a reset"
            )
        names = player_names(batch.players(), self.game.seat_names)
        return Episode(self.game, batch.first, batch.played, names)

    def _info(self) -> dict[str, Any]:
        mask = self._batch.action_mask.copy()
        info: dict[str, Any] = {"action_mask": mask, "seat": self._seat}
        if self._has_info:
            if self._info_is_fixed:
                for key, value in self._own_info.items():
                    info[key] = value.copy()
            else:
                info |= self.game.info(self._batch.position)
        return info
