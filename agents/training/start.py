"""Starting and resuming a run, as `boardenvs train` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boardenvs
from agents.training.evaluation import ALONE
from agents.training.run import TrainingRun
from agents.training.settings import Settings, settings_for
from boardenvs.checks import whole_number
from boardenvs.game import Game

__all__ = ["check_empty", "check_resumed", "command_of", "report", "seed_of", "train"]


def command_of(game: Game, steps: int, seed: int, *more: str) -> str:
    """The command that makes a run anew, however often it was resumed."""
    words = ["boardenvs train", game.name, *_changed(game), *more]
    return " ".join([*words, f"--steps {steps} --seed {seed}"])


def _changed(game: Game) -> list[str]:
    """What tells the command of a game's parameters that are not the default."""
    defaults = boardenvs.make(game.name).params
    return [f"-p {k}={v}" for k, v in game.params.items() if v != defaults[k]]


def check_empty(folder: Path) -> None:
    """Raise `ValueError` where a run would come into another's folder."""
    for name in ("checkpoint.pt", "checkpoints", "agent.onnx"):
        if (folder / name).exists():
            raise ValueError(f"{folder} holds a run: --resume it, or name another --out")


def seed_of(seed: int | None) -> int:
    """The seed of a fresh run; 0 by default."""
    return whole_number("seed", 0 if seed is None else seed, 0, 2**31 - 1)


def check_resumed(run: Any, done: int, game: Game, steps: int | None, seed: int | None) -> None:
    """Raise `ValueError` where what is asked for does not fit the run in its folder.

    Args:
        run: with `game`, `seed` and `folder`.
        done: the learner's decisions so far.
        game: what is asked for, as the following.
        steps: decisions in all, if said.
        seed: if said.
    """
    if run.game != game:
        right = " ".join(["boardenvs train", run.game.name, *_changed(run.game)])
        meant = f"; did you mean '{right}'?" if run.game.name == game.name else ""
        raise ValueError(f"{run.folder} holds a run of {run.game!r}, not of {game!r}{meant}")
    if steps is not None and steps < done:
        raise ValueError(f"{run.folder} holds a run of {done:,} steps already, got {steps:,}")
    if seed is not None and seed != run.seed:
        raise ValueError(f"{run.folder} holds a run with seed {run.seed}, not {seed}")


def report(run: Any, path: Path) -> None:
    """Print where a finished run's agent lies and what its card says of its strength."""
    print(f"the agent: {path}\nits card: {path.with_suffix('.json')}")
    print(f"its learning curve: {run.folder / 'learning_curve.png'}")
    for entry in run.card["scores"]:
        low, high = entry["interval"]
        rival = entry["against"]
        print(
            f"{rival if rival == ALONE else f'against {rival}'}: {entry['score']:.3f} "
            f"({low:.3f} to {high:.3f}, {entry['games']} games)"
        )


def train(
    game: Game,
    folder: Path,
    steps: int | None = None,
    seed: int | None = None,
    command: str = "",
    *,
    resume: bool = False,
    settings: Settings | None = None,
    device: str = "cpu",
) -> TrainingRun:
    """Train, export and report; progress goes to standard error, the result to output.

    Args:
        game: what is learned.
        folder: of the run.
        steps: decisions of the learner in all; by default the settings'.
        seed: of everything random; 0 by default.
        command: that repeats the run, for the card.
        resume: go on with the run in the folder.
        settings: by default those of the game.
        device: of the network, as PyTorch names it.

    Raises:
        ValueError: the folder holds a run and `resume` is not set, or the other way
            round, or what is asked for does not fit the run in it.
    """
    if steps is not None:
        steps = whole_number("steps", steps, 1)
    if resume:
        run = TrainingRun.resume(folder, steps, device)
        check_resumed(run, run.steps, game, steps, seed)
        total = run.settings.total_steps
        command = command_of(game, total, run.seed)
        print(f"going on from step {run.steps:,} of {total:,}")
    else:
        check_empty(folder)
        chosen = settings_for(game) if settings is None else settings
        chosen = chosen if steps is None else chosen.ending_at(steps)
        run = TrainingRun(game, chosen, seed_of(seed), folder, device)
    run.learn()
    path = run.finish(command)
    report(run, path)
    return run
