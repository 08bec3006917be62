"""Comparison of `CudaBatchEnv` with `BatchEnv`, in a process with `NUMBA_ENABLE_CUDASIM=1`."""

import importlib
import sys

import numpy as np
from numba import cuda

import boardenvs

NUM = 3
VIEWS = "observation", "action_mask", "to_move", "states"


def on_host(array):
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def assert_same(these, those):
    for one, other in zip(map(on_host, these), map(on_host, those), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert one.tobytes() == other.tobytes()


def views(batch):
    return [getattr(batch, name) for name in VIEWS]


def compare(game):
    batch, copy = boardenvs.BatchEnv(game, NUM, 5), boardenvs.CudaBatchEnv(game, NUM, 5)
    assert_same(views(batch), views(copy))
    rng = np.random.default_rng(0)
    ended = 0
    for k in range(24):
        actions = copy.sample_actions().copy_to_host()
        assert batch.action_mask[np.arange(NUM), actions].all()
        illegal = np.flatnonzero(~batch.action_mask[0])
        told = actions.copy()
        if k % 8 == 7 and illegal.size:
            actions[0] = illegal[0]
            told[0] = rng.choice([-1, game.num_actions, illegal[0]])  # all lose
        results = batch.step(actions)
        assert_same(results, copy.step(cuda.to_device(told)))
        assert_same(views(batch), views(copy))
        ended += (results[1] | results[2]).sum()
    assert ended > NUM
    for changes in ({"seed": 3}, {}, {"states": batch.states.copy()}):
        batch.reset(**changes)
        copy.reset(**changes)
        assert_same(views(batch), views(copy))


def compare_playouts(game):
    copy = boardenvs.CudaBatchEnv(game, NUM, 5)
    states, streams = copy.states.copy_to_host(), copy._games.streams.copy_to_host()
    mask = np.zeros(game.num_actions, bool)
    game.kernels.play_out(states, game.constants, streams, mask)
    rewards, lengths = copy.play_out()
    assert_same([rewards, lengths], [states["returns"], states["ply"]])
    fresh = copy.states.copy_to_host()
    assert not game.over(fresh).any()
    assert_same(
        [copy.observation, copy.action_mask, copy.to_move],
        [game.observe_to_move(fresh), game.legal(fresh), fresh["to_move"]],
    )


def main(name):
    if name not in boardenvs.GAMES:
        importlib.import_module(name)
    compare(boardenvs.make(name, max_plies=10))
    compare_playouts(boardenvs.make(name))


if __name__ == "__main__":
    main(sys.argv[1])
