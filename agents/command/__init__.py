"""The `boardenvs` command: everything the package does, from a terminal."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import inspect
import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import boardenvs
from agents.specs import QUOTING, SPECS
from agents.users_own import allow, register_game
from boardenvs.checks import whole_number
from boardenvs.files import write_atomically
from boardenvs.game import Game
from boardenvs.pixels import require_render
from boardenvs.program import drop_output, loaded, prepare_streams
from boardenvs.registration import game_class
from boardenvs.suggestion import did_you_mean

__all__ = ["main"]

_AGENTS = f"Agents: {', '.join(SPECS)}. {QUOTING}"
_GAMES = f"Games: {', '.join(boardenvs.GAMES)}."


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        refused = re.match(r".*invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        if refused:
            message += did_you_mean(refused[1], re.findall(r"[\w-]+", refused[2]))
        stray = re.match(r"unrecognized arguments: -*([\w-]+)[= ](\S+)", message)
        if stray and (param := stray[1].replace("-", "_")) in _params():
            message += f"; a game's parameter is given by -p {param}={stray[2]}"
        print(f"{self.prog}: error: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def _params() -> set[str]:
    """The names of the parameters of all games."""
    classes = map(game_class, boardenvs.GAMES)
    return {name for cls in classes for name in inspect.signature(cls).parameters}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands after `boardenvs`; by default the process's own.

    Returns:
        The exit status: 0, 2 after an error, 130 after Ctrl-C.
    """
    prepare_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parser().parse_args(given)
    except SystemExit as stop:
        return int(stop.code or 0)
    options.command_line = shlex.join(["boardenvs", *given])
    try:
        loaded()
        options.run(options)
        sys.stdout.flush()
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, `head` say, has seen enough
            drop_output()
            return 0
        message = " ".join(str(error).split())
        # It may quote a file, whose escape sequences are not for the terminal.
        message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
        print(f"boardenvs: error: {message}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\nboardenvs: stopped{''.join(f'; {told}' for told in stop.args)}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="boardenvs",
        description="Board games for reinforcement learning: play, watch, train, measure.",
        epilog=f"{_GAMES} {_AGENTS}",
    )
    parser.add_argument("--version", action="version", version=f"boardenvs {boardenvs.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(
        name: str, run: Any, text: str, *, game: bool = True, optional: bool = False
    ) -> argparse.ArgumentParser:
        sub: argparse.ArgumentParser = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"{_GAMES} {_AGENTS}",
        )
        sub.set_defaults(run=run)
        if game:
            nargs = "?" if optional else None
            sub.add_argument(
                "game",
                nargs=nargs,
                metavar="GAME",
                help="name of the game, or MODULE:CLASS of your own",
            )
            sub.add_argument(
                "-p",
                "--param",
                action="append",
                default=[],
                metavar="NAME=VALUE",
                help="a parameter of the game, such as board_size=7; may be repeated",
            )
        return sub

    demo = command(
        "demo",
        _demo,
        "train an agent on Gekitai for about two minutes, rate it and show a game",
        game=False,
    )
    demo.add_argument(
        "--steps", type=int, default=None, help="decisions to train for; by default 300,000"
    )
    demo.add_argument("--seed", type=int, default=0, help="of everything random; by default 0")
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("boardenvs-demo"),
        metavar="DIR",
        help="where results go, those of an earlier demo are replaced; by default boardenvs-demo",
    )

    command("info", _info, "print a game's facts: rules, sizes, names, agents, the start")

    play = command("play", _play, "play against an agent, here in the terminal or in a page")
    play.add_argument("--opponent", metavar="SPEC", help="by default greedy")
    play.add_argument("--seat", type=int, default=0, help="yours, from 0; by default 0, the first")
    play.add_argument("--seed", type=int, default=None, help="of everything random")
    play.add_argument(
        "--web",
        action="store_true",
        help="play in a page, served on this machine alone; Ctrl-C ends it",
    )
    play.add_argument(
        "--no-browser", action="store_true", help="with --web: print the address, open nothing"
    )

    watch = command(
        "watch", _watch, "watch agents play one game, or a game that was stored", optional=True
    )
    watch.add_argument(
        "agents", nargs="*", metavar="SPEC", help="one agent for each seat, in order"
    )
    watch.add_argument(
        "--store", type=Path, metavar="FILE", help="where 'boardenvs arena --store' put its games"
    )
    watch.add_argument(
        "--game",
        dest="stored",
        metavar="MATCH.NUMBER",
        help="which of them, such as 1.0; without it they are listed",
    )
    watch.add_argument("--seed", type=int, default=None, help="of everything random")
    watch.add_argument("--html", type=Path, metavar="F", help="write the game as a page, too")
    watch.add_argument("--gif", type=Path, metavar="F", help="write it as an animation, too")
    watch.add_argument("--save", type=Path, metavar="F", help="write the game as JSON, too")

    train = command("train", _train, "train an agent by self-play")
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

    arena = command("arena", _arena, "let every two agents play each other")
    arena.add_argument("agents", nargs="+", metavar="SPEC", help="agents, at least two")
    arena.add_argument("--games", type=int, default=1000, metavar="N", help="for each pair; 1000")
    arena.add_argument("--seed", type=int, default=0, metavar="S", help="of everything random; 0")
    arena.add_argument(
        "--opening-plies",
        type=int,
        metavar="P",
        help="random plies that every game begins with; by default 2 where all else would be "
        "the same in every game, else none",
    )
    arena.add_argument(
        "--until",
        choices=["decided"],
        help="'decided' ends a match once a sequential test finds one of the pair better "
        "(wrongly in at most 5%% of matches of equals), after --games at the latest",
    )
    arena.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="keep every finished game there, and go on from the games that are there",
    )
    arena.add_argument(
        "--workers",
        type=int,
        metavar="W",
        help="processes that play; by default one, or as many as cores if it takes long",
    )
    arena.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="play on this machine or on a Ray cluster; by default local",
    )
    arena.add_argument(
        "--address", metavar="ADDR", help="of the Ray cluster; by default one that Ray finds"
    )
    arena.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")
    arena.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write a page there, with ratings, scores, and each pair's shortest and longest game",
    )

    bench = command(
        "bench",
        _bench,
        "measure speed beside ceilings and other packages, in about four minutes",
        game=False,
    )
    bench.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    bench.add_argument("--plot", type=Path, metavar="FILE", help="draw them there as PNG, too")
    bench.add_argument(
        "--quick", action="store_true", help="only see that all of it runs, in 20 seconds"
    )

    command(
        "compile",
        _compile,
        "compile a game, or all games, ahead: then nothing waits for it when it is first used",
        optional=True,
    )

    completion = command(
        "completion",
        _completion,
        "print a script that lets a shell complete this command",
        game=False,
    )
    completion.add_argument(
        "shell",
        metavar="SHELL",
        choices=["bash", "zsh", "fish", "tcsh"],
        help="bash, zsh, fish or tcsh",
    )
    return parser


def _game(options: argparse.Namespace) -> Game:
    """The game that a command names, with its parameters."""
    params: dict[str, Any] = {}
    for text in options.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--param takes NAME=VALUE, got {text!r}")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **params)


def _demo(options: argparse.Namespace) -> None:
    _need_training()
    from agents.command.demo import run_demo

    run_demo(options.out, options.seed, options.steps)


def _info(options: argparse.Namespace) -> None:
    from agents.command.info import game_facts

    print(game_facts(_game(options)), end="")


def _play(options: argparse.Namespace) -> None:
    game = _game(options)
    if game.num_players == 1 and options.opponent is not None and not options.web:
        raise ValueError(
            f"{game.name} is for one player: --opponent is for games of more, "
            "and for the hints of --web"
        )
    opponent = "greedy" if options.opponent is None else options.opponent
    asked = game, opponent, options.seat, options.seed
    if options.web:
        for name in ("starlette", "uvicorn"):
            if importlib.util.find_spec(name) is None:
                raise ValueError(
                    f"--web needs the extra [web], such as pip install 'boardenvs[web]': "
                    f"there is no {name}"
                )
        from agents.play.web.serve import serve

        serve(*asked, browser=not options.no_browser)
        return
    if options.no_browser:
        raise ValueError("--no-browser is for --web")
    from agents.play.terminal import play

    play(*asked)


def _watch(options: argparse.Namespace) -> None:
    from agents.play.terminal import stored, watch

    _check_place(options.html)
    _check_place(options.gif)
    _check_place(options.save)
    if options.gif is not None:
        require_render("--gif")
    if options.store is not None:
        if options.game or options.agents:
            raise ValueError("a stored game has its agents: --store takes no GAME and SPEC")
        episode = stored(options.store, options.stored)
    elif options.stored is not None:
        raise ValueError("--game is for --store")
    elif not options.agents:
        missing = "SPEC" if options.game else "GAME, SPEC"
        raise ValueError(f"the following arguments are required: {missing}")
    else:
        kept = options.html is not None or options.save is not None
        episode = watch(_game(options), options.agents, options.seed, analysis=kept)
    if episode is None:
        return
    if options.html is not None:
        episode.save_html(options.html)
        print(f"\nThe game as a page: {options.html}")
    if options.gif is not None:
        episode.save_gif(options.gif)
        print(f"\nThe game as an animation: {options.gif}")
    if options.save is not None:
        episode.save(options.save)
        print(f"\nThe game as JSON: {options.save}")


def _train(options: argparse.Namespace) -> None:
    game = _game(options)
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address is for --engine ray")
    if options.engine == "ray" and options.device != "cpu":
        raise ValueError("--device is for --engine local")
    if options.allow and not options.resume:
        raise ValueError("--allow is for --resume")
    for spec in options.allow:
        allow(spec)
    _need_training(options.engine)
    folder = Path("runs", options.game) if options.out is None else options.out
    asked = game, folder, options.steps, options.seed, options.command_line
    try:
        if options.engine == "ray":
            from agents.rllib import start as cluster

            cluster.train(*asked, resume=options.resume, address=options.address)
        else:
            from agents.training import start

            start.train(*asked, resume=options.resume, device=_device(options.device))
    except KeyboardInterrupt:
        kept = (folder / "checkpoint.pt").exists() or any((folder / "checkpoints").glob("[0-9]*"))
        if not kept:
            raise
        again = options.command_line + ("" if options.resume else " --resume")
        raise KeyboardInterrupt(f"'{again}' goes on") from None


def _arena(options: argparse.Namespace) -> None:
    from agents.arena import forfeit_lines, rated, report, results_table
    from agents.arena.standings import ratings_table
    from agents.play.terminal import arena

    game = _game(options)
    _check_place(options.json)
    _check_place(options.html)
    _check_place(options.store)
    results = arena(
        game,
        options.agents,
        options.games,
        options.seed,
        opening_plies=options.opening_plies,
        until=options.until,
        store=options.store,
        engine=_engine(options),
    )
    print(results_table(results), end="")
    ratings = rated(results)
    told = report(game, options.seed, results)
    if len(ratings) > 1:
        print(f"\n{ratings_table(ratings, told['pairs'])}", end="")
    elif game.num_players > 1:
        print(f"\nThere are no ratings: {options.agents[0]} met only itself; name another, too.")
    for line in forfeit_lines(told):
        print(f"boardenvs: warning: {line}", file=sys.stderr)
    if options.json is not None:
        write_atomically(options.json, f"{json.dumps(told, indent=2)}\n".encode())
    if options.html is not None:
        from agents.arena.page import write_page

        write_page(options.html, told, ratings, {r.agents: r.extremes for r in results})


def _engine(options: argparse.Namespace) -> Any:
    """What plays the arena's games."""
    if options.engine == "ray":
        if options.workers is not None:
            raise ValueError("--workers is for --engine local: Ray has the nodes' cores")
        from agents.arena import ray_tasks

        return functools.partial(ray_tasks.play, address=options.address)
    if options.address is not None:
        raise ValueError("--address is for --engine ray")
    if options.workers is not None:
        whole_number("workers", options.workers, 1)
    from agents.arena import local

    return functools.partial(local.play, workers=options.workers)


def _bench(options: argparse.Namespace) -> None:
    from agents import bench

    _check_place(options.json)
    _check_place(options.plot)
    if options.plot is not None and importlib.util.find_spec("matplotlib") is None:
        raise ValueError(
            "--plot needs the extra [bench], such as pip install 'boardenvs[bench]': "
            "there is no matplotlib"
        )
    asked = bench.Bench(bench.QUICK if options.quick else bench.FULL)
    rows = bench.measure(asked)
    print(bench.results_table(rows))
    print("".join(f"{line}\n" for line in [*asked.missing, bench.describe_machine()]), end="")
    if options.json is not None:
        text = json.dumps(bench.report(rows), indent=2) + "\n"
        write_atomically(options.json, text.encode())
    if options.plot is not None:
        from agents.bench.plot import draw

        write_atomically(
            options.plot, draw(rows, " - ".join(bench.describe_machine().splitlines()))
        )


def _compile(options: argparse.Namespace) -> None:
    from agents.command.compile_ahead import compile_game

    if options.game is None and options.param:
        raise ValueError("--param is for one GAME")
    games = (
        [boardenvs.make(n) for n in boardenvs.GAMES] if options.game is None else [_game(options)]
    )
    for game in games:
        began = time.perf_counter()
        compile_game(game)
        print(f"{game!r}: {time.perf_counter() - began:.1f} s", flush=True)


def _completion(options: argparse.Namespace) -> None:
    from agents.command.completion import completion_script

    print(completion_script(_parser(), options.shell), end="")


_TRAINING = ("torch", "sb3_contrib", "onnx", "matplotlib", "tensorboard")


def _need_training(engine: str = "local") -> None:
    """Say in one line what is missing where the extra is not installed."""
    what, extra = "training", "train"
    names: tuple[str, ...] = _TRAINING
    if engine == "ray":
        what, extra, names = "training on Ray", "ray", ("ray", *_TRAINING)
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{what} needs the extra [{extra}], such as pip install 'boardenvs[{extra}]': "
                f"there is no {name}"
            )


def _device(name: str) -> str:
    """Where PyTorch is to compute.

    Raises:
        ValueError: it cannot there.
    """
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: PyTorch finds no GPU here")
    return name


def _check_place(path: Path | None) -> None:
    """Refuse before the games are played what could not be written after them."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"{path} cannot be written: {reason}")


if __name__ == "__main__":
    raise SystemExit(main())
