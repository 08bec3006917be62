"""The list of changes names existing versions."""

import importlib
import re
from pathlib import Path

import pytest

import boardenvs

PACKAGE = Path(boardenvs.__file__).parent
TEXT = (PACKAGE / "CHANGES.md").read_text(encoding="utf-8")


def test_the_newest_release_is_this_version():
    assert re.findall(r"^## (\d\S*),", TEXT, re.MULTILINE)[0] == boardenvs.__version__


def test_the_citation_names_this_version():
    if not (readme := PACKAGE.parent / "README.md").exists():
        pytest.skip("needs a checkout")
    text = readme.read_text(encoding="utf-8")
    assert re.findall(r"version = \{(.*)\}", text) == [boardenvs.__version__]


def test_every_play_version_is_listed():
    told = dict(re.findall(r"^\| `([\w.]+)` \| (\d+) \|$", TEXT, re.MULTILINE))
    found = {}
    for path in (PACKAGE.parent / "agents").rglob("*.py"):
        if re.search(r"^    play_version = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            for cls in vars(importlib.import_module(name)).values():
                if isinstance(cls, type) and cls.__module__ == name and "play_version" in vars(cls):
                    found[f"{name}.{cls.__name__}"] = str(cls.play_version)
    assert found.pop("agents.agent.Agent", "1") == "1"
    assert found == told
