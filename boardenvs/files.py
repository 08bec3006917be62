"""Writing files so that no interruption leaves half of one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

__all__ = ["check_place", "check_suffix", "write_atomically"]

_KEPT = 32
"""Maximum characters of a file's name in a temporary name, which must not get too long."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file beside the path, then move it there.

    A reader never sees half of the file. A symbolic link stays, and the file that it points to is
    written. An existing file keeps its mode and, as far as permitted, its owner. Anything that is
    not a regular file, such as a device or a FIFO, is written directly. So are standard output
    and standard error.

    Raises:
        OSError: the file cannot be written. The error has the file's name. A file that was to
            be replaced is unchanged.
    """
    try:
        try:
            old = path.stat()
        except FileNotFoundError:
            old = None
        place = Path(os.path.realpath(path))
        # An open file without a name, as `/proc/self/fd/3` may be, cannot be replaced.
        if old is None or (stat.S_ISREG(old.st_mode) and place.exists() and not _printed_to(old)):
            _replace(place, old, data)
        else:
            _write_directly(path, old, data)
    except OSError as error:
        if error.errno is None:
            raise
        # Name the user's file, not the one beside it; what fails while it is open names none.
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_suffix(what: str, path: Path, *suffixes: str) -> None:
    """Raise an error if a file's suffix belongs to another format than will be written.

    A name without a suffix is accepted. So is an existing path that is not a regular file.

    Raises:
        ValueError: the suffix is not one of `suffixes`. Upper and lower case are the same.
    """
    found = path.suffix.lower()
    if found and found not in suffixes and not (path.exists() and not path.is_file()):
        *some, last = suffixes
        expected = f"{', '.join(some)} or {last}" if some else last
        raise ValueError(f"{what} must end in {expected}, got {path}")


def check_place(option: str, path: Path | None, *suffixes: str) -> None:
    """Raise an error before the games are played if a file could not be written after them.

    Args:
        option: the option that names the file.
        path: path of the file, or `None` if the option was not given.
        *suffixes: suffixes of the format that will be written; by default any suffix is accepted.

    Raises:
        ValueError: the path is a folder, its folder does not exist, or its suffix belongs to
            another format.
    """
    if path is None:
        return
    if suffixes:
        check_suffix(option, path, *suffixes)
    if path.is_dir() or not path.parent.is_dir():
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"{path} cannot be written: {reason}")


def _printed_to(old: os.stat_result) -> int | None:
    """Return 1 if the file is this process's standard output, 2 for standard error, else `None`."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(old, os.fstat(number)):
                return number
    return None


def _write_directly(path: Path, old: os.stat_result, data: bytes) -> None:
    # Opening standard output again would overwrite what was printed, from its start.
    number = _printed_to(old)
    print(end="", flush=True)
    with open(path if number is None else number, "wb", closefd=number is None) as file:
        file.write(data)


def _replace(place: Path, old: os.stat_result | None, data: bytes) -> None:
    """Write a regular file, and replace the old one if it exists."""
    beside = place.with_name(f".{place.name[:_KEPT]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            if old is not None and hasattr(os, "fchown"):
                for owner in ((old.st_uid, -1), (-1, old.st_gid)):
                    with contextlib.suppress(OSError):
                        os.fchown(file.fileno(), *owner)
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
