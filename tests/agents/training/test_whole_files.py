"""Files of a run are complete at every moment."""

import os

import pytest

from agents.training.run import TrainingRun


def test_a_checkpoint_cut_short_leaves_the_old_one(finished, monkeypatch):
    folder, run = finished

    def fails(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(KeyboardInterrupt):
            run.save_checkpoint()
    assert TrainingRun.resume(folder).model.num_timesteps == 256
