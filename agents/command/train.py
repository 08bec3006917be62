"""`boardenvs train`: training of an agent by self-play."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boardenvs
from agents.arguments import add_engine, check_address, parameters
from agents.command.common.extras import TRAINING, require_extra
from agents.command.common.parser import Commands
from agents.naming.user_code import allow, register_game
from agents.networks.sizes import Games, make_sizes, several_values

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    train = commands.add(
        "train",
        _run,
        "train an agent by self-play",
        ["gekitai", "gekitai --steps 50000 --seed 1 --out runs/short"],
    )
    train.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help="steps of all parts together, where the last part is shortened or lengthened; "
        "default: those of the settings",
    )
    train.add_argument(
        "--seed", type=int, default=None, help="seed of everything random; default: 0"
    )
    train.add_argument(
        "--out",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="folder of the run; default: runs/GAME",
    )
    train.add_argument(
        "--device",
        choices=["cpu", "cuda"],
        default="cpu",
        help="device of the training; default: cpu",
    )
    train.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="training settings in TOML, instead of the game's training.toml",
    )
    train.add_argument("--resume", action="store_true", help="continue the run in the folder")
    train.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="MODULE:FACTORY",
        help="your own agent that settings or a run may name; its code runs only if it is named "
        "here; may be repeated",
    )
    add_engine(train, "train on this machine or on a Ray cluster; default: local")


def _run(options: argparse.Namespace) -> None:
    name = register_game(options.game) if ":" in options.game else options.game
    params = parameters(options)
    several = several_values(params)
    games = make_sizes(name, params, *several) if several else (boardenvs.make(name, **params),)
    check_address(options)
    if options.engine == "ray" and options.device != "cpu":
        raise ValueError("--device must be cpu with --engine ray")
    if options.allow and not (options.resume or options.settings or ":" in options.game):
        raise ValueError("--allow requires --resume, --settings or a game of your own")
    for spec in options.allow:
        allow(spec)
    if options.engine == "ray":
        require_extra("training on Ray", "ray", ["ray", *TRAINING])
    else:
        require_extra("training", "train", TRAINING)
    folder: Path = Path("runs", games[0].name) if options.out is None else options.out
    try:
        _trainer(options, games)(
            games,
            folder,
            steps=options.steps,
            seed=options.seed,
            command=options.command_line,
            resume=options.resume,
            settings=options.settings,
        )
    except KeyboardInterrupt as stop:
        if (folder / "checkpoint.pt").exists():
            again = options.command_line + ("" if options.resume else " --resume")
            stop.args = (f"'{again}' continues",)
        raise


def _trainer(options: argparse.Namespace, games: Games) -> Callable[..., Any]:
    """Return the function that trains, on this machine or on a cluster."""
    if options.engine == "local":
        from agents.training import start_run

        return functools.partial(start_run.train, device=_device(options.device))
    if len(games) > 1:
        raise ValueError("boards of several sizes require --engine local")
    from agents.training.self_play import on_ray

    return functools.partial(on_ray.train, address=options.address)


def _device(name: str) -> str:
    """Return the device of PyTorch.

    Raises:
        ValueError: PyTorch has no such device.
    """
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device must be cpu, because PyTorch finds no GPU, got cuda")
    return name
