"""Every public name has a docstring with a working example, and a page of documentation."""

import doctest
import importlib
import importlib.util
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / ".ci" / "site" / "build.py"
if not BUILD.exists():
    pytest.skip("needs a checkout", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("build", BUILD)
build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build)

NAMES = [(package, name) for package, names in build.public().items() for name in names]


def of(package, name):
    return getattr(importlib.import_module(package), name)


# Some names are in two packages, and all `env` share one docstring.
EXAMPLES = {of(*one).__doc__: one for one in reversed(NAMES) if callable(of(*one))}
LONG = ("agents.curves", "learn")


def test_imported_names_are_documented():
    packages = set(build.public())
    assert packages > {"boardenvs", "agents", "agents.search", "agents.training", "agents.arena"}
    assert packages > {
        "boardenvs.envs.single",
        "boardenvs.envs.vector",
        "boardenvs.envs.aec",
        "boardenvs.gekitai",
    }


@pytest.mark.parametrize(
    ("package", "name"),
    [
        pytest.param(*one, marks=pytest.mark.slow if one == LONG else [])
        for one in EXAMPLES.values()
    ],
)
@pytest.mark.usefixtures("temporary_games")
def test_the_example_runs(package, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [test] = doctest.DocTestFinder(recurse=False).find(of(package, name), name, globs={})
    assert test.examples, f"{package}.{name} has no example in its docstring"
    told = []
    runner = doctest.DocTestRunner()
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


@pytest.mark.slow  # only .ci/run installs this extra
def test_every_public_name_has_its_page_and_no_other(tmp_path):
    pytest.importorskip("sphinx", reason="needs the extra [docs]")
    build.write_reference(tmp_path)
    pages = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    of_names = {f"reference/{package}.{name}.md" for package, name in NAMES}
    of_packages = {f"reference/{package}.md" for package in build.public()}
    assert pages == of_names | of_packages | {"reference/index.md"}
    page = (tmp_path / "reference/boardenvs.BatchEnv.md").read_text()
    assert ".. autoclass:: boardenvs.BatchEnv" in page
    assert (
        "(boardenvs.Game.md)" in (tmp_path / "reference/boardenvs.gekitai.Gekitai.md").read_text()
    )
