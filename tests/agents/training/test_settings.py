"""Settings of games, and the files they lie in."""

import json
import tomllib
from dataclasses import replace

import pytest

import boardenvs
from agents import games
from agents.training.settings import (
    CloningSettings,
    GuidedSettings,
    Settings,
    read_settings,
    settings_for,
    settings_from,
)


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_every_value_that_differs_has_its_sentence(name):
    game = boardenvs.make(name)
    (path,) = games.files(game, "training.toml")
    lines = path.read_text(encoding="utf-8").splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line and not line.startswith(("#", "[")):
            assert above.startswith("# "), f"{name}: nothing is said of {line!r}"
            assert above.endswith((".", ";", ",")) or len(above) > 20
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
                    assert given != value, f"{name}: {part} {key} is the default"


@pytest.fixture
def written(tmp_path):
    """The function that writes a file of settings."""

    def write(text):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_settings_for_parameters(written, gekitai):
    path = written('ppo_steps = 7\nhidden = [8]\n["board_size=7"]\nppo_steps = 9\n')
    assert read_settings(path, gekitai) == replace(Settings(), ppo_steps=7, hidden=(8,))
    seven = boardenvs.make("gekitai", board_size=7)
    assert read_settings(path, seven) == replace(Settings(), ppo_steps=9, hidden=(8,))
    assert read_settings(path, seven, ppo_steps=3).ppo_steps == 3
    path = written('[clone]\nsteps = 7\nepochs = 3\n["board_size=7".clone]\nsteps = 9\n')
    assert read_settings(path, gekitai).clone == CloningSettings(steps=7, epochs=3)
    assert read_settings(path, seven).clone == CloningSettings(steps=9, epochs=3)


def test_of_two_conditions_the_last_counts(written, gekitai):
    path = written('["board_size=6"]\nppo_steps = 5\n["pieces=8"]\nppo_steps = 6\n')
    assert read_settings(path, gekitai).ppo_steps == 6


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_a_copy_of_the_games_own_file_is_the_same(name, tmp_path):
    game = boardenvs.make(name)
    (path,) = games.files(game, "training.toml")
    copy = tmp_path / "copy.toml"
    copy.write_bytes(path.read_bytes())
    assert read_settings(copy, game) == settings_for(game) == read_settings(path, game)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ppo_steps = ", "own.toml is no TOML: "),
        (
            "ppo_step = 3",
            r"there is no setting 'ppo_step'; there are .*; did you mean ppo_steps\?$",
        ),
        ("[clone]\nepoch = 3", "own.toml: there is no setting clone.'epoch'; there are agent, "),
        ("[guided]\nsteps = 0", "own.toml: guided.steps must be a whole number of at least 1"),
        ("guided = 3", "own.toml: guided must be a table, got 3$"),
        ("[guided]\nopponents = 'greedy'", "own.toml: guided.opponents must be a list of agents'"),
        ("[guided]\nopponents = [3]", "own.toml: guided.opponents must be a list of agents'"),
        ("[guided]\nopponents = ['os:getcwd']", "own.toml names 'os:getcwd', which runs code"),
        ("clone = 'greedy'", "own.toml: clone must be a table, got 'greedy'$"),
        ("[clone]\nagent = 3", "own.toml: clone.agent must be an agent's spec, got 3$"),
        ("[clone]\nfixed_ties = 3", "own.toml: clone.fixed_ties must be true or false, got 3$"),
        ("[clone]\nopponents = 'greedy'", "own.toml: clone.opponents must be a list of agents'"),
        ("[clone]\nopponents = ['os:getcwd']", "own.toml names 'os:getcwd', which runs code"),
        ("[clone]\nopponent_share = 2", "own.toml: clone.opponent_share must be from 0 to 1"),
        ("[clone]\nopponent_share = 0.5", "own.toml: clone.opponents must name an agent where"),
        ("[clone]\nbuffer = -1", "own.toml: clone.buffer must be a whole number of at least 0"),
        ("shares = 3", "own.toml: shares must be a table of sizes, got 3$"),
        (
            "ppo_steps = 'many'",
            "ppo_steps must be a whole number of at least 0, got 'many'$",
        ),
        ("num_envs = 0", "own.toml: num_envs must be a whole number of at least 1, got 0$"),
        ("gamma = 2", "own.toml: gamma must be a number from 0 to 1, got 2$"),
        ("learning_rate = 0", "own.toml: learning_rate must be above 0"),
        ("hidden = 8", "own.toml: hidden must be a list of widths, got 8$"),
        ("hidden = ['wide']", "own.toml: hidden's width must be a whole number"),
        ("evaluate_against = 'random'", "own.toml: evaluate_against must be a list of agents'"),
        ("evaluate_against = []", "own.toml: evaluate_against must name an agent$"),
        ("opponents = ['random']", "own.toml: opponents must be a table of shares"),
        ("opponents = {random = 'all'}", "own.toml: random's share must be a number"),
        ('["size=6"]', "own.toml: 'size=6': gekitai has no parameter 'size'; its parameters are "),
        ('"board_size=6" = 3', "own.toml: 'board_size=6' must be a table, got 3$"),
        ("evaluate_against = ['os:getcwd']", "own.toml names 'os:getcwd', which runs code of your"),
    ],
)
def test_a_bad_file(text, said, written, gekitai, refused):
    with refused(said):
        read_settings(written(text), gekitai)


def test_no_file(tmp_path, gekitai, refused):
    with refused("nowhere.toml cannot be read: No such file or directory$"):
        read_settings(tmp_path / "nowhere.toml", gekitai)
    with refused(f"{tmp_path} cannot be read: Is a directory$"):
        read_settings(tmp_path, gekitai)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with refused("bytes.toml is no TOML: "):
        read_settings(tmp_path / "bytes.toml", gekitai)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"step": 5}, "there is no setting 'step'"),
        ({"network": "deep"}, "network must be plain or convolutional, got 'deep'"),
        ({"precision": "half"}, "precision must be auto, float32 or bfloat16, got 'half'"),
        ({"opponents": {}}, "opponents must have shares above 0"),
        ({"opponents": {"random": 0}}, "opponents must have shares above 0"),
    ],
)
def test_bad_settings(values, told, refused):
    with refused(told):
        settings_from(values)


def test_settings_of_games():
    gekitai = boardenvs.make("gekitai")
    assert settings_for(gekitai) != Settings()
    assert settings_for(gekitai, ppo_steps=5) == replace(settings_for(gekitai), ppo_steps=5)
    assert json.loads(json.dumps(Settings().to_dict()))["hidden"] == [256, 256]
