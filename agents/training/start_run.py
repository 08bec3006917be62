"""Start and resumption of a run, as in `boardenvs train`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from agents.naming.user_code import is_user_code, name_of_game
from agents.networks.sizes import (
    Games,
    common_params,
    described,
    games_of,
    size_parameter,
)
from agents.training.evaluation import entry_name
from agents.training.run import TrainingRun
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import MakeActors
from agents.training.settings import Settings
from agents.training.settings_files import read_settings, settings_for
from boardenvs.core.checks import counted, whole_number
from boardenvs.game import Game

__all__ = ["train"]


def train(
    game: Game | Games,
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
    """Train and export an agent; progress goes to standard error, the result to standard output.

    Args:
        game: the game to learn, or a tuple of the game on several board sizes.
        folder: folder of the run.
        steps: total steps of all parts of the training; `None` for those of the settings.
        seed: seed of all randomness; `None` for 0.
        command: command that repeats the run, for the card of a new run.
        resume: whether to resume the run in the folder.
        settings: the settings, or a file for `read_settings` of
            `agents.training.settings_files`; `None` for those of the game or of the resumed run.
        device: PyTorch device of the network.
        actors: function that makes the actors for search-guided games.
        options: options of the command that repeats a resumed run, besides those that the run
            implies.

    Returns:
        The finished run.

    Raises:
        ValueError: the settings are invalid; the folder contains a run and `resume` is false; or
            `resume` is true and the folder has no run, or the arguments do not fit its run.

    Example:
        >>> import boardenvs, contextlib, pathlib, tempfile
        >>> from agents.training import Settings, train
        >>> game = boardenvs.make("game112", board_size=3)
        >>> small = Settings(ppo_steps=256, num_envs=8, hidden=(8,), evaluation_games=8)
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
        _check_resumed(run, games_of(game), steps, seed, asked)
        command = _command_of(run, options)
        print(f"going on from step {run.steps:,} of {run.settings.total_steps:,}")
    else:
        _check_empty(folder)
        fresh_seed = whole_number("seed", 0 if seed is None else seed, 0, 2**31 - 1)
        chosen = settings_for(game) if asked is None else asked
        chosen = chosen if steps is None else chosen.ending_at(steps)
        run = TrainingRun(game, chosen, fresh_seed, folder, device, file, actors)
    run.learn()
    _report(run, run.finish(command))
    return run


def _check_empty(folder: Path) -> None:
    """Raise `ValueError` if the folder already contains a run."""
    for name in ("checkpoint.pt", "checkpoints", "agent.onnx"):
        if (folder / name).exists():
            raise ValueError(
                f"{folder} already contains a run: pass --resume to continue the run, or choose "
                f"another folder with --out"
            )


def _check_resumed(
    run: TrainingRun,
    games: Games,
    steps: int | None,
    seed: int | None,
    settings: Settings | None,
) -> None:
    """Raise `ValueError` if the run in the folder does not fit the arguments of `train`.

    Args:
        run: run in the folder.
        games: the game of `train` on each size.
        steps: total steps; `None` for those of the run.
        seed: seed; `None` for that of the run.
        settings: settings; `None` for those of the run.
    """
    folder = run.folder
    if run.games != games:
        right = shlex.join(_game_words(run.games))
        meant = f"; did you mean '{right}'?" if run.games[0].name == games[0].name else ""
        raise ValueError(
            f"{folder} contains a run of {described(run.games)}, got {described(games)}{meant}"
        )
    if steps is not None and steps < run.steps:
        raise ValueError(
            f"steps must be at least {run.steps:,}, as many as the run in {folder} has done, "
            f"got {steps:,}"
        )
    if seed is not None and seed != run.seed:
        raise ValueError(f"seed must be {run.seed}, that of the run in {folder}, got {seed}")
    if settings is not None:
        ours, theirs = run.settings, settings.ending_at(run.settings.total_steps)
        differ = [f.name for f in fields(ours) if getattr(ours, f.name) != getattr(theirs, f.name)]
        if differ:
            raise ValueError(
                f"settings must be those of the run in {folder}, got other values of "
                f"{', '.join(differ)}"
            )


def _command_of(run: TrainingRun, options: Sequence[str]) -> str:
    """Return the command that repeats a run from its start without interruptions.

    Args:
        run: any run.
        options: options of the command, besides those that the run implies.
    """
    words = [*_game_words(run.games), *options]
    if run.settings_file is not None:
        words += ["--settings", run.settings_file]
    for spec in dict.fromkeys(run.settings.specs):
        if is_user_code(spec, run.games[0]):
            words += ["--allow", spec]
    total = run.settings.total_steps
    return shlex.join([*words, "--steps", str(total), "--seed", str(run.seed)])


def _game_words(games: Games) -> list[str]:
    """Return the start of a command that trains on a game: name and non-default parameters."""
    smallest = games[0]
    words = ["boardenvs", "train", name_of_game(smallest)]
    kind: Any = type(smallest)
    try:
        defaults = kind().params
    except TypeError:  # a user's game may have parameters without defaults
        defaults = {}
    several = len(games) > 1
    for key, value in common_params(games).items():
        if several and key == size_parameter(games):
            words += ["-p", f"{key}={','.join(str(game.params[key]) for game in games)}"]
        elif value is None and several:
            pass  # depends on the size
        elif key not in defaults or value != defaults[key]:
            words += ["-p", f"{key}={json.dumps(value)}"]
    return words


def _report(run: TrainingRun, path: Path) -> None:
    """Print the path of a finished run's agent, and the scores of its card."""
    print(f"the agent: {path}\nits card: {path.with_suffix('.json')}")
    print(f"its learning curve: {run.folder / 'learning_curve.png'}")
    for entry in run.card["scores"]:
        low, high = entry["interval"]
        print(
            f"{entry_name(entry)}: {entry['score']:.3f} "
            f"({low:.3f} to {high:.3f}, {counted(entry['games'], 'game')})"
        )
