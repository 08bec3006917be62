"""A store on a full or read-only disk."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from store_files import rows

import boardenvs
from agents.arena import round_robin
from agents.arena.storage.store import Lineup, Store
from agents.naming.spec import specs_of


@pytest.mark.parametrize("pages", [2, 6, 7, 8])
def test_a_full_disk_is_reported(path, gekitai, refused, monkeypatch, pages):
    connect = sqlite3.connect

    def small(*args, **options):
        connection = connect(*args, **options)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", small)
        with refused("games.db: the disk is full"):
            list(round_robin(gekitai, ["random", "greedy"], 200, 3, store=path))
    list(round_robin(gekitai, ["random", "greedy"], 200, 3, store=path))
    assert len(rows(path)) == 200


def in_a_namespace(script, *arguments):
    """Run a shell script that may mount file systems; skip the test if this is forbidden."""
    prefix = ["unshare", "--mount", "sh", "-c"]
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            [*prefix, "mount -t tmpfs none /tmp"], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("needs permission to mount")
    return subprocess.run(
        [*prefix, f"set -e\n{script}", "sh", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


COMMAND = f"exec {sys.executable} -m agents.command"


@pytest.mark.parametrize("size", ["16k", "48k", "120k"])
def test_a_disk_that_is_really_full_is_reported(tmp_path, size):
    ran = in_a_namespace(
        f"""mount -t tmpfs -o size={size} none $1
        {COMMAND} arena gekitai random greedy --games 400 --store $1/games.db""",
        tmp_path,
    )
    assert ran.returncode == 2
    assert ran.stderr.endswith(f"boardenvs: error: {tmp_path}/games.db: the disk is full\n")


def leave_with_log(filled):
    """Leave the store as a killed process does, with its log beside the file."""
    with Store.open(filled, boardenvs.make("gekitai"), 3) as store:
        store.enter([Lineup(tuple(specs_of(["exact", "exact"], store.game)), ("1", "1"), 2)])
        kept = {suffix: Path(f"{filled}{suffix}").read_bytes() for suffix in ("", "-wal")}
    for suffix, data in kept.items():
        Path(f"{filled}{suffix}").write_bytes(data)


@pytest.mark.parametrize("command", ["watch", "arena gekitai random greedy --seed 3"])
def test_the_store_of_a_killed_run_can_be_read_on_a_read_only_disk(filled, command):
    leave_with_log(filled)
    ran = in_a_namespace(
        f"""mount --bind $1 $1
        mount -o remount,ro,bind $1
        {COMMAND} {command} --store $1/games.db""",
        filled.parent,
    )
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"boardenvs: error: {filled}: ")
    assert "games.db-wal" in line


def test_the_store_of_a_killed_run_can_be_read_before_it_is_continued(filled, tmp_path):
    leave_with_log(filled)
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):
        Path(f"{copy}{suffix}").write_bytes(Path(f"{filled}{suffix}").read_bytes())
    with Store.read(copy) as store:
        assert store.matches()[-1].specs == ("exact", "exact")
