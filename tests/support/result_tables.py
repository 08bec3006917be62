"""The tables of ratings in the README and the pages: their arenas and their text.

`python tests/support/result_tables.py NAME ...` plays these arenas again (`--all` plays all) and
stores their results in the folders `results` of `tests/agents/games`. It then writes all tables.
Without names, it only writes the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import tomllib
from pathlib import Path

import agents.games
import boardenvs
from agents.analysis.intervals import Z, wilson
from agents.arena.ratings import Rating
from agents.arena.tables import ratings_table
from agents.benchmark.ladder import read_ladder
from agents.benchmark.tasks import suite
from agents.command import main as run_command
from agents.curves import reference_curves
from agents.curves.joining import over_seeds
from agents.networks.card import read_card, scores_on, shipped
from agents.report.formats import elo_text, interval_text, score_text
from agents.report.table import Table

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
STRENGTH = ROOT / "agents" / "STRENGTH.md"
TRAINING = ROOT / "agents" / "training" / "README.md"
CURVES = ROOT / "agents" / "curves" / "README.md"
QUANTISE = ROOT / "agents" / "training" / "INT8.md"
PLACES = ROOT / "tests" / "agents" / "games"
"""The folder with a subfolder for each game, which contains `tables.toml` and the results."""

NAMED = {
    name: {"game": game, "games": 200, **table}
    for game in boardenvs.GAMES
    if (PLACES / game / "tables.toml").exists()
    for name, table in tomllib.loads(
        (PLACES / game / "tables.toml").read_text(encoding="utf-8")
    ).items()
}
"""All entries of `tables.toml`: the tables, and other variants of games with a trained agent."""

TABLES = {name: table for name, table in NAMED.items() if "arena" in table}
"""Game, arena arguments and number of games per match of each table, by name."""

SCALE = """\
The Elo is fitted to these matches, and draws have a parameter of their own. The
[benchmark's ladder](../../agents/benchmark/README.md) has other opponents and counts a draw as
half a win. Do not compare its Elo with this table.
"""
"""The text below a page's ratings."""

OVERVIEWS = ("all", "ladder", "shipped", "int8", "curves")
"""The tables over several games."""


def command(name):
    """Return the command that produces a table."""
    table = TABLES[name]
    return f"boardenvs arena {table['game']} {table['arena']} --games {table['games']} --seed 0"


def result_file(name):
    """Return the path of a table's results."""
    return PLACES / TABLES[name]["game"] / "results" / f"{name}.json"


def read_report(name):
    """Return the results of a table."""
    return json.loads(result_file(name).read_text(encoding="utf-8"))


def rated_of(report):
    """Return the table of an arena's ratings."""
    ratings = [Rating(r["agent"], r["elo"], r["low"], r["high"], None) for r in report["ratings"]]
    return ratings_table(ratings, report["pairs"])


def score_of(result):
    """Return score and interval of a pair's agent `a`, or of a single agent whose draws count 0."""
    points = result["wins"] + (result["draws"] / 2 if "a" in result else 0)
    interval = wilson(points, result["games"])
    return score_text(points / result["games"]), interval_text(*interval)


def tables_of(report):
    """Return the ratings and the scores of all pairs, or the shares of wins in a solo game."""
    if not report["pairs"]:
        rows = [
            (solo["agent"], str(solo["games"]), str(solo["wins"]), *score_of(solo))
            for solo in report["solos"]
        ]
        return [Table(("agent", "games", "won", "share won", "95% interval"), rows, code=(0,))]
    rows = [
        (
            *(pair[side] for side in "ab"),
            *(str(pair[key]) for key in ("wins", "draws", "losses")),
            *score_of(pair),
        )
        for pair in report["pairs"]
    ]
    head = ("a", "b", "won", "drawn", "lost", "score", "95% interval")
    return [rated_of(report), Table(head, rows, left=(0, 1), code=(0, 1))]


def page_block(name):
    """Return a page's block: origin of the trained agent, command and results."""
    origin = ""
    report = read_report(name)
    if "trained" in command(name).split():
        path = shipped(boardenvs.make(report["game"], **report["params"]))
        card = read_card(path)
        origin = (
            f"`trained` is `agents/games/{path.parent.name}/{path.name}`, made by "
            f"`{card['command']}` in {card['steps']:,} decisions.\n\n"
        )
    tables = "\n".join(table.markdown() for table in tables_of(report))
    scale = f"\n{SCALE}" if report["pairs"] else ""
    return f"{origin}```bash\n{command(name)}\n```\n\n{tables}{scale}"


def overview_rows():
    """Return rows of all agents in all arenas, best first; the first row has the arena's title."""
    rows = []
    for name in TABLES:
        report = read_report(name)
        if report["pairs"]:
            body = [
                (agent, elo if interval == "fixed" else f"{elo} ({interval})", games, score)
                for agent, elo, interval, _, _, games, score in rated_of(report).rows
            ]
        else:
            solos = sorted(report["solos"], key=lambda solo: -solo["wins"] / solo["games"])
            body = [
                (solo["agent"], "", str(solo["games"]), "{} ({})".format(*score_of(solo)))
                for solo in solos
            ]
        title = TABLES[name]["title"]
        rows += [(title if k == 0 else "", *cells) for k, cells in enumerate(body)]
    return rows


def overview_block():
    """Return the table of all games, for the page on strength."""
    head = ("game", "agent", "Elo (95% interval)", "games", "score")
    return Table(head, overview_rows(), left=(0, 1), code=(1,)).markdown()


def curves_block():
    """Return the final scores of the reference learners on each task that has curves."""
    rows = []
    for name in suite("v1"):
        curves = reference_curves(name)
        for learner in dict.fromkeys(one.learner for one in curves):
            mine = [one for one in curves if one.learner == learner]
            band = over_seeds(mine, "decisions")
            score = scored(band.mean[-1], (band.low[-1], band.high[-1]))
            minutes = max(one.points[-1].seconds for one in mine) / 60
            rows.append((name, learner, f"{band.x[-1]:,.0f}", f"{minutes:.0f}", score))
    head = ("task", "learner", "decisions", "minutes", "score (95% interval)")
    return Table(head, rows, left=(0, 1), code=(1,)).markdown()


def scored(score, interval):
    """Return the text of a score with its interval."""
    return f"{score_text(score)} ({interval_text(*interval)})"


def ladder_block():
    """Return the README's table of the benchmark: size and strongest agent of each ladder."""
    rows = []
    for name in suite("v1"):
        ladder = read_ladder("v1", name)
        results = ladder.data["solos" if ladder.scale is None else "pairs"]
        games = sum(one["games"] for one in results)
        if ladder.scale is None:
            best = ("", "{} ({})".format(*score_of(results[-1])))
        else:
            top = ladder.scale.elo[-1]
            around = Z * ladder.scale.covariance[-1, -1] ** 0.5
            interval = interval_text(top - around, top + around, elo_text)
            best = (f"{elo_text(top)} ({interval})", "")
        rows.append((name, str(len(ladder.specs)), f"{games:,}", ladder.specs[-1], *best))
    head = ("task", "reference agents", "games", "strongest", "Elo (95% interval)")
    head = (*head, "share won or right (95% interval)")
    return Table(head, rows, left=(0, 3), code=(3,)).markdown()


def shipped_block():
    """Return the table of the shipped agents' cards, for the page on training."""
    rows = []
    for name, table in NAMED.items():
        title = table["title"]
        if "arena" in table and "trained" not in command(name).split():
            continue
        params = read_report(name)["params"] if "arena" in table else table["params"]
        game = boardenvs.make(table["game"], **params)
        card = read_card(shipped(game))
        settings = card["settings"]
        parts = [settings.get(part) or {} for part in ("clone", "guided", "values")]
        numbers = [part.get("steps", 0) for part in parts]
        numbers.insert(1, settings["ppo_steps"])
        steps = ", ".join(f"{number:,}" for number in numbers)
        start = (title if "player" in title else title.partition(",")[0], card["command"], steps)
        for entry in scores_on(card, game):
            score = scored(entry["score"], entry["interval"])
            rows.append((*start, entry["against"], f"{entry['games']:,}", score))
            start = ("", "", "")
    head = ("game", "made by", "imitated, played, searched, values", "against", "games")
    return Table((*head, "score (95% interval)"), rows, left=(0, 1, 2, 3), code=(1,)).markdown()


def int8_block():
    """Return the table of the shipped networks' int8 versions, from their cards."""
    rows = []
    for path in sorted(Path(agents.games.__file__).parent.glob("*/*.json")):
        entry = json.loads(path.read_text(encoding="utf-8")).get("int8")
        if entry is None:
            continue
        speed = entry["evaluations_per_second"]
        score = "not kept"
        if "score" in entry:
            score = scored(entry["score"]["score"], entry["score"]["interval"])
            score += "" if entry["file"] else ": not kept"
        rows.append(
            (
                path.stem,
                f"{speed['int8']:,.0f}",
                f"{speed['times']:.2f} times",
                score_text(entry["agreement"]["best_move"]),
                score,
            )
        )
    head = ("network", "evaluations a second", "of float32", "same best move")
    return Table((*head, "score (95% interval)"), rows, code=(0,)).markdown()


def replaced(text, name, block):
    """Return the text with the block between the marks of `name` replaced.

    Raises:
        ValueError: the text does not contain these marks exactly once.
    """
    begin, end = f"<!-- results: {name} -->\n", f"<!-- end of results: {name} -->\n"
    between = re.escape(begin) + ".*?" + re.escape(end)
    text, count = re.subn(between, lambda _: f"{begin}\n{block}\n{end}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"expected {begin!r} and {end!r} once, found them {count} times")
    return text


def place(name):
    """Return the file that contains a table or an overview, and the table's text.

    Overviews cover all games ("all", "ladder", "curves") or the cards ("shipped", "int8").
    """
    overviews = {
        "all": (STRENGTH, overview_block),
        "ladder": (README, ladder_block),
        "shipped": (TRAINING, shipped_block),
        "int8": (QUANTISE, int8_block),
        "curves": (CURVES, curves_block),
    }
    if name in overviews:
        path, block = overviews[name]
        return path, block()
    return ROOT / "boardenvs" / read_report(name)["game"] / "README.md", page_block(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--all", action="store_true", help="play all arenas")
    parser.add_argument("--workers", default="1", help="number of processes (1)")
    options = parser.parse_args()
    if unknown := set(options.names) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}")
    for name in TABLES if options.all else options.names:
        print(f"$ {command(name)}", flush=True)
        asked = shlex.split(command(name))[1:]
        result_file(name).parent.mkdir(exist_ok=True)
        json_file = ["--json", str(result_file(name))]
        if status := run_command([*asked, *json_file, "--workers", options.workers]):
            return status
        report = read_report(name)
        del report["seconds_per_move"]  # depends on this machine
        result_file(name).write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")
    for name in (*TABLES, *OVERVIEWS):
        path, block = place(name)
        text = path.read_text(encoding="utf-8")
        path.write_text(replaced(text, name, block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
