"""Damaged, foreign and missing stores give a one-line error without control characters."""

import errno
import json
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from store_files import changed

from agents.arena import round_robin
from agents.arena.storage.store import Store
from agents.command import main

DEEP = "[" * 60_000
CLEAR = "\x1b[2J"
"""A control sequence that clears the screen of a terminal."""


def foreign(path, kind):
    if kind == "text":
        path.write_text("my thesis\n" * 1000, encoding="utf-8")
    elif kind == "sqlite":
        path.unlink()
        changed(path, "CREATE TABLE games (number)")
    elif kind == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif kind == "noise":
        data = bytearray(path.read_bytes())
        data[4096:] = np.random.default_rng(0).bytes(len(data) - 4096)
        path.write_bytes(data)
    elif kind == "format":
        changed(path, "PRAGMA user_version = 99")
    else:
        changed(path, kind)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("text", "store"),
        ("sqlite", "store"),
        ("half", "damaged|malformed|store"),
        ("noise", "damaged|malformed|store"),
        ("format", "format 99"),
        ("UPDATE arena SET value = 'chess' WHERE key = 'game'", "damaged: .*'chess'"),
        ("UPDATE arena SET value = '{' WHERE key = 'params'", "damaged: "),
        ("DELETE FROM arena", "damaged: 'game'"),
        ("UPDATE games SET returns = '[7, 7]'", "damaged: seats, results or times"),
        ("UPDATE games SET returns = '[1]'", "damaged: "),
        ("UPDATE games SET seats = '[0, 5]'", "damaged: seats, results or times"),
        ("UPDATE games SET seats = 'no'", "damaged: "),
        ("UPDATE games SET seed = 'seed'", "damaged: "),
        ("UPDATE games SET plies = 'many'", "damaged: "),
        ("UPDATE matches SET agents = 'all' WHERE id = 1", "damaged: "),
        ("DELETE FROM agents", "damaged: "),
        (f"UPDATE arena SET value = '{DEEP}' WHERE key = 'params'", "damaged: .* too deeply"),
        (f"UPDATE matches SET agents = '{DEEP}' WHERE id = 1", "damaged: .* too deeply"),
        (f"UPDATE games SET seats = '{DEEP}'", "damaged: .* too deeply"),
        (f"UPDATE games SET returns = '{DEEP}'", "damaged: .* too deeply"),
        ("UPDATE games SET offender = 7", "damaged: offender must be -1 or a seat"),
        ("UPDATE games SET offender = 'x'", "damaged: "),
    ],
)
def test_damaged_and_foreign_files_are_refused(filled, gekitai, refused, kind, said):
    foreign(filled, kind)
    before = filled.read_bytes()
    with refused(f"games.db.*({said})"):
        list(round_robin(gekitai, ["random", "greedy"], 10, 3, store=filled))
    if "UPDATE" not in kind and "DELETE" not in kind:
        assert filled.read_bytes() == before
        assert [p.name for p in filled.parent.iterdir()] == ["games.db"]
    with refused(f"games.db.*({said})"), Store.read(filled) as store:
        store.results()


# SQLite reports some read errors as a malformed file.
@pytest.mark.parametrize(
    ("opens", "said"),
    [
        ("fails", "games.db: it cannot be read: Input/output error"),
        ("works", "games.db: disk I/O error"),
    ],
)
def test_an_unreadable_file_is_not_reported_as_damaged(filled, refused, monkeypatch, opens, said):
    def execute(*_):
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    def fails(path, *_):
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    with Store.read(filled) as store:
        monkeypatch.setattr(store, "_connection", SimpleNamespace(execute=execute))
        if opens == "fails":
            monkeypatch.setattr(Path, "open", fails)
        with refused(said):
            store.matches()
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE games SET moves = '[0]'", "damaged: .*moves of game 1.0"),
        ("UPDATE games SET moves = '[99999]'", "damaged: action 1 "),
        ("UPDATE games SET moves = 'no'", "damaged: "),
        ("UPDATE games SET returns = '[0, 0]'", "damaged: .*moves of game 1.0"),
        ("UPDATE games SET seats = '[0, 9]'", "damaged: "),
        (f"UPDATE games SET moves = '{DEEP}'", "damaged: .* too deeply"),
    ],
)
def test_a_damaged_game_is_refused(filled, refused, change, said):
    foreign(filled, change)
    with Store.read(filled) as store, refused(said):
        store.episode("1.0")


@pytest.mark.parametrize(
    ("name", "said"),
    [("1", "MATCH.NUMBER"), ("x.y", "MATCH.NUMBER"), ("", "MATCH.NUMBER"),
     ("-1.0", "MATCH.NUMBER"), ("1.10", "game 1.10"), ("9.0", "game 9.0"),
     (f"1.{2**80}", "game 1."), (f"{2**80}.0", "game 1208")],
)  # fmt: skip
def test_a_missing_game_is_refused(filled, refused, name, said):
    with Store.read(filled) as store, refused(said):
        store.episode(name)


def test_a_missing_store_is_refused(tmp_path, refused):
    with refused("there is no store"):
        Store.read(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_file_name_that_is_too_long_is_refused(tmp_path, gekitai, refused):
    with refused("File name too long"):
        list(round_robin(gekitai, ["random", "greedy"], 2, 0, store=tmp_path / ("x" * 300)))


def test_an_unknown_agent_leaves_no_store(path, gekitai, refused):
    with refused("agent 'gready'"):
        list(round_robin(gekitai, ["random", "gready"], 2, 0, store=path))
    assert not path.exists()


def test_a_store_in_a_missing_folder_is_refused(path, gekitai, refused):
    with refused("unable to open database file"):
        list(round_robin(gekitai, ["random", "greedy"], 2, 0, store=path / "no" / "games.db"))


@pytest.mark.parametrize(
    "changes",
    [
        [
            f"UPDATE agents SET spec = 'gr{CLEAR}' WHERE spec = 'greedy'",
            f"UPDATE matches SET agents = '{json.dumps(['random', f'gr{CLEAR}'])}' WHERE id = 1",
            f"UPDATE matches SET agents = '{json.dumps([f'gr{CLEAR}', 'random'])}' WHERE id = 3",
        ],
        [f"UPDATE agents SET version = '1{CLEAR}'"],
        [f"UPDATE arena SET value = '3{CLEAR}' WHERE key = 'seed'"],
        [f"UPDATE arena SET value = '3{CLEAR}' WHERE key = 'version'"],
        [f"UPDATE arena SET key = 'x{CLEAR}' WHERE key = 'version'"],
        [f"ALTER TABLE games RENAME TO 'g{CLEAR}'"],
    ],
    ids=ascii,
)
@pytest.mark.parametrize(
    "command",
    [
        ["watch"],
        ["watch", "--game", "1.0"],
        ["arena", "gekitai", "random", "greedy", "--seed", "3"],
    ],
    ids=" ".join,
)
def test_no_escape_sequence_reaches_the_terminal(filled, capsys, changes, command):
    for change in changes:
        foreign(filled, change)
    status = main([*command, "--store", str(filled)])
    captured = capsys.readouterr()
    assert (captured.out + captured.err).replace("\n", "").isprintable()
    assert status == 2 or "SET key" in changes[0]  # showing a game reads only its own keys


def test_ids_that_are_not_numbers_are_refused(filled, refused):
    foreign(filled, "ALTER TABLE matches RENAME TO old")
    foreign(
        filled,
        f"CREATE VIEW matches AS SELECT id || '{CLEAR}' AS id, agents, opening_plies FROM old",
    )
    with Store.read(filled) as store, refused("damaged: match id and opening_plies"):
        store.matches()
