"""Training with MaskablePPO, and networks in 8-bit integers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import boardenvs
from agents.naming.game_folders import files
from agents.networks.card import INT8, read_card
from agents.networks.onnx_policy import OnnxPolicy
from agents.networks.sizes import games_of_card
from agents.speed.row import Row
from agents.speed.rows.batches import label
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, rate
from boardenvs.game import Game

__all__ = [
    "BATCHES",
    "deciding",
    "evaluating",
    "int8_networks",
    "learning",
    "learning_steps",
    "training_steps",
]

_GAME = "gekitai"
_PLAIN = "sb3-contrib's own policy class"
_ZERO = "zero-cost VecEnv"
BATCHES = (16, 64, 256)
"""Batch sizes of the networks. The fastest one of each network counts."""
_FLOAT = "float32"


def deciding(part: Any) -> Side:
    """Return a side that measures decisions per second. A turn is a rollout and its update.

    Args:
        part: an `agents.training.ppo.PPO`.
    """
    from agents.networks.sharded import one_torch_thread

    decisions = part.env.num_envs * part.model.n_steps

    def side() -> float:
        began = time.perf_counter()
        with one_torch_thread():  # as `boardenvs train` does
            part.advance()
        return decisions / (time.perf_counter() - began)

    return side


def training_steps(bench: Bench) -> list[Row]:
    """Return a row that compares both policies on the same network, games and opponents."""
    effort = bench.effort

    def sides() -> dict[Key, Side]:
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        from agents.networks.policy_networks import BoardPolicy
        from agents.training.ppo import make_ppo
        from agents.training.settings_files import settings_for

        class PlainPolicy(BoardPolicy):
            forward: Any = MaskableActorCriticPolicy.forward
            evaluate_actions: Any = MaskableActorCriticPolicy.evaluate_actions
            get_distribution: Any = MaskableActorCriticPolicy.get_distribution

        game = boardenvs.make(_GAME)
        settings = settings_for(
            game, ppo_steps=500_000, num_envs=effort.train_envs, rollout=effort.learn_steps
        )
        kinds = {(_GAME,): BoardPolicy, (_GAME, _PLAIN): PlainPolicy}
        return {
            key: deciding(make_ppo(game, settings, 0, policies={"convolutional": kind}))
            for key, kind in kinds.items()
        }

    built = bench.peer("boardenvs train", "train", sides)
    if built is None:
        return []
    measure = f"boardenvs train {_GAME}, its MaskablePPO part"
    return bench.rows(measure, "decisions/s", _PLAIN, built, effort.learn_rounds)


def learning(env: Any, steps: int) -> Side:
    """Return a side that measures the steps per second of MaskablePPO, including its updates.

    The small network and the single pass over each rollout, in large batches, take little time.
    So the environment takes a large share.

    Args:
        env: a Stable-Baselines3 `VecEnv`.
        steps: number of steps of each game in a turn, which is one rollout and its update.

    Raises:
        ImportError: Stable-Baselines3 is not installed.
    """
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.logger import Logger

    from agents.networks.sharded import one_torch_thread

    total = steps * env.num_envs
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=steps,
        batch_size=min(4096, total),
        n_epochs=1,
        seed=0,
        device="cpu",
    )
    # By default, Stable-Baselines3 creates a temporary folder and does not remove it.
    model.set_logger(Logger(folder=None, output_formats=[]))

    def side() -> float:
        began = time.perf_counter()
        with one_torch_thread():
            model.learn(total, reset_num_timesteps=False)
        return total / (time.perf_counter() - began)

    return side


def learning_steps(bench: Bench) -> list[Row]:
    """Return rows that compare training with a `VecEnv` that replays recorded steps."""
    effort = bench.effort

    def sides() -> dict[Key, Side]:
        from agents.speed.zero_vec_env import ZeroVecEnv
        from agents.training.vec_env import SB3VecEnv
        from boardenvs.envs.vector import SeatVectorEnv

        steps = effort.learn_steps
        sides: dict[Key, Side] = {}
        for name in effort.games:
            envs = SB3VecEnv([SeatVectorEnv(effort.learn_envs, name)], seed=0)
            sides[name, _ZERO] = learning(ZeroVecEnv(envs, steps), steps)
            sides[name,] = learning(envs, steps)
        return sides

    built = bench.peer("training with MaskablePPO", "train", sides)
    if built is None:
        return []
    measure = f"MaskablePPO, N = {effort.learn_envs:,}"
    return bench.rows(measure, "steps/s", _ZERO, built, effort.learn_rounds)


def evaluating(network: OnnxPolicy, batch: int, seconds: float) -> Side:
    """Return a side that measures evaluations per second on one core, in batches of `batch`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        network.path.read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    shape = batch, *network.observed_game.observation_shape
    seen = np.random.default_rng(0).integers(0, 2, shape).astype(np.float32)

    def work() -> int:
        session.run(["logits", "value"], {"observation": seen})
        return batch

    return lambda: rate(work, seconds)


def int8_networks(bench: Bench) -> list[Row]:
    """Return rows of the shipped networks that have an int8 version."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    names = []
    for game, shown in _with_version(effort.games):
        names.append(shown)
        both = {"int8": OnnxPolicy(game, int8=True), _FLOAT: OnnxPolicy(game)}
        for kind, network in both.items():
            for batch in BATCHES:
                sides[shown, kind, str(batch)] = evaluating(network, batch, effort.seconds)
    found = bench.compare(sides)
    best = {
        (name, kind): max(found[name, kind, str(batch)] for batch in BATCHES)
        for name in names
        for kind in ("int8", _FLOAT)
    }
    return [
        Row(
            "network in int8, one core", name, best[name, "int8"], "evaluations/s",
            _FLOAT, best[name, _FLOAT],
        )
        for name in names
    ]  # fmt: skip


def _with_version(names: tuple[str, ...]) -> list[tuple[Game, str]]:
    """Return the games whose network has an int8 version, with their labels in the table."""
    found = []
    for name in names:
        for version in files(boardenvs.make(name), f"*{INT8}"):
            card: dict[str, Any] = read_card(
                version.with_name(version.name.removesuffix(INT8) + ".onnx")
            )
            usual = boardenvs.make(name).params
            found += [
                (
                    game,
                    label(
                        name,
                        {
                            k: v
                            for k, v in game.params.items()
                            if k != "max_plies" and v != usual[k]
                        },
                    ),
                )
                for game in games_of_card(card)
            ]
    return found
