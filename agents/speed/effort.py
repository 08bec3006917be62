"""Sizes of a full and of a quick benchmark run."""

from __future__ import annotations

from dataclasses import dataclass

import boardenvs

__all__ = ["FULL", "QUICK", "Effort"]


@dataclass(frozen=True)
class Effort:
    """The size of a run of the benchmark."""

    games: tuple[str, ...] = tuple(boardenvs.GAMES)
    """Names of the games measured."""
    rounds: int = 5
    """Number of turns of each side. A figure is their median."""
    seconds: float = 0.12
    """Minimum length of a turn (s) in measures that repeat short work."""
    num_envs: int = 4096
    """Number of games in `BatchEnv` and pgx."""
    vector_envs: int = 1024
    """Number of games in `gym.make_vec`."""
    thread_envs: tuple[int, ...] = (1024, 4096)
    """Numbers of games at which two threads are compared with one."""
    simulations: int = 1000
    """Number of simulations for each move of a tree search."""
    guided_games: int = 4
    """Number of games measured in searches guided by a network."""
    guided_simulations: int = 32
    """Number of simulations for each move of self-play."""
    one_position_simulations: int = 400
    """Number of simulations of `puct` for one position at a time."""
    guided_seconds: float = 0.4
    """Minimum length of a turn (s) of searches guided by a network."""
    pgx_sizes: tuple[int, ...] = (64, 512, 4096)
    """Batch sizes of pgx in one `lax.scan`. The fastest one counts."""
    gpu_envs: tuple[int, ...] = tuple(4**k for k in range(5, 11))
    """Numbers of games on a GPU."""
    learn_envs: int = 512
    """Number of games in training with a small network."""
    train_envs: int = 256
    """Number of games in training with the settings of `boardenvs train`."""
    learn_steps: int = 32
    """Number of steps of each game in a turn of training."""
    learn_rounds: int = 5
    """`rounds` of training."""
    strength_games: int = 3
    """Number of games measured in training to a score."""
    strength_seeds: int = 3
    """Number of trainings to a score."""
    strength_seconds: float = 600.0
    """Limit of the CPU time of a training to a score (s)."""
    spiel_steps: int = 3
    """Learning steps of OpenSpiel's AlphaZero, of 64 positions each."""
    process_rounds: int = 3
    """`rounds` of measures that start a new process for each turn."""
    process_games: tuple[str, ...] = tuple(boardenvs.GAMES)
    """Names of the games whose first use in a new process is measured."""
    cold_envs: tuple[int, ...] = (1, 16, 64, 256, 1000)
    """Numbers of games in programs that start with nothing compiled."""
    cold_steps: tuple[int, ...] = (10, 100, 1000, 10_000)
    """Numbers of steps of such programs."""
    memory_envs: int = 65_536
    """Number of games when memory is measured."""
    batch_sizes: tuple[int, ...] = tuple(4**k for k in range(9))
    """Points of the curve over the number of games."""
    curve_rounds: int = 3
    """`rounds` of the curves."""
    curve_seconds: float = 0.04
    """`seconds` of the curves."""
    board_sizes: int = 6
    """Points of each curve over board size."""


FULL = Effort()
"""The full run, about nine minutes on two cores."""

QUICK = Effort(
    games=("gekitai", "gomoku"),
    rounds=3,
    seconds=0.03,
    num_envs=1024,
    vector_envs=256,
    thread_envs=(1024,),
    simulations=100,
    guided_games=1,
    guided_simulations=8,
    one_position_simulations=50,
    guided_seconds=0.1,
    pgx_sizes=(1024,),
    gpu_envs=(1024,),
    learn_envs=64,
    train_envs=64,
    learn_steps=16,
    learn_rounds=1,
    strength_games=1,
    strength_seeds=1,
    strength_seconds=1.0,
    spiel_steps=1,
    process_rounds=1,
    process_games=("gekitai",),
    cold_envs=(64,),
    cold_steps=(10,),
    memory_envs=1024,
    batch_sizes=(1, 64, 1024),
    curve_rounds=1,
    curve_seconds=0.01,
    board_sizes=2,
)
"""A run of half a minute that checks the measures. Its figures are not precise."""
