"""The ratings on the games' pages and in the README: the arenas they come from, and their text.

`python tests/result_tables.py NAME ...` plays these arenas again (all with `--all`), keeps what
came out in `tests/results`, and writes every table anew; without names it only writes the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from pathlib import Path

import boardenvs
from agents.arena.markdown import overview_markdown, report_markdown
from agents.command import cli
from agents.trained import read_card, shipped

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RESULTS = Path(__file__).with_name("results")

ARENAS = {
    "gekitai": "gekitai random greedy mcts:400 trained puct:400",
    "gomoku-9x9": "gomoku -p board_size=9 random neighbour greedy mcts:400 trained puct:400",
    "gomoku-15x15": "gomoku random neighbour greedy mcts:400 trained",
    "game112": "game112 random greedy mcts:100 trained puct:100 exact",
    "goat_race-2": "goat_race -p num_players=2 random greedy mcts:100 trained puct:50",
    "goat_race-3": "goat_race random greedy mcts:50 trained",
    "goat_race-4": "goat_race -p num_players=4 random greedy mcts:50 trained",
    "dominoes175": "dominoes175 random greedy trained",
    "pizza_order": "pizza_order random greedy trained",
}
"""Who plays what for each table, by its name."""

GAMES = {"dominoes175": 10_000, "pizza_order": 1000}
"""How many games of a match are played where it is not 200."""

TITLES = {
    "gekitai": "Gekitai",
    "gomoku-9x9": "Gomoku 9x9",
    "gomoku-15x15": "Gomoku 15x15",
    "game112": "112",
    "goat_race-2": "Goat Race, 2 players",
    "goat_race-3": "Goat Race, 3 players",
    "goat_race-4": "Goat Race, 4 players",
    "dominoes175": "Dominoes 175, share won",
    "pizza_order": "Pizza order, share right",
}


def command(name):
    """What makes a table."""
    return f"boardenvs arena {ARENAS[name]} --games {GAMES.get(name, 200)} --seed 0"


def result_file(name):
    """Where the results of a table lie."""
    return RESULTS / f"{name}.json"


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
    """What the README shows of all games."""
    return overview_markdown({TITLES[name]: read_report(name) for name in ARENAS})


def shipped_block():
    """What the README shows of the shipped agents: their cards."""
    lines = [
        "| game | made by | imitated, played, searched | against | games | score (95% interval) |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in TITLES.items():
        if "trained" not in command(name).split():
            continue
        report = read_report(name)
        card = read_card(shipped(boardenvs.make(report["game"], **report["params"])))
        settings = card["settings"]
        parts = (settings["clone"], settings, settings["guided"])
        steps = ", ".join(f"{part['steps']:,}" if part else "0" for part in parts)
        start = f"| {title.partition(',')[0]} | `{card['command']}` | {steps} "
        if "player" in title:
            start = start.replace(title.partition(",")[0], title, 1)
        for entry in card["scores"]:
            low, high = entry["interval"]
            lines.append(
                f"{start}| {entry['against']} | {entry['games']:,} "
                f"| {entry['score']:.3f} ({low:.3f} to {high:.3f}) |"
            )
            start = "| | | "
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
    """The file that shows a table, the overview ("all"), or the cards ("shipped"); and the text."""
    if name == "all":
        return README, overview_block()
    if name == "shipped":
        return README, shipped_block()
    return ROOT / "boardenvs" / read_report(name)["game"] / "README.md", page_block(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ARENAS))
    parser.add_argument("--all", action="store_true", help="play all of them")
    parser.add_argument("--workers", default="1", help="processes that play (1)")
    options = parser.parse_args()
    if unknown := set(options.names) - set(ARENAS):
        parser.error(f"there is no table {', '.join(sorted(unknown))}")
    for name in ARENAS if options.all else options.names:
        print(f"$ {command(name)}", flush=True)
        asked = shlex.split(command(name))[1:]
        json_file = ["--json", str(result_file(name))]
        if status := cli.main([*asked, *json_file, "--workers", options.workers]):
            return status
    for name in (*ARENAS, "all", "shipped"):
        path, block = place(name)
        text = path.read_text(encoding="utf-8")
        path.write_text(replaced(text, name, block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
