"""Settings of games and their files."""

import json
import tomllib
from dataclasses import replace

import pytest

import boardenvs
from agents.naming import game_folders
from agents.training.settings import CloningSettings, GuidedSettings, Settings
from agents.training.settings_files import read_settings, settings_for, settings_from


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_a_games_settings_differ_from_those_they_replace(name):
    game = boardenvs.make(name)
    (path,) = game_folders.files(game, "training.toml")
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for condition in (key for key in tables if "=" in key):
        assert condition.partition("=")[0] in game.params
        settings_from(tables[condition])
    for settings in (tables, *(tables[key] for key in tables if "=" in key)):
        for part, default in (
            ("", Settings()),
            ("clone", CloningSettings()),
            ("guided", GuidedSettings()),
        ):
            for key, value in (settings.get(part, {}) if part else settings).items():
                if "=" not in key and key not in ("clone", "guided"):
                    given = getattr(default, key)
                    given = list(given) if isinstance(given, tuple) else given
                    if settings is not tables:
                        given = (tables.get(part, {}) if part else tables).get(key, given)
                    assert given != value, f"{name}: {part} {key} changes nothing"


@pytest.fixture
def written(tmp_path):
    """Return the function that writes a file of settings."""

    def write(text):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_settings_depend_on_parameters(written, gekitai):
    path = written('ppo_steps = 7\nhidden = [8]\n["board_size=7"]\nppo_steps = 9\n')
    assert read_settings(path, gekitai) == replace(Settings(), ppo_steps=7, hidden=(8,))
    seven = boardenvs.make("gekitai", board_size=7)
    assert read_settings(path, seven) == replace(Settings(), ppo_steps=9, hidden=(8,))
    assert read_settings(path, seven, ppo_steps=3).ppo_steps == 3
    path = written('[clone]\nsteps = 7\nepochs = 3\n["board_size=7".clone]\nsteps = 9\n')
    assert read_settings(path, gekitai).clone == CloningSettings(steps=7, epochs=3)
    assert read_settings(path, seven).clone == CloningSettings(steps=9, epochs=3)


def test_a_table_can_apply_to_several_values_of_a_parameter(written):
    path = written('["board_size=7,8"]\nppo_steps = 9\n')
    sizes = [boardenvs.make("gekitai", board_size=size) for size in (6, 7, 8)]
    assert [read_settings(path, game).ppo_steps for game in sizes] == [Settings().ppo_steps, 9, 9]


def test_the_last_matching_table_counts(written, gekitai):
    path = written('["board_size=6"]\nppo_steps = 5\n["pieces=8"]\nppo_steps = 6\n')
    assert read_settings(path, gekitai).ppo_steps == 6


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_a_copy_of_the_games_file_gives_the_same_settings(name, tmp_path):
    game = boardenvs.make(name)
    (path,) = game_folders.files(game, "training.toml")
    copy = tmp_path / "copy.toml"
    copy.write_bytes(path.read_bytes())
    assert read_settings(copy, game) == settings_for(game) == read_settings(path, game)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ppo_steps = ", "own.toml .*TOML"),
        ("ppo_step = 3", r"own.toml: .*'ppo_step'.*; did you mean ppo_steps\?$"),
        ("[clone]\nepoch = 3", "own.toml: .*'clone.epoch'.* agent, "),
        ("[guided]\nsteps = 0", "own.toml: guided.steps .*got 0$"),
        ("guided = 3", "own.toml: guided .*got 3$"),
        ("[guided]\nopponents = 'greedy'", "own.toml: guided.opponents .*got 'greedy'$"),
        ("[guided]\nopponents = [3]", r"own.toml: guided.opponents .*got \(3,\)$"),
        ("[guided]\nopponents = ['os:getcwd']", "own.toml .*'os:getcwd'"),
        ("clone = 'greedy'", "own.toml: clone .*got 'greedy'$"),
        ("[clone]\nagent = 3", "own.toml: clone.agent .*got 3$"),
        ("[clone]\nfixed_ties = 3", "own.toml: clone.fixed_ties .*got 3$"),
        ("[clone]\nopponents = 'greedy'", "own.toml: clone.opponents .*got 'greedy'$"),
        ("[clone]\nopponents = ['os:getcwd']", "own.toml .*'os:getcwd'"),
        ("[clone]\nopponent_share = 2", "own.toml: clone.opponent_share .*got 2$"),
        ("[clone]\nopponent_share = 0.5", "own.toml: clone.opponents .*opponent_share.* 0.5$"),
        ("[clone]\nbuffer = -1", "own.toml: clone.buffer .*got -1$"),
        ("shares = 3", "own.toml: shares .*got 3$"),
        ("ppo_steps = 'many'", "own.toml: ppo_steps .*got 'many'$"),
        ("num_envs = 0", "own.toml: num_envs .*got 0$"),
        ("gamma = 2", "own.toml: gamma .*got 2$"),
        ("learning_rate = 0", "own.toml: learning_rate .*got 0$"),
        ("hidden = 8", "own.toml: hidden .*got 8$"),
        ("hidden = ['wide']", "own.toml: .*hidden .*got 'wide'$"),
        ("evaluate_against = 'random'", "own.toml: evaluate_against .*got 'random'$"),
        ("evaluate_against = []", "own.toml: evaluate_against "),
        ("opponents = ['random']", "own.toml: opponents .*random"),
        ("opponents = {random = 'all'}", "own.toml: opponents.*random.*got 'all'$"),
        ('["size=6"]', "own.toml: 'size=6': .*'size'.* board_size"),
        ('"board_size=6" = 3', "own.toml: 'board_size=6' .*got 3$"),
        ("evaluate_against = ['os:getcwd']", "own.toml .*'os:getcwd'"),
    ],
)
def test_bad_files_are_refused(text, said, written, gekitai, refused):
    with refused(said):
        read_settings(written(text), gekitai)


def test_unreadable_files_are_refused(tmp_path, gekitai, refused):
    with refused("nowhere.toml .*No such file or directory$"):
        read_settings(tmp_path / "nowhere.toml", gekitai)
    with refused(f"{tmp_path} .*Is a directory$"):
        read_settings(tmp_path, gekitai)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with refused("bytes.toml .*TOML"):
        read_settings(tmp_path / "bytes.toml", gekitai)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"step": 5}, "setting 'step'"),
        ({"network": "deep"}, "network .*got 'deep'"),
        ({"precision": "half"}, "precision .*got 'half'"),
        ({"opponents": {}}, "opponents .*got {}"),
        ({"opponents": {"random": 0}}, "opponents .*got {'random': 0}"),
    ],
)
def test_bad_settings_are_refused(values, told, refused):
    with refused(told):
        settings_from(values)


def test_settings_for_reads_the_games_file():
    gekitai = boardenvs.make("gekitai")
    assert settings_for(gekitai) != Settings()
    assert settings_for(gekitai, ppo_steps=5) == replace(settings_for(gekitai), ppo_steps=5)
    assert json.loads(json.dumps(Settings().to_dict()))["hidden"] == [256, 256]
