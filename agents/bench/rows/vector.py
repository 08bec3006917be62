"""`gym.make_vec` with random opponents, and training with it."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np

import boardenvs
from agents.bench.row import Row
from agents.bench.rows.batch import stepping
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, interleaved, rate
from boardenvs.core.chance import make_streams, next_bits
from boardenvs.registration import env_id

__all__ = ["learning", "learning_steps", "vector_steps", "vectoring"]

_BATCH = "BatchEnv.step, same N"
_ZERO = "zero-cost VecEnv"


def vectoring(name: str, num: int, seconds: float) -> Side:
    """Return a side that measures the steps per second of `gym.make_vec`, summed over all games.

    Actions are uniformly random legal ones. The time to sample them does not count.
    """
    envs = gymnasium.make_vec(env_id(name), num, vectorization_mode="vector_entry_point")
    random_actions = boardenvs.make(name).kernels.random_actions
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)
    mask = envs.reset(seed=0)[1]["action_mask"]

    def prepare() -> None:
        random_actions(mask.view(np.bool_), next_bits(streams), actions)

    def work() -> int:
        nonlocal mask
        mask = envs.step(actions)[-1]["action_mask"]
        return num

    for _ in range(32):
        prepare()
        work()
    return lambda: rate(work, seconds, prepare)


def vector_steps(bench: Bench) -> list[Row]:
    """Return rows that compare each game with `BatchEnv`, which has no opponents."""
    effort = bench.effort
    num = effort.vector_envs
    sides: dict[Key, Side] = {}
    for name in effort.games:
        sides[name,] = vectoring(name, num, effort.seconds)
        sides[name, _BATCH] = stepping(boardenvs.make(name), num, effort.seconds)
    found = bench.compare(sides)
    return [
        Row(
            f"gym.make_vec, N = {num:,}", name, found[name,], "steps/s", _BATCH, found[name, _BATCH]
        )
        for name in effort.games
    ]


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
        from agents.bench.zero_vec_env import ZeroVecEnv
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
    found = interleaved(built, effort.learn_rounds)
    measure = f"MaskablePPO, N = {effort.learn_envs:,}"
    return [
        Row(measure, name, found[name,], "steps/s", _ZERO, found[name, _ZERO])
        for name in effort.games
    ]
