"""Writing files so that no interruption leaves half of one."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

__all__ = ["remove_leftovers", "write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file beside its place, then move it there: a reader never sees half of it.

    Raises:
        OSError: it cannot be written, with the file's name; an old file is still whole.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        # Name the user's file, not the one beside it; what fails while it is open names none.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Remove what killed processes left of their writing: files beside those they were to be.

    Args:
        folder: in which nobody else is writing.
        names: of the files that they were to be.
    """
    wanted = "|".join(map(re.escape, names))
    for path in folder.glob(".*"):
        if re.fullmatch(rf"\.({wanted})\.[0-9a-f]{{8}}", path.name):
            with contextlib.suppress(OSError):
                path.unlink()
