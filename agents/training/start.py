"""Starting and resuming a run, as `boardenvs train` does."""

from __future__ import annotations

from pathlib import Path

import boardenvs
from agents.training.run import ALONE, TrainingRun
from agents.training.settings import Settings, settings_for
from boardenvs.game import Game, whole_number

__all__ = ["train"]


def _command(run: TrainingRun) -> str:
    """The command that makes a run anew, however often it was resumed."""
    defaults = boardenvs.make(run.game.name).params
    changed = [f"-p {k}={v}" for k, v in run.game.params.items() if v != defaults[k]]
    words = ["boardenvs train", run.game.name, *changed]
    return " ".join([*words, f"--steps {run.settings.total_steps} --seed {run.seed}"])


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
        if run.game != game:
            raise ValueError(f"{folder} holds a run of {run.game!r}, not of {game!r}")
        if steps is not None and steps < run.steps:
            raise ValueError(f"{folder} holds a run of {run.steps:,} steps already, got {steps:,}")
        if seed is not None and seed != run.seed:
            raise ValueError(f"{folder} holds a run with seed {run.seed}, not {seed}")
        command = _command(run)
        print(f"going on from step {run.steps:,} of {run.settings.total_steps:,}")
    else:
        for name in ("checkpoint.pt", "agent.onnx"):
            if (folder / name).exists():
                raise ValueError(f"{folder} holds a run: --resume it, or name another --out")
        chosen = settings_for(game) if settings is None else settings
        chosen = chosen if steps is None else chosen.ending_at(steps)
        seed = whole_number("seed", 0 if seed is None else seed, 0, 2**31 - 1)
        run = TrainingRun(game, chosen, seed, folder, device)
    run.learn()
    path = run.finish(command)
    print(f"the agent: {path}\nits card: {path.with_suffix('.json')}")
    print(f"its learning curve: {folder / 'learning_curve.png'}")
    for entry in run.card["scores"]:
        low, high = entry["interval"]
        rival = entry["against"]
        print(
            f"{rival if rival == ALONE else f'against {rival}'}: {entry['score']:.3f} "
            f"({low:.3f} to {high:.3f}, {entry['games']} games)"
        )
    return run
