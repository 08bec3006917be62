"""The page "Is my learner right?": its example passes, and its tables are complete."""

import re
from pathlib import Path

import pytest

import agents
from boardenvs.probes import PROBES

PAGE = (Path(agents.__file__).parent / "checking" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def names(block):
    found = {}
    exec(compile(BLOCKS[block], "README.md", "exec"), found)
    return found


def test_the_example_is_right():
    report = agents.check_learner(names(0)["train"], seeds=1, seconds=1)
    assert [one.verdict for one in report.results] == ["right"] * len(PROBES)


def test_the_learner_of_stable_baselines3_runs():
    pytest.importorskip("sb3_contrib")
    train = names(1)["train_ppo"]
    report = agents.check_learner(train, probes=["probe_one_ply"], seeds=1, seconds=1)
    assert report.results[0].verdict == "right"


def test_the_table_has_all_probes():
    rows = dict(re.findall(r"^\| `(probe_\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert rows == {name: cls.checks for name, cls in PROBES.items()}
