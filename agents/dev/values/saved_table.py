"""The table of a proof search in a file, from which a later call continues the search."""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.files import check_place, write_atomically

__all__ = ["SavedTable", "add_file", "saved_table"]

_SECONDS = 60.0
"""Time between two writes."""
_SHARE = 0.03
"""Maximum share of the time that writing takes, if a write takes long."""


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the file of a table."""
    parser.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help="file in which the search is saved each minute; if it exists, the search continues "
        "from it (2**BITS times 24 bytes; by default nothing is saved)",
    )


def saved_table(
    options: argparse.Namespace, question: dict[str, Any], table: npt.NDArray[np.void]
) -> SavedTable | None:
    """Return the file given by `add_file`, `None` without one.

    Args:
        options: the arguments of the program.
        question: description of the search, of JSON's types.
        table: table of the search, which is filled from the file if it exists.

    Raises:
        ValueError: the file is damaged, belongs to another question, or cannot be written.
        OSError: the file cannot be read.
    """
    check_place("--file", options.file)
    return None if options.file is None else SavedTable(options.file, question, table)


class SavedTable:
    """A table of a search and its file."""

    def __init__(self, path: Path, question: dict[str, Any], table: npt.NDArray[np.void]) -> None:
        """Fill the table from the file if it exists; see `saved_table`."""
        self.path = path
        self.question = {**question, "size": len(table)}
        self.table = table
        self.positions = 0
        """Number of positions searched so far, by all calls."""
        self._next = time.monotonic() + _SECONDS
        if path.exists():
            self._read(path.read_bytes())

    def _read(self, packed: bytes) -> None:
        head, _, body = packed.partition(b"\n")
        try:
            facts = json.loads(head)
            question, positions = facts["question"], int(facts["positions"])
            sound = zlib.crc32(body) == facts["crc32"]
        except (ValueError, TypeError, KeyError):
            sound = False
        if not sound:
            raise ValueError(f"--file must be a complete saved search, got {self.path}: damaged")
        if question != self.question:
            raise ValueError(
                f"--file must be a saved search of {json.dumps(self.question)}, "
                f"got {self.path} of {json.dumps(question)}"
            )
        self.table[:] = np.frombuffer(body, self.table.dtype)
        self.positions = positions
        print(f"continues after {positions:,} positions", file=sys.stderr, flush=True)

    def add(self, positions: int, *, last: bool = False) -> None:
        """Count searched positions, and write the file if it is due or if this is the last call.

        Raises:
            OSError: the file cannot be written.
        """
        self.positions += positions
        begin = time.monotonic()
        if not last and begin < self._next:
            return
        body = self.table.tobytes()
        facts = {
            "question": self.question,
            "positions": self.positions,
            "crc32": zlib.crc32(body),
        }
        write_atomically(self.path, json.dumps(facts).encode() + b"\n" + body)
        end = time.monotonic()
        self._next = end + max(_SECONDS, (end - begin) / _SHARE)
