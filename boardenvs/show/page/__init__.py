"""The HTML page of a game: picture, text, moves and the players' analysis.

`page.html` is the frame and `page.css` the style. `motion.js` draws a position, `view.js` steps
through the positions, and `analysis.js` displays the analysis. They are combined into one file
that needs no other file.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from boardenvs.core.checks import counted
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis, line_texts
from boardenvs.show.page.rules import rules_html

__all__ = [
    "Panel",
    "end_in_words",
    "game_page_html",
    "packed",
    "position_text",
    "show_analysis",
    "show_moves",
    "show_players",
    "show_thought",
    "title_of",
]

_SHOWN = 8
"""Maximum number of actions of an analysis."""


class Panel(NamedTuple):
    """Additions to a replay page, such as controls to play on."""

    html: str = ""
    """HTML below the picture."""
    style: str = ""
    """CSS after the page's own."""
    script: str = ""
    """JavaScript after the page's own."""


def game_page_html(
    game: Game, players: Sequence[str], data: dict[str, Any], panel: Panel | None = None
) -> str:
    """Return one HTML page that needs no other file.

    Args:
        game: the game.
        players: name of each seat.
        data: data for `view.js`: "texts" and "pictures" of the positions from `packed`, "moves",
            "players", "result", "analysis", "remarks", and data for the panel's script.
        panel: additions to the page, by default none.
    """
    panel = panel or Panel()
    frame, looks, *scripts = _parts()
    name = title_of(game)
    values = {
        "title": html.escape(f"{name}: {', '.join(players)}"),
        "heading": html.escape(name),
        "setting": html.escape(game.presentation.setting()),
        "rules": rules_html(game),
        # In a script element, only "<" requires an escape.
        "episode": json.dumps(data).replace("<", "\\u003c"),
        "panel": panel.html,
        "style": looks + panel.style,
        "script": "".join(scripts) + "start();\n" + panel.script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], frame)


@functools.cache
def _parts() -> list[str]:
    """Return the contents of the page's files, read once, so that they match in all pages."""
    names = ("page.html", "page.css", "motion.js", "view.js", "analysis.js")
    return [(resources.files(__name__) / name).read_text("utf-8") for name in names]


def title_of(game: Game) -> str:
    """Return the name of a game for people."""
    return game.title or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(game).__name__)


def end_in_words(game: Game, state: np.void, players: Sequence[str]) -> str:
    """Return the result of a game, such as `ann won by a line of three.`, empty until the end.

    Args:
        game: the game.
        state: last position of the game.
        players: name of each seat, `You` for a person who plays.
    """
    if not game.over(state)[0]:
        return ""
    if state["truncated"]:
        moves = counted(state["ply"], "move")
        return f"Nobody won: the game was stopped after {moves}, as long as it may last."
    if state["offender"] >= 0:
        return f"{players[state['offender']]} lost by an illegal move."
    reason = game.presentation.ended_by(state)
    returns = state["returns"]
    if game.num_players == 1:
        return reason or f"{players[0]} got {returns[0]:g}."
    winners = [name for name, value in zip(players, returns, strict=True) if value > 0]
    end, by = (f"{' and '.join(winners)} won", " by ") if winners else ("Drawn", ": ")
    return f"{end}{by}{reason}." if reason else f"{end}."


def position_text(game: Game, state: np.void) -> str:
    """Return the console text of a position, and its turn line below."""
    turn_line = "" if game.over(state)[0] else game.presentation.turn_line(state)
    return game.to_text(state) + (f"{turn_line}\n" if turn_line else "")


def show_moves(
    game: Game, states: States, actions: Sequence[int], players: Sequence[str]
) -> list[dict[str, Any]]:
    """Return ply, player and text of every action.

    Args:
        game: the game.
        states: initial position and the position after each action, shape (N + 1,).
        actions: N actions. The last one may be illegal.
        players: name of each seat.
    """
    offended = states["offender"][-1] >= 0 > states["offender"][0]
    moves: list[dict[str, Any]] = []
    for action, state in zip(actions, states, strict=False):
        illegal = offended and len(moves) == len(actions) - 1
        text = game.action_to_text(action, state) + (" (illegal)" if illegal else "")
        seat = int(state["to_move"])
        moves.append({"ply": int(state["ply"]) + 1, "player": players[seat], "text": text})
    return moves


def show_players(
    game: Game, players: Sequence[str], returns: Sequence[float], over: bool
) -> list[dict[str, str]]:
    """Return name, seat, piece, colour and result of every player.

    The seat is empty in games of one player, and the result in unfinished games.
    """
    alone = game.num_players == 1
    return [
        {
            "name": name,
            "seat": "" if alone else game.seat_names[seat].removeprefix("Player "),
            "symbol": game.presentation.seat_symbol(seat),
            "color": game.presentation.seat_colors[seat % len(game.presentation.seat_colors)],
            "result": (f"{value:+g}" if value else "0") if over else "",
        }
        for seat, (name, value) in enumerate(zip(players, returns, strict=True))
    ]


def show_analysis(
    game: Game, states: States, actions: Sequence[int], analysis: Sequence[Analysis | None]
) -> list[dict[str, Any] | None] | None:
    """Return the players' analysis for the page, or `None` without analysis.

    Args:
        game: the game.
        states: initial position and the position after each action, shape (N + 1,).
        actions: N actions.
        analysis: analysis or `None` for each action.
    """
    if not any(analysis):
        return None
    return [
        None if one is None else show_thought(game, state, one, action)
        for state, action, one in zip(states, actions, analysis, strict=False)
    ]


def show_thought(game: Game, state: np.void, analysis: Analysis, chosen: int) -> dict[str, Any]:
    """Return a player's analysis of a position for the page: its best actions and its values."""
    shares = analysis.shares
    shown = list(shares)[:_SHOWN]
    if chosen in shares and chosen not in shown:
        shown[-1] = chosen
    return {
        "seat": int(state["to_move"]),
        "kind": analysis.kind,
        "values": list(analysis.values),
        "more": len(shares) - len(shown),
        "actions": [
            {
                "text": game.action_to_text(action, state),
                "share": round(shares[action], 4),
                "weight": analysis.weights[action],
                "chosen": action == chosen,
                "area": game.presentation.action_area(action, state),
                **_led_to(game, action, state),
            }
            for action in shown
        ],
        **_details(game, state, analysis),
    }


def _details(game: Game, state: np.void, analysis: Analysis) -> dict[str, Any]:
    """Return optional entries, omitted if empty to keep pages small."""
    details: dict[str, Any] = {}
    if analysis.proven:
        details["proven"] = True
    # With chance or hidden information, a line is only one of many.
    if len(analysis.line) > 1 and not (game.has_chance or game.has_hidden):
        details["line"] = line_texts(game, state, analysis.line)
    if analysis.tries:
        details["tries"] = [one._asdict() for one in analysis.tries]
    return details


def _led_to(game: Game, action: int, state: np.void) -> dict[str, Any]:
    """Return the target area of an action, omitted if there is none to keep pages small."""
    target = game.presentation.action_target(action, state)
    return {} if target is None else {"target": target}


def packed(texts: Sequence[str]) -> dict[str, Any]:
    """Return texts as indices of unique lines, since positions share most of their lines."""
    lines: dict[str, int] = {}
    frames = [[lines.setdefault(line, len(lines)) for line in text.split("\n")] for text in texts]
    return {"lines": list(lines), "frames": frames}
