"""`boardenvs train`: an agent learns by self-play."""

from __future__ import annotations

import argparse
from pathlib import Path

from agents.command.arguments import make_game
from agents.command.extras import TRAINING, require_extra
from agents.command.parser import Commands
from agents.users_own import allow

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    train = commands.add("train", _run, "train an agent by self-play")
    train.add_argument(
        "--steps", type=int, default=None, help="decisions to train for; by default the game's"
    )
    train.add_argument("--seed", type=int, default=None, help="of everything random; by default 0")
    train.add_argument(
        "--out",
        type=Path,
        default=None,
        metavar="DIR",
        help="the run's folder; by default runs/GAME",
    )
    train.add_argument(
        "--device",
        choices=["cpu", "cuda"],
        default="cpu",
        help="where the network is trained; by default cpu",
    )
    train.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    train.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="SPEC",
        help="with --resume: an agent of your own that the run's settings name, MODULE:FACTORY, "
        "whose code is run only if it is named here; may be repeated",
    )
    train.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="train on this machine or, by RLlib, on a Ray cluster; by default local",
    )
    train.add_argument(
        "--address", metavar="ADDR", help="of the Ray cluster; by default one that Ray finds"
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address is for --engine ray")
    if options.engine == "ray" and options.device != "cpu":
        raise ValueError("--device is for --engine local")
    if options.allow and not options.resume:
        raise ValueError("--allow is for --resume")
    for spec in options.allow:
        allow(spec)
    if options.engine == "ray":
        require_extra("training on Ray", "ray", ["ray", *TRAINING])
    else:
        require_extra("training", "train", TRAINING)
    folder = Path("runs", options.game) if options.out is None else options.out
    try:
        if options.engine == "ray":
            from agents.rllib import start as cluster

            cluster.train(
                game,
                folder,
                steps=options.steps,
                seed=options.seed,
                command=options.command_line,
                resume=options.resume,
                address=options.address,
            )
        else:
            from agents.training import start

            start.train(
                game,
                folder,
                steps=options.steps,
                seed=options.seed,
                command=options.command_line,
                resume=options.resume,
                device=_device(options.device),
            )
    except KeyboardInterrupt:
        kept = (folder / "checkpoint.pt").exists() or any((folder / "checkpoints").glob("[0-9]*"))
        if not kept:
            raise
        again = options.command_line + ("" if options.resume else " --resume")
        raise KeyboardInterrupt(f"'{again}' goes on") from None


def _device(name: str) -> str:
    """Where PyTorch is to compute.

    Raises:
        ValueError: it cannot there.
    """
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: PyTorch finds no GPU here")
    return name
