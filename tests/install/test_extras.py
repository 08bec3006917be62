"""Each extra installs exactly what its feature requires."""

import functools
import importlib.metadata
import itertools
import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agents.command.common.extras import TRAINING

ROOT = Path(__file__).parents[2]

if not (ROOT / "pyproject.toml").exists():
    pytest.skip("needs a checkout", allow_module_level=True)

SITE = ROOT / ".ci/site/build.py"
START = ROOT / "boardenvs/QUICK_START.md"
PAGES = [ROOT / "README.md", *ROOT.glob("boardenvs/**/*.md"), *ROOT.glob("agents/**/*.md")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DEVELOPERS = {"test", "dev", "browser"}
USERS = EXTRAS.keys() - DEVELOPERS - {"all"}
NEWER_TORCH = "99.0"


def asked(extra):
    """Return the requirements of an extra, including the extras that it names."""
    found = [Requirement(one) for one in EXTRAS[extra]]
    for one in list(found):
        if one.name == "boardenvs":
            found.remove(one)
            found += itertools.chain.from_iterable(map(asked, one.extras))
    return found


def names(extra):
    return {canonicalize_name(one.name) for one in asked(extra)}


def admits(extra, version):
    """Return whether the extra allows a version of PyTorch."""
    return all(one.specifier.contains(version) for one in asked(extra) if one.name == "torch")


def brought(requirements):
    """Return the distributions that requirements install, as far as they are installed here."""
    found = set()
    todo = [(one, frozenset(("", *one.extras))) for one in requirements]
    seen = set()
    while todo:
        one, extras = todo.pop()
        name = canonicalize_name(one.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found.add(name)
        todo += [
            (need, frozenset(("", *need.extras)))
            for need in map(Requirement, needs)
            if not need.marker or any(need.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found


@functools.cache
def modules():
    """Return the distributions of every installed module."""
    return {
        module: {canonicalize_name(one) for one in owners}
        for module, owners in importlib.metadata.packages_distributions().items()
    }


def hidden(extra):
    """Return the modules that are missing if only the package and one extra are installed."""
    core = map(Requirement, PROJECT["dependencies"])
    there = brought([*core, *asked(extra)]) | {"boardenvs"}
    return sorted(module for module, owners in modules().items() if not owners & there)


HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

names = set(sys.argv[1].split())
sys.meta_path.insert(0, Hidden())
"""

RECORD_VIDEO = """
import gymnasium, numpy, warnings
from gymnasium.wrappers import RecordVideo
from pathlib import Path

env = gymnasium.make("boardenvs:boardenvs/Game112-v0", render_mode="rgb_array", render_size=64)
env = RecordVideo(env, "videos", disable_logger=True)
_, info = env.reset(seed=1)
env.step(int(numpy.argmax(info["action_mask"])))
env.close()
print([path.suffix for path in Path("videos").iterdir()])
"""

PUBLIC_NAMES = f"""
import importlib, runpy

for package, names in runpy.run_path({str(SITE)!r})["public"]().items():
    for name in names:
        getattr(importlib.import_module(package), name)
"""


@pytest.fixture
def with_extra(tmp_path):
    """Return the function that runs Python with only the package and one extra visible."""

    def run(extra, code):
        place = {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
        return subprocess.run(
            [sys.executable, "-c", HIDE + textwrap.dedent(code), " ".join(hidden(extra))],
            cwd=tmp_path,
            env={**os.environ, **place},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


@pytest.mark.slow
def test_the_extra_render_is_enough_for_a_video(with_extra):
    if missing := {"moviepy", "pillow", "resvg-py"} - brought(asked("all")):
        pytest.skip(f"not installed: {missing}")
    done = with_extra("render", RECORD_VIDEO)
    assert done.stdout == "['.mp4']\n", done.stderr


@pytest.mark.slow
def test_hidden_modules_are_unavailable(with_extra):
    """Hidden modules are unavailable, as the test above assumes."""
    done = with_extra("web", RECORD_VIDEO)
    assert "moviepy is not installed" in done.stderr


@pytest.mark.slow
def test_the_extra_docs_is_enough_for_every_public_name(with_extra):
    """The site has a page for every public name, so the extra must suffice to import them."""
    if missing := {"torch", "sb3-contrib"} - brought(asked("all")):
        pytest.skip(f"not installed: {missing}")
    done = with_extra("docs", PUBLIC_NAMES)
    assert done.returncode == 0, done.stderr
    assert not admits("docs", NEWER_TORCH)


@pytest.mark.slow
def test_the_extra_test_is_enough_to_collect_every_test(with_extra):
    """Without other extras, tests that need them are skipped at collection."""
    if missing := {"torch", "moviepy"} - brought(asked("all")):
        pytest.skip(f"not installed: {missing}")
    collect = ["--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", str(ROOT / "tests")]
    done = with_extra("test", f"import pytest; sys.exit(pytest.main({collect}))")
    assert done.returncode == 0, done.stdout[-2000:]


def test_train_accepts_any_newer_torch():
    assert admits("train", NEWER_TORCH)
    assert admits("ray", NEWER_TORCH)
    assert admits("notebook", NEWER_TORCH)


def test_every_install_line_limits_torch_to_the_tested_version():
    shown = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for line in re.findall(r'"(?:\.|boardenvs)\[([\w,]+)\]"', text):
            extras = line.split(",")
            shown.setdefault(page.name, []).append(extras)
            if "torch" in brought(itertools.chain.from_iterable(map(asked, extras))):
                assert all(admits(extra, "2.13.0") for extra in extras)
                assert not all(admits(extra, NEWER_TORCH) for extra in extras), (page, extras)
    assert shown["README.md"][:2] == [["demo"], ["all"]]
    assert len(shown) > 3


def test_the_quick_start_begins_with_the_readmes_first_command():
    command, _ = re.findall(r"^python3 -m venv .*$", PAGES[0].read_text("utf-8"), re.MULTILINE)
    (line,) = re.findall(r"^python3 -m venv .*$", START.read_text("utf-8"), re.MULTILINE)
    assert command.startswith(f"{line} && ")


def test_demo_is_train_render_and_web_with_a_bound_of_torch():
    first = [one for extra in ("train", "render", "web") for one in asked(extra)]
    assert [str(one) for one in asked("demo") if one not in first] == ["torch<2.13.1"]
    assert all(one in asked("demo") for one in first)


def test_train_includes_the_modules_that_the_command_requires():
    there = brought(asked("train"))
    for module in TRAINING:
        if module not in modules():
            pytest.skip(f"not installed: {module}")
        assert modules()[module] & there, module


def test_all_includes_every_extra_except_separate_ones():
    apart = {"ray", "verifiers", "openenv", "cuda", "browser", "docs"}
    everything = {name for extra in EXTRAS.keys() - apart for name in names(extra)}
    assert names("all") == everything
    users, developers = (Requirement(one) for one in EXTRAS["all"])
    assert users.extras <= USERS
    assert developers.extras <= DEVELOPERS


def test_extras_for_users_contain_no_developer_tools():
    tools = (names("dev") | names("browser")) - names("demo")
    assert tools >= {"pytest", "hypothesis", "mypy", "ruff"}
    for extra in USERS:
        assert not names(extra) & tools, extra


def test_the_readme_lists_every_extra():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\[.*\]`) \|", text, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"\[(\w+)\]", row)}
    assert told == EXTRAS.keys() - {"browser"}


def imported(notebook):
    """Return the libraries that a notebook imports."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return set(re.findall(r"^ *(?:import|from) (\w+)", code, re.MULTILINE))


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_notebook_includes_what_the_notebooks_import(notebook):
    assert {"agents", "boardenvs"} & imported(notebook)
    assert not imported(notebook) & set(hidden("notebook"))
    if "save_gif" in notebook.read_text(encoding="utf-8"):
        assert names("notebook") >= names("render")
