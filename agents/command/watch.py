"""`boardenvs watch`: one game between agents, played now or read from a store."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from agents.agent import blamed, check_can_play
from agents.analysis.losing_move import LossJudge, loss_line, remarks
from agents.arena import seats
from agents.arguments import add_time, make_game, timed
from agents.command.common.parser import Commands
from agents.naming.spec import Spec, specs_of
from agents.seeds import agent_seed, fresh_seed
from boardenvs.core.checks import counted, one_of
from boardenvs.episode import Episode
from boardenvs.files import check_place
from boardenvs.game import Game
from boardenvs.show.pixels import require_render

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    watch = commands.add(
        "watch",
        _run,
        "watch agents play one game, or watch a stored game",
        ["gekitai greedy mcts:1s --html game.html", "--store games.db --game 1.0"],
        optional=True,
        agents=True,
    )
    watch.add_argument(
        "agents", nargs="*", metavar="SPEC", help="one agent for each seat, in order"
    )
    watch.add_argument(
        "--store", type=Path, metavar="FILE", help="store of 'boardenvs arena --store'"
    )
    watch.add_argument(
        "--game",
        dest="stored",
        metavar="MATCH.NUMBER",
        help="game of the store, such as 1.0; default: list the games",
    )
    watch.add_argument(
        "--export",
        type=Path,
        metavar="FOLDER",
        help="write each game of the store to a file in FOLDER",
    )
    watch.add_argument(
        "--format",
        metavar="SUFFIX",
        help="format of --export: json, or in Gomoku psq or sgf; default: json",
    )
    add_time(watch)
    watch.add_argument(
        "--seed", type=int, default=None, help="seed of everything random; default: a random one"
    )
    watch.add_argument(
        "--judge",
        action="store_true",
        help="find the losing move with 'exact', and mark it on the page",
    )
    watch.add_argument("--html", type=Path, metavar="FILE", help="also write the game as a page")
    watch.add_argument(
        "--gif", type=Path, metavar="FILE", help="also write the game as an animation"
    )
    watch.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="also write the game as JSON, or in Gomoku as FILE.psq or FILE.sgf",
    )


def _run(options: argparse.Namespace) -> None:
    check_place("--html", options.html, ".html", ".htm")
    check_place("--gif", options.gif, ".gif")
    if options.gif is not None:
        require_render("--gif")
    if options.format is not None and options.export is None:
        raise ValueError("--format requires --export")
    if options.store is not None:
        if options.game or options.agents or options.time:
            raise ValueError("--store must be given without GAME, SPEC and --time")
        if options.export is not None:
            _export(options)
            return
        check_place("--save", options.save)
        episode = _stored(options.store, options.stored)
        if episode is not None:
            check_place("--save", options.save, ".json", *episode.game.file_formats)
    elif options.stored is not None or options.export is not None:
        raise ValueError(f"{'--game' if options.stored else '--export'} requires --store")
    elif not options.agents:
        missing = "SPEC" if options.game else "GAME, SPEC"
        raise ValueError(f"the following arguments are required: {missing}")
    else:
        kept = options.html is not None or options.save is not None
        game = make_game(options)
        check_place("--save", options.save, ".json", *game.file_formats)
        specs = timed(specs_of(options.agents, game), options)
        episode = _played(game, specs, options.seed, analysis=kept)
    if episode is None:
        return
    loss = LossJudge(episode.game).loss(episode) if options.judge else None
    print(episode.to_text(), end="")
    if options.judge:
        print(f"\n{loss_line(episode, loss)}")
    if options.html is not None:
        episode.save_html(options.html, remarks(episode, loss))
        print(f"\nThe game as a page: {options.html}")
    if options.gif is not None:
        episode.save_gif(options.gif)
        print(f"\nThe game as an animation: {options.gif}")
    if options.save is not None:
        episode.save(options.save)
        suffix = options.save.suffix.lower()
        kind = suffix[1:].upper() if suffix in episode.game.file_formats else "JSON"
        print(f"\nThe game as {kind}: {options.save}")


def _played(game: Game, specs: Sequence[Spec], seed: int | None, *, analysis: bool) -> Episode:
    """Play one game between agents and return the episode.

    Args:
        game: the game.
        specs: one agent for each seat.
        seed: seed of everything random; `None` for a random one.
        analysis: whether the episode keeps the agents' analysis, with the same moves.

    Raises:
        ValueError: the number of agents differs from that of the seats, or an agent cannot play.
    """
    if len(specs) != game.num_players:
        raise ValueError(f"{game.name} takes {seats(game)}, got {len(specs)}")
    seed = fresh_seed() if seed is None else seed
    agents = [spec.make(agent_seed(seed, k)) for k, spec in enumerate(specs)]
    for agent in agents:
        check_can_play(agent, game.new(1, seed))
    with blamed("an agent"):
        return Episode.play(game, agents, seed, analysis=analysis)


def _export(options: argparse.Namespace) -> None:
    """Write all games of a store into a folder.

    Raises:
        ValueError: the store or the format does not exist, or the store is damaged.
    """
    from agents.arena.storage.store import Store

    for option, given in (
        ("--game", options.stored),
        ("--html", options.html),
        ("--gif", options.gif),
        ("--save", options.save),
        ("--judge", options.judge),
    ):
        if given:
            raise ValueError(f"--export must be given without {option}, since it writes all games")
    with Store.read(options.store) as store:
        formats = ["json", *(suffix.removeprefix(".") for suffix in store.game.file_formats)]
        suffix = one_of("--format", options.format or "json", formats)
        num = store.export(options.export, f".{suffix}")
    print(f"{counted(num, 'game')} in {options.export}")


def _stored(path: Path, number: str | None) -> Episode | None:
    """Return a stored game, or without a number print a list of the games and return `None`.

    Raises:
        ValueError: the store or the game does not exist or is damaged.
    """
    from agents.arena.storage.store import Store

    with Store.read(path) as store:
        if number is not None:
            return store.episode(number)
        print(f"{store.game!r}, seed {store.seed}")
        for match in store.matches():
            print(f"{match.id}. {' - '.join(match.specs)}: {counted(match.games, 'game')}")
    print(f"Watch one: boardenvs watch --store {path} --game MATCH.NUMBER")
    return None
