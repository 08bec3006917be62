"""The `boardenvs` command: what it prints, what it writes, and one line for what it refuses."""

import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import agents
import boardenvs
from agents.cli import main
from agents.making import SPECS
from agents.training import run as run_module
from agents.training import start
from boardenvs.episode import Episode

SCRIPT = Path(sys.executable).with_name("boardenvs")
COMMANDS = ["demo", "info", "play", "watch", "train", "arena", "bench", "completion"]


@pytest.fixture
def command(capsys):
    """The function that runs the command in this process: status, output, errors."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def fails(command):
    """The function that expects one line on standard error and status 2."""

    def run(said, *arguments):
        status, out, err = command(*arguments)
        assert status == 2
        assert re.fullmatch(r"boardenvs( \w+)?: error: [^\n]+\n", err), err
        assert re.search(said, err), err
        return out

    return run


@pytest.fixture
def typed(monkeypatch):
    """The function that sets what a person types."""

    def type_in(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


def installed(*arguments, **options):
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, timeout=120, check=False, **options
    )


# -- The command itself -----------------------------------------------------------------


def test_the_installed_command():
    ran = installed("--version")
    assert (ran.returncode, ran.stdout) == (0, f"boardenvs {boardenvs.__version__}\n")
    ran = installed("--help")
    assert ran.returncode == 0
    assert all(f"\n    {name}" in ran.stdout for name in COMMANDS)
    ran = installed("watch", "gekitai", "random")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "boardenvs: error: gekitai takes 2 agents, got 1\n"
    module = [sys.executable, "-m", "agents.cli", "--version"]
    assert subprocess.run(module, capture_output=True, check=True).stdout == b"boardenvs 0.1.0\n"


def test_version(command):
    assert command("--version") == (0, f"boardenvs {boardenvs.__version__}\n", "")


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help(command, name):
    status, out, err = command(*([name] if name else []), "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: boardenvs {name or ''}".rstrip())
    text = " ".join(out.split())
    assert f"Games: {', '.join(boardenvs.GAMES)}." in text
    assert f"Agents: {', '.join(SPECS)}." in text
    described = out.partition("options:")[2]
    assert described
    # Each option is followed by what it does, on its line or on the next one.
    for entry in re.split(r"^  (?=-)", described, flags=re.MULTILINE)[1:]:
        assert re.match(r"-[^\n]*?(  +|\n {10,})\S", entry), entry


def test_every_command_is_listed(command):
    _, out, _ = command("--help")
    assert re.findall(r"^    (\w+)\b", out, re.MULTILINE) == COMMANDS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["chess"], "invalid choice: 'chess'"),
        (["play"], "the following arguments are required: GAME"),
        (["watch"], "the following arguments are required: GAME, SPEC"),
        (["watch", "gekitai"], "the following arguments are required: SPEC"),
        (["train"], "the following arguments are required: GAME"),
        (["arena"], "the following arguments are required: GAME, SPEC"),
        (["arena", "gekitai"], "the following arguments are required: SPEC"),
        (["play", "gekitai", "--colour", "red"], "unrecognized arguments: --colour red"),
        (["demo", "gekitai"], "unrecognized arguments: gekitai"),
        (["bench", "gekitai"], "unrecognized arguments: gekitai"),
        (["play", "gekitai", "--seed"], "argument --seed: expected one argument"),
        *(
            ([*one, "--seed", "x"], "argument --seed: invalid int value: 'x'")
            for one in (["demo"], ["play", "gekitai"], ["watch", "gekitai", "a", "b"])
        ),
        # Games and their parameters.
        *(
            ([name, "chess", "random", "random"][: 4 if name in ("watch", "arena") else 2], said)
            for name in ("info", "play", "watch", "train", "arena")
            for said in ["there is no game 'chess'; the games are gekitai, gomoku"]
        ),
        (["play", "gekitai", "-p", "size=7"], "gekitai has no parameter 'size'; its parameters"),
        (["play", "gekitai", "-p", "name=7"], "gekitai has no parameter 'name'; its parameters"),
        (["play", "gekitai", "-p", "=7"], "gekitai has no parameter ''; its parameters"),
        (["play", "gekitai", "-p", "board_size"], "--param takes NAME=VALUE, got 'board_size'"),
        (["play", "gekitai", "-p", "board_size=9"], "board_size must be .* 6 to 8, got 9"),
        (["play", "gekitai", "-p", "board_size=big"], "board_size must be .*, got 'big'"),
        (["play", "gekitai", "-p", "board_size=7.0"], "board_size must be .*, got 7.0"),
        (["play", "gekitai", "-p", "board_size="], "board_size must be .*, got ''"),
        (["play", "gekitai", "-p", "board_size=true"], "board_size must be .*, got True"),
        (["play", "gekitai", "-p", "board_size=[7]"], r"board_size must be .*, got \[7\]"),
        (["train", "gekitai", "-p", "pieces=1"], "pieces must be .* from 6 to 12, got 1"),
        (["arena", "game112", "random", "greedy", "-p", "board_size=0"], "board_size must be "),
        # Agents.
        (["play", "gekitai", "--opponent", "gready"], "there is no agent 'gready'"),
        (["play", "gekitai", "--opponent", ""], "there is no agent ''"),
        (["watch", "gekitai", "random"], "gekitai takes 2 agents, got 1"),
        (["watch", "gekitai", *["random"] * 3], "gekitai takes 2 agents, got 3"),
        (["watch", "gekitai", "random", "random:5"], "there is no agent 'random:5'"),
        (["watch", "gekitai", "random", "trained:no.onnx"], "no.onnx is no trained agent"),
        (["watch", "gekitai", "random", "no_such:thing"], "'no_such:thing' cannot be made"),
        (["arena", "gekitai", "random"], "an arena needs at least 2 agents, got 1"),
        (["arena", "gekitai", "random", "nobody"], "there is no agent 'nobody'"),
        # Numbers.
        (["play", "gekitai", "--seat", "2"], "seat must be a whole number from 0 to 1, got 2"),
        (["play", "gekitai", "--seat", "-1"], "seat must be .*, got -1"),
        (["play", "gekitai", "--seat", "X"], "argument --seat: invalid int value: 'X'"),
        (["play", "gekitai", "--seed", "-1"], "seed must be .* at least 0 or None, got -1"),
        (["watch", "gekitai", "random", "random", "--seed", "-1"], "seed must be .*, got -1"),
        (["arena", "gekitai", "random", "greedy", "--seed", "-1"], "seed must be .*, got -1"),
        (["train", "gekitai", "--seed", "-1"], "seed must be .* from 0 to 2147483647, got -1"),
        (["demo", "--seed", "-1"], "seed must be .* from 0 to 2147483647, got -1"),
        (["arena", "gekitai", "random", "greedy", "--games", "0"], "games must be .*, got 0"),
        (["arena", "gekitai", "random", "greedy", "--games", "-1"], "games must be .*, got -1"),
        (["arena", "gekitai", "random", "greedy", "--games", "abc"], "--games: invalid int"),
        (["arena", "gekitai", "random", "greedy", "--games", "1.5"], "--games: invalid int"),
        (["arena", "gekitai", "random", "greedy", "--workers", "0"], "workers must be .*, got 0"),
        (["arena", "gekitai", "random", "greedy", "--until", "dawn"], "invalid choice: 'dawn'"),
        (
            ["arena", "pizza_order", "random", "--until", "decided"],
            "pizza_order is for one player: there are no pairs to decide",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--opening-plies", "-1"],
            "opening_plies must be a whole number from 0 to 199, got -1",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--engine", "ray", "--workers", "2"],
            "--workers is for --engine local",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--address", "here:1"],
            "--address is for --engine ray",
        ),
        (["train", "gekitai", "--address", "here:1"], "--address is for --engine ray"),
        (["train", "gekitai", "--device", "tpu"], "argument --device: invalid choice: 'tpu'"),
        (["train", "gekitai", "--engine", "ray", "--device", "cuda"], "--device is for --engine"),
        (["train", "gekitai", "--engine", "fire"], "argument --engine: invalid choice: 'fire'"),
        # Stores.
        (["watch", "--store", "no.db"], "there is no store no.db"),
        (["watch", "--game", "1.0"], "--game is for --store"),
        (["watch", "gekitai", "random", "random", "--game", "1.0"], "--game is for --store"),
        (
            ["watch", "gekitai", "random", "random", "--store", "no.db"],
            "a stored game has its agents: --store takes no GAME and SPEC",
        ),
        (["train", "gekitai", "--steps", "0"], "steps must be .* of at least 1, got 0"),
        (["train", "gekitai", "--steps", "-5"], "steps must be .*, got -5"),
        (["demo", "--steps", "0"], "steps must be .* of at least 1, got 0"),
        (["train", "gekitai", "--resume"], "holds no run that can go on"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(fails, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert fails(said, *arguments) == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("option", "arguments"),
    [
        ("--html", ["watch", "gekitai", "random", "random"]),
        ("--gif", ["watch", "gekitai", "random", "random"]),
        ("--save", ["watch", "gekitai", "random", "random"]),
        ("--json", ["arena", "gekitai", "random", "random", "--games", "2"]),
        ("--store", ["arena", "gekitai", "random", "random", "--games", "2"]),
    ],
)
def test_a_file_that_cannot_be_written(fails, tmp_path, option, arguments):
    (tmp_path / "file").write_text("here first\n", encoding="utf-8")
    for path in (tmp_path / "no" / "page", tmp_path / "file" / "page", tmp_path):
        fails(re.escape(str(path)), *arguments, option, path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_run_that_cannot_be_written(fails, tmp_path):
    (tmp_path / "file").write_text("here first\n", encoding="utf-8")
    fails("file", "train", "gekitai", "--steps", "1", "--out", tmp_path / "file" / "run")
    fails("file", "train", "gekitai", "--steps", "1", "--out", tmp_path / "file")
    fails("file", "demo", "--steps", "1", "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "here first\n"


@pytest.mark.parametrize("missing", ["torch", "sb3_contrib"])
@pytest.mark.parametrize("arguments", [["demo"], ["train", "gekitai"]], ids=" ".join)
def test_without_the_extra(fails, monkeypatch, tmp_path, missing, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    fails(rf"training needs the extra \[train\], .*{missing}", *arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [["--help"], ["watch", "gekitai", "random", "random"]])
def test_a_reader_that_has_gone(arguments):
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [SCRIPT, *arguments], stdout=write, stderr=subprocess.PIPE, timeout=120, check=False
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_board_is_printed_whatever_the_locale():
    ran = subprocess.run(
        [SCRIPT, "watch", "gomoku", "random", "random", "--seed", "1", "-p", "max_plies=2"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "○" in ran.stdout.decode("utf-8")


def test_output_may_be_caught_in_memory(monkeypatch):
    caught = io.StringIO()
    monkeypatch.setattr(sys, "stdout", caught)
    assert main(["watch", "gomoku", "random", "random", "--seed", "1", "-p", "max_plies=2"]) == 0
    assert "○" in caught.getvalue()


def test_the_first_line_is_enough():
    shell = f"set -o pipefail; {SCRIPT} watch gekitai random random --seed 1 | head -1"
    ran = subprocess.run(
        ["bash", "-c", shell], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Gekitai(board_size=6")


# -- Agents of the user's own -----------------------------------------------------------

OWN = """
class First:
    deterministic = True

    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)

class Raises(First):
    def act(self, states):
        raise KeyError("lost")

class Leaves(First):
    def act(self, states):
        raise SystemExit("gone")

class Illegal(First):
    def act(self, states):
        return states["last_action"].clip(0)

class Notes(First):
    # Writes down its seed and the random words it is given.

    notes = []

    def __init__(self, game, seed):
        super().__init__(game, seed)
        self.notes.append(seed)

    def choose(self, states, words):
        self.notes.append(int(words[0]))
        return self.act(states)

class Outside(First):
    def act(self, states):
        return [1000] * len(states)
"""


STOPS = """
class Stops:
    def __init__(self, game, seed):
        self.game = game
        self.most = 0

    def act(self, states):
        self.most = max(self.most, len(states))
        if 2 * len(states) < self.most:  # more than half of the games have ended
            raise KeyboardInterrupt
        return self.game.legal(states).argmax(1)
"""


def test_an_agent_in_the_current_folder(tmp_path):
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    ran = installed("arena", "gekitai", "mine:First", "random", "--games", "10", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[2].startswith("mine:First  random     10 ")
    ran = installed("watch", "gekitai", "mine:First", "random", "--seed", "1", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1. mine:First: A1\n" in ran.stdout


@pytest.mark.parametrize(
    ("agent", "said"),
    [("Raises", "KeyError: 'lost'"), ("Leaves", "SystemExit: gone"), ("Outside", "action 1000")],
)
def test_an_agent_that_fails(fails, own_module, agent, said):
    own_module("mine", OWN)
    spec = f"mine:{agent}"
    fails(said, "watch", "gekitai", spec, "random")
    fails(said, "play", "gekitai", "--opponent", spec, "--seat", "1")
    fails(f"{agent} failed: .*{said}", "arena", "gekitai", "random", spec, "--games", "2")


def test_an_agent_that_moves_illegally_loses(command, own_module):
    own_module("mine", OWN)
    status, out, _ = command("watch", "gekitai", "random", "mine:Illegal", "--seed", "1")
    assert status == 0
    assert out.endswith("\nResult: mine:Illegal loses by an illegal action\n")
    status, out, _ = command("arena", "gekitai", "random", "mine:Illegal", "--games", "20")
    assert out.splitlines()[2].split()[2:6] == ["20", "20", "0", "0"]


def test_two_agents_of_one_game_have_seeds_of_their_own(command, own_module):
    own_module("mine", OWN)
    command("watch", "game112", "mine:Notes", "mine:Notes", "--seed", "6")
    one, other = sys.modules["mine"].Notes.notes[:2]
    assert len({one, other, 6}) == 3


def test_every_turn_of_the_opponent_has_a_word_of_its_own(command, own_module, typed):
    own_module("mine", OWN)
    typed(*CELLS * 30)
    command("play", "gekitai", "--opponent", "mine:Notes", "--seed", "6")
    seed, *words = sys.modules["mine"].Notes.notes
    assert seed != 6
    assert len(set(words)) == len(words) > 2


# -- play -------------------------------------------------------------------------------

CELLS = [f"{column}{row}" for row in range(1, 7) for column in "ABCDEF"]


def test_moves_legal_illegal_and_malformed(command, typed, gekitai):
    typed("b 2", "B2", "zz", "", "A9", "q")
    status, out, err = command("play", "gekitai", "--seed", "4")
    assert (status, err) == (0, "")
    assert out.startswith(gekitai.to_text(gekitai.new(1)[0]) + "Player X's turn: ")
    assert out.count("Player X's turn: ") == 6
    assert re.search(r"Player O's turn: [A-F][1-6]\n", out)
    assert "Player X's turn: Invalid move! B2 is not legal here; A1 would be\n" in out
    assert out.count("Player X's turn: Invalid move! ") == 4
    assert out.endswith("Player X's turn: Game left.\n")


@pytest.mark.parametrize("leave", [["q"], [" Q "], []], ids=["q", "Q", "end of input"])
def test_leaving(command, typed, leave):
    typed(*leave)
    status, out, err = command("play", "gekitai")
    assert (status, err) == (0, "")
    assert out.endswith("Game left.\n")


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_of_gekitai(command, typed, seat):
    typed(*CELLS * 30)
    arguments = ["play", "gekitai", "--opponent", "random", "--seat", seat, "--seed", "3"]
    status, out, _ = command(*arguments)
    assert status == 0
    assert out.count("Game over:\n") == 1
    assert re.search(r"\nPlayer [XO] wins!\n$", out)
    typed(*CELLS * 30)
    assert command(*arguments) == (0, out, "")
    you, other = "XO" if seat == 0 else "OX"
    assert f"Player {other}'s turn: A" not in out.partition("turn: ")[0]
    assert re.search(rf"Player {other}'s turn: [A-F][1-6]\n", out)
    assert f"Player {you}'s turn:  " in out


def test_a_whole_112_game(command, typed):
    typed(*[f"{p} {v}" for p in range(1, 10) for v in (1, 2)] * 2)
    status, out, _ = command("play", "game112", "--opponent", "random", "--seed", "0")
    assert status == 0
    assert out.startswith("| - - - - - - - - - |\nPlayer 1's turn: | 1 - - - - - - - - |\n")
    assert re.search(r"Game over:\n\| [-12 ]+ \|\n(Player [12] wins!|Tie!)\n$", out)


def test_a_game_stopped_for_its_length(command, typed):
    typed(*CELLS)
    status, out, _ = command(
        "play", "gekitai", "-p", "max_plies=3", "--opponent", "random", "--seed", "0"
    )
    assert status == 0
    assert out.endswith("Nobody wins: the game was stopped after 3 plies.\n")


def test_the_opponent_is_greedy_unless_named(command, typed):
    moves = ["A1", "C1", "E1", "F1", "A3", "q"]
    said = []
    for options in ([], ["--opponent", "greedy"], ["--opponent", "random"]):
        typed(*moves)
        said.append(command("play", "gekitai", "--seed", "5", *options))
    assert said[0] == said[1] != said[2]


def test_other_parameters(command, typed):
    typed("G7", "q")
    status, out, _ = command("play", "gekitai", "-p", "board_size=7", "--param", "pieces=6")
    assert status == 0
    assert out.startswith("    A   B   C   D   E   F   G\n")
    assert "\nX: ['X', 'X', 'X', 'X', 'X']\n" in out


def test_play_against_a_trained_agent(command, typed, tiny):
    typed(*CELLS * 30)
    status, out, _ = command("play", "gekitai", "--opponent", tiny.spec)
    assert status == 0
    assert "Game over:\n" in out


def test_interruption_in_this_process(command, monkeypatch):
    def interrupted(_prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    status, _, err = command("play", "gekitai")
    assert (status, err) == (130, "\nboardenvs: stopped\n")


def test_interruption_from_the_keyboard():
    # A test run in the background may hand on that interrupts are ignored.
    start = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('agents.cli', run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, "play", "gekitai"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        printed = b""
        while not printed.endswith(b"Player X's turn: "):
            byte = process.stdout.read(1)
            assert byte, printed
            printed += byte
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == (b"", b"\nboardenvs: stopped\n", 130)


# -- watch ------------------------------------------------------------------------------


def test_watch_prints_the_whole_game(command, game):
    specs = ["greedy", *["random"] * (game.num_players - 1)]
    arguments = ["watch", game.name, *specs, "--seed"]
    status, out, err = command(*arguments, "6")
    assert (status, err) == (0, "")
    players = [agents.make(spec, game, 6 + k) for k, spec in enumerate(specs)]
    names = specs[:2]  # and those of several seats are told apart
    if game.num_players > 2:
        names = ["greedy", *(f"random ({seat})" for seat in game.seat_names[1:])]
    episode = Episode.play(game, players, 6, names=names)
    assert out == episode.to_text()
    assert out.startswith(f"{game!r}: {', '.join(names)}\n")
    first = names[int(episode.states()["to_move"][0])]
    assert out.count(f"\n1. {first}: ") == 1
    assert command(*arguments, "6") == (0, out, "")
    assert command(*arguments, "8")[1] != out


def test_watch_without_a_seed_varies(command):
    one, two = (command("watch", "gekitai", "random", "random")[1] for _ in range(2))
    assert one != two


def test_watch_writes_files(command, tmp_path, gekitai):
    page, saved = tmp_path / "game.html", tmp_path / "game.json"
    arguments = ["watch", "gekitai", "greedy", "random", "--seed", "2"]
    status, out, _ = command(*arguments, "--html", page, "--save", saved)
    assert status == 0
    assert f"\nThe game as a page: {page}\n" in out
    assert f"\nThe game as JSON: {saved}\n" in out
    episode = Episode.load(saved)
    assert episode.game == gekitai
    assert out.startswith(episode.to_text())
    assert page.read_text(encoding="utf-8") == episode.to_html()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["game.html", "game.json"]
    before = page.read_bytes(), saved.read_bytes()
    command(*arguments, "--html", page, "--save", saved)
    assert (page.read_bytes(), saved.read_bytes()) == before


def test_watch_writes_an_animation(command, tmp_path):
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    path, saved, again = (tmp_path / name for name in ("game.gif", "game.json", "again.gif"))
    arguments = ["watch", "game112", "random", "random", "--seed", "2", "--save", saved]
    status, out, err = command(*arguments, "--gif", path)
    assert (status, err) == (0, "")
    assert f"\nThe game as an animation: {path}\n" in out
    Episode.load(saved).save_gif(again)
    assert path.read_bytes() == again.read_bytes()
    assert path.read_bytes().startswith(b"GIF89a")


def test_an_animation_without_the_extra(fails, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    said = r"--gif needs the extra \[render\], such as pip install 'boardenvs\[render\]'"
    assert fails(said, "watch", "game112", "random", "random", "--gif", tmp_path / "a.gif") == ""
    assert not list(tmp_path.iterdir())


def test_watch_a_trained_agent(command, tiny):
    status, out, _ = command("watch", "gekitai", tiny.spec, "greedy", "--seed", "1")
    assert status == 0
    assert f"\n1. {tiny.spec}: " in out
    assert "\nResult: " in out


# -- arena ------------------------------------------------------------------------------


def test_arena(command, tmp_path, game):
    path = tmp_path / "results.json"
    arguments = ["arena", game.name, "random", "greedy", "random", "--games", "20", "--seed", "3"]
    status, out, err = command(*arguments, "--json", path)
    assert (status, err) == (0, "")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert {k: data[k] for k in ("game", "params", "seed")} == {
        "game": game.name,
        "params": game.params,
        "seed": 3,
    }
    if game.num_players == 1:
        assert data["pairs"] == []
        results, names = data["solos"], ["agent"]
        assert [r["agent"] for r in results] == ["random", "greedy", "random"]
    else:
        results, names = data["pairs"], ["a", "b"]
        assert [(r["a"], r["b"]) for r in results] == [
            ("random", "greedy"),
            ("random", "random"),
            ("greedy", "random"),
        ]
    rated = {rating["agent"] for rating in data["ratings"]}
    assert rated == (set() if game.num_players == 1 else {"random", "greedy"})
    table, _, ratings = out.partition("\n\n")
    assert {line.split()[0] for line in ratings.splitlines()[2:]} == rated
    lines = table.splitlines()
    head = [*names, "games", "won", "drawn", "lost"]
    assert lines[0].split()[: len(head)] == head
    for result, line in zip(results, lines[2:], strict=True):
        assert list(result) == [*names, "games", "wins", "draws", "losses", "first"]
        assert result["games"] == 20 == result["wins"] + result["draws"] + result["losses"]
        shown = list(result.values())[: len(head)]
        assert line.split()[: len(head)] == [str(value) for value in shown]
        if game.num_players <= 2:
            scores = agents.play_match(game, [result[name] for name in names], 20, 3)
            assert result["wins"] == scores.wins[0]
    before = path.read_bytes()
    assert command(*arguments, "--json", path) == (0, out, "")
    assert path.read_bytes() == before
    if any(0 < result["wins"] < 20 for result in results):  # else seeds may well give the same
        arguments[-1] = "4"
        assert command(*arguments)[1] != out


def test_arena_with_parameters(command, tmp_path):
    path = tmp_path / "results.json"
    command(
        "arena", "gekitai", "random", "greedy", "--games", "2", "-p", "pieces=9", "--json", path
    )
    params = json.loads(path.read_text(encoding="utf-8"))["params"]
    assert params == boardenvs.make("gekitai", pieces=9).params


def test_arena_keeps_its_games_and_goes_on(command, fails, tmp_path):
    store, path = tmp_path / "games.db", tmp_path / "results.json"
    arguments = ["arena", "gekitai", "random", "greedy", "--seed", "3", "--games"]
    _, whole, _ = command(*arguments, 20)
    command(*arguments, 6, "--store", store)
    status, out, err = command(*arguments, 20, "--store", store, "--json", path)
    assert (status, out, err) == (0, whole, "")
    assert json.loads(path.read_text(encoding="utf-8"))["pairs"][0]["games"] == 20
    said = fails("games.db holds games with seed 3, not 4", *arguments[:5], 4, "--store", store)
    assert said == ""


def test_arena_until_decided(command, tmp_path):
    path = tmp_path / "results.json"
    arguments = ["arena", "gekitai", "random", "greedy", "random", "--games", "300"]
    status, out, _ = command(*arguments, "--until", "decided", "--json", path)
    assert status == 0
    pairs = json.loads(path.read_text(encoding="utf-8"))["pairs"]
    assert [pair["decided"] for pair in pairs] == [True, False, True]
    assert [pair["games"] < 300 for pair in pairs] == [True, False, True]
    lines = out.partition("\n\n")[0].splitlines()
    assert lines[0].endswith("  decided")
    assert [line.split()[-1] for line in lines[2:]] == ["yes", "no", "yes"]


def test_arena_with_random_openings(command):
    arguments = ["arena", "gekitai", "random", "random", "--games", "40"]
    plain = command(*arguments)
    assert command(*arguments, "--opening-plies", "0") == plain
    assert command(*arguments, "--opening-plies", "5") != plain


def test_arena_in_two_processes(command):
    arguments = ["arena", "gekitai", "random", "greedy", "--games", "40"]
    assert command(*arguments, "--workers", "2") == command(*arguments)


@pytest.mark.parametrize("asked", [["arena", "gekitai", "random", "greedy"], ["train", "gekitai"]])
def test_on_ray_without_ray(fails, monkeypatch, asked):
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = [*asked, "--engine", "ray"]
    fails(r"needs the extra \[ray\], such as .*: there is no ray", *arguments)


def test_ctrl_c_in_an_arena(command, tmp_path, own_module):
    own_module("mine", STOPS)
    store = tmp_path / "games.db"
    arguments = ["arena", "gekitai", "random", "mine:Stops", "--games", "20", "--store", store]
    status, out, err = command(*arguments)
    assert (status, out) == (130, "")
    assert err.endswith("boardenvs: stopped\n")
    kept = [line for line in command("watch", "--store", store)[1].splitlines() if "games" in line]
    finished = int(re.fullmatch(r"1\. random - mine:Stops: (\d+) games", kept[0])[1])
    assert 0 < finished < 20


# -- watching what was stored -----------------------------------------------------------


def test_watching_a_stored_game(command, fails, tmp_path):
    store, page, saved = (tmp_path / name for name in ("games.db", "game.html", "game.json"))
    command("arena", "gekitai", "random", "greedy", "--games", "4", "--store", store)
    status, out, err = command("watch", "--store", store)
    assert (status, err) == (0, "")
    assert "\n1. random - greedy: 4 games\n" in out
    status, out, err = command(
        "watch", "--store", store, "--game", "1.3", "--html", page, "--save", saved
    )
    assert (status, err) == (0, "")
    assert "\n1. greedy: " in out
    assert "\nResult: " in out
    episode = Episode.load(saved)
    assert episode.players == ["greedy", "random"]
    assert out.startswith(episode.to_text())
    assert page.read_text(encoding="utf-8").startswith("<!")
    fails("games.db holds no game 1.4", "watch", "--store", store, "--game", "1.4")
    saved.rename(store)
    fails("games.db is no arena's store", "watch", "--store", store)


# -- train ------------------------------------------------------------------------------


@pytest.fixture
def tiny_training(monkeypatch, tiny_settings, tmp_path):
    """Makes `train` use tiny settings, in a fresh current folder."""
    monkeypatch.setattr(start, "settings_for", lambda _game: tiny_settings)
    monkeypatch.chdir(tmp_path)


def test_train_resume_and_play(command, fails, tiny_training):
    status, out, err = command("train", "gekitai", "--steps", "256", "--seed", "5")
    assert status == 0
    network = Path("runs", "gekitai", "agent.onnx")
    assert out.startswith(f"the agent: {network}\n")
    assert "training gekitai" in err
    card = json.loads(network.with_suffix(".json").read_text(encoding="utf-8"))
    assert card["command"] == "boardenvs train gekitai --steps 256 --seed 5"
    assert (card["settings"]["steps"], card["seed"]) == (256, 5)

    fails("holds a run: --resume it, or name another --out", "train", "gekitai")
    status, out, _ = command("train", "gekitai", "--resume", "--steps", "512")
    assert status == 0
    assert out.startswith("going on from step 256 of 512\n")
    fails("holds a run with seed 5, not 6", "train", "gekitai", "--resume", "--seed", "6")
    fails("holds a run of Gekitai", "train", "game112", "--resume", "--out", "runs/gekitai")

    status, out, _ = command("arena", "gekitai", f"trained:{network}", "random", "--games", "4")
    assert status == 0


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_training_on_a_gpu_that_is_not_there(fails, tmp_path):
    fails("--device cuda: PyTorch finds no GPU here", "train", "gekitai", "--device", "cuda")
    assert not Path("runs").exists()


def test_the_command_of_a_resumed_run_makes_it_again(command, tiny_training):
    command("train", "gekitai", "--steps", "256", "--seed", "5", "--out", "run")
    command("train", "gekitai", "--resume", "--steps", "512", "--out", "run")
    card = json.loads(Path("run", "agent.json").read_text(encoding="utf-8"))
    assert "--resume" not in card["command"]
    assert "--seed 5" in card["command"]


def test_ctrl_c_while_training(command, tiny_training, monkeypatch):
    def interrupted(_watcher):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run_module._Watcher, "_on_step", interrupted)
        status, _, err = command("train", "game112", "--steps", "256", "--out", "run")
    assert status == 130
    assert err.endswith("\nboardenvs: stopped\n")
    assert Path("run", "checkpoint.pt").is_file()
    status, out, _ = command("train", "game112", "--resume", "--out", "run")
    assert status == 0
    assert out.startswith("going on from step 16 of 256\n")
    assert Path("run", "agent.onnx").is_file()
