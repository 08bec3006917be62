"""Starting and resuming a run, as `boardenvs train` does."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from agents.networks.sizes import Sizes, games_of
from agents.training.evaluation import entry_name
from agents.training.run import TrainingRun
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import MakeActors
from agents.training.settings import Settings, read_settings, settings_for
from agents.user_code import is_user_code, name_of_game
from boardenvs.core.checks import whole_number
from boardenvs.game import Game

__all__ = [
    "check_empty",
    "check_resumed",
    "check_settings",
    "command_of",
    "report",
    "seed_of",
    "train",
]


def command_of(
    game: Game | Sizes,
    settings: Settings,
    *,
    file: str | None,
    steps: int,
    seed: int,
    options: Sequence[str] = (),
) -> str:
    """The command that makes a run anew, in any process, however often it was resumed.

    Args:
        game: what is learned.
        settings: of the run.
        file: where they were read from, as the command named it; `None` for the game's own.
        steps: decisions in all.
        seed: of the run.
        options: of the command, beside those that follow from the others.
    """
    words = [*_game_words(game), *options]
    if file is not None:
        words += ["--settings", file]
    for spec in dict.fromkeys(settings.specs):
        if is_user_code(spec, games_of(game)[0]):
            words += ["--allow", spec]
    return shlex.join([*words, "--steps", str(steps), "--seed", str(seed)])


def _game_words(game: Game | Sizes) -> list[str]:
    """How a command begins that trains on a game: its name and parameters that are not default."""
    smallest = games_of(game)[0]
    words = ["boardenvs", "train", name_of_game(smallest)]
    kind: Any = type(smallest)
    try:
        defaults = kind().params
    except TypeError:  # a user's game may have parameters without
        defaults = {}
    for key, value in game.params.items():
        if isinstance(game, Sizes) and key == game.parameter:
            words += ["-p", f"{key}={','.join(map(str, game.values))}"]
        elif value is None and isinstance(game, Sizes):
            pass  # follows from the size
        elif key not in defaults or value != defaults[key]:
            words += ["-p", f"{key}={json.dumps(value)}"]
    return words


def check_empty(folder: Path) -> None:
    """Raise `ValueError` where a run would come into another's folder."""
    for name in ("checkpoint.pt", "checkpoints", "agent.onnx"):
        if (folder / name).exists():
            raise ValueError(f"{folder} holds a run: --resume it, or name another --out")


def seed_of(seed: int | None) -> int:
    """The seed of a fresh run; 0 by default."""
    return whole_number("seed", 0 if seed is None else seed, 0, 2**31 - 1)


def check_resumed(
    run: Any, *, done: int, game: Game | Sizes, steps: int | None, seed: int | None
) -> None:
    """Raise `ValueError` where what is asked for does not fit the run in its folder.

    Args:
        run: with `game`, `seed` and `folder`.
        done: the learner's decisions so far.
        game: what is asked for, as the following.
        steps: decisions in all, if said.
        seed: if said.
    """
    if run.game != game:
        right = shlex.join(_game_words(run.game))
        meant = f"; did you mean '{right}'?" if run.game.name == game.name else ""
        raise ValueError(f"{run.folder} holds a run of {run.game!r}, not of {game!r}{meant}")
    if steps is not None and steps < done:
        raise ValueError(f"{run.folder} holds a run of {done:,} steps already, got {steps:,}")
    if seed is not None and seed != run.seed:
        raise ValueError(f"{run.folder} holds a run with seed {run.seed}, not {seed}")


def check_settings(folder: Path, run: Settings, asked: Settings) -> None:
    """Raise `ValueError` where the settings asked for are not those of the run in its folder."""
    if run != asked:
        differ = [f.name for f in fields(run) if getattr(run, f.name) != getattr(asked, f.name)]
        raise ValueError(f"{folder} holds a run with other settings: {', '.join(differ)}")


def report(run: Any, path: Path) -> None:
    """Print where a finished run's agent lies and what its card says of its strength."""
    print(f"the agent: {path}\nits card: {path.with_suffix('.json')}")
    print(f"its learning curve: {run.folder / 'learning_curve.png'}")
    for entry in run.card["scores"]:
        low, high = entry["interval"]
        print(
            f"{entry_name(entry)}: {entry['score']:.3f} "
            f"({low:.3f} to {high:.3f}, {entry['games']} games)"
        )


def train(
    game: Game | Sizes,
    folder: Path,
    steps: int | None = None,
    seed: int | None = None,
    command: str = "",
    *,
    resume: bool = False,
    settings: Settings | Path | None = None,
    device: str = "cpu",
    actors: MakeActors = LocalActors,
    options: Sequence[str] = (),
) -> TrainingRun:
    """Train, export and report; progress goes to standard error, the result to output.

    Args:
        game: what is learned, on a board of one size or of several.
        folder: of the run.
        steps: decisions of the learner in all; by default the settings'.
        seed: of everything random; 0 by default.
        command: that repeats the run, for the card.
        resume: go on with the run in the folder.
        settings: themselves, or a file that has them, as `agents.training.settings.read_settings`
            reads it; by default those of the game, or of the run that goes on.
        device: of the network, as PyTorch names it.
        actors: makes those who play search-guided games.
        options: of the command that repeats the run, beside those that follow from the others.

    Raises:
        ValueError: the folder holds a run and `resume` is not set, or the other way
            round, or what is asked for does not fit the run in it, or the settings are bad.

    Example:
        >>> import boardenvs, contextlib, pathlib, tempfile
        >>> from agents.training import Settings, train
        >>> game = boardenvs.make("game112", board_size=3)
        >>> small = Settings(steps=256, num_envs=8, hidden=(8,), batch_size=64, evaluation_games=8)
        >>> with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(None):
        ...     run = train(game, pathlib.Path(folder, "run"), settings=small)
        >>> run.model.num_timesteps
        256
    """
    if steps is not None:
        steps = whole_number("steps", steps, 1)
    file = str(settings) if isinstance(settings, Path) else None
    asked = read_settings(settings, game) if isinstance(settings, Path) else settings
    if resume:
        run = TrainingRun.resume(folder, steps, device, actors)
        check_resumed(run, done=run.steps, game=game, steps=steps, seed=seed)
        total = run.settings.total_steps
        if asked is not None:
            check_settings(folder, run.settings, asked.ending_at(total))
        command = command_of(
            game,
            run.settings,
            file=run.settings_file,
            steps=total,
            seed=run.seed,
            options=options,
        )
        print(f"going on from step {run.steps:,} of {total:,}")
    else:
        check_empty(folder)
        fresh_seed = seed_of(seed)
        chosen = settings_for(game) if asked is None else asked
        chosen = chosen if steps is None else chosen.ending_at(steps)
        run = TrainingRun(game, chosen, fresh_seed, folder, device, file, actors)
    run.learn()
    path = run.finish(command)
    report(run, path)
    return run
