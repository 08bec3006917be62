"""Files of the tables of proof searches, from which a later call continues."""

import argparse
import json

import numpy as np
import pytest

from agents.dev.__main__ import main
from agents.dev.values import saved_table as module
from agents.dev.values.saved_table import SavedTable, add_file, saved_table
from agents.search.proofs.proof_numbers import entries

QUESTION = {"game": "gekitai", "moves": ["B2"], "within": 9}


def filled(bits=4):
    """Return a table with random bytes in each entry."""
    table = entries(bits)
    table.view(np.uint8)[:] = np.random.default_rng(1).integers(0, 256, table.nbytes, np.uint8)
    return table


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "proof.table"
    SavedTable(path, QUESTION, filled()).add(1234, last=True)
    return path


def test_a_search_continues_from_its_file(file, capsys):
    table = entries(4)
    saved = SavedTable(file, QUESTION, table)
    assert table.tobytes() == filled().tobytes()
    assert "continues after 1,234 positions" in capsys.readouterr().err
    saved.add(66, last=True)
    assert SavedTable(file, QUESTION, entries(4)).positions == 1300


def test_the_file_is_written_each_minute(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    path = tmp_path / "proof.table"
    saved = SavedTable(path, QUESTION, entries(4))
    for second, written in ((30, False), (59, False), (61, True), (100, False), (122, True)):
        path.unlink(missing_ok=True)
        now[0] = 1000.0 + second
        saved.add(10)
        assert path.exists() is written
    assert SavedTable(path, QUESTION, entries(4)).positions == 50


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: b"",
        lambda packed: packed[:-1],
        lambda packed: packed[: len(packed) // 2],
        lambda packed: packed + b"0",
        lambda packed: packed[:-9] + bytes([packed[-9] ^ 1]) + packed[-8:],
        lambda packed: packed[1:],
        lambda packed: b"[]\n" + packed,
        lambda packed: b'{"question": 1}\n',
    ],
)
def test_a_damaged_file_is_named(file, damage, refused):
    file.write_bytes(damage(file.read_bytes()))
    with refused("--file .*proof.table: damaged$"):
        SavedTable(file, QUESTION, entries(4))


@pytest.mark.parametrize(("change", "bits"), [({"within": 11}, 4), ({"moves": []}, 4), ({}, 5)])
def test_a_file_of_another_search_is_refused(file, change, bits, refused):
    with refused("--file .*proof.table of .*gekitai"):
        SavedTable(file, {**QUESTION, **change}, entries(bits))


def test_the_place_of_the_file_is_checked_first(tmp_path, refused):
    parser = argparse.ArgumentParser()
    add_file(parser)
    assert saved_table(parser.parse_args([]), QUESTION, entries(4)) is None
    for place in (tmp_path, tmp_path / "missing" / "file"):
        with refused("cannot be written"):
            saved_table(parser.parse_args(["--file", str(place)]), QUESTION, entries(4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("gekitai_proof --within 9", "Player X cannot force a win within 9 plies: "),
        ("gomoku_proof -p board_size=6 -p win_length=4", "Player ● can force a win, in "),
    ],
)
def test_proofs_stop_and_continue(words, answer, tmp_path, capsys):
    given = [*words.split(), "--file", str(tmp_path / "proof.table"), "--table-bits", "14"]
    searched = []
    for _ in range(200):
        assert main([*given, "--positions", "2000"]) == 0
        row = capsys.readouterr().out.splitlines()[-1]
        head = (tmp_path / "proof.table").read_bytes().partition(b"\n")[0]
        searched.append(json.loads(head)["positions"])
        if row.startswith(answer):
            break
    assert row.startswith(answer)
    assert searched == sorted(searched)
    assert len(searched) > 2
