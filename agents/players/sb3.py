"""Stable-Baselines3 models as agents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits, one_line
from agents.naming.user_code import search_here
from agents.players.choice import masked_choice, masked_policy
from boardenvs.core.checks import finite_number, shown
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["SB3Agent", "SavedSB3Agent", "from_sb3"]


class SB3Agent(Agent):
    """An agent that plays the legal actions of a Stable-Baselines3 or sb3-contrib model."""

    def __init__(
        self,
        model: Any,
        game: Game,
        temperature: float = 0.0,
        seed: int | None = None,
        spec: str | None = None,
    ) -> None:
        """Wrap a model; see `from_sb3`.

        Args:
            model: see `from_sb3`. Only its policy and its spaces are used.
            game: see `from_sb3`.
            temperature: see `from_sb3`.
            seed: seed of the choices at a temperature above 0.
            spec: name of the agent, by default the name of the model's class.

        Raises:
            ValueError: see `from_sb3`.
        """
        super().__init__(game, seed, spec or type(model).__name__)
        what = spec or "model"
        policy = getattr(model, "policy", None)
        recurrent = hasattr(policy, "lstm_actor")  # needs the game so far, not only the position
        if hasattr(policy, "get_distribution") and not recurrent:
            self._logits = _policy_logits
        elif hasattr(policy, "q_net"):
            self._logits = _q_values
        else:
            raise ValueError(
                f"{what} must have a policy or Q-values over discrete actions, and no LSTM, "
                f"got {shown(model) if spec is None else type(policy).__name__}"
            )
        size = int(np.prod(game.observation_shape))
        space = model.observation_space
        if getattr(space, "shape", None) is None or int(np.prod(space.shape)) != size:
            raise ValueError(
                f"{what} must observe shape {game.observation_shape} of {game!r}, got {space}"
            )
        if getattr(model.action_space, "n", None) != game.num_actions:
            raise ValueError(
                f"{what} must have the {game.num_actions} actions of {game!r}, "
                f"got {model.action_space}"
            )
        self.model = model
        self.temperature = finite_number("temperature", temperature)
        self.deterministic = temperature == 0

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        masks = self.game.legal(states)
        return masked_choice(self._scores(states), masks, self.temperature, random_bits)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return the probabilities at the agent's temperature; see `Agent.policies`."""
        if self.temperature == 0:
            return super().policies(states)
        states = self.live(states)
        return masked_policy(self._scores(states) / self.temperature, self.game.legal(states))

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """Return actions, and a policy's probabilities at temperature 1; see `Agent.consider`.

        Models with Q-values have no analyses.
        """
        if not len(states) or self._logits is _q_values:
            return super().consider(states, random_bits)
        logits, masks = self._scores(states), self.game.legal(states)
        unknown = np.full(self.game.num_players, np.nan)
        analyses = [Analysis.of_policy(policy, unknown) for policy in masked_policy(logits, masks)]
        return masked_choice(logits, masks, self.temperature, random_bits), analyses

    def _scores(self, states: States) -> npt.NDArray[np.floating[Any]]:
        """Return unmasked logits or Q-values, shape (N, num_actions)."""
        import torch

        space = self.model.observation_space
        policy = self.model.policy
        seen = self.game.observe_to_move(states).reshape(-1, *space.shape)
        policy.set_training_mode(False)
        with torch.no_grad():
            tensor, _ = policy.obs_to_tensor(seen.astype(space.dtype))
            scores: npt.NDArray[np.floating[Any]] = self._logits(policy, tensor).cpu().numpy()
        return scores


class SavedSB3Agent(SB3Agent):
    """An `SB3Agent` of a file that `model.save` of Stable-Baselines3 or sb3-contrib wrote.

    Loading the file unpickles objects, so it can run any code.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        path: str | Path = "",
        temperature: float = 0.0,
        spec: str = "sb3",
    ) -> None:
        """Load a model.

        Args:
            game: the game to play.
            seed: seed of the choices at a temperature above 0.
            path: the file, of any algorithm that `from_sb3` supports. Python also searches the
                current folder for the modules that the file names.
            temperature: 0 takes the best action; 1 samples from the policy.
            spec: name of the agent.

        Raises:
            ValueError: the file is missing or not a model, its spaces do not fit the game, the
                extra `[train]` is missing, or `temperature` is negative.
        """
        self.path = Path(path)
        super().__init__(_load(self.path), game, temperature, seed, spec)


def _load(path: Path) -> SimpleNamespace:
    """Return the policy and the spaces of a saved model.

    A file does not name the class of its algorithm, but the policy's class is in the file.
    """
    if not path.is_file():
        reason = "it is a folder" if path.is_dir() else "the file does not exist"
        saved = Path(f"{path}.zip")  # the suffix that `model.save` adds
        if saved.is_file():
            reason += f"; did you mean {saved}?"
        raise ValueError(f"{path} is not a Stable-Baselines3 model: {reason}")
    if find_spec("stable_baselines3") is None:
        raise ValueError("sb3:PATH needs the extra [train]: pip install 'boardenvs[train]'")
    from stable_baselines3.common.save_util import load_from_zip_file

    search_here()
    try:
        with warnings.catch_warnings():
            # Unused objects, such as the schedules, may be from another version of Python.
            warnings.simplefilter("ignore")
            data, parameters, _ = load_from_zip_file(path, device="cpu")
            assert data is not None, "it has no settings of a model"
            arguments = {k: v for k, v in data["policy_kwargs"].items() if k != "device"}
            spaces = data["observation_space"], data["action_space"]
            # The policy's own optimiser is not used.
            policy = data["policy_class"](*spaces, lambda _: 0.0, **arguments)
            policy.load_state_dict(parameters["policy"])
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{path} is not a Stable-Baselines3 model that can be loaded: {one_line(error)}"
        ) from error
    return SimpleNamespace(policy=policy, observation_space=spaces[0], action_space=spaces[1])


def _policy_logits(policy: Any, observation: Any) -> Any:
    return policy.get_distribution(observation).distribution.logits


def _q_values(policy: Any, observation: Any) -> Any:
    return policy.q_net(observation)


def from_sb3(model: Any, game: Game, temperature: float = 0.0) -> SB3Agent:
    """Return an agent that plays by a Stable-Baselines3 or sb3-contrib model.

    Args:
        model: a model with discrete actions and a policy (PPO, A2C, MaskablePPO) or
            Q-values (DQN), trained on this game's observations, flattened or not. The
            agent masks illegal actions for every algorithm.
        game: the game to play.
        temperature: 0 takes the best action; 1 samples from the policy.

    Raises:
        ValueError: the model is of another kind, its spaces do not fit the game, or
            `temperature` is negative.

    Example:
        >>> import agents, boardenvs, gymnasium, sb3_contrib
        >>> env = gymnasium.make("boardenvs:boardenvs/Game112-v0", opponent="random")
        >>> model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, seed=0)
        >>> game = boardenvs.make("game112")
        >>> agents.play_match(game, [agents.from_sb3(model, game), "random"], 10, seed=0).games
        10
    """
    return SB3Agent(model, game, temperature)
