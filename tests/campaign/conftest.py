"""The campaign: attacks that go on for as long as they are given, and a table of what they came to.

`pytest tests/campaign --minutes M --seed S` runs every attack, each for its share of the minutes;
without `--minutes` none is collected. A failure comes with the seed of its round, which
`--round SEED` plays again by itself.
"""

import json
import os
import time
from pathlib import Path

import pytest
from attack import Attack

ROUNDS = 20
"""As many of the longest round as a campaign must have time for."""
LEFT_OUT = pytest.StashKey()
"""Lines that tell of attacks for which there was no time."""


def pytest_addoption(parser):
    group = parser.getgroup("campaign")
    group.addoption(
        "--minutes", type=float, default=None, metavar="M", help="how long the attacks go on"
    )
    group.addoption("--seed", type=int, default=0, metavar="S", help="of the attacks; by default 0")
    group.addoption(
        "--round", type=int, default=None, metavar="SEED", help="play this round of an attack alone"
    )
    group.addoption(
        "--campaign-json",
        type=Path,
        default=None,
        metavar="FILE",
        help="write the table there, too",
    )


def pytest_ignore_collect(config):
    """Without a time nothing of this is a test."""
    asked = [config.getoption(name, None) for name in ("--minutes", "--round")]
    return True if asked == [None, None] else None


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "attack(name, unit, share=1): a row of the campaign's table, what it counts, and its share "
        "of the minutes",
    )
    config.addinivalue_line(
        "markers",
        "takes(seconds): one round on a quiet machine; a campaign of fewer than so many times "
        f"{ROUNDS} has no room for it",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what the minutes have no room for."""
    minutes = config.getoption("--minutes", None)
    if minutes is None:
        return
    short = [
        (item, mark.args[0])
        for item in items
        if (mark := item.get_closest_marker("takes")) and mark.args[0] * ROUNDS > 60 * minutes
    ]
    without = {item for item, _ in short}
    items[:] = [item for item in items if item not in without]
    config.hook.pytest_deselected(items=list(without))
    config.stash[LEFT_OUT] = [
        f"{mark.args[0]}: needs --minutes {-(-seconds * ROUNDS // 60)}"
        for item, seconds in short
        if (mark := item.get_closest_marker("attack"))
    ]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Attacks meet as many threads as pay."""


@pytest.fixture
def attack(request):
    """The `Attack` of a test, which fails at its end if the attack found something."""
    config = request.config
    shares = {
        item: item.get_closest_marker("attack").kwargs.get("share", 1)
        for item in request.session.items
        if item.get_closest_marker("attack")
    }
    # Several processes share the attacks, so each has longer.
    processes = min(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(shares))
    minutes = config.getoption("--minutes") or 0
    seconds = 60 * minutes * processes * shares[request.node] / sum(shares.values())
    marker = request.node.get_closest_marker("attack")
    made = Attack(*marker.args, config.getoption("--seed"), seconds, config.getoption("--round"))
    begin = time.monotonic()
    yield made
    made.spent = round(time.monotonic() - begin, 1)
    request.node.user_properties.append(("attack", json.dumps(made.to_dict())))
    told = [f"--round {f.seed}: {f.case}: {f.told}" for f in made.failures]
    if told:
        pytest.fail(
            f"{len(told)} in {made.tried:,} {made.unit}:\n" + "\n".join(told), pytrace=False
        )


def pytest_terminal_summary(terminalreporter, config):
    rows = [
        json.loads(value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, value in getattr(report, "user_properties", ())
        if name == "attack"
    ]
    rows.sort(key=lambda row: row["name"])
    if not rows:
        return
    width = max(len(row["name"]) for row in rows)
    terminalreporter.section("campaign")
    for row in rows:
        terminalreporter.write_line(
            f"{row['name']:{width}}  {row['tried']:>13,} {row['unit']:10} "
            f"{len(row['failures']):>3} failed  {row['spent']:>8,.0f} s"
        )
    for row in rows:
        for note in row["notes"]:
            terminalreporter.write_line(f"{row['name']}: {note}")
    for line in config.stash.get(LEFT_OUT, []):
        terminalreporter.write_line(f"left out: {line}")
    path = config.getoption("--campaign-json")
    if path is not None:
        path.write_text(
            json.dumps({"seed": config.getoption("--seed"), "attacks": rows}, indent=2) + "\n"
        )
