"""Settings and fixtures of all tests: Hypothesis profile, games and random positions."""

from __future__ import annotations

import builtins
import os
import shutil

import gymnasium
import numpy as np
import pytest
from hypothesis import settings
from keyboards import answering
from two_games import TWO_WITH_OPPONENTS, others_slow

import boardenvs
from boardenvs.kernels.threads import fix_threads

# Compiling every loop before its first call makes tests run the same code each time.
os.environ.setdefault("BOARDENVS_INTERPRET", "0")
# PyTorch and ONNX Runtime use one thread per core. Parallel test processes share the cores, so most
# of the time would be lost in waiting threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Compiling on first use exceeds any deadline. In CI, failures must be reproducible.
settings.register_profile("boardenvs", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("boardenvs")

WITH_OPPONENTS = [name for name in boardenvs.GAMES if boardenvs.make(name).num_players > 1]


def pytest_addoption(parser):
    parser.addoption(
        "--game",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="also test the contract with your own game, as in 'pytest tests/contract'",
    )


def _random_positions(game, num, seed):
    """Return all positions of `num` uniformly random games, from start to end."""
    rng = np.random.default_rng(seed)
    states = game.new(num, seed)
    seen = [states.copy()]
    while len(states):
        actions = np.argmax(rng.random((len(states), game.num_actions)) * game.legal(states), 1)
        game.play(states, actions)
        seen.append(states.copy())
        states = states[~game.over(states)]
    return np.concatenate(seen)


@pytest.fixture
def temporary_games(monkeypatch):
    """Unregister games that the test registers."""
    registry = dict(gymnasium.registry)
    monkeypatch.setattr(boardenvs.registration, "_own", {})
    monkeypatch.setattr(gymnasium.envs.registration, "registry", registry)
    monkeypatch.setattr(gymnasium, "registry", registry)


@pytest.fixture(scope="session")
def random_positions():
    """Return the function `(game, num, seed) -> records` of all positions of random games."""
    return _random_positions


def _attempt(read, given):
    """Return `read(given)`, or `None` if it raises `ValueError` with a one-line message."""
    try:
        return read(given)
    except ValueError as error:
        message = str(error)
    assert message
    assert "\n" not in message
    return None


@pytest.fixture(scope="session")
def attempt():
    """Return the function `(read, given)` that returns `read(given)`, or `None` on a `ValueError`.

    The message of the `ValueError` must be one line.
    """
    return _attempt


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Use one thread per loop by default, because each test process has one core."""
    fix_threads(1)


@pytest.fixture
def fixed_threads():
    """Yield the function that sets the number of threads of loops until the test ends."""
    yield fix_threads
    fix_threads(1)


@pytest.fixture
def default_cache_folder(monkeypatch):
    """Let subprocesses cache compiled loops in the default folder."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


@pytest.fixture(scope="session")
def tiny_settings():
    """Return settings of a training run of about one second, which learns almost nothing."""
    from agents.training.settings import Settings

    return Settings(
        ppo_steps=2048,
        num_envs=16,
        rollout=16,
        batch_size=256,
        epochs=1,
        hidden=(16,),
        selves=3,
        remember_every=256,
        evaluate_every=512,
        evaluation_games=10,
        final_games=20,
    )


@pytest.fixture
def keyboard(monkeypatch):
    """Return the function that makes `input` return the given lines and echo them."""

    def answer_with(*lines):
        monkeypatch.setattr(builtins, "input", answering(lines))

    return answer_with


@pytest.fixture(scope="module")
def chromium():
    """Yield an installed Chromium driven by Playwright; skip the test if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-quic", *quiet]
        )
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """Yield a new tab, 1,000 pixels wide, in which no script may fail."""
    failed = []

    def listen(said):
        if said.type == "error" and "status of 4" not in said.text:  # refused requests are expected
            failed.append(said.text)

    context = chromium.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("console", listen)
    yield page
    context.close()
    assert failed == []


@pytest.fixture(scope="session", params=others_slow(boardenvs.GAMES))
def name(request):
    """Yield the name of each game in turn; `two_games` defines which games are slow."""
    return request.param


@pytest.fixture(scope="session")
def game(name):
    """Return each game in turn, with its default parameters."""
    return boardenvs.make(name)


@pytest.fixture
def make_env(game):
    """Return the constructor of the PettingZoo environment of each game in turn."""
    module = getattr(boardenvs, f"{game.name}_v0")
    assert module.raw_env is module.env  # tests of one therefore cover both
    return module.env


@pytest.fixture(params=others_slow(WITH_OPPONENTS, TWO_WITH_OPPONENTS))
def versus(request):
    """Return each game with opponents in turn."""
    return boardenvs.make(request.param)
