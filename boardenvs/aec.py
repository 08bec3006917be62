"""The PettingZoo environment over any game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from boardenvs import make
from boardenvs.chance import stream_words
from boardenvs.game import Game, Illegal, check_illegal
from boardenvs.interface import (
    action_number,
    base_word,
    begun,
    check_render_mode,
    integer_box,
    plain_seed,
    show,
    start_states,
)

if TYPE_CHECKING:
    from boardenvs.episode import Episode

__all__ = ["GameAECEnv", "make_env", "make_raw_env"]

Observation = dict[str, npt.NDArray[np.int8]]


class GameAECEnv(AECEnv[str, Observation, int]):
    """One game, its players taking turns: PettingZoo's agent-environment cycle.

    An agent observes `{"observation": int8 of game.observation_shape, "action_mask": int8
    of shape (num_actions,)}`; the mask marks the legal actions of the agent to move and is
    all zeros for everyone else and after the end. Rewards come at the end alone.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 each instance gets its own
        "name": "game_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, game: Game, render_mode: str | None = None, illegal: Illegal = "lose"
    ) -> None:
        """Wrap a game.

        Args:
            game: the game to play.
            render_mode: "ansi" (`render` returns the console text), "human" (every move
                prints it) or `None`.
            illegal: "lose" ends the game with a loss for the offender; "raise" raises.

        Raises:
            ValueError: for an unknown `render_mode` or `illegal`.
        """
        super().__init__()
        check_illegal(illegal)
        check_render_mode(render_mode)
        self.game = game
        self.render_mode = render_mode
        self.illegal = illegal
        self.metadata = {**self.metadata, "name": f"{game.name}_v0"}
        self.possible_agents = [f"player_{k}" for k in range(game.num_players)]
        self._seat = {agent: k for k, agent in enumerate(self.possible_agents)}
        self._seats = [np.array([k]) for k in range(game.num_players)]
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
        self.agents: list[str] = []
        self._np_random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: of the game's random stream; without one, the last seed's sequence of
                games goes on.
            options: `{"state": ...}` starts from a position, a record or a dictionary as
                `Game.from_dict` takes it.

        Raises:
            ValueError: the state is no valid position, or it is over.
        """
        states = start_states(self.game, options, 1)
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(plain_seed(seed))
        words = stream_words(base_word(seed, self._np_random), 1)
        self._states = begun(self.game, states, options, words)
        self._first = self._states.tobytes()  # many times as fast as a copy
        self._played: list[int] = []
        self._mask = self.game.legal(self._states)
        self._action = np.zeros(1, np.int64)
        self._look()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._turn()
        if self.render_mode == "human":
            self.render()

    def _look(self) -> None:
        """Set views of what a ply reads, since to index a record costs more than to play it."""
        self._to_move = self._states["to_move"]
        self._over = self._states["terminated"], self._states["truncated"]
        self._legal = self._mask.view(np.int8)[0]

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        if "_states" in attributes:  # a copy has views of its own arrays, not copies of views
            self._look()

    def _turn(self) -> None:
        """Select the agent to move and tell it what the game adds to `info`."""
        self.agent_selection = self.possible_agents[self._to_move.item()]
        if self.game.has_info:
            info = self.game.info(self._states[0])
            for agent in self.agents:
                self.infos[agent] = dict(info)

    def observe(self, agent: str) -> Observation:
        """What an agent sees: its view of the board, and its mask."""
        game, seat = self.game, self._seat[agent]
        if seat == self._to_move.item():  # after the end the mask holds zeros
            mask = self._legal.copy()
        else:
            mask = np.zeros(game.num_actions, np.int8)
        seen = np.empty((1, game.observation_size), np.int8)
        game.kernels.observe_games(self._states, game.constants, self._seats[seat], seen)
        return {"observation": seen.reshape(game.observation_shape), "action_mask": mask}

    def state(self) -> npt.NDArray[np.int8]:
        """All seats' views in order: int8 of shape (num_players, *observation_shape)."""
        n = self.game.num_players
        return self.game.observe(np.repeat(self._states, n), np.arange(n))

    def step(self, action: int | None) -> None:
        """The selected agent's action.

        Raises:
            OutOfBoundsError: it is outside of the action space.
            ValueError: it is illegal and `illegal="raise"`, or the game is over and it
                is not `None`.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = action_number(action, self.game.num_actions)
        if self.illegal == "raise" and not self._mask[0, number]:
            raise ValueError(f"action {number} is illegal for {agent}")
        self._action[0] = number
        self._played.append(number)
        self._cumulative_rewards[agent] = 0.0
        self.game.kernels.advance_games(self._states, self.game.constants, self._action, self._mask)
        self._turn()
        terminated, truncated = (over.item() for over in self._over)
        if terminated or truncated:
            returns = self._states["returns"][0].tolist()
            for seat, name in enumerate(self.agents):
                self.rewards[name] = returns[seat]
                self.terminations[name] = terminated
                self.truncations[name] = truncated
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    @property
    def position(self) -> np.void:
        """A copy of the position, a record that `reset(options={"state": ...})` takes."""
        record: np.void = self._states.copy()[0]
        return record

    @property
    def episode(self) -> Episode:
        """The game so far, to save, show or play again."""
        from boardenvs.episode import Episode

        first = np.frombuffer(self._first, self.game.state_dtype)
        return Episode(self.game, first, self._played)

    def close(self) -> None:
        """Nothing is held open; the environment stays usable."""

    def render(self) -> str | None:
        """The console text: returned in mode "ansi", printed in mode "human"."""
        return show(self.game, self._states, self.render_mode)


def make_raw_env(cls: type[Game]) -> Callable[..., GameAECEnv]:
    """A game's `raw_env` function, as PettingZoo's modules have one."""

    def raw_env(
        render_mode: str | None = None, illegal: Illegal = "lose", **params: Any
    ) -> GameAECEnv:
        """The environment without the check of the order of calls."""
        return GameAECEnv(make(cls.name, **params), render_mode, illegal)

    raw_env.__module__ = cls.__module__
    return raw_env


def make_env(cls: type[Game]) -> Callable[..., OrderEnforcingWrapper[str, Observation, int]]:
    """A game's `env` function: `raw_env` with PettingZoo's check of the order of calls.

    The bounds of actions are checked by the environment itself.
    """
    raw_env = make_raw_env(cls)

    def env(
        render_mode: str | None = None, illegal: Illegal = "lose", **params: Any
    ) -> OrderEnforcingWrapper[str, Observation, int]:
        """The environment with checks. Arguments: `render_mode`, `illegal`, the game's own."""
        return OrderEnforcingWrapper(raw_env(render_mode, illegal, **params))

    env.__module__ = cls.__module__
    return env
