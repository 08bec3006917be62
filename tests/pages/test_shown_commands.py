"""Commands in the README and the pages run, if they are short enough for a test."""

import io
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import agents
import boardenvs
from agents.command import main, make_parser
from agents.training import imitation as cloning
from agents.training import start_run
from agents.training.settings import CloningSettings

pytestmark = pytest.mark.slow

PACKAGE = Path(boardenvs.__file__).parent
AGENTS = Path(agents.__file__).parent
PAGES = [PACKAGE.parent / "README.md", *sorted([*PACKAGE.glob("**/*.md"), *AGENTS.glob("**/*.md")])]
PAGES = [page for page in PAGES if page.exists()]  # only a checkout has the README
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block):
    """Return the arguments of every `boardenvs` command in a block."""
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    found = [line for line in lines if line and Path(line[0]).name == "boardenvs"]
    return [line[1 : line.index(">") if ">" in line else None] for line in found]


def marks(page, shown):
    """Return the marks of a block: slow if its commands judge, learn or play a page's arena.

    `test_result_tables` also plays the arenas of the games' pages.
    """
    arena = page.parent.parent == PACKAGE and any(words[0] == "arena" for words in shown)
    judged = any("--judge" in words for words in shown)
    learnt = any("--learn" in words for words in shown)
    return [pytest.mark.slow] if arena or judged or learnt else []


SHOWN = [
    pytest.param(
        commands(block), id=f"{page.parent.name}-{number}", marks=marks(page, commands(block))
    )
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
    if commands(block)
]


def test_the_pages_contain_the_main_commands():
    shown = [words for shown in SHOWN for words in shown.values[0]]
    assert {words[0] for words in shown} >= {
        "arena",
        *(["play", "train"] if len(PAGES) > 7 else []),
    }


@pytest.mark.parametrize("shown", SHOWN)
def test_commands_of_the_pages_run(shown, tiny_settings, tmp_path, monkeypatch, capsys):
    served = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agents.play.web.serve.serve", lambda *game, **_: served.append(game))
    monkeypatch.setattr(cloning, "_GAMES", 16)
    several = replace(
        tiny_settings, network="convolutional", ppo_steps=0, clone=CloningSettings(steps=100)
    )
    monkeypatch.setattr(
        start_run,
        "settings_for",
        lambda game: several if len(game) > 1 else tiny_settings,
    )
    boardenvs.Episode.play(boardenvs.make("gekitai"), ["greedy", "greedy"], seed=0).save(
        "game.json"
    )
    Path("mine.csv").write_text("decisions,elo\n1000,100\n9000,200\n", encoding="utf-8")
    for words in shown:
        options = make_parser().parse_args(words)  # exits at unknown options
        absent = re.search(r"\bray\b|\./pbrain-mine|nim:|my_learner:", shlex.join(words))
        if words[0] in ("bench", "serve") or absent:
            continue  # takes minutes or needs what is missing; other tests run it
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        status = main(shortened(words))
        # A short benchmark may not reach all tasks.
        fine = (0, 1) if words[0] == "benchmark" else (0,)
        assert status in fine, f"{shlex.join(words)}: {capsys.readouterr().err}"
        for name in ("html", "gif", "json", "store", "plot"):
            if path := getattr(options, name, None):
                assert path.stat().st_size
        assert bool(served) == ("--web" in words)
        served.clear()


def shortened(words):
    """Return a command with fewer games and simulations, and with a new folder if it exists."""
    words = [re.sub(r"^(mcts|puct):\d+$", r"\1:4", word) for word in words]
    if words[0] == "arena":
        return [*words, "--games", "2"]
    if words[0] == "benchmark":
        return [*words, "--minutes", "0.01", "--workers", "1"]
    if "--learn" in words:
        return [*words, "--minutes", "0", "--seeds", "0"]
    if words[0] == "train" and "--resume" not in words and Path("runs", words[1]).exists():
        return [*words, "--out", "run"]
    return words
