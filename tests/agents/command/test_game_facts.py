"""`boardenvs info` prints correct facts for the game and its parameters."""

import re
import subprocess
import sys

import gymnasium
import pytest

import agents
import boardenvs
from agents.command.info import game_facts
from agents.naming.spec import names_for
from agents.naming.tables import agents_of


def facts(text):
    """Return every fact by name, with continued lines joined."""
    found, name = {}, None
    for line in text.split("\n\nThe start:")[0].splitlines():
        if start := re.match(r"([A-Z][\w ]*?)  +(\S.*)", line):
            name = start[1]
            found[name] = start[2]
        elif name and line.startswith("  "):
            found[name] += " " + line.strip()
    return found


def test_info_prints_the_facts_of_every_game(game):
    text = game_facts(game)
    told = facts(text)
    assert text.startswith(f"{game!r}\n")
    assert text.endswith(f"\n\n{game.to_text(game.new(1, seed=0)[0])}")
    assert all(len(line) <= 110 for line in text.splitlines()[1:])
    assert told["Rules"].endswith(".")
    assert told["Actions"]
    low, high, mean, cut = re.fullmatch(
        r"(\d+) to (\d+), mean ([\d.]+), in 1,000 random games; cut off after (\d+)", told["Plies"]
    ).groups()
    assert 0 < int(low) <= float(mean) <= int(high) <= int(cut) == game.max_plies
    assert game_facts(game) == text


@pytest.mark.parametrize(
    ("name", "params", "typed"),
    [
        ("gekitai", {}, ""),
        ("gekitai", {"pieces": 9, "board_size": 7}, "board_size=7, pieces=9"),
        ("gomoku", {"board_size": 9}, "board_size=9"),
        ("gomoku", {"board_size": 9, "max_plies": 20}, "board_size=9, max_plies=20"),
        ("goat_race", {"num_players": 2}, "num_players=2"),
    ],
)
def test_the_printed_calls_make_the_game(name, params, typed):
    game = boardenvs.make(name, **params)
    told = facts(game_facts(game))
    assert told["Game"] == f'boardenvs.make("{name}"{", " + typed if typed else ""})'
    names = {"boardenvs": boardenvs, "gym": gymnasium}
    assert eval(told["Game"], names) == game
    assert eval(told["Gymnasium"], names).unwrapped.game == game
    exec(told["PettingZoo"], names)
    assert told["PettingZoo"].endswith(f".env({typed})")


def test_info_lists_the_agents_of_a_game():
    game = boardenvs.make("goat_race", num_players=2, width=5, height=3)
    assert names_for(game) == ["random", "greedy", "mcts"]
    # `exact` solves only ends of games here, and the other names need an argument.
    gomoku = boardenvs.make("gomoku", board_size=9)
    others = ("exact", "engine", "mixed", "sb3", "text")
    everyone_else = [name for name in agents_of(gomoku) if name not in others]
    assert names_for(gomoku) == everyone_else
    assert "neighbour" in everyone_else
    assert "exact" in names_for(boardenvs.make("gomoku", board_size=5, win_length=3))
    assert "exact" in facts(game_facts(boardenvs.make("game112")))["Agents"]
    for name in names_for(game):
        agents.make(name, game, 0)
    assert facts(game_facts(game))["Agents"] == "random, greedy, mcts"
    assert "Trained" not in facts(game_facts(game))


def test_info_prints_the_scores_of_the_trained_agent():
    told = facts(game_facts(boardenvs.make("game112")))["Trained"]
    assert re.fullmatch(r"(0\.\d{3} against \w+, ){2}0\.\d{3} against exact", told)
    assert re.fullmatch(
        r"0\.\d{3} alone", facts(game_facts(boardenvs.make("dominoes175")))["Trained"]
    )


OWN = """
from boardenvs.game112 import Game112


class Needy(Game112):
    about = "A game that is told its size."
    name = "needy112"

    def __init__(self, board_size: int, max_plies: int = 9) -> None:
        super().__init__(board_size, max_plies)


class Listed(Game112):
    about = \"\"\"
    A game with a list of another kind.

    It has notes.

    - one
    - another: with a colon

    - Rules: those of 112.
    - End: the same.
    \"\"\"

    name = "listed112"
"""


def test_info_accepts_a_users_game(own_module, command, fails, monkeypatch):
    monkeypatch.setattr(boardenvs.registration, "_own", {})
    monkeypatch.setattr(gymnasium.envs.registration, "registry", dict(gymnasium.registry))
    monkeypatch.setattr(gymnasium, "registry", gymnasium.envs.registration.registry)
    own_module("own_facts", OWN)
    needed = "needy112 requires the parameter 'board_size', which has no default"
    fails(needed, "info", "own_facts:Needy")
    status, out, _ = command("info", "own_facts:Needy", "-p", "board_size=5")
    assert status == 0
    told = facts(out)
    assert out.startswith("Needy(board_size=5, max_plies=9)\nA game that is told its size.\n\nWith")
    assert told["Game"] == 'boardenvs.make("needy112", board_size=5)'
    assert told["PettingZoo"].startswith("import own_facts; from boardenvs import needy112_v0; ")
    assert told["PettingZoo"].endswith(" needy112_v0.env(board_size=5)")
    with pytest.raises(ValueError, match=needed):
        gymnasium.make("boardenvs/Needy-v0")
    status, out, _ = command("info", "own_facts:Listed")
    assert status == 0
    assert (facts(out)["Rules"], facts(out)["End"]) == ("those of 112.", "the same.")
    assert "with a colon" not in out


SAID = """
import sys, boardenvs
from agents.command import _SUBCOMMANDS, main

names = [command.__name__.rpartition(".")[2] for command in _SUBCOMMANDS]
helps = [["--help"], *([name, "--help"] for name in names)]
sys.exit(any([main(words) for words in [*(["info", name] for name in boardenvs.GAMES), *helps]]))
"""


@pytest.mark.slow
def test_info_does_not_need_docstrings():
    usual, without = (
        subprocess.run(
            [sys.executable, *options, "-c", SAID],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for options in ([], ["-OO"])
    )
    assert "Two players place pieces on an N x N board" in usual
    assert without == usual
