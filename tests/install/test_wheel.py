"""The built wheel, installed and used outside the checkout."""

import importlib.metadata
import importlib.util
import marshal
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from pathlib import Path

import pytest

import boardenvs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("default_cache_folder")]

ROOT = Path(__file__).parents[2]


def run(*command, cwd, **environment):
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the path of a wheel built without network access."""
    folder = tmp_path_factory.mktemp("wheel")
    before = [(ROOT / name).exists() for name in ("build", "dist")]
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    assert [(ROOT / name).exists() for name in ("build", "dist")] == before
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory):
    """Return a folder in which only the wheel is installed."""
    site = tmp_path_factory.mktemp("installed") / "site"
    options = ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "-q"]
    pip = [sys.executable, "-m", "pip", "install", *options]
    run(*pip, "--target", str(site), str(wheel), cwd=site.parent)
    return site


@pytest.fixture
def outside(site, tmp_path):
    """Return the function that runs a program with the installed wheel, in an empty folder."""

    def start(*command, **environment):
        return run(*command, cwd=tmp_path, PYTHONPATH=str(site), **environment)

    return start


@pytest.fixture
def python(outside):
    """Return the function that runs Python code in the same way as `outside`."""

    def start(code, *arguments, **environment):
        return outside(sys.executable, "-c", textwrap.dedent(code), *arguments, **environment)

    return start


def test_the_wheel_contains_the_files_of_both_packages(wheel):
    assert wheel.name == f"boardenvs-{boardenvs.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    # All files of the two packages except the pages' animations.
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in ("boardenvs", "agents")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name != "game.gif"
    }
    assert inside == expected
    assert inside >= {"boardenvs/py.typed", "agents/py.typed"}
    assert inside >= {"boardenvs/show/page/page.html", "agents/report/page.html"}
    for name in boardenvs.GAMES:
        assert f"boardenvs/{name}/rules.py" in inside
        assert f"boardenvs/{name}/README.md" in inside
    networks = {name.removesuffix(".onnx") for name in inside if name.endswith(".onnx")}
    networks = {name for name in networks if not name.endswith(".int8")}  # on the same card
    assert {f"{name}.json" for name in networks} <= inside
    assert all(name.startswith("agents/games/") for name in networks)
    assert networks


def test_the_source_archive_builds_the_same_wheel(wheel, tmp_path):
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    run(*hatchling, "-t", "sdist", cwd=ROOT)
    source = tmp_path / f"boardenvs-{boardenvs.__version__}"
    with tarfile.open(f"{source}.tar.gz") as archive:
        # Python 3.11.4 and later support filters, and 3.12 and 3.13 warn without one.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(tmp_path, **safely)
    run(*hatchling, "-t", "wheel", cwd=source)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(tmp_path / wheel.name) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
        for name in one.namelist():
            if ".dist-info/" not in name or name.endswith("/METADATA"):
                assert one.read(name) == other.read(name), name
    # A build must not depend on files of an earlier build.
    (source / "PKG-INFO").unlink()
    readme = run(sys.executable, "-m", "hatchling", "metadata", "readme", cwd=source)
    assert readme.startswith("# boardenvs\n")


def test_the_metadata_is_complete(site):
    (found,) = importlib.metadata.distributions(path=[str(site)])
    assert found.metadata["Name"] == "boardenvs"
    assert found.version == boardenvs.__version__
    assert found.metadata["Requires-Python"] == ">=3.11"
    extras = set(found.metadata.get_all("Provides-Extra"))
    assert extras >= {"train", "demo", "render", "notebook", "test", "dev", "all"}
    assert found.metadata["Description-Content-Type"] == "text/markdown"
    assert found.metadata["Description"].lstrip().startswith("# boardenvs\n")
    assert re.findall(r"\]\((?!https://|#)", found.metadata["Description"]) == []
    assert {(point.group, point.name, point.value) for point in found.entry_points} == {
        ("console_scripts", "boardenvs", "boardenvs.start:main"),
    }


def test_the_installed_package_is_imported(python, site):
    out = python("import boardenvs, agents; print(boardenvs.__file__); print(agents.__file__)")
    assert out.split() == [f"{site}/boardenvs/__init__.py", f"{site}/agents/__init__.py"]


PLAY = """
import sys, agents, boardenvs
for name in sys.argv[1:]:
    players = ["random"] * boardenvs.make(name).num_players
    scores = agents.play_match(name, players, 3, seed=1)
    print(name, scores.plies.min() > 0, scores.plies.tolist())
"""


def test_every_game_plays(python):
    out = python(PLAY, *boardenvs.GAMES, NUMBA_DISABLE_JIT="1")
    assert [line.split()[:2] for line in out.splitlines()] == [[g, "True"] for g in boardenvs.GAMES]


def test_compiled_rules_are_stored_beside_the_installed_files(python, site):
    compiled = python(PLAY, "game112", NUMBA_DISABLE_JIT="0")
    cached = {path.parent for path in site.rglob("*.nbc")}
    assert cached == {site / "boardenvs" / "__pycache__"}
    assert compiled == python(PLAY, "game112", NUMBA_DISABLE_JIT="1")


def test_environments_are_found_without_an_import(python):
    out = python(
        """
        import gymnasium
        from boardenvs.registration import env_id
        from boardenvs import GAMES
        for name in GAMES:
            env = gymnasium.make(f"boardenvs:{env_id(name)}")
            observation, info = env.reset(seed=1)
            print(env.observation_space.contains(observation), info["action_mask"].any())
        """,
        NUMBA_DISABLE_JIT="1",
    )
    assert out.split() == ["True", "True"] * len(boardenvs.GAMES)


def test_agents_are_found_by_name(python):
    out = python(
        """
        import gymnasium
        env = gymnasium.make("boardenvs:boardenvs/Game112-v0", opponent="greedy", seat=1)
        print(env.reset(seed=1)[1]["action_mask"].any())
        """,
        NUMBA_DISABLE_JIT="1",
    )
    assert out.split() == ["True"]


def test_the_installed_command_runs(outside, site):
    for command in ([f"{site}/bin/boardenvs"], [sys.executable, "-m", "agents.command"]):
        assert outside(*command, "--version") == f"boardenvs {boardenvs.__version__}\n"
        assert outside(*command, "--help").startswith("usage: boardenvs")
    watch = ["watch", "game112", "random", "random", "--seed", "1", "--html", "game.html"]
    out = outside(f"{site}/bin/boardenvs", *watch, NUMBA_DISABLE_JIT="1")
    assert "\nResult: " in out


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_the_console_programs_run(outside, name):
    # Standard input is empty, so the program ends at its first prompt.
    out = outside(sys.executable, "-m", f"boardenvs.{name}", NUMBA_DISABLE_JIT="1")
    *first, last = out.splitlines()
    assert len(first) >= 2
    assert last.startswith("End of input")


def test_the_games_pages_can_be_read(python):
    out = python(
        """
        from importlib.resources import files
        import boardenvs
        for name in boardenvs.GAMES:
            page = files(f"boardenvs.{name}").joinpath("README.md").read_text(encoding="utf-8")
            print("## Rules" in page and "## Actions" in page)
        """
    )
    assert out.split() == ["True"] * len(boardenvs.GAMES)


def test_the_shipped_agents_play(python):
    out = python(
        """
        import json, pathlib, agents
        from agents.networks.sizes import games_of_card
        for path in sorted(pathlib.Path(agents.games.__file__).parent.glob("*/*.onnx")):
            if path.name.endswith(".int8.onnx"):
                continue
            card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            games = games_of_card(card)
            found = [agents.make("trained", game) for game in games]
            print(path in [agent.path for agent in found], found[0].act(games[0].new(2)).shape)
        """,
        NUMBA_DISABLE_JIT="1",
    )
    assert set(out.splitlines()) == {"True (2,)"}


# -- Importing from an archive ------------------------------------------------------------


@pytest.fixture(params=["wheel", "compiled"])
def archive(wheel, tmp_path, request):
    """Return an importable archive of the sources, or of their bytecode as with python -OO."""
    if request.param == "wheel":
        return wheel
    path = tmp_path / "compiled.zip"
    with zipfile.ZipFile(wheel) as sources, zipfile.ZipFile(path, "w") as compiled:
        for name in sources.namelist():
            data = sources.read(name)
            if name.endswith(".py"):
                file = f"/not/here/{name}"
                code = compile(data, file, "exec", dont_inherit=True, optimize=2)
                head = importlib.util.MAGIC_NUMBER + bytes(12)
                compiled.writestr(f"{name}c", head + marshal.dumps(code))
            elif ".dist-info/" not in name:
                compiled.writestr(name, data)
    return path


ARCHIVED = """
import sys, boardenvs, agents
from agents.arena.named_openings import openings_of
from agents.benchmark.ladder import read_ladder
from agents.command import main
from agents.curves import reference_curves
from agents.naming.spec import specs_of
from agents.play.web.session import Session

archive, page = sys.argv[1:]
assert boardenvs.__file__.startswith(archive) and agents.__file__.startswith(archive)
assert main(["info", "game112"]) == 0
for name in ("game112", "pizza_order"):
    game = boardenvs.make(name)
    players = ["trained"] + ["random"] * (game.num_players - 1)
    boardenvs.Episode.play(game, players, seed=0).save_html(page)
    assert "Full rules of the default game" in open(page, encoding="utf-8").read()
assert reference_curves("gekitai") and read_ladder("v1", "gekitai").specs
assert openings_of(boardenvs.make("gekitai"))
game = boardenvs.make("game112")
assert Session(game, specs_of(["greedy"], game), 0, 0).page()
"""


def test_the_package_runs_from_an_archive(archive, tmp_path):
    script = [sys.executable, "-W", "error::ResourceWarning", "-c", ARCHIVED, str(archive)]
    plain = {"NUMBA_DISABLE_JIT": "1", "TMPDIR": str(tmp_path / "kept")}
    (tmp_path / "kept").mkdir()
    run(*script, str(tmp_path / "page.html"), cwd=tmp_path, PYTHONPATH=str(archive), **plain)
    assert not list((tmp_path / "kept").glob("boardenvs*"))


def test_the_package_compiles_from_an_archive(archive, tmp_path):
    where = {"PYTHONPATH": str(archive), "NUMBA_DISABLE_JIT": "0", "XDG_CACHE_HOME": str(tmp_path)}
    once, again = (
        run(sys.executable, "-c", PLAY, "game112", cwd=tmp_path, **where) for _ in range(2)
    )
    assert once == again
    assert once == run(sys.executable, "-c", PLAY, "game112", cwd=ROOT, NUMBA_DISABLE_JIT="1")
