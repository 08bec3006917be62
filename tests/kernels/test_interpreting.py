"""Loops that run as plain Python until another process has compiled them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PLAY = """
import hashlib, os, sys, time
import agents, boardenvs
from boardenvs.kernels import background, is_ready

def play(name, plies=30):
    env = getattr(boardenvs, f"{name}_v0").env()
    env.reset(seed=0)
    seen = hashlib.sha256()
    for agent in env.agent_iter(plies):
        observation, reward, terminated, truncated, _ = env.last()
        seen.update(observation["observation"].tobytes() + bytes(str(reward), "utf8"))
        mask = observation["action_mask"]
        env.step(None if terminated or truncated else int(mask.argmax()))
    return seen.hexdigest()

def wait_for(what):
    end = time.monotonic() + 200
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)

def other():
    return background._compiler._process
"""
IMPATIENT = """
from boardenvs.kernels import waits
waits._PATIENCE = waits._LOADING = 0.0
"""
NIM = """
import numpy as np
import boardenvs
from boardenvs.core.outcome import end_ply, end_with_winner

def deal(s, p):
    s.heap = 21

def legal(s, p, mask):
    for action in range(len(mask)):
        mask[action] = action < s.heap

def play(s, p, action):
    s.heap -= action + 1
    if {last}:
        end_with_winner(s, s.to_move)
    s.to_move = 1 - s.to_move
    end_ply(s, p, action)

@boardenvs.register
class Nim(boardenvs.Game):
    name = "nim"
    about = "Who takes the last match wins."

    def __init__(self, max_plies=64):
        super().__init__(params={{"max_plies": max_plies}}, num_players=2, num_actions=3,
                         fields=[("heap", np.int8)])
"""


def started(folder, script, **environment):
    """Start a new interpreter with its own cache and the functions of `PLAY`."""
    path = folder / f"script{len(list(folder.iterdir()))}.py"
    path.write_text(PLAY + script)
    settings = {"NUMBA_CACHE_DIR": str(folder / "kept"), "BOARDENVS_INTERPRET": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(path)],
        cwd=folder,
        env={**os.environ, **settings, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder, script, **environment):
    """Return the lines of standard output, and standard error, of a new interpreter."""
    process = started(folder, script, **environment)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return out.splitlines(), said


CHANGES_OVER = """
from agents.search.decisive import decisive_module_name
from agents.search.rollouts import search_states
game = boardenvs.make("game112")
def searched():
    return agents.make("mcts:60", game, seed=0).search(game.new(2, 0)).visits.tolist()

print(play("game112"), searched())
assert not is_ready(game.kernels.step_game)
loops = game.kernels.step_game, search_states.bound_to(game.rules, decisive_module_name(game))
wait_for(lambda: play("game112") and searched() and all(map(is_ready, loops)))
print(play("game112"), searched())
"""


def test_calls_switch_to_machine_code_with_the_same_results(tmp_path):
    (plain, compiled), said = run(tmp_path, CHANGES_OVER)
    assert plain == compiled
    assert "Compiling" not in said


EXPLAINED = """
from boardenvs.kernels import waits
waits._PATIENCE = 0.1
lines = waits.waits_for("game112")._said
wait_for(lambda: play("game112") and "boardenvs: game112 is compiled" in lines or {warm})
"""


def test_a_long_wait_is_explained_once_and_never_when_the_code_is_on_disk(tmp_path):
    _, said = run(tmp_path, EXPLAINED.format(warm=False))
    assert said.splitlines() == [
        "boardenvs: running uncompiled while game112 is compiled in the background",
        "boardenvs: game112 is compiled",
    ]
    run(tmp_path, "play('game112')", BOARDENVS_INTERPRET="0")  # compiles all that is used
    assert run(tmp_path, EXPLAINED.format(warm=True))[1] == ""


def test_a_short_wait_is_not_explained(tmp_path):
    assert run(tmp_path, "play('game112')")[1] == ""


ON_ONE_CORE = """
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
kernel = boardenvs.make("game112").kernels.step_game
print(play("game112"))
assert not is_ready(kernel)
wait_for(lambda: play("game112", 300) and is_ready(kernel))
print(other())
print(play("game112"))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_on_one_core_this_process_compiles(tmp_path):
    (plain, other, compiled), _ = run(tmp_path, ON_ONE_CORE)
    assert other == "None"
    assert plain == compiled


def test_always_interprets_without_compiling_or_loading(tmp_path):
    (compiled,), _ = run(tmp_path, "print(play('game112'))", BOARDENVS_INTERPRET="0")
    script = """
print(play("game112"))
print(is_ready(boardenvs.make("game112").kernels.step_game), other())
"""
    lines, _ = run(tmp_path, script, BOARDENVS_INTERPRET="always")
    assert lines[0] == compiled
    assert lines[-1] == "False None"


LARGE_BATCH = "boardenvs.BatchEnv('game112', 4096, 0).step(np.zeros(4096, int))"
EXACT = """
game = boardenvs.make("gomoku", board_size=5, win_length=3)
agents.make("exact", game).act(game.new(1, 0))
"""


@pytest.mark.parametrize(("call", "game"), [(LARGE_BATCH, "game112"), (EXACT, "gomoku")])
def test_a_long_call_waits_for_machine_code(tmp_path, call, game):
    _, said = run(tmp_path, f"{IMPATIENT}import numpy as np\n{call}")
    assert f"Compiling {game} for this machine, once" in said


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_the_other_process_ends_with_this_one(tmp_path, ending):
    process = started(tmp_path, f"play('game112'); print(other().pid, flush=True); {ending}")
    pid = int(process.communicate(timeout=300)[0])
    end = time.monotonic() + 60
    while is_running(pid):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX")
def test_a_program_ends_without_a_warning_while_the_other_process_is_busy(tmp_path):
    script = "play('game112'); os.kill(other().pid, __import__('signal').SIGSTOP)"
    assert run(tmp_path, script)[1] == ""


def is_running(pid):
    """Return whether a process runs; zombies do not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("fault", ["other().kill()", "other().terminate()"])
def test_if_the_other_process_fails_this_one_compiles(tmp_path, fault):
    script = f"""
{IMPATIENT}
print(play("game112")); {fault}; other().wait(); print(play("game112"))
assert is_ready(boardenvs.make("game112").kernels.step_game)
"""
    (plain, compiled), said = run(tmp_path, script)
    assert plain == compiled
    assert "Compiling game112 for this machine, once" in said


def test_without_a_cache_this_process_compiles(tmp_path):
    (tmp_path / "file").touch()
    nowhere = {"NUMBA_CACHE_DIR": str(tmp_path / "file" / "kept")}
    lines, _ = run(tmp_path, "print(len(play('game112')), other())", **nowhere)
    assert lines == ["64 None"]


FORKS = r"""
print(play("game112"), flush=True)
child = os.fork()
os.write(1, f"{play('pizza_order')} {play('game112')}\n".encode())  # in one piece
assert not child or os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_both_processes_of_a_fork_continue(tmp_path):
    (first, one, other), _ = run(tmp_path, FORKS)
    assert one == other
    assert one.endswith(first)


def test_two_programs_started_together_play_the_same(tmp_path):
    script = "for _ in range(9): print(play('game112', 200)); time.sleep(1)"
    both = [started(tmp_path, script) for _ in range(2)]
    outs = [process.communicate(timeout=300) for process in both]
    assert outs[0] == outs[1]
    assert outs[0][0].count("\n") == 9
    assert outs[0][1] == ""


def test_a_program_that_is_interrupted_ends_at_once(tmp_path):
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
play("game112")
print("played", flush=True)
time.sleep(100)
"""
    process = started(tmp_path, script)
    assert process.stdout.readline() == "played\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) != 0
    process.communicate()


def test_the_other_process_compiles_a_game_in_a_file(tmp_path):
    (tmp_path / "nim.py").write_text(NIM.format(last="s.heap == 0"))
    script = """
import nim
kernel = boardenvs.make("nim").kernels.step_game
print(play("nim"))
wait_for(lambda: play("nim") and is_ready(kernel))
print(play("nim"))
"""
    (plain, compiled), said = run(tmp_path, script)
    assert plain == compiled
    assert "Compiling" not in said


def test_a_program_compiles_the_game_that_it_defines(tmp_path):
    script = (
        IMPATIENT
        + NIM.format(last="s.heap == 0")
        + """
env = boardenvs.nim_v0.env()
env.reset(seed=0)
env.step(0)
print(env.last()[0]["observation"].tolist(), other())
"""
    )
    lines, said = run(tmp_path, script)
    assert lines == ["[20] None"]
    assert said.startswith("Compiling Nim for this machine, once")


def test_rules_that_only_numba_can_run_are_compiled_at_once(tmp_path):
    # NumPy cannot shift a uint64 by an int64.
    last = "np.uint64(1) << np.int64(s.heap) == np.uint64(1)"
    (tmp_path / "nim.py").write_text(NIM.format(last=last))
    (digest,), said = run(tmp_path, f"{IMPATIENT}import nim; print(play('nim'))")
    assert "Compiling Nim for this machine, once" in said
    (tmp_path / "nim.py").write_text(NIM.format(last="s.heap == 0"))
    (same,), _ = run(tmp_path, "import nim; print(play('nim'))")
    assert digest == same


def test_rules_that_numba_cannot_compile_are_reported(tmp_path):
    (tmp_path / "nim.py").write_text(NIM.format(last="{s.heap: 1, 'a': 2}[s.heap] == 0"))
    script = """
import nim
try:
    wait_for(lambda: play("nim") is None)
except ValueError as error:
    print(error)
"""
    lines, _ = run(tmp_path, script)
    assert "nim.py:13 in play" in lines[0]
