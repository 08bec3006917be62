"""The `boardenvs` command: help, one-line errors, closed pipes."""

import io
import os
import re
import shlex
import subprocess
import sys

import pytest

import boardenvs
from agents.command import main, make_parser
from agents.naming.grammar import split
from agents.naming.tables import SPECS, known_agents

COMMANDS = [
    "demo",
    "info",
    "play",
    "watch",
    "analyse",
    "train",
    "probe",
    "arena",
    "benchmark",
    "curves",
    "engine",
    "serve",
    "bench",
    "compile",
    "completion",
]


def test_the_installed_command_runs(installed):
    ran = installed("--version")
    assert (ran.returncode, ran.stdout) == (0, f"boardenvs {boardenvs.__version__}\n")
    ran = installed("--help")
    assert ran.returncode == 0
    assert all(f"\n    {name}" in ran.stdout for name in COMMANDS)
    ran = installed("watch", "gekitai", "random")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "boardenvs: error: gekitai takes 2 agents, got 1\n"
    module = [sys.executable, "-m", "agents.command", "--version"]
    assert subprocess.run(module, capture_output=True, check=True).stdout == b"boardenvs 0.1.0\n"


def test_version_is_printed(command):
    assert command("--version") == (0, f"boardenvs {boardenvs.__version__}\n", "")


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_is_printed(command, name):
    status, out, err = command(*([name] if name else []), "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: boardenvs {name or ''}".rstrip())
    text = " ".join(out.split())
    usage = text.partition("options:")[0]
    assert ("Games: " in text) == (name is None or " GAME" in usage)
    assert (f"Agents: {', '.join(SPECS)}." in text) == (name is None or " SPEC" in usage)
    assert ("mixed:PERCENT:AGENT plays" in text) == ("Agents: " in text)
    described = out.partition("options:")[2]
    assert described
    # A description follows each option, on the same or the next line.
    for entry in re.split(r"^  (?=-)", described, flags=re.MULTILINE)[1:]:
        assert re.match(r"-[^\n]*?(  +|\n {10,})\S", entry), entry


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_two_examples(command, name):
    lines = command(name, "--help")[1].partition("\nexamples:\n")[2].splitlines()
    assert len(lines) == 2
    for line in lines:
        program, *words = shlex.split(line.partition(" > ")[0])
        assert (program, words[0]) == ("boardenvs", name)
        options = vars(make_parser().parse_args(words))
        agents = options.get("agents") or [options.get("agent")]
        opponents = options.get("opponent") or []
        for spec in [*agents, *([opponents] if isinstance(opponents, str) else opponents)]:
            assert spec is None or split(spec, known_agents())[0]
        assert options.get("game") in (None, *boardenvs.GAMES)


@pytest.mark.parametrize("name", COMMANDS)
def test_placeholders_are_words_in_capitals(command, name):
    """Placeholders are N for numbers or words in capitals; braces contain all choices."""
    usage = command(name, "--help")[1].partition("\n\n")[0].removeprefix(f"usage: boardenvs {name}")
    for word in re.findall(r"[^\s\[\]]+", re.sub(r"\{.*?\}|--?[a-z-]+", "", usage)):
        assert re.fullmatch(r"N|\.\.\.|[A-Z]{2,}([.,=:][A-Z.]+)*", word), word


def test_the_command_without_arguments_prints_its_help(command):
    assert command() == command("--help")


def test_every_command_is_listed(command):
    _, out, _ = command("--help")
    assert re.findall(r"^    (\w+)\b", out, re.MULTILINE) == COMMANDS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "invalid choice: 'chess'"),
        (["plya", "gekitai"], r"invalid choice: 'plya' .*; did you mean play\? \(see "),
        (
            ["gekitai"],
            r"invalid choice: 'gekitai' .*; did you mean boardenvs play gekitai\? \(see ",
        ),
        (["play"], "the following arguments are required: GAME"),
        (["watch"], "the following arguments are required: GAME, SPEC"),
        (["watch", "gekitai"], "the following arguments are required: SPEC"),
        (["train"], "the following arguments are required: GAME"),
        (["arena"], "the following arguments are required: GAME, SPEC"),
        (["arena", "gekitai"], "the following arguments are required: SPEC"),
        (["play", "gekitai", "--colour", "red"], "unrecognized arguments: --colour red"),
        (["demo", "gekitai"], "unrecognized arguments: gekitai"),
        (["bench", "gekitai"], "MEASURE must be one of batches, .*, got 'gekitai'"),
        (["play", "gekitai", "--seed"], "argument --seed: expected one argument"),
        *(
            ([*one, "--seed", "x"], "argument --seed: invalid int value: 'x'")
            for one in (["demo"], ["play", "gekitai"], ["watch", "gekitai", "a", "b"])
        ),
        *(
            (["train", "gomoku", *given], "; a game's parameter is given by -p board_size=11 ")
            for given in (
                ["board_size=11"],
                ["--board_size", "11"],
                ["--board-size=11"],
            )
        ),
        # Games and parameters.
        (["play", "gekitay"], r"game must be .*, got 'gekitay'; did you mean gekitai\?\n"),
        (["play", "Gekitai"], r"game must be .*, got 'Gekitai'; did you mean gekitai\?\n"),
        (["info", "dominoes175", "-p", "num_players=3"], r"parameters are deck, max_plies\n"),
        (["info", "gomoku", "-p", "bord_size=9"], r"'bord_size'; .*; did you mean board_size\?\n"),
        *(
            ([name, "chess", "random", "random"][: 4 if name in ("watch", "arena") else 2], said)
            for name in ("info", "play", "watch", "train", "arena")
            for said in ["game must be one of gekitai, gomoku"]
        ),
        (["play", "gekitai", "-p", "size=7"], "gekitai has no parameter 'size'; its parameters"),
        (["play", "gekitai", "-p", "name=7"], "gekitai has no parameter 'name'; its parameters"),
        (["play", "gekitai", "-p", "=7"], "gekitai has no parameter ''; its parameters"),
        (["play", "gekitai", "-p", "board_size"], "--param .*'board_size'"),
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
        (["play", "gekitai", "--opponent", "gready"], r"; did you mean greedy\?\n"),
        (["watch", "gekitai", "greedy", "gredy"], r"; did you mean greedy\?\n"),
        (["watch", "gekitai", "greedy", "mtcs:50"], r"'mtcs:50' cannot .*; did you mean mcts\?\n"),
        (["benchmark", "random", "--tasks", "gekitay"], r"; did you mean gekitai\?\n"),
        (["play", "pizza_order", "--opponent", "random"], "--opponent"),
        (["play", "gekitai", "--opponent", ""], "there is no agent ''"),
        (["watch", "gekitai", "random"], "gekitai takes 2 agents, got 1"),
        (["watch", "gekitai", *["random"] * 3], "gekitai takes 2 agents, got 3"),
        (["watch", "gekitai", "random", "random:5"], "there is no agent 'random:5'"),
        (["watch", "gekitai", "random", "trained:no.onnx"], "no.onnx .*not exist"),
        (["watch", "gekitai", "random", "trained:.onnx"], "not a trained agent: .*.onnx"),
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
            "--until",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--opening-plies", "-1"],
            "opening_plies must be a whole number from 0 to 199, got -1",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--engine", "ray", "--workers", "2"],
            "--workers",
        ),
        (
            ["arena", "gekitai", "random", "greedy", "--address", "here:1"],
            "--address",
        ),
        (["train", "gekitai", "--address", "here:1"], "--address"),
        (["train", "gekitai", "--device", "tpu"], "argument --device: invalid choice: 'tpu'"),
        (["train", "gekitai", "--engine", "ray", "--device", "cuda"], "--device"),
        (["train", "gekitai", "--engine", "fire"], "argument --engine: invalid choice: 'fire'"),
        # Stores.
        (["watch", "--store", "no.db"], "there is no store no.db"),
        (["watch", "--game", "1.0"], "--game"),
        (["watch", "gekitai", "random", "random", "--game", "1.0"], "--game"),
        (
            ["watch", "gekitai", "random", "random", "--store", "no.db"],
            "--store",
        ),
        (["train", "gekitai", "--steps", "0"], "steps must be .* of at least 1, got 0"),
        (["train", "gekitai", "--steps", "-5"], "steps must be .*, got -5"),
        (["demo", "--steps", "0"], "steps must be .* of at least 1, got 0"),
        (["train", "gekitai", "--resume"], "no run that can be resumed"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_status_2(fails, tmp_path, monkeypatch, arguments, said):
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
def test_a_file_that_cannot_be_written_is_refused(fails, tmp_path, option, arguments):
    (tmp_path / "file").write_text("here first\n", encoding="utf-8")
    for path in (tmp_path / "no" / "page", tmp_path / "file" / "page", tmp_path):
        fails(re.escape(str(path)), *arguments, option, path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        (".html or .htm", ["watch", "gekitai", "random", "random", "--html"]),
        (".gif", ["watch", "gekitai", "random", "random", "--gif"]),
        (".json", ["watch", "gekitai", "random", "random", "--save"]),
        (".json", ["arena", "gekitai", "random", "random", "--games", "2", "--json"]),
        (".html or .htm", ["arena", "gekitai", "random", "random", "--games", "2", "--html"]),
        (".json", ["benchmark", "random", "--json"]),
        (".html or .htm", ["benchmark", "random", "--html"]),
        (".json", ["analyse", "game112", "no such position", "--json"]),
        (".json", ["bench", "--json"]),
        (".png", ["bench", "--plot"]),
        (".svg, .png or .pdf", ["curves", "--out"]),
        (".json", ["curves", "gekitai", "--json"]),
    ],
)
def test_a_wrong_suffix_is_refused(fails, tmp_path, expected, arguments):
    path = tmp_path / "x.txt"
    said = f"{arguments[-1]} must end in {expected}, got {path}"
    assert fails(re.escape(said), *arguments, path) == ""
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_refused(fails, tmp_path):
    (tmp_path / "file").write_text("here first\n", encoding="utf-8")
    fails("file", "train", "gekitai", "--steps", "1", "--out", tmp_path / "file" / "run")
    fails("file", "train", "gekitai", "--steps", "1", "--out", tmp_path / "file")
    fails("file", "demo", "--steps", "1", "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "here first\n"


@pytest.mark.parametrize("missing", ["torch", "sb3_contrib"])
@pytest.mark.parametrize("arguments", [["demo"], ["train", "gekitai"]], ids=" ".join)
def test_a_missing_extra_is_named(fails, monkeypatch, tmp_path, missing, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    fails(rf"training needs the extra \[train\], .*{missing}", *arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [["--help"], ["watch", "gekitai", "random", "random"]])
def test_a_closed_pipe_ends_the_command_quietly(arguments, script):
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [script, *arguments], stdout=write, stderr=subprocess.PIPE, timeout=120, check=False
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_board_is_printed_in_any_locale(script):
    ran = subprocess.run(
        [script, "watch", "gomoku", "random", "random", "--seed", "1", "-p", "max_plies=2"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "○" in ran.stdout.decode("utf-8")


def test_output_can_be_captured_in_memory(monkeypatch):
    caught = io.StringIO()
    monkeypatch.setattr(sys, "stdout", caught)
    assert main(["watch", "gomoku", "random", "random", "--seed", "1", "-p", "max_plies=2"]) == 0
    assert "○" in caught.getvalue()


def test_reading_only_the_first_line_is_no_error(script):
    shell = f"set -o pipefail; {script} watch gekitai random random --seed 1 | head -1"
    ran = subprocess.run(
        ["bash", "-c", shell], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Gekitai(board_size=6")
