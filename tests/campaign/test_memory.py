"""Measure resident memory during repeated work: environments, agents, server, training.

Each subject warms up for a third of its time. Then resident memory is sampled, and its slope over
the number of repetitions is fitted by least squares with a 99.9% interval. A leak is reported if
the whole interval is above zero and the growth exceeds `NOISE`, in two measurements. Allocators and
caches settle after the first measurement. Every slope is printed below the table.

A round measures one subject. All subjects are measured before any is repeated. Each subject takes
its share of the attack's time, at least `LEAST` seconds and at most two minutes. The server and
training take all of their time.
"""

from __future__ import annotations

import functools
import gc
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from boardenvs.registration import env_id

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs /proc/self/statm"
)

GAMES = list(boardenvs.GAMES)
NOISE = 1 << 20  # bytes
SAMPLES = 40
LEAST = 3.0  # seconds
T_999 = 3.6  # two-sided 99.9% quantile of Student's t for about 38 degrees of freedom
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(process="self"):
    """Return the resident memory of a process, in bytes."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE


def slope(x, y):
    """Return the least-squares slope and half the width of its interval."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    x = x - x.mean()
    fitted = (x @ y) / (x @ x)
    rest = y - y.mean() - fitted * x
    return fitted, T_999 * math.sqrt(rest @ rest / (len(x) - 2) / (x @ x))


def measured(do, seconds, read=resident):
    """Call `do` for some seconds; return repetitions and memory at `SAMPLES` moments."""
    done, dones, memory, begin = 0, [], [], time.monotonic()
    while len(dones) < SAMPLES:
        do()
        done += 1
        if time.monotonic() - begin >= seconds * (len(dones) + 1) / SAMPLES:
            gc.collect()
            dones.append(done)
            memory.append(read())
    return dones, memory


def judged(dones, memory):
    """Return whether memory grows, and a text with the slope."""
    fitted, around = slope(dones, memory)
    grown = fitted * (dones[-1] - dones[0])
    told = f"{fitted:+.1f} ± {around:.1f} bytes each, {grown / 1024:+.0f} KiB in {dones[-1]:,}"
    return fitted > around and grown > NOISE, told


def check(attack, seed, name, do, seconds, read=resident):
    """Measure a subject, twice if it seems to grow, and report the result to the attack."""
    warm = time.monotonic() + seconds / 3
    do()
    while time.monotonic() < warm:
        do()
    for _ in range(2):
        dones, memory = measured(do, seconds * 2 / 3, read)
        attack.count(SAMPLES)
        grows, told = judged(dones, memory)
        if not grows:
            break
    attack.notes.append(f"{name}: {told}")
    if grows:
        attack.failed(seed, name, told)


def each(attack, things):
    """Yield seed, name and time of one subject after another, in an order given by the seeds."""
    seconds = min(120.0, max(LEAST, attack.seconds / len(things)))
    left = set(things)
    names = sorted(things)
    for seed in attack.rounds():
        name = names[seed % len(names)]
        if name in left or attack.only is not None:
            yield seed, name, seconds
            left.discard(name)
            left = left or set(things)


# -- Environments --------------------------------------------------------------------------


def batch(name):
    env = boardenvs.BatchEnv(boardenvs.make(name), num_envs=64, seed=0)
    return lambda: env.step(env.action_mask.argmax(1))


def single(name):
    import gymnasium as gym

    env = gym.make(f"boardenvs:{env_id(name)}", opponent="random", seat=0)
    _, info = env.reset(seed=0)

    def play():
        nonlocal info
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            _, info = env.reset()

    return play


def vector(name):
    import gymnasium as gym

    envs = gym.make_vec(f"boardenvs:{env_id(name)}", 16, vectorization_mode="vector_entry_point")
    _, infos = envs.reset(seed=0)

    def play():
        nonlocal infos
        *_, infos = envs.step(infos["action_mask"].argmax(1))

    return play


def cycle(name):
    import importlib

    env = importlib.import_module(f"boardenvs.{name}_v0").env()
    env.reset(seed=0)

    def play():
        if not env.agents:
            env.reset()
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(observation["action_mask"].argmax()))

    return play


ENVIRONMENTS = {
    f"{kind.__name__} {name}": functools.partial(kind, name)
    for kind in (batch, single, vector, cycle)
    for name in GAMES
}


@pytest.mark.takes(12)
@pytest.mark.attack("memory of environments", "samples")
def test_environments_do_not_leak(attack):
    for seed, name, seconds in each(attack, ENVIRONMENTS):
        check(attack, seed, name, ENVIRONMENTS[name](), seconds)


# -- Agents and searches -------------------------------------------------------------------

SPECS = ["random", "greedy", "trained", "mcts:32", "puct:16"]


def agent(spec, name):
    game = boardenvs.make(name)
    player = agents.make(spec, game, seed=0)
    states = game.new(8, 0)
    rng = np.random.default_rng(0)

    def play():
        nonlocal states
        if game.over(states).any():
            states = game.new(8, int(rng.integers(2**32)))
        game.play(states, player.act(states))

    return play


AGENTS = {
    f"{spec} {name}": functools.partial(agent, spec, name) for spec in SPECS for name in GAMES
}


@pytest.mark.takes(12)
@pytest.mark.attack("memory of agents and searches", "samples")
def test_agents_do_not_leak(attack):
    for seed, name, seconds in each(attack, AGENTS):
        check(attack, seed, name, AGENTS[name](), seconds)


# -- The server and training ---------------------------------------------------------------


@pytest.mark.takes(15)
@pytest.mark.attack("memory of the server of a page", "samples")
def test_the_server_does_not_leak(attack):
    pytest.importorskip("starlette", reason="needs the extra [web]")
    pytest.importorskip("uvicorn", reason="needs the extra [web]")
    from served import serve

    for seed in attack.rounds():
        with serve("gekitai", "random", 0, seed) as served:
            number, turn = 1, {"mine": False, "over": True, "legal": []}

            def play():
                nonlocal number, turn
                asked = {"do": "restart" if turn["over"] else "advance", "version": number}
                if turn["mine"]:
                    move = turn["legal"][0]["text"]
                    asked = {"do": "move", "move": move, "version": number}
                status, told = served.act(asked)
                assert status == 200, told
                served.ask()
                number = told["version"]
                turn = told["turn"]

            check(attack, seed, "the server", play, max(LEAST, attack.seconds))


@pytest.mark.takes(60)
@pytest.mark.attack("memory of training", "samples")
def test_training_does_not_leak(attack, tmp_path):
    """Training does not leak; it runs in its own process, which is killed at the end."""
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    for seed in attack.rounds():
        folder = tmp_path / str(seed)
        command = [sys.executable, "-c", "from boardenvs.start import main; main()", "train"]
        settings = tmp_path / "endless.toml"
        settings.write_text("ppo_steps = 1_000_000_000\npatience = 1_000_000\n", encoding="utf-8")
        command += ["game112", "--settings", str(settings), "--seed", str(seed % 2**31)]
        command += ["--out", str(folder)]
        with (tmp_path / "told").open("wb") as told:
            process = subprocess.Popen(command, stdout=told, stderr=told)
            try:
                until = time.monotonic() + 300
                while not (folder / "checkpoint.pt").exists() and time.monotonic() < until:
                    time.sleep(0.2)
                    assert process.poll() is None, (tmp_path / "told").read_text()[-500:]
                assert (folder / "checkpoint.pt").exists(), "no checkpoint within 300 s"

                def wait():
                    time.sleep(0.05)
                    assert process.poll() is None, "training has ended"  # noqa: B023

                read = functools.partial(resident, process.pid)
                check(attack, seed, "training", wait, max(LEAST, attack.seconds), read)
            finally:
                process.kill()
                process.wait()


# -- The attacks find planted faults -------------------------------------------------------


@pytest.mark.takes(30)
def test_the_attack_finds_a_planted_leak():
    kept = []
    leaks = measured(lambda: kept.append(bytes(bytearray(b"x" * 1_000_000))), 0.5)
    assert judged(*leaks)[0]
    assert not judged(*measured(lambda: bytes(bytearray(b"x" * 1_000_000)), 0.5))[0]
    fitted, around = slope(range(10), [3.0 * k for k in range(10)])
    assert (fitted, around) == pytest.approx((3, 0))
