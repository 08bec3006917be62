"""Engine programs as processes: their output, child processes and end."""

import contextlib
import os
import select
import shlex
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from agents.games.gomoku.protocol import engine_process
from agents.games.gomoku.protocol.engine_process import EngineError, EngineProcess, words_of

pytestmark = pytest.mark.slow

PATIENCE = 60.0
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX process groups")


@pytest.fixture(params=[pytest.param(False, id="pipes"), pytest.param(True, id="copied")])
def copied(request, monkeypatch):
    """Return whether output is copied to a socket, as on Windows."""
    if request.param:
        monkeypatch.setattr(engine_process, "_WINDOWS", True)
    return request.param


@contextlib.contextmanager
def running(code):
    """Run a Python program and end it afterwards."""
    process = EngineProcess(shlex.join([sys.executable, "-c", code]))
    try:
        yield process
    finally:
        process.close()


@pytest.fixture
def lifeline(tmp_path):
    """Yield a named pipe, and a function that waits until all its writers have ended."""
    path = tmp_path / "lifeline"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def read():
        assert select.select([reader], [], [], PATIENCE)[0], "it still runs"
        return os.read(reader, 100)

    yield path, read
    os.close(reader)


def held(path, more="cat"):
    """Return a shell command whose child holds a pipe and all files of the program."""
    child = f"(echo ready; exec sleep 1000) > {shlex.quote(str(path))} &"
    # The child's standard output is the pipe. The program's own output stays open as descriptor 3.
    return shlex.join(["sh", "-c", f"exec 3>&1; {child} {more}"])


@posix
@pytest.mark.parametrize("program", ["exec cat", "exit 3"])
def test_close_ends_a_child_that_holds_the_output(lifeline, program, copied):
    path, read = lifeline
    process = EngineProcess(held(path, program))
    assert read() == b"ready\n"
    if program == "exit 3":
        with pytest.raises(EngineError, match="ended with status 3"):
            process.ask(seconds=PATIENCE)
    process.close()
    assert read() == b""


def open_files():
    return {path.name for path in Path("/dev/fd").iterdir()}


@posix
def test_a_child_of_another_session_does_not_block_close():
    child = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(1000)"
    before = open_files()
    process = EngineProcess(
        shlex.join(["sh", "-c", f"{shlex.join([sys.executable, '-c', child])} & exec cat"])
    )
    number = process.ask(seconds=PATIENCE)
    process.close()
    os.kill(int(number), 9)
    assert open_files() <= before


@posix
def test_child_processes_end_with_this_process(lifeline):
    path, read = lifeline
    code = f"""
from agents.games.gomoku.protocol.engine_process import EngineProcess
process = EngineProcess({held(path)!r})
input()
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ours:
        assert read() == b"ready\n"
        ours.communicate(b"\n")
    assert read() == b""


@pytest.mark.parametrize("line", ["MESSAGE x", "", "ERROR x"])
def test_endless_output_without_an_answer_is_an_error(line, copied):
    code = f"import sys\nwhile True: sys.stdout.write({line + chr(10)!r} * 10_000)"
    with running(code) as process:
        tracemalloc.start()
        try:
            with pytest.raises(EngineError, match=r"^wrote 1,\d{3},\d{3} bytes without an answer$"):
                process.ask(seconds=PATIENCE, passed_over=["ERROR"])
            assert tracemalloc.get_traced_memory()[1] < 2**24
        finally:
            tracemalloc.stop()


def test_a_line_without_end_is_an_error(copied):
    with (
        running("import sys\nwhile True: sys.stdout.write('x' * 1000)") as process,
        pytest.raises(EngineError, match="wrote a line of more than 65,536 bytes"),
    ):
        process.ask(seconds=PATIENCE)


def test_the_end_of_standard_error_is_kept(copied):
    code = """
import os, sys
for _ in range(3000): sys.stderr.write("words " * 200 + "\\n")
print(os.fstat(2).st_size, flush=True)
sys.exit("last words")
"""
    with running(code) as process:
        assert process.ask(seconds=PATIENCE) == "0"  # not a growing file
        with pytest.raises(EngineError, match=r"^ended with status 1: last words$"):
            process.ask(seconds=PATIENCE)


def test_all_line_ends_are_read_and_the_protocols_line_end_is_sent(copied):
    code = """
import sys
read = sys.stdin.buffer.readline()
sys.stdout.buffer.write(b"1,1\\r2,2\\r\\n\\r\\n3,3\\n" + repr(read).encode())
"""
    with running(code) as process:
        answers = [process.ask("TURN 0,0", seconds=PATIENCE)]
        answers += [process.ask(seconds=PATIENCE) for _ in range(3)]
    assert answers == ["1,1", "2,2", "3,3", repr(b"TURN 0,0\r\n")]


def test_the_last_output_of_an_ended_program_is_read(monkeypatch):
    read, lagging = os.read, threading.Event()

    def late(*arguments):
        if threading.current_thread() is not threading.main_thread():
            lagging.wait(PATIENCE)
        return read(*arguments)

    monkeypatch.setattr(engine_process, "_WINDOWS", True)
    monkeypatch.setattr(engine_process.os, "read", late)
    with running("print('1,1')") as process:
        process._process.wait(PATIENCE)
        threading.Timer(0.05, lagging.set).start()
        assert process.ask(seconds=PATIENCE) == "1,1"


@pytest.mark.parametrize(
    ("command", "windows", "words"),
    [
        (r"C:\engines\pbrain-x.exe", True, [r"C:\engines\pbrain-x.exe"]),
        (
            r'"C:\My engines\x.exe" --book="D:\a b\c" it\'s',
            True,
            [r"C:\My engines\x.exe", r"--book=D:\a b\c", r"it\'s"],
        ),
        (r"./my\ engine 'a b' --c=\"", False, ["./my engine", "a b", '--c="']),
    ],
)
def test_commands_are_split_by_the_rules_of_the_platform(command, windows, words):
    assert words_of(command, windows) == words


@pytest.mark.parametrize("windows", [False, True])
def test_a_quotation_without_an_end_is_refused(windows):
    with pytest.raises(ValueError, match="No closing quotation"):
        words_of('"a', windows)
