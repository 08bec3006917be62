"""Files are written completely, and only to the given path."""

import errno
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import boardenvs
from agents.curves import Curve, write_curves
from boardenvs.files import write_atomically

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


def files(folder):
    return {p.name for p in folder.iterdir()}


def no_space(_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_writing_creates_and_replaces_files(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert files(path.parent) == {"file"}


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace")], ids=str)
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()], ids=repr)
def test_a_failure_while_writing_keeps_the_old_file(tmp_path, monkeypatch, owner, name, error):
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fails(*_args, **_kwargs):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        with pytest.raises(type(error)):
            write_atomically(path, b"new, and much longer")
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == {"file"}


def test_the_error_of_a_failure_names_the_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match=rf"No space left on device: '{re.escape(str(path))}'$"):
        write_atomically(path, b"new")


@POSIX
def test_symbolic_links_are_kept(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, target in (("one", "folder/there"), ("two", "one")):
        (tmp_path / name).symlink_to(target)
    for data in (b"first", b"second"):  # the target is missing at first
        write_atomically(tmp_path / "two", data)
        assert (tmp_path / "folder" / "there").read_bytes() == data
    assert (tmp_path / "two").readlink() == Path("one")
    assert files(tmp_path) == {"one", "two", "folder"}
    assert files(tmp_path / "folder") == {"there"}
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match=f"'{tmp_path}/loop'$"):
        write_atomically(tmp_path / "loop", b"new")
    assert (tmp_path / "loop").is_symlink()


@pytest.mark.parametrize("data", [b"new", b"", b"new, and much longer"])
def test_hard_links_are_kept(tmp_path, data):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"the old content")
    link.hardlink_to(path)
    write_atomically(path, data)
    assert path.samefile(link)
    assert link.read_bytes() == data
    assert files(tmp_path) == {"file", "link"}


def test_a_failure_restores_a_file_with_hard_links(tmp_path, monkeypatch):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"the old content")
    link.hardlink_to(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(OSError, match=rf"No space left on device: '{re.escape(str(path))}'$"):
            write_atomically(path, b"new")
    assert link.read_bytes() == b"the old content"


def test_extended_attributes_are_kept(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.origin", b"a match")
    except (AttributeError, OSError):
        pytest.skip("needs extended attributes")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.getxattr(path, "user.origin") == b"a match"


@POSIX
def test_a_file_keeps_its_mode_and_owner(tmp_path):
    old = os.umask(0o027)
    try:
        path = tmp_path / "file"
        write_atomically(path, b"old")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o606)
        if os.geteuid() == 0:
            os.chown(path, 12, 34)
        before = path.stat()
        write_atomically(path, b"new")
    finally:
        os.umask(old)
    after = path.stat()
    assert path.read_bytes() == b"new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


@pytest.mark.parametrize("name", ["a" * 255, "\N{WHITE CHESS KING}" * 85])
def test_long_names_can_be_written(tmp_path, name):
    for data in (b"old", b"new"):
        write_atomically(tmp_path / name, data)
        assert (tmp_path / name).read_bytes() == data
    assert files(tmp_path) == {name}


@POSIX
def test_a_fifo_is_written_to(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()), daemon=True)
    reader.start()
    write_atomically(path, b"x" * 100_000)
    reader.join(60)
    assert found == [b"x" * 100_000]
    assert path.is_fifo()


@POSIX
def test_devices_are_written_to(tmp_path):
    episode = boardenvs.Episode.play("game112", ["random", "random"], seed=0)
    null, full = (tmp_path / name for name in ("null", "full"))
    # Links protect the real devices from a failing test.
    for link in (null, full):
        link.symlink_to(Path("/dev", link.name))
    episode.save_html(null)
    assert null.is_symlink()
    assert null.is_char_device()
    if full.exists():
        with pytest.raises(OSError, match=f"No space left on device: '{full}'$"):
            episode.save(full)
        assert full.is_symlink()
        assert full.is_char_device()


@POSIX
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_file_descriptor_path_can_be_written(tmp_path):
    path = tmp_path / "file"
    with path.open("w+b") as file:
        path.unlink()
        write_atomically(Path(f"/proc/self/fd/{file.fileno()}"), b"new")
        assert file.read() == b"new"
    assert not files(tmp_path)


PRINTING = """
import sys
from pathlib import Path
from boardenvs.files import write_atomically

print("before")
write_atomically(Path(sys.argv[1]), b"data\\n")
print("after")
"""


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1"])
@pytest.mark.parametrize("kept", [True, False], ids=["file", "pipe"])
def test_standard_output_can_be_written(tmp_path, name, kept):
    if not Path(name).exists():
        pytest.skip(f"needs {name}")
    link = tmp_path / "link"  # a link protects the real device
    link.symlink_to(name)
    command = [sys.executable, "-c", PRINTING, str(link)]
    if kept:
        with (tmp_path / "out").open("w") as out:
            subprocess.run(command, stdout=out, check=True)
        printed = (tmp_path / "out").read_text()
    else:
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed == "before\ndata\nafter\n"


def no_such(path):
    return pytest.raises(ValueError, match=f"^path must end in .*, got {re.escape(str(path))}$")


@pytest.mark.parametrize("name", ["save", "save_html", "save_gif"])
def test_suffixes_of_episodes_are_checked(tmp_path, name):
    episode = boardenvs.Episode.play("game112", ["random", "random"], seed=0)
    write = getattr(episode, name)
    with no_such(tmp_path / "game.txt"):
        write(tmp_path / "game.txt")
    assert not files(tmp_path)
    fits = {"save": "game.JSON", "save_html": "game.HTM", "save_gif": "game.Gif"}[name]
    for right in (fits, "game"):
        write(tmp_path / right)
    if os.name == "posix":
        os.mkfifo(tmp_path / "game.fifo")
        reader = threading.Thread(target=(tmp_path / "game.fifo").read_bytes, daemon=True)
        reader.start()
        write(tmp_path / "game.fifo")
        reader.join(60)
        assert not reader.is_alive()


def test_suffixes_of_curves_are_checked(tmp_path):
    curve = Curve("mine", "gekitai")
    for write in (curve.to_csv, lambda path: write_curves(path, [curve])):
        with no_such(tmp_path / "curve.png"):
            write(tmp_path / "curve.png")
    assert not files(tmp_path)
