"""`boardenvs analyse`: an agent's analysis of a position."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.analysis.analyst import analyst
from agents.analysis.positions import FoundPosition, read_position
from agents.arguments import add_time, make_game, timed
from agents.command.common.parser import Commands
from agents.naming.spec import Spec
from agents.play.person import result_line
from agents.play.screen import Screen, signed
from agents.report.table import Table
from boardenvs.core.checks import counted, whole_number
from boardenvs.files import check_place, write_atomically
from boardenvs.game import Game
from boardenvs.show.analysis import line_texts

if TYPE_CHECKING:
    from agents.analysis.judgement import Judgement, Move, Proof

__all__ = ["add"]

_RESULTS = {1.0: "wins", 0.0: "draws", -1.0: "loses"}


def add(commands: Commands) -> None:
    """Add the subcommand."""
    analyse = commands.add(
        "analyse",
        _run,
        "analyse a position with an agent",
        ["gekitai game.json --ply 10", "gomoku match.sgf threats:5s --game 2 --moves 3"],
        agents=True,
    )
    analyse.add_argument(
        "position",
        metavar="POSITION",
        help="file, - for standard input, or the text itself: a game written by 'watch --save', "
        "a position in JSON, or a board as text",
    )
    analyse.add_argument(
        "agent", nargs="?", metavar="SPEC", help="agent; default: a strong one of the game"
    )
    add_time(analyse)
    analyse.add_argument(
        "--game",
        dest="number",
        type=int,
        metavar="N",
        help="game N of a file with several, from 1",
    )
    analyse.add_argument(
        "--ply",
        type=int,
        metavar="N",
        help="position of a game after N moves; default: the last one",
    )
    analyse.add_argument(
        "--to-move",
        type=int,
        metavar="SEAT",
        help="seat to move, from 0, for a board that does not show it",
    )
    analyse.add_argument(
        "--moves",
        type=int,
        default=5,
        metavar="N",
        help="number of best moves to print; default: 5",
    )
    analyse.add_argument(
        "--budget",
        type=int,
        metavar="POSITIONS",
        help="maximum number of positions that 'exact' searches for each proof; default: 2,000,000 "
        "as the agent, in Gekitai and after the analysis of another agent 200,000",
    )
    analyse.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="seed of everything random; default: 0"
    )
    analyse.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the analysis to FILE"
    )


def _run(options: argparse.Namespace) -> None:
    from agents.analysis.judgement import judge

    proofs = {}
    if options.budget is not None:
        proofs = {"budget": whole_number("budget", options.budget, 1)}
    check_place("--json", options.json, ".json")
    most = whole_number("moves", options.moves, 1)
    seed = whole_number("seed", options.seed, 0)
    found = read_position(
        options.position,
        make_game(options),
        params_given=bool(options.param),
        number=options.number,
        ply=options.ply,
        to_move=options.to_move,
    )
    game, state = found
    if game.over(state)[0]:
        earlier = "" if options.ply is None else "; an earlier --ply would do"
        earlier = "; --ply N is the position after N moves" if options.ply is None else earlier
        raise ValueError(f"the game is over: {result_line(game, state[0])[:-1]}{earlier}")
    if options.agent is not None:
        (spec,) = timed([Spec.of(options.agent, game)], options)
        agent: Any = _exact(spec, seed, proofs) if spec.name == "exact" else spec.make(seed)
    else:
        spec, agent = _default(found, options, seed)
    judgement = judge(game, state, agent, seed, most, **proofs)
    _print(game, state[0], spec, judgement)
    if options.json is not None:
        data = _data(game, state[0], spec, judgement)
        write_atomically(options.json, f"{json.dumps(data, indent=2)}\n".encode())


def _exact(spec: Spec, seed: int, proofs: dict[str, int]) -> Any:
    """Return the agent `exact` with the budget of the proofs; long searches show their progress."""
    progress = {"progress": True} if "progress" in spec.options() else {}
    return spec.make(seed, **proofs, **progress)


def _default(found: FoundPosition, options: argparse.Namespace, seed: int) -> tuple[Spec, Any]:
    """Return the game's analyst, which uses --time instead of its simulations if given."""
    spec, agent = analyst(found.game, found.state, seed)
    if options.time is None:
        return spec, agent
    (spec,) = timed([Spec.of(spec.name, found.game)], options)
    return spec, spec.make(seed)


# -- As text ------------------------------------------------------------------------------------


def _print(game: Game, state: Any, spec: Spec, judgement: Judgement) -> None:
    screen = Screen()
    mover = game.seat_names[int(state["to_move"])]
    screen.board(game.to_text(state), game.presentation.spans(state))
    if turn_line := game.presentation.turn_line(state):
        screen.say(turn_line)
    print()
    screen.say(_verdict(game, state, spec, judgement), "bold")
    rows = [_row(game, state, move, judgement) for move in judgement.moves]
    if judgement.analysis is not None and any(any(row[1:]) for row in rows):
        table = Table(("move", "visits", "share", "expects", "proved"), rows, left=(0, 4))
        for number, line in enumerate(str(table).splitlines()):
            print(screen.styled(line, "faint") if number < 2 else line)
        if judgement.more:
            screen.say(f"and {judgement.more} more", "faint")
    if len(judgement.line) > 1:
        texts = line_texts(game, state, judgement.line)
        screen.say(f"Line: {', '.join(texts)}", indent="  ")
    if judgement.analysis is not None and judgement.analysis.depth:
        screen.say(f"Depth: {counted(judgement.analysis.depth, 'ply', 'plies')}")
    if judgement.proof is not None:
        source = judgement.proof.source
        by = f" ({source})" if source else ""
        screen.say(f"Proved: {mover} {_proved(judgement.proof)}{by}.", "green")


def _verdict(game: Game, state: Any, spec: Spec, judgement: Judgement) -> str:
    """Return the agent's move and expected result in one sentence."""
    mover = int(state["to_move"])
    line = f"{game.seat_names[mover]} to move: {spec} plays "
    line += game.action_to_text(judgement.action, state)
    if judgement.analysis is None:
        return f"{line}. It reports no analysis."
    values = [
        f"{signed(value)} for {name}"
        for name, value in zip(game.seat_names, judgement.analysis.values, strict=True)
        if value is not None
    ]
    if game.num_players == 2 and values:
        values = [v for v in values if v.endswith(f" for {game.seat_names[mover]}")]
    if not values:
        return f"{line}."
    certain = ", which is certain" if judgement.proven else ""
    return f"{line} and expects {', '.join(values)}{certain}."


def _row(game: Game, state: Any, move: Move, judgement: Judgement) -> list[str]:
    counted = judgement.analysis is not None and judgement.analysis.kind == "visits"
    weight = f"{move.weight:,}" if counted and move.weight is not None else ""
    return [
        game.action_to_text(move.action, state),
        weight,
        "" if move.share is None else f"{move.share:.0%}",
        "" if move.value is None else signed(move.value),
        "" if move.proof is None else _proved(move.proof),
    ]


def _proved(proof: Proof) -> str:
    result = _RESULTS[proof.value]
    if proof.plies < 1 or not proof.value:
        return result
    return f"{result} within {counted(proof.plies, 'ply', 'plies')}"


# -- As JSON ------------------------------------------------------------------------------------


def _data(game: Game, state: Any, spec: Spec, judgement: Judgement) -> dict[str, Any]:
    analysis = judgement.analysis
    return {
        "game": game.name,
        "params": game.params,
        "position": game.to_dict(state),
        "agent": spec.text,
        "to_move": int(state["to_move"]),
        "action": judgement.action,
        "text": game.action_to_text(judgement.action, state),
        "values": None if analysis is None else list(analysis.values),
        "proven": judgement.proven,
        "kind": None if analysis is None else analysis.kind,
        "depth": None if analysis is None else analysis.depth or None,
        "moves": [
            {
                "action": move.action,
                "text": game.action_to_text(move.action, state),
                "weight": move.weight,
                "share": move.share,
                "value": move.value,
                "proof": None if move.proof is None else move.proof._asdict(),
            }
            for move in judgement.moves
        ],
        "more": judgement.more,
        "line": judgement.line,
        "proof": None if judgement.proof is None else judgement.proof._asdict(),
    }
