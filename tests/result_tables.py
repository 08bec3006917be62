"""The tables of ratings on the pages and in the README: the arenas they come from, and their text.

`python tests/result_tables.py NAME ...` plays these arenas again (all with `--all`), keeps what
came out in `results` in the games' folders of `tests/agents/games`, and writes every table anew;
without names it only writes the tables.
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
from agents.arena.markdown import overview_markdown, report_markdown
from agents.benchmark.ladder import read_ladder
from agents.benchmark.tasks import suite
from agents.command import main as run_command
from agents.curves import reference_curves
from agents.curves.joining import over_seeds
from agents.intervals import Z
from agents.trained import read_card, scores_on, shipped

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
STRENGTH = ROOT / "agents" / "STRENGTH.md"
TRAINING = ROOT / "agents" / "training" / "README.md"
CURVES = ROOT / "agents" / "curves" / "README.md"
QUANTISE = ROOT / "agents" / "quantise" / "README.md"
PLACES = ROOT / "tests" / "agents" / "games"
"""A folder for each game, with `tables.toml` and the results."""

NAMED = {
    name: {"game": game, "games": 200, **table}
    for game in boardenvs.GAMES
    if (PLACES / game / "tables.toml").exists()
    for name, table in tomllib.loads(
        (PLACES / game / "tables.toml").read_text(encoding="utf-8")
    ).items()
}
"""The tables and, without an arena of their own, other games that have a trained agent."""

TABLES = {name: table for name, table in NAMED.items() if "arena" in table}
"""What makes each table, by its name: the game, the arena's arguments, and games of a match."""

OVERVIEWS = ("all", "best", "ladder", "shipped", "int8", "curves")
"""The tables over several games."""


def command(name):
    """What makes a table."""
    table = TABLES[name]
    return f"boardenvs arena {table['game']} {table['arena']} --games {table['games']} --seed 0"


def result_file(name):
    """Where the results of a table lie."""
    return PLACES / TABLES[name]["game"] / "results" / f"{name}.json"


def read_report(name):
    """The results of a table."""
    return json.loads(result_file(name).read_text(encoding="utf-8"))


def page_block(name):
    """What the page shows: where the trained agent is from, the command, and what came out."""
    told = ""
    if "trained" in command(name).split():
        report = read_report(name)
        path = shipped(boardenvs.make(report["game"], **report["params"]))
        card = read_card(path)
        told = (
            f"`trained` is `agents/games/{path.parent.name}/{path.name}`, made by "
            f"`{card['command']}` in {card['steps']:,} decisions.\n\n"
        )
    return f"{told}```bash\n{command(name)}\n```\n\n{report_markdown(read_report(name))}"


def overview_block():
    """What the page on strength shows of all games."""
    return overview_markdown({TABLES[name]["title"]: read_report(name) for name in TABLES})


def best_block():
    """What the README shows: of each game in that table the first row, which is the strongest."""
    headings, line, *rows = overview_block().splitlines()
    first = [row for row in rows if not row.startswith("| |")]
    return "\n".join([headings, line, *first]) + "\n"


def curves_block():
    """Where the reference learners ended on each task that has curves."""
    lines = [
        "| task | learner | decisions | minutes | score (95% interval) |",
        "|---|---|---|---|---|",
    ]
    for name in suite("v1"):
        curves = reference_curves(name)
        for learner in dict.fromkeys(one.learner for one in curves):
            mine = [one for one in curves if one.learner == learner]
            band = over_seeds(mine, "decisions")
            interval = f"{band.mean[-1]:.3f} ({band.low[-1]:.3f} to {band.high[-1]:.3f})"
            minutes = max(one.points[-1].seconds for one in mine) / 60
            lines.append(
                f"| {name} | `{learner}` | {band.x[-1]:,.0f} | {minutes:.0f} | {interval} |"
            )
    return "\n".join([*lines, ""])


def ladder_block():
    """What the README shows of the benchmark: how long each task's ladder is, and who is on top."""
    lines = [
        "| task | reference agents | games | strongest | Elo (95% interval) |",
        "|---|---|---|---|---|",
    ]
    for name in suite("v1"):
        ladder = read_ladder("v1", name)
        start = f"| {name} | {len(ladder.specs)} "
        if ladder.scale is None:
            solo = ladder.told["solos"][-1]
            games = sum(one["games"] for one in ladder.told["solos"])
            share = f"share won or right {solo['wins'] / solo['games']:.3f}"
            lines.append(f"{start}| {games:,} | `{ladder.specs[-1]}` | {share} |")
            continue
        games = sum(one["games"] for one in ladder.told["pairs"])
        top = ladder.scale.elo[-1]
        around = Z * ladder.scale.covariance[-1, -1] ** 0.5
        interval = f"{top - around:+.0f} to {top + around:+.0f}"
        lines.append(f"{start}| {games:,} | `{ladder.specs[-1]}` | {top:+.0f} ({interval}) |")
    return "\n".join(lines) + "\n"


def shipped_block():
    """What the page on training shows of the shipped agents: their cards."""
    lines = [
        "| game | made by | imitated, played, searched | against | games | score (95% interval) |",
        "|---|---|---|---|---|---|",
    ]
    for name, table in NAMED.items():
        title = table["title"]
        if "arena" in table and "trained" not in command(name).split():
            continue
        params = read_report(name)["params"] if "arena" in table else table["params"]
        game = boardenvs.make(table["game"], **params)
        card = read_card(shipped(game))
        settings = card["settings"]
        parts = (settings["clone"], settings, settings["guided"])
        steps = ", ".join(f"{part['steps']:,}" if part else "0" for part in parts)
        start = f"| {title.partition(',')[0]} | `{card['command']}` | {steps} "
        if "player" in title:
            start = start.replace(title.partition(",")[0], title, 1)
        for entry in scores_on(card, game):
            low, high = entry["interval"]
            lines.append(
                f"{start}| {entry['against']} | {entry['games']:,} "
                f"| {entry['score']:.3f} ({low:.3f} to {high:.3f}) |"
            )
            start = "| | | "
    return "\n".join(lines) + "\n"


def int8_block():
    """What their page shows of the shipped networks' versions in int8: their cards."""
    lines = [
        "| network | evaluations a second | of float32 | same best move | score (95% interval) |",
        "|---|---|---|---|---|",
    ]
    for path in sorted(Path(agents.games.__file__).parent.glob("*/*.json")):
        entry = json.loads(path.read_text(encoding="utf-8")).get("int8")
        if entry is None:
            continue
        speed = entry["evaluations_per_second"]
        score = "not kept"
        if "score" in entry:
            low, high = entry["score"]["interval"]
            score = f"{entry['score']['score']:.3f} ({low:.3f} to {high:.3f})"
        lines.append(
            f"| `{path.stem}` | {speed['int8']:,.0f} | {speed['times']:.2f} times "
            f"| {entry['agreement']['best_move']:.3f} "
            f"| {score}{'' if entry['file'] or score == 'not kept' else ': not kept'} |"
        )
    return "\n".join(lines) + "\n"


def replaced(text, name, block):
    """A text with a block between its marks for a name.

    Raises:
        ValueError: the text has no such marks, or several.
    """
    begin, end = f"<!-- results: {name} -->\n", f"<!-- end of results: {name} -->\n"
    between = re.escape(begin) + ".*?" + re.escape(end)
    text, count = re.subn(between, lambda _: f"{begin}\n{block}\n{end}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"expected {begin!r} and {end!r} once, found them {count} times")
    return text


def place(name):
    """The file that shows a table, an overview of all games ("all", "best", "ladder", "curves") or
    the cards ("shipped", "int8"); and the text."""
    overviews = {
        "all": (STRENGTH, overview_block),
        "best": (README, best_block),
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
    parser.add_argument("--all", action="store_true", help="play all of them")
    parser.add_argument("--workers", default="1", help="processes that play (1)")
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
        del report["seconds_per_move"]  # of this machine
        result_file(name).write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")
    for name in (*TABLES, *OVERVIEWS):
        path, block = place(name)
        text = path.read_text(encoding="utf-8")
        path.write_text(replaced(text, name, block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
