"""Settings of games, and the files they lie in."""

import json
import tomllib
from dataclasses import replace

import pytest

import boardenvs
from agents.training import settings as settings_module
from agents.training.cloning import CloningSettings
from agents.training.guided_settings import GuidedSettings
from agents.training.settings import GAMES, Settings, settings_for, settings_from


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_value_that_differs_has_its_sentence(path):
    game = boardenvs.make(path.stem)
    lines = path.read_text(encoding="utf-8").splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line and not line.startswith(("#", "[")):
            assert above.startswith("# "), f"{path.name}: nothing is said of {line!r}"
            assert above.endswith((".", ";")) or len(above) > 20
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for condition in (key for key in tables if "=" in key):
        assert condition.partition("=")[0] in game.params
        settings_from(tables[condition])
    for settings in (tables, *(tables[key] for key in tables if "=" in key)):
        for name, default in (
            ("", Settings()),
            ("clone", CloningSettings()),
            ("guided", GuidedSettings()),
        ):
            for key, value in (settings.get(name, {}) if name else settings).items():
                if "=" not in key and key not in ("clone", "guided"):
                    given = getattr(default, key)
                    given = list(given) if isinstance(given, tuple) else given
                    assert given != value, f"{path.name}: {name} {key} is the default"


def test_settings_for_parameters(tmp_path, monkeypatch, gekitai):
    monkeypatch.setattr(settings_module, "GAMES", tmp_path)
    assert settings_for(gekitai) == Settings()
    (tmp_path / "gekitai.toml").write_text('steps = 7\nhidden = [8]\n["board_size=7"]\nsteps = 9\n')
    assert settings_for(gekitai) == replace(Settings(), steps=7, hidden=(8,))
    seven = boardenvs.make("gekitai", board_size=7)
    assert settings_for(seven) == replace(Settings(), steps=9, hidden=(8,))
    assert settings_for(seven, steps=3).steps == 3
    (tmp_path / "gekitai.toml").write_text(
        '[clone]\nsteps = 7\nepochs = 3\n["board_size=7".clone]\nsteps = 9\n'
    )
    assert settings_for(gekitai).clone == CloningSettings(steps=7, epochs=3)
    assert settings_for(seven).clone == CloningSettings(steps=9, epochs=3)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"step": 5}, "there is no setting 'step'"),
        ({"network": "deep"}, "network must be plain or convolutional, got 'deep'"),
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
    assert settings_for(gekitai, steps=5) == replace(settings_for(gekitai), steps=5)
    assert json.loads(json.dumps(Settings().to_dict()))["hidden"] == [256, 256]
