"""What all tests share: Hypothesis's settings, the games, and positions of random play."""

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

# Every loop is compiled before its first call, so that tests run the same code each time.
os.environ.setdefault("BOARDENVS_INTERPRET", "0")
# PyTorch and ONNX Runtime take a thread for each core, which a process of tests shares with others:
# threads that wait for one another would burn most of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Compiling on first use takes longer than any deadline; in CI a failure must come back.
settings.register_profile("boardenvs", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("boardenvs")

WITH_OPPONENTS = [name for name in boardenvs.GAMES if boardenvs.make(name).num_players > 1]


def pytest_addoption(parser):
    parser.addoption(
        "--game",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="test also that a game of your own keeps the contract, as in 'pytest tests/contract'",
    )


def _random_positions(game, num, seed):
    """Every position of `num` uniformly random games, from the start to the end."""
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
    """Forget after the test which games it has registered."""
    registry = dict(gymnasium.registry)
    monkeypatch.setattr(boardenvs.registration, "_own", {})
    monkeypatch.setattr(gymnasium.envs.registration, "registry", registry)
    monkeypatch.setattr(gymnasium, "registry", registry)


@pytest.fixture(scope="session")
def random_positions():
    """The function `(game, num, seed) -> records` of all positions of random games."""
    return _random_positions


def _attempt(read, given):
    """What `read` makes of `given`, or `None` where it refuses it in one line."""
    try:
        return read(given)
    except ValueError as error:
        message = str(error)
    assert message
    assert "\n" not in message
    return None


@pytest.fixture(scope="session")
def attempt():
    """The function `(read, given) -> read(given)`, or `None` for a `ValueError` of one line."""
    return _attempt


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Loops take one thread where nobody names a number: each process of tests has one core."""
    fix_threads(1)


@pytest.fixture
def fixed_threads():
    """The function that fixes how many threads loops take, until the test's end."""
    yield fix_threads
    fix_threads(1)


@pytest.fixture
def kept_beside_the_code(monkeypatch):
    """Processes started from here keep compiled loops where they do by default."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


@pytest.fixture(scope="session")
def tiny_settings():
    """Settings of a run that takes about a second and learns next to nothing."""
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
    """Answers `input` with the given lines and echoes them, as a terminal does."""

    def answer_with(*lines):
        monkeypatch.setattr(builtins, "input", answering(lines))

    return answer_with


@pytest.fixture(scope="module")
def chromium():
    """A Chromium that is there already, driven by Playwright; else the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("there is no Chromium here")
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-quic", *quiet]
        )
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """A fresh tab of it, 1,000 pixels wide, in which no script may fail."""
    failed = []

    def listen(said):
        if said.type == "error" and "status of 4" not in said.text:  # refused, as is often wanted
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
    """The name of each game in turn; see `two_games` for those that are slow."""
    return request.param


@pytest.fixture(scope="session")
def game(name):
    """Each game in turn, with its default parameters."""
    return boardenvs.make(name)


@pytest.fixture
def make_env(game):
    """What makes the PettingZoo environment of each game in turn."""
    module = getattr(boardenvs, f"{game.name}_v0")
    assert module.raw_env is module.env  # so what is tested of one holds for both
    return module.env


@pytest.fixture(params=others_slow(WITH_OPPONENTS, TWO_WITH_OPPONENTS))
def versus(request):
    """Each game with opponents."""
    return boardenvs.make(request.param)
