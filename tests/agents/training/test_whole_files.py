"""Files of a run are whole at every moment."""

import os
import signal
import subprocess
import sys

import pytest

from agents.training.run import TrainingRun


def files(folder):
    return {p.name for p in folder.iterdir()}


def test_a_checkpoint_cut_short_leaves_the_old_one(finished, monkeypatch):
    folder, run = finished

    def fails(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(KeyboardInterrupt):
            run.save_checkpoint()
    assert TrainingRun.resume(folder).model.num_timesteps == 256


KILLED = """
import os, signal, sys
from pathlib import Path
from boardenvs.files import write_atomically

os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), b"half")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("name", ["checkpoint.pt", "agent.onnx"])
def test_what_a_killed_run_left_is_removed_when_it_goes_on(finished, name):
    folder, _ = finished
    whole = files(folder)
    ran = subprocess.run([sys.executable, "-c", KILLED, folder / name], check=False)
    assert ran.returncode == -signal.SIGKILL
    (left,) = files(folder) - whole
    assert left.startswith(f".{name}.")
    others = {".notes", f".{name}.mine", ".cafe.0123abcd"}  # no run's
    for other in others:
        (folder / other).touch()
    TrainingRun.resume(folder, 512).learn(progress=False)
    assert files(folder) == whole | others
