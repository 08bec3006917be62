"""The campaign: attacks that run for a given time, and a table of their results.

`pytest tests/campaign --minutes M --seed S` runs every attack for its share of the minutes. Without
`--minutes`, no attack is collected. A failure reports the seed of its round, and `--round SEED`
repeats this round.
"""

import json
import os
import time
from pathlib import Path

import pytest
from attack import Attack

ROUNDS = 20
"""Number of rounds of an attack that must fit into the campaign's time."""
LEFT_OUT = pytest.StashKey()
"""Report lines about attacks that were left out for lack of time."""


def pytest_addoption(parser):
    group = parser.getgroup("campaign")
    group.addoption(
        "--minutes", type=float, default=None, metavar="M", help="time of all attacks together"
    )
    group.addoption("--seed", type=int, default=0, metavar="S", help="seed of the rounds (0)")
    group.addoption(
        "--round", type=int, default=None, metavar="SEED", help="repeat the round with this seed"
    )
    group.addoption(
        "--campaign-json",
        type=Path,
        default=None,
        metavar="FILE",
        help="write the results to this file",
    )


def pytest_ignore_collect(config):
    """Ignore the campaign unless `--minutes` or `--round` is given."""
    asked = [config.getoption(name, None) for name in ("--minutes", "--round")]
    return True if asked == [None, None] else None


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "attack(name, unit, share=1): name in the campaign's table, unit of its counter, and "
        "its share of the minutes",
    )
    config.addinivalue_line(
        "markers",
        "takes(seconds): duration of one round on an idle machine; campaigns shorter than "
        f"{ROUNDS} rounds leave the attack out",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Deselect attacks that do not fit into the campaign's time."""
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
    """Override the fixture of other tests: attacks use the default number of threads."""


@pytest.fixture
def attack(request):
    """Yield the `Attack` of a test; fail at the end if the attack found failures."""
    config = request.config
    shares = {
        item: item.get_closest_marker("attack").kwargs.get("share", 1)
        for item in request.session.items
        if item.get_closest_marker("attack")
    }
    # Parallel processes share the attacks, so each attack gets more time.
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
