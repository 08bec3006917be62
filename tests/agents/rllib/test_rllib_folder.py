"""What a run keeps: whole at any moment, whatever happens while it is written."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from agents.rllib.folder import Progress, read_run, write_checkpoint, write_settings
from agents.rllib.settings import cluster_settings_for


def save(text):
    """Stands for RLlib's part of a checkpoint."""

    def write(place):
        Path(place).mkdir(parents=True)
        (Path(place) / "rllib").write_text(text)

    return write


def after(steps):
    return Progress(steps, 0, 0, [])


@pytest.fixture
def folder(gekitai, tmp_path):
    write_settings(tmp_path, gekitai, cluster_settings_for(gekitai), 5)
    return tmp_path


def test_where_the_settings_came_from_is_kept(gekitai, folder, tmp_path):
    write_checkpoint(folder, after(900), save("first"))
    assert read_run(folder).settings_file is None
    own = tmp_path / "own.toml"
    own.write_text("hidden = [7]\n[clone]\nsteps = 9\n", encoding="utf-8")
    settings = cluster_settings_for(gekitai, own)
    assert (settings.training.hidden, settings.training.clone) == ((7,), None)
    write_settings(folder, gekitai, settings, 5, str(own))
    saved = read_run(folder)
    assert (saved.settings_file, saved.settings) == (str(own), settings)


def test_what_was_written_is_read(gekitai, folder):
    write_checkpoint(folder, after(900), save("first"))
    write_checkpoint(folder, Progress(1100, 3, 800, [{"steps": 700}]), save("second"))
    saved = read_run(folder)
    assert (saved.game, saved.seed, saved.folder) == (gekitai, 5, folder)
    assert saved.settings == cluster_settings_for(gekitai)
    assert saved.progress == Progress(1100, 3, 800, [{"steps": 700}])
    assert (saved.checkpoint / "rllib").read_text() == "second"
    assert [p.name for p in (folder / "checkpoints").iterdir()] == [saved.checkpoint.name]
    longer = read_run(folder, 77_000).settings
    assert longer == dataclasses.replace(
        saved.settings, training=dataclasses.replace(saved.settings.training, steps=77_000)
    )


def test_one_at_the_same_steps_stays_until_the_new_one_has_its_name(folder, monkeypatch):
    write_checkpoint(folder, after(900), save("first"))

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            write_checkpoint(folder, after(900), save("second"))
    assert (read_run(folder).checkpoint / "rllib").read_text() == "first"
    for text in ("third", "fourth"):
        write_checkpoint(folder, after(900), save(text))
        saved = read_run(folder)
        assert (saved.checkpoint / "rllib").read_text() == text
        assert [p.name for p in (folder / "checkpoints").iterdir()] == [saved.checkpoint.name]


def test_an_interruption_leaves_the_old_checkpoint(folder):
    write_checkpoint(folder, after(900), save("first"))

    def interrupted(place):
        save("half")(place)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(folder, after(1100), interrupted)
    assert read_run(folder).progress == after(900)
    write_checkpoint(folder, after(1100), save("second"))
    assert [p.name for p in (folder / "checkpoints").iterdir()] == ["000000001100"]


def test_the_last_of_two_checkpoints_counts(folder):
    write_checkpoint(folder, after(900), save("first"))
    shutil.copytree(folder / "checkpoints" / "000000000900", folder / "old")
    write_checkpoint(folder, after(1100), save("second"))
    (folder / "old").rename(folder / "checkpoints" / "000000000900")  # not removed in time
    assert read_run(folder).progress == after(1100)


@pytest.mark.parametrize("broken", ["settings.json", "checkpoints/000000000900/run.json"])
@pytest.mark.parametrize("text", ["", "{}", "[]", '{"game": "chess"}'])
def test_a_damaged_folder(folder, refused, broken, text):
    write_checkpoint(folder, after(900), save("first"))
    (folder / broken).write_text(text)
    with refused("holds no run that can go on"):
        read_run(folder)


def test_a_run_without_a_checkpoint(folder, refused):
    with refused("holds no run that can go on: it was stopped before its first checkpoint"):
        read_run(folder)
