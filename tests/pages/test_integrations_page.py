"""The page on other libraries: its code runs, section by section."""

import re
from pathlib import Path

import gymnasium
import pytest

import boardenvs

PAGE = Path(boardenvs.__file__).parent / "INTEGRATIONS.md"
TEXT = PAGE.read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = {
    "Gymnasium": "gymnasium",
    "Stable-Baselines3": "sb3_contrib",
    "RLlib": "ray",
    "Tianshou": "tianshou",
    "TorchRL": "torchrl",
    "OpenSpiel": "pyspiel",
    "SuperSuit": "supersuit",
}


def blocks(section):
    """Return line number and text of every block of Python in a section."""
    start = TEXT.index(f"\n## {section}\n")
    end = TEXT.find("\n## ", start + 1)
    return [
        (TEXT.count("\n", 0, found.start(2)), found[2])
        for found in FENCE.finditer(TEXT)
        if found[1] == "python" and start < found.start() < (end if end > 0 else len(TEXT))
    ]


def test_every_library_has_a_section():
    assert re.findall(r"^## (.*)$", TEXT, re.MULTILINE) == list(NEEDS)
    assert all(blocks(section) for section in NEEDS)


# RLlib registers its environment again in each env runner, and Ray leaves sockets open.
@pytest.mark.filterwarnings("ignore:.*Overriding environment rllib:UserWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning:ray")
@pytest.mark.parametrize(
    "section",
    [
        pytest.param(section, marks=pytest.mark.slow) if section == "Tianshou" else section
        for section in NEEDS
    ],
)
def test_the_code_of_each_section_runs(section, tmp_path, monkeypatch):
    pytest.importorskip(NEEDS[section])
    monkeypatch.chdir(tmp_path)
    # Sections may use earlier imports, but the libraries of earlier sections may be missing.
    gekitai_v0 = boardenvs.gekitai_v0
    namespace = {"gym": gymnasium, "gekitai_v0": gekitai_v0, "boardenvs": boardenvs}
    for line, code in blocks(section):
        exec(compile("\n" * line + code, str(PAGE), "exec"), namespace)
