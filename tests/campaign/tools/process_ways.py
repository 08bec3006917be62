"""A program that plays the same games here and in other processes or threads, and compares.

    python process_ways.py WAY SEED

It prints `right` if the results are equal. It is a file, because spawned processes import it.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import numpy as np

import boardenvs
from boardenvs.registration import env_id

GAME = "game112"
PLIES = 30


def played(seed):
    """Return a digest of the results of some games."""
    env = boardenvs.BatchEnv(boardenvs.make(GAME), num_envs=16, seed=seed)
    rng = np.random.default_rng(seed)
    told = hashlib.sha256()
    for _ in range(PLIES):
        actions = (rng.random(env.action_mask.shape) * env.action_mask).argmax(1)
        for part in env.step(actions):
            told.update(np.ascontiguousarray(part).tobytes())
        told.update(env.states.tobytes())
    return told.hexdigest()


def in_processes(method, seeds):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(played, seeds, 1)


def fork(seeds):
    return in_processes("fork", seeds)


def spawn(seeds):
    return in_processes("spawn", seeds)


def forkserver(seeds):
    return in_processes("forkserver", seeds)


def threads(seeds):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(played, seeds))


class Games:
    """A PyTorch dataset with the digest of each seed."""

    def __init__(self, seeds):
        self.seeds = seeds

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, k):
        return played(self.seeds[k])


def data_loader(seeds):
    from torch.utils.data import DataLoader

    return [text for texts in DataLoader(Games(seeds), num_workers=2) for text in texts]


def made():
    return gym.make(f"boardenvs:{env_id(GAME)}", opponent="random", seat=0)


def same_vectors(one, other, seed):
    """Check that two vectors of environments return the same for the same actions."""
    rng = np.random.default_rng(seed)
    for _ in range(PLIES):
        actions = rng.integers(one.single_action_space.n, size=3)
        for mine, theirs in zip(one.step(actions)[:4], other.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def async_vector_env(seeds):
    for seed in seeds:
        one = gym.vector.AsyncVectorEnv([made] * 3)
        other = gym.vector.SyncVectorEnv([made] * 3)
        np.testing.assert_array_equal(one.reset(seed=seed)[0], other.reset(seed=seed)[0])
        same_vectors(one, other, seed)
        one.close()
    return [played(seed) for seed in seeds]


def subproc_vec_env(seeds):
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    for seed in seeds:
        here, there = DummyVecEnv([made] * 3), SubprocVecEnv([made] * 3)
        for vec in (here, there):
            vec.seed(seed)
        np.testing.assert_array_equal(here.reset(), there.reset())
        rng = np.random.default_rng(seed)
        for _ in range(PLIES):
            actions = rng.integers(here.action_space.n, size=3)
            for mine, theirs in zip(here.step(actions)[:3], there.step(actions)[:3], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        there.close()
    return [played(seed) for seed in seeds]


WAYS = {
    way.__name__: way
    for way in (fork, spawn, forkserver, threads, data_loader, async_vector_env, subproc_vec_env)
}

if __name__ == "__main__":
    way, seed = WAYS[sys.argv[1]], int(sys.argv[2])
    seeds = [seed, seed + 1, seed + 2, seed + 3]
    # Children either inherit code that was used before, or all load it at once.
    first = [played(one) for one in seeds] if seed % 2 else None
    found = way(seeds)
    expected = first or [played(one) for one in seeds]
    print("right" if found == expected else f"wrong: {found}, expected {expected}")
