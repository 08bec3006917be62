"""Sizes of a full and of a quick benchmark run."""

from __future__ import annotations

from dataclasses import dataclass

import boardenvs

__all__ = ["FULL", "QUICK", "Effort"]


@dataclass(frozen=True)
class Effort:
    """The size of a run of the benchmark."""

    games: tuple[str, ...] = tuple(boardenvs.GAMES)
    """Games of the measures that cover all games."""
    rounds: int = 5
    """Number of turns of each side, of which the median counts."""
    seconds: float = 0.12
    """Seconds of a turn in measures that repeat short work."""
    num_envs: int = 4096
    """Games side by side in `BatchEnv` and pgx."""
    vector_envs: int = 1024
    """Games side by side in `gym.make_vec`."""
    thread_envs: tuple[int, ...] = (1024, 4096)
    """Batch sizes at which two threads stand against one."""
    simulations: int = 1000
    """Simulations for each move of a tree search."""
    guided_games: int = 4
    """Number of games with a network in the guided searches."""
    guided_simulations: int = 32
    """Simulations for each move of guided searches."""
    one_position_simulations: int = 400
    """Simulations of `puct` for one position at a time."""
    guided_seconds: float = 0.4
    """`seconds` of guided searches."""
    pgx_sizes: tuple[int, ...] = (64, 512, 4096)
    """Batch sizes of pgx where it plays many plies in one call; the best one counts."""
    learn_envs: int = 512
    """Games side by side in training that waits for its environment."""
    train_envs: int = 256
    """Games side by side in training with a game's own settings."""
    learn_steps: int = 32
    """Steps of each of them in a turn."""
    learn_rounds: int = 5
    """`rounds` of the training."""
    process_rounds: int = 3
    """`rounds` of measures whose turns are new processes."""
    process_games: tuple[str, ...] = tuple(boardenvs.GAMES)
    """Games whose first use in a new process is measured."""
    memory_envs: int = 65_536
    """Games side by side where memory is measured."""
    batch_sizes: tuple[int, ...] = tuple(4**k for k in range(9))
    """Numbers of games of the curve over N."""
    curve_rounds: int = 3
    """`rounds` of the curves."""
    curve_seconds: float = 0.04
    """`seconds` of the curves."""
    board_sizes: int = 6
    """Points of each curve over board size."""


FULL = Effort()
"""About nine minutes on two cores."""

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
    learn_envs=64,
    train_envs=64,
    learn_steps=16,
    learn_rounds=1,
    process_rounds=1,
    process_games=("gekitai",),
    memory_envs=1024,
    batch_sizes=(1, 64, 1024),
    curve_rounds=1,
    curve_seconds=0.01,
    board_sizes=2,
)
"""Half a minute: shows that everything runs, measures nothing well."""
