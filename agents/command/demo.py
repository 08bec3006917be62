"""`boardenvs demo`: a trained agent, its ratings and an episode."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import boardenvs
from agents.arena import results_table
from agents.command.arena import play_arena
from agents.command.common.extras import TRAINING, require_extra
from agents.command.common.parser import Commands
from agents.naming.spec import specs_of
from boardenvs.core.checks import whole_number
from boardenvs.episode import Episode

__all__ = ["add", "run_demo"]

_STEPS = 45_000
_CHANNELS = 32  # `boardenvs train gekitai` has 48
_EVALUATE_EVERY = 7_500  # the curve needs several points
_ARENA_GAMES = 500
_MARK = ".boardenvs-demo"  # marks the folder as a demo's


def add(commands: Commands) -> None:
    """Add the subcommand."""
    demo = commands.add(
        "demo",
        _run,
        "train an agent on Gekitai for about a minute, rate it and show a game",
        ["", "--steps 20000 --out my-demo"],
        games=(),
    )
    demo.add_argument(
        "--steps", type=int, metavar="N", help=f"positions to train on; default: {_STEPS:,}"
    )
    demo.add_argument("--seed", type=int, default=0, help="seed of everything random; default: 0")
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("boardenvs-demo"),
        metavar="FOLDER",
        help="folder of the results, replaced if it is a demo's; default: boardenvs-demo",
    )


def _run(options: argparse.Namespace) -> None:
    require_extra("training", "train", TRAINING)
    run_demo(options.out, options.seed, options.steps)


def run_demo(folder: Path, seed: int = 0, steps: int | None = None) -> None:
    """Train an agent on Gekitai, rate it, and write the results to a folder.

    Args:
        folder: folder for `agent.onnx` and its card, `learning_curve.png`, `episode.html`, the
            checkpoint and the logs. The files of an earlier demo are replaced.
        seed: seed of everything random, from 0 to 2^31 - 1.
        steps: number of positions to train on, at least 1.

    Raises:
        ValueError: the folder contains other files, or an argument is out of range.
    """
    from agents.training.run import TrainingRun
    from agents.training.settings_files import settings_for

    game = boardenvs.make("gekitai")
    steps = _STEPS if steps is None else whole_number("steps", steps, 1)
    seed = whole_number("seed", seed, 0, 2**31 - 1)
    _clear(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).touch()
    how = "self-play with a tree search"
    print(f"1. Training an agent on Gekitai by {how}: {steps:,} positions.", flush=True)
    settings = settings_for(game, channels=_CHANNELS, evaluate_every=_EVALUATE_EVERY).ending_at(
        steps
    )
    run = TrainingRun(game, settings, seed, folder)
    run.learn()
    network = run.finish(f"boardenvs demo --steps {steps} --seed {seed}")

    print(f"\n2. The arena: {_ARENA_GAMES} games a pair, seats swapped.", flush=True)
    specs = specs_of(["random", "greedy", f"trained:{network}"], game)
    results = play_arena(specs, _ARENA_GAMES, seed + 1)
    print(results_table(results), end="\n\n")

    _, greedy, trained = specs
    agents = [trained.make(seed), greedy.make(seed)]
    episode = Episode.play(game, agents, seed, names=["trained", "greedy"], analysis=True)
    page = folder / "episode.html"
    episode.save_html(page)
    print("3. The results:")
    for what, path in (
        ("learning curve", folder / "learning_curve.png"),
        ("a game, trained against greedy", page),
        ("the trained agent", network),
        ("its card", network.with_suffix(".json")),
    ):
        print(f"   {what}: {path.resolve()}")
    command = sys.argv[0] if Path(sys.argv[0]).name == "boardenvs" else "boardenvs"
    print(f"\nPlay against it: {command} play gekitai --opponent {trained}")
    sys.stdout.flush()


def _clear(folder: Path) -> None:
    """Remove an earlier demo from a folder.

    Raises:
        ValueError: the folder contains other files.
    """
    if not folder.exists():
        return
    known = {
        "agent.json", "agent.onnx", "checkpoint.pt", "episode.html", "learning_curve.png",
        "settings.json", "tensorboard",
    }  # fmt: skip
    marked = (folder / _MARK).is_file()
    found = {p.name for p in folder.iterdir()} if folder.is_dir() else {""}
    if marked:  # a killed demo may have left hidden files, which stay
        found = {name for name in found if not name.startswith(".")}
    if found - known or (found and not marked):
        raise ValueError(f"--out must be a new folder or an earlier demo's, got {folder}")
    for name in found - {"tensorboard"}:  # the mark stays in case of an interruption
        (folder / name).unlink()
    shutil.rmtree(folder / "tensorboard", ignore_errors=True)
