"""Start of the command: a foreign package `agents`, early signals, Ctrl-C and SIGTERM."""

import os
import signal
import subprocess
import sys
import time

import pytest

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")


@pytest.fixture
def enabled_ctrl_c():
    """Restore Ctrl-C, which shells disable for programs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("file", ["agents.py", "agents/__init__.py"])
def test_another_package_named_agents_is_reported_in_one_line(file, installed, tmp_path):
    stranger = tmp_path / file
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("raise SystemExit('run')", encoding="utf-8")
    ran = installed("info", "gekitai", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("boardenvs: error: package 'agents'")
    assert str(stranger) in line


# Delays all imports of `agents` until a file exists, or for a minute.
HELD = """
import os, sys, time

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "agents" and path is None:
            for _ in range(6000):
                if os.path.exists("go"):
                    break
                time.sleep(0.01)
            else:
                os.mkdir("late")

sys.meta_path.insert(0, Finder())
"""


def test_an_engine_answers_about_before_the_agents_load(script, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HELD, encoding="utf-8")
    with subprocess.Popen(
        [script, "engine", "-p", "board_size=9", "gomoku", "--seed=1", "greedy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
    ) as process:
        process.stdin.write(b"\r\nabout\r\n")
        process.stdin.flush()
        said = process.stdout.readline()
        assert said.startswith(b'name="boardenvs greedy", version=')
        assert not (tmp_path / "late").exists()
        (tmp_path / "go").touch()
        told, _ = process.communicate(b"ABOUT\r\nSTART 9\r\nABOUT\r\n", timeout=120)
    assert told.splitlines() == [said.rstrip(), b"OK", said.rstrip()]
    assert process.returncode == 0


# An agent whose creation waits for a file, or for a minute.
SLOW = """
import os, time

def make(game, seed):
    for _ in range(6000):
        if os.path.exists("go"):
            break
        time.sleep(0.01)
    else:
        os.mkdir("late")
    raise OSError("no agent")
"""


def test_an_engine_that_is_not_ready_ends_at_once(script, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    ran = subprocess.run(
        [script, "engine", "gomoku", "slow:make"],
        input=b"\xef\xbb\xbfSTART 9\r\nABOUT\r\nEND\r\n",
        stdout=subprocess.PIPE,
        check=True,
        cwd=tmp_path,
    )
    assert ran.stdout.startswith(b"OK" + os.linesep.encode() + b"name=")
    assert not (tmp_path / "late").exists()


def test_an_engine_without_a_valid_agent_ends_without_further_input(script, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    (tmp_path / "go").touch()
    with subprocess.Popen(
        [script, "engine", "gomoku", "slow:make"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.wait(120) == 2
        (line,) = process.stderr.read().splitlines()
    assert line.endswith(b"agent 'slow:make' cannot be made: OSError: no agent")


# An agent that reports when it starts to think, and then takes long.
BUSY = """
import sys, time

class Busy:
    def act(self, states):
        try:
            print("at work", file=sys.stderr, flush=True)
            time.sleep(60)
        finally:
            time.sleep(0.2)
            print("cleaned up", file=sys.stderr)

def make(game, seed):
    return Busy()
"""


@posix
@pytest.mark.usefixtures("enabled_ctrl_c")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_in_one_line(number, script, tmp_path):
    (tmp_path / "busy.py").write_text(BUSY, encoding="utf-8")
    with subprocess.Popen(
        [script, "watch", "gekitai", "busy:make", "random"],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stderr.readline() == b"at work\n"
        process.send_signal(number)
        time.sleep(0.1)
        process.send_signal(number)  # as `timeout` does
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, b"cleaned up\n\nboardenvs: stopped\n")


# A module that takes long to import and hides its errors.
IMPORTS = """
import sys, time

try:
    print("at work", file=sys.stderr, flush=True)
    time.sleep(60)
except BaseException:
    pass
"""


@posix
@pytest.mark.usefixtures("enabled_ctrl_c")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_not_lost_in_an_import(number, script, tmp_path):
    (tmp_path / "slow.py").write_text(IMPORTS, encoding="utf-8")
    with subprocess.Popen(
        [script, "watch", "gekitai", "slow:make", "random"],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stderr.readline() == b"at work\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, b"\nboardenvs: stopped\n")


def test_importing_the_packages_changes_no_signal_handlers():
    program = """
import signal
before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
import boardenvs, agents, agents.command, boardenvs.start
assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_slow_imports_wait_for_their_subcommand():
    program = """
import sys
from agents.command import main
main(["--help"])
heavy = "torch onnxruntime shtab tqdm sqlite3 matplotlib boardenvs.envs.vector agents.speed"
print([name for name in heavy.split() if name in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "[]\n")
