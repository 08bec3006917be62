"""A PettingZoo environment for any game."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from boardenvs.core.chance import make_streams
from boardenvs.core.checks import one_of
from boardenvs.core.loops import BEGIN, RESTART
from boardenvs.envs.game_batch import GameBatch
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
from boardenvs.game import Game, Illegal, check_illegal

if TYPE_CHECKING:
    from boardenvs.episode import Episode

__all__ = ["GameAECEnv"]

_INT8 = np.dtype(np.int8)  # faster as an argument than `np.int8`

_CALLED_AFTER_RESET = ("step", "observe", "state", "render", "agent_iter")
_SET_BY_RESET = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")

Observation = dict[str, npt.NDArray[np.int8]]


def _too_early(method: str, *args: Any, **kwargs: Any) -> None:
    """Raise PettingZoo's error for a method that is called before `reset`."""
    getattr(EnvLogger, f"error_{method}_before_reset")()


class _NotYet:
    """A placeholder for an attribute that `reset` sets; reading it raises `AttributeError`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, env: GameAECEnv | None, owner: type) -> _NotYet:
        if env is None:
            return self
        raise AttributeError(f"{self._name} cannot be accessed before reset")


class GameAECEnv(AECEnv[str, Observation, int]):
    """A PettingZoo AEC environment for one game.

    An agent observes `{"observation": int8 of game.observation_shape, "action_mask": int8
    of shape (num_actions,)}`. The mask marks the legal actions of the agent to move. It is
    all zeros for other agents and after the end. Rewards are 0 until the end. Every info has
    the same keys, which the game defines, each with one NumPy dtype and shape.

    The environment makes the checks of PettingZoo's `OrderEnforcingWrapper` and
    `AssertOutOfBoundsWrapper`, with the same errors and warnings, so it needs no wrappers.

    Raises:
        AttributeError: if an attribute that `reset` sets (`agents`, `rewards`, ...) is read
            before `reset`.
        AssertionError: if `step`, `observe`, `state`, `render` or `agent_iter` is called
            before `reset`, or a loop over `agent_iter` does not step.

    Example:
        >>> from boardenvs import gekitai_v0
        >>> env = gekitai_v0.env(board_size=7)
        >>> env.reset(seed=0)
        >>> for agent in env.agent_iter():
        ...     observation, reward, terminated, truncated, info = env.last()
        ...     over = terminated or truncated
        ...     env.step(None if over else observation["action_mask"].argmax())
        >>> env.agents, observation["observation"].shape
        ([], (3, 7, 7))
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 each instance gets its own
        "name": "game_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: Illegal = "lose",
        render_size: int = RENDER_SIZE,
    ) -> None:
        """Wrap a game.

        Args:
            game: the game to play.
            render_mode: "ansi" (`render` returns the console text), "human" (every move
                prints it), "rgb_array" (`render` returns a picture) or `None`.
            illegal: effect of an illegal action: "lose" ends the game with a loss for the
                agent, "raise" raises `ValueError`.
            render_size: approximate length of a picture's longer side, in pixels.

        Raises:
            ValueError: if `render_mode`, `illegal` or `render_size` is invalid.
        """
        super().__init__()
        check_illegal(illegal)
        check_rendering(render_mode, render_size)
        self.game = game
        self.render_mode = render_mode
        self._render_size = render_size
        self.illegal = illegal
        self.metadata = {**self.metadata, "name": f"{game.name}_v0"}
        self.possible_agents = [f"player_{k}" for k in range(game.num_players)]
        self._seat = {agent: k for k, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": integer_box(game.observation_high, game.observation_shape),
                    "action_mask": integer_box(1, (game.num_actions,)),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {a: spaces.Discrete(game.num_actions) for a in self.possible_agents}
        self.state_space = integer_box(
            game.observation_high, (game.num_players, *game.observation_shape)
        )
        self.has_updated = False
        """Whether `step` or `reset` was called since the last agent of `agent_iter`."""
        # These hide the methods until the first `reset`, so that `step` needs no check.
        # A `__getattr__` would slow down every access to an attribute.
        for name in _CALLED_AFTER_RESET:
            setattr(self, name, functools.partial(_too_early, name))
        self._np_random: np.random.Generator | None = None
        self._batch = GameBatch(game, 1)
        # Looked up once: a ply takes little longer than a few attribute look-ups.
        self._num_actions = game.num_actions
        self._info_moves = game.has_info and not game.info_is_fixed

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space. Raises `ValueError` if the agent is unknown."""
        return self._by_agent(agent, self.observation_spaces)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space. Raises `ValueError` if the agent is unknown."""
        return self._by_agent(agent, self.action_spaces)

    def _by_agent(self, agent: str, found: Mapping[str, Any]) -> Any:
        """Return the entry of an agent."""
        try:
            return found[agent]
        except (KeyError, TypeError):  # `TypeError` if the agent is not hashable
            one_of("agent", agent, found)
            raise

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: seed of the game's random stream; `None` starts the next game of the last
                seed's sequence.
            options: `{"state": ...}` starts from a position: a record, or a dictionary for
                `Game.from_dict`. The position's random stream continues, unless a seed is
                given. The key `"options"`, which PettingZoo's `api_test` passes, is ignored.

        Raises:
            ValueError: if the state is invalid or over, or `options` has another key.
        """
        state = given_options(options, "state", "options").get("state")
        states = given_states(self.game, state, 1)
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(plain_seed(seed))
        word = base_word(seed, self._np_random)
        if "step" in vars(self):  # the first game
            for name in _CALLED_AFTER_RESET:
                delattr(self, name)
        batch = self._batch
        if states is None:
            batch.position["rng"] = word  # RESTART derives the new game's stream from it
            batch.step_one(RESTART)
        else:
            streams = make_streams(word, 1)
            batch.games.states[:] = initial_states(
                self.game, states, state, streams, seeded=seed is not None
            )
            batch.step_one(BEGIN)
        self._first = batch.games.states.tobytes()  # much faster than a copy
        self._played: list[int] = []
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = self.terminations.copy()
        self.infos: dict[str, dict[str, Any]] = {}
        self._skip_agent_selection = None
        self.has_updated = True
        self._select_agent()
        self._set_infos()
        if self.render_mode == "human":
            self.render()

    def _select_agent(self) -> None:
        self.agent_selection = self.possible_agents[self._batch.to_move.item()]

    def _set_infos(self) -> None:
        info = self.game.info(self._batch.position)
        for agent in self.agents:
            self.infos[agent] = info.copy()

    def observe(self, agent: str) -> Observation:
        """Return an agent's view of the board and its mask.

        Raises:
            ValueError: if the agent is unknown.
        """
        seat = self._by_agent(agent, self._seat)
        batch = self._batch
        # Also after the end: `to_move` keeps its value and the mask is all zeros.
        if seat == batch.to_move.item():
            return {
                "observation": batch.observation.copy(),
                "action_mask": batch.action_mask.copy(),
            }
        return {
            "observation": self.game.observe(batch.games.states, seat)[0],
            "action_mask": np.zeros(self._num_actions, _INT8),
        }

    def state(self) -> npt.NDArray[np.int8]:
        """Return every seat's view, int8 of shape `(num_players, *observation_shape)`."""
        n = self.game.num_players
        return self.game.observe(np.repeat(self._batch.games.states, n), np.arange(n))

    def step(self, action: int | None) -> None:
        """Play the selected agent's action.

        Args:
            action: legal action of the agent; `None` after the game is over.

        Raises:
            OutOfBoundsError: if the action is outside the action space.
            ValueError: if the action is illegal and `illegal="raise"`, or if the game is over
                and the action is not `None`.
        """
        self.has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = action_number(action, self._num_actions)
        batch = self._batch
        if self.illegal == "raise" and not batch.games.masks[0, action]:
            raise ValueError(f"action {action} is illegal for {agent}")
        self._played.append(action)
        batch.step_one(action)
        self._select_agent()
        if self._info_moves:
            self._set_infos()
        if batch.games.terminated[0] or batch.games.truncated[0]:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        """Set the rewards and the flags of a finished game."""
        games = self._batch.games
        self.terminations = dict.fromkeys(self.agents, games.terminated.item())
        self.truncations = dict.fromkeys(self.agents, games.truncated.item())
        self.rewards = dict(zip(self.agents, games.rewards[0].tolist(), strict=True))
        self._accumulate_rewards()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int]:
        """Return an iterable of the agents in turn, at most `max_iter`, until the game ends."""
        return _Turns(self, max_iter)

    @property
    def position(self) -> np.void:
        """A copy of the position, a record for `reset(options={"state": ...})`."""
        record: np.void = self._batch.games.states.copy()[0]
        return record

    @property
    def episode(self) -> Episode:
        """The game so far, as an `Episode` to save, show or replay."""
        from boardenvs.episode import Episode

        first = np.frombuffer(self._first, self.game.state_dtype)
        return Episode(self.game, first, self._played)

    def close(self) -> None:
        """Do nothing: the environment has nothing to close and stays usable."""

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


for _name in _SET_BY_RESET:
    setattr(GameAECEnv, _name, _NotYet(_name))


class _Turns(AECIterable[str, Observation, int]):
    """The iterable that `agent_iter` returns."""

    def __iter__(self) -> AECIterator[str, Observation, int]:
        return _TurnIterator(self.env, self.max_iter)


class _TurnIterator(AECIterator[str, Observation, int]):
    """An iterator over the agents in turn; raises unless the environment is stepped in between."""

    env: GameAECEnv

    def __next__(self) -> str:
        agent = super().__next__()
        if not self.env.has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        self.env.has_updated = False
        return agent


class EnvFunction(Protocol):
    """The type of the functions `env` and `raw_env` of a game's PettingZoo module."""

    def __call__(
        self,
        render_mode: str | None = None,
        illegal: Illegal = "lose",
        render_size: int = RENDER_SIZE,
        **params: Any,
    ) -> GameAECEnv:
        """Return a PettingZoo environment for the game."""


class EnvModule(Protocol):
    """The type of a game's PettingZoo module, such as `boardenvs.gekitai_v0`."""

    env: EnvFunction
    raw_env: EnvFunction


def make_env(name: str) -> EnvFunction:
    """Return the function `env` of a game's PettingZoo module, such as `boardenvs.gekitai_v0`.

    The function is also the module's `raw_env`, since `GameAECEnv` needs no wrappers.

    Args:
        name: name of the game, as for `boardenvs.make`.
    """

    def env(
        render_mode: str | None = None,
        illegal: Illegal = "lose",
        render_size: int = RENDER_SIZE,
        **params: Any,
    ) -> GameAECEnv:
        """Return a PettingZoo environment for the game.

        Args:
            render_mode: as for `GameAECEnv`.
            illegal: as for `GameAECEnv`.
            render_size: as for `GameAECEnv`.
            **params: parameters of the game's class.

        Raises:
            ValueError: if an argument is unknown or out of range.

        Example:
            >>> from boardenvs import gekitai_v0
            >>> env = gekitai_v0.env(render_mode="ansi", max_plies=50)
            >>> env.reset(seed=0)
            >>> env.agent_selection, env.observe("player_0")["action_mask"].shape
            ('player_0', (36,))
        """
        return GameAECEnv(resolve_game(name, params, env), render_mode, illegal, render_size)

    env.__module__, env.__qualname__ = f"boardenvs.{name}_v0", "env"  # for pickle
    return env
