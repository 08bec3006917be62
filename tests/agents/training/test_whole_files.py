"""Files of a run are whole at every moment."""

import os
from pathlib import Path

import pytest

from agents.training.run import TrainingRun
from boardenvs.files import write_atomically


def files(folder):
    return {p.name for p in folder.iterdir()}


def test_writing(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert files(path.parent) == {"file"}


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace")], ids=str)
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()], ids=repr)
def test_a_failure_while_writing(tmp_path, monkeypatch, owner, name, error):
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


def test_a_checkpoint_cut_short_leaves_the_old_one(finished, monkeypatch):
    folder, run = finished

    def fails(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(KeyboardInterrupt):
            run.save_checkpoint()
    assert TrainingRun.resume(folder).model.num_timesteps == 256
