"""`boardenvs demo`: from nothing to a trained agent, a benchmark and an episode to look at."""

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
from agents.making import make
from boardenvs.core.checks import whole_number
from boardenvs.episode import Episode

__all__ = ["add", "run_demo"]

_STEPS = 150_000
_CHANNELS = 32  # of the network: two thirds of those that `boardenvs train gekitai` takes
_EVALUATE_EVERY = 25_000  # so that the curve has some points
_ARENA_GAMES = 500
_MARK = ".boardenvs-demo"  # tells a demo's folder from that of a training run


def add(commands: Commands) -> None:
    """Add the subcommand."""
    demo = commands.add(
        "demo",
        _run,
        "train an agent on Gekitai for about two minutes, rate it and show a game",
        ["", "--steps 20000 --out my-demo"],
        games=(),
    )
    demo.add_argument(
        "--steps", type=int, metavar="N", help=f"positions to train on; by default {_STEPS:,}"
    )
    demo.add_argument("--seed", type=int, default=0, help="of everything random; by default 0")
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("boardenvs-demo"),
        metavar="FOLDER",
        help="where results go, those of an earlier demo are replaced; by default boardenvs-demo",
    )


def _run(options: argparse.Namespace) -> None:
    require_extra("training", "train", TRAINING)
    run_demo(options.out, options.seed, options.steps)


def run_demo(folder: Path, seed: int = 0, steps: int | None = None) -> None:
    """Train on Gekitai, play the arena, and leave the results in a folder.

    Args:
        folder: gets `agent.onnx` and its card, `learning_curve.png`, `episode.html` and
            the run's checkpoint and logs; those of an earlier demo are replaced.
        seed: of everything random.
        steps: positions to train on.

    Raises:
        ValueError: the folder holds something that is no earlier demo's, or an argument
            is out of range.
    """
    from agents.training.run import TrainingRun
    from agents.training.settings import settings_for

    game = boardenvs.make("gekitai")
    steps = _STEPS if steps is None else whole_number("steps", steps, 1)
    seed = whole_number("seed", seed, 0, 2**31 - 1)
    _clear(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).touch()
    how = "self-play with a tree search"
    print(f"1. Training an agent on Gekitai by {how}: {steps:,} positions.", flush=True)
    settings = settings_for(
        game, ppo_steps=0, channels=_CHANNELS, evaluate_every=_EVALUATE_EVERY
    ).ending_at(steps)
    run = TrainingRun(game, settings, seed, folder)
    run.learn()
    network = run.finish(f"boardenvs demo --steps {steps} --seed {seed}")

    print(f"\n2. The arena: {_ARENA_GAMES} games a pair, seats swapped.", flush=True)
    trained = f"trained:{network}"
    results = play_arena(game, ["random", "greedy", trained], _ARENA_GAMES, seed + 1)
    print(results_table(results), end="\n\n")

    players = [trained, "greedy"]
    agents = [make(spec, game, seed) for spec in players]
    episode = Episode.play(game, agents, seed, names=["trained", "greedy"], analysis=True)
    page = folder / "episode.html"
    episode.save_html(page)
    print("3. What is left to look at:")
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
    """Make way for a new demo; nothing but an earlier demo is ever removed."""
    if not folder.exists():
        return
    known = {
        "agent.json", "agent.onnx", "checkpoint.pt", "episode.html", "learning_curve.png",
        "settings.json", "tensorboard",
    }  # fmt: skip
    marked = (folder / _MARK).is_file()
    found = {p.name for p in folder.iterdir()} if folder.is_dir() else {""}
    if marked:  # a demo that was killed may have left hidden files, which stay
        found = {name for name in found if not name.startswith(".")}
    if found - known or (found and not marked):
        raise ValueError(f"{folder} holds more than an earlier demo: name another --out")
    for name in found - {"tensorboard"}:  # the mark stays, should this be stopped
        (folder / name).unlink()
    shutil.rmtree(folder / "tensorboard", ignore_errors=True)
