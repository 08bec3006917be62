"""The door of the command: another package `agents`, and Ctrl-C while modules load."""

import os
import signal
import subprocess
import sys

import pytest

from boardenvs import interrupts

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.mark.parametrize("file", ["agents.py", "agents/__init__.py"])
def test_another_package_agents_is_told_in_one_line(file, installed, tmp_path):
    stranger = tmp_path / file
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("raise SystemExit('run')", encoding="utf-8")
    ran = installed("info", "gekitai", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("boardenvs: error: boardenvs needs its own package 'agents'")
    assert f"Python finds {stranger}: rename" in line


# Python runs this before anything else. It waits where a module is about to be imported.
WAITS = """
import os, signal, sys, time

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.write(1, b"now\\n")
            time.sleep(30)

sys.meta_path.insert(0, Finder())
# A test run in the background may hand on that interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
"""


@pytest.fixture
def interrupted_at(tmp_path):
    """The function that has Ctrl-C meet a program as it imports a module: status and errors."""

    def run(name, *command, number=signal.SIGINT):
        (tmp_path / "sitecustomize.py").write_text(WAITS.format(name=name), encoding="utf-8")
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        ) as process:
            assert process.stdout.readline() == b"now\n"
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        return process.returncode, err

    return run


@posix
@pytest.mark.parametrize(
    "name",
    # The first of all, a compiled one, the last before the command begins, and one that it loads.
    ["importlib.metadata", "numpy._core._multiarray_umath", "agents.command", "onnxruntime"],
)
def test_interrupt_while_the_command_loads(name, interrupted_at, script):
    asked = (script, "watch", "gekitai", "trained", "random", "--seed", "1")
    assert interrupted_at(name, *asked) == (130, b"\nboardenvs: stopped\n")


# Nothing of `agents` is imported until a file is there, or a minute has passed.
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


def test_an_engine_says_what_it_is_before_the_agents_load(script, tmp_path):
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


# An agent that is made when a file is there, or after a minute.
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


def test_an_engine_whose_agent_cannot_be_made_ends_though_the_manager_is_silent(script, tmp_path):
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


# The last that happens is that an interrupt passes through `exec` of a text. Where `python -m` runs
# a program, Python remembers that, and kills itself in the end.
REMEMBERS = """
import atexit, sys

def pass_through():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        pass

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "agents.command.completion":
            sys.meta_path.remove(self)
            atexit.register(pass_through)

sys.meta_path.insert(0, Finder())
"""


@posix
def test_an_interrupt_that_passed_through_exec_is_no_death(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(REMEMBERS, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "agents.command", "completion", "bash"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("name", ["numpy._core._multiarray_umath", "onnxruntime"])
def test_sigterm_while_the_command_loads(name, interrupted_at, script):
    asked = (script, "watch", "gekitai", "trained", "random", "--seed", "1")
    told = interrupted_at(name, *asked, number=signal.SIGTERM)
    assert told == (143, b"\nboardenvs: stopped\n")


@posix
@pytest.mark.parametrize(
    "module", ["boardenvs.gekitai", "agents.command", "agents.games.gekitai.proof"]
)
def test_interrupt_while_a_program_loads(module, interrupted_at):
    asked = (sys.executable, "-m", module)
    told = interrupted_at("numpy._core._multiarray_umath", *asked)
    assert told == (130, b"\nboardenvs: stopped\n")


# Python undoes a program's handlers as it leaves, before it takes modules down.
LEAVES = """
import os, signal, time

class Late:
    def __del__(self, write=os.write, sleep=time.sleep):
        write(2, b"now\\n")
        sleep(1)

late = Late()
signal.signal(signal.SIGINT, signal.default_int_handler)
"""


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_a_program_that_leaves_is_no_death(number, tmp_path, script):
    (tmp_path / "sitecustomize.py").write_text(LEAVES, encoding="utf-8")
    with subprocess.Popen(
        [script, "completion", "bash"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as process:
        assert process.stderr.readline() == b"now\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


# Ctrl-C where Python would lose it, then a wait, which it ends.
LOST = """
import ctypes, signal, time
from importlib import _bootstrap
from importlib.machinery import ExtensionFileLoader
from llvmlite import binding
from boardenvs import interrupts, program

def interrupt(*_):
    signal.raise_signal(signal.SIGINT)

class Finalized:
    __del__ = interrupt

def finalizer():
    Finalized()

def callback():
    ctypes.CFUNCTYPE(None)(interrupt)()

def compiled_module():
    _bootstrap._call_with_frames_removed = interrupt  # instead of the module's own code
    ExtensionFileLoader("module", "module.so").exec_module(None)

def linking():
    def interrupted(self):  # LLVM has freed it
        interrupt()
        detach(self)

    detach, binding.ModuleRef.detach = binding.ModuleRef.detach, interrupted
    module, other = binding.parse_assembly(""), binding.parse_assembly("")
    module.link_in(other)

signal.signal(signal.SIGINT, interrupts.stop)
program.loaded()
try:
    {place}()
    print("finished")
    time.sleep(30)
except KeyboardInterrupt:
    print("interrupted")
"""


@posix
@pytest.mark.parametrize("place", ["finalizer", "callback", "compiled_module", "linking"])
def test_an_interrupt_is_never_lost(place):
    ran = subprocess.run(
        [sys.executable, "-c", LOST.format(place=place)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("finished\ninterrupted\n", "", 0)


# The first signal that comes again finds nobody who hears it.
UNHEARD = """
kill, unheard = signal.pthread_kill, []

def first_unheard(*given):
    kill(*given) if unheard else unheard.append(given)

signal.pthread_kill = first_unheard
"""


@posix
def test_an_interrupt_that_comes_again_is_not_lost_either():
    program = LOST.format(place="finalizer").replace("try:", f"{UNHEARD}\ntry:", 1)
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("finished\ninterrupted\n", "", 0)


# Ctrl-C as a module is imported, by compiled code, say.
IMPORTS = """
import signal, sys, time
from importlib.util import spec_from_loader
from boardenvs import interrupts, program

class Module:
    def find_spec(self, name, path=None, target=None):
        return spec_from_loader(name, self) if name == "module" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        signal.raise_signal(signal.SIGINT)
        {at_work}
        print("loaded")

sys.meta_path.insert(0, Module())
signal.signal(signal.SIGINT, interrupts.stop)
program.loaded()
try:
    import module
    print("finished")
    time.sleep(30)
except KeyboardInterrupt:
    print("interrupted")
"""


@posix
@pytest.mark.parametrize(
    ("at_work", "told"),
    [
        ("sum(range(10_000_000))", "loaded\nfinished\ninterrupted\n"),
        ("time.sleep(30)", "interrupted\n"),
        ("while True: pass", "interrupted\n"),
    ],
)
def test_an_interrupt_waits_for_an_import_but_not_for_long(at_work, told):
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTS.format(at_work=at_work)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == (told, "", 0)


# Ctrl-C is lost in a finalizer, and comes again while the program is already on its way out.
TWICE = """
import signal, time
from boardenvs import interrupts, program

def interrupt(*_):
    signal.raise_signal(signal.SIGINT)

class Finalized:
    __del__ = interrupt

def play():
    Finalized()
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupts.stop)
status = program.run_program(play)
time.sleep(0.2)
print(status)
"""


@posix
def test_an_interrupt_that_has_arrived_does_not_come_again():
    ran = subprocess.run(
        [sys.executable, "-c", TWICE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("\nInterrupted.\n130\n", "", 0)


def test_what_takes_long_to_import_waits_for_its_subcommand():
    program = """
import sys
from agents.command import main
main(["--help"])
heavy = "torch onnxruntime shtab tqdm sqlite3 matplotlib boardenvs.vector agents.bench"
print([name for name in heavy.split() if name in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "[]\n")


@pytest.mark.parametrize(
    ("given", "argv", "expected"),
    [
        (["python", "/bin/boardenvs", "info"], ["/bin/boardenvs", "info"], True),
        (["python", "-X", "dev", "boardenvs.exe"], ["boardenvs.exe"], True),
        (["python", "-m", "boardenvs.gekitai", "-N", "7"], ["-m", "-N", "7"], True),
        (["python", "-m", "boardenvs_of_mine.train"], ["-m"], False),
        (["python", "-m", "pytest"], ["/lib/pytest/__main__.py"], False),
        (["python", "train.py", "boardenvs"], ["train.py", "boardenvs"], False),
        (["python", "-c", "import boardenvs"], ["-c"], False),
        (["python"], [""], False),
        # A process that the command spawned has its arguments.
        (["python", "-c", "spawn", "--fork"], ["/bin/boardenvs", "arena", "a", "b", "c"], False),
    ],
)
def test_only_programs_of_this_package_are_guarded(given, argv, expected, monkeypatch):
    monkeypatch.setattr(sys, "orig_argv", given)
    monkeypatch.setattr(sys, "argv", argv)
    assert interrupts.is_program() is expected
