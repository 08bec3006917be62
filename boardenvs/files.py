"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from io import FileIO
from pathlib import Path

__all__ = ["check_place", "check_suffix", "write_atomically"]

_KEPT = 32
"""Maximum number of characters that the temporary name takes from the file's name."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file in the same folder, then rename it to `path`.

    Readers never see a part of the file. If the path is a symbolic link, its target is written. An
    existing file keeps its mode and, if permitted, its owner and on Linux its extended attributes.

    Some files are written in place. A file with several hard links keeps them. An error restores
    its content, but the end of the process may leave a part of the new content. Devices, FIFOs,
    standard output and standard error are written directly.

    Raises:
        OSError: the file cannot be written. The error has the file's name. An existing file is
            unchanged.
    """
    try:
        try:
            old = path.stat()
        except FileNotFoundError:
            old = None
        place = Path(os.path.realpath(path))
        # An open file without a name, such as `/proc/self/fd/3`, cannot be replaced.
        if old is None:
            _replace(place, None, data)
        elif not stat.S_ISREG(old.st_mode) or not place.exists() or _printed_to(old):
            _write_directly(path, old, data)
        elif old.st_nlink > 1:
            _overwrite(place, data)
        else:
            _replace(place, old, data)
    except OSError as error:
        if error.errno is None:
            raise
        # Name the user's file: errors name the temporary file or no file.
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_suffix(what: str, path: Path, *suffixes: str) -> None:
    """Raise an error if the suffix of a file belongs to another format.

    Names without a suffix and existing paths that are not regular files are accepted.

    Raises:
        ValueError: the suffix is not one of `suffixes`, ignoring case.
    """
    found = path.suffix.lower()
    if found and found not in suffixes and not (path.exists() and not path.is_file()):
        *some, last = suffixes
        expected = f"{', '.join(some)} or {last}" if some else last
        raise ValueError(f"{what} must end in {expected}, got {path}")


def check_place(option: str, path: Path | None, *suffixes: str) -> None:
    """Raise an error if a file cannot be written, before the games are played.

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
        reason = "it is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise ValueError(f"{path} cannot be written: {reason}")


def _printed_to(old: os.stat_result) -> int | None:
    """Return 1 if the file is this process's standard output, 2 for standard error, else `None`."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(old, os.fstat(number)):
                return number
    return None


def _write_directly(path: Path, old: os.stat_result, data: bytes) -> None:
    # A second open of standard output would overwrite what was printed.
    number = _printed_to(old)
    print(end="", flush=True)
    with open(path if number is None else number, "wb", closefd=number is None) as file:
        file.write(data)


def _overwrite(place: Path, data: bytes) -> None:
    """Write a regular file in place, or restore it if this fails."""
    with place.open("r+b", buffering=0) as file:
        old = file.read()
        try:
            _fill(file, data)
        except BaseException:
            with contextlib.suppress(OSError):
                _fill(file, old)
            raise


def _fill(file: FileIO, data: bytes) -> None:
    file.seek(0)
    while data:
        data = data[file.write(data) :]
    file.truncate()
    os.fsync(file.fileno())


def _replace(place: Path, old: os.stat_result | None, data: bytes) -> None:
    """Write a regular file, and replace the old one if it exists."""
    beside = place.with_name(f".{place.name[:_KEPT]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            if old is not None and hasattr(os, "fchown"):
                for owner in ((old.st_uid, -1), (-1, old.st_gid)):
                    with contextlib.suppress(OSError):
                        os.fchown(file.fileno(), *owner)
                _copy_attributes(place, file.fileno())
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def _copy_attributes(place: Path, number: int) -> None:
    """Copy the extended attributes of a file to an open file, as far as the system permits."""
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(place):
                with contextlib.suppress(OSError):
                    os.setxattr(number, name, os.getxattr(place, name))
