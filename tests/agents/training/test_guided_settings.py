"""Settings of search-guided self-play."""

from dataclasses import replace

import pytest

import boardenvs
from agents.training import TrainingRun
from agents.training.settings import GuidedSettings
from agents.training.settings_files import settings_from


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games .*got 0"),
        ({"simulations": 2.5}, "simulations .*got 2.5"),
        ({"opening_plies": -1}, "opening_plies .*got -1"),
        ({"warm_up": 11, "buffer": 10}, "warm_up .*0 to 10, got 11"),
        ({"full_share": 0}, "full_share .*got 0"),
        ({"full_share": 1.1}, "full_share .*got 1.1"),
        ({"value_scale": -0.1}, "value_scale .*got -0.1"),
        ({"reuse": 0.0}, "reuse .*got 0.0"),
        ({"learning_rate": "fast"}, "learning_rate .*got 'fast'"),
        ({"opponents": "greedy"}, "opponents .*got 'greedy'"),
        ({"weight_decay": float("nan")}, "weight_decay .*got nan"),
    ],
)
def test_bad_values_are_refused(change, message, refused):
    with refused(message):
        GuidedSettings(**change)


@pytest.mark.parametrize(
    ("opponents", "seated"), [((), ("random", "greedy")), (("mcts:10",), ("mcts:10",))]
)
def test_opponents_are_those_of_the_settings_or_of_the_evaluation(
    opponents, seated, tiny_settings, tmp_path
):
    guided = GuidedSettings(games=8, opponents=opponents)
    settings = replace(tiny_settings, guided=guided, evaluate_against=("random", "greedy"))
    run = TrainingRun(boardenvs.make("gekitai"), settings, seed=0, folder=tmp_path / "run")
    assert [one.spec for one in run.parts["guided"]._actors._actors[0]._games.opponents] == [
        *seated
    ]


def test_opponents_are_read_from_lists_in_a_file():
    settings = settings_from({"guided": {"opponents": ["greedy", "mcts:10"]}})
    assert settings.guided_opponents == ("greedy", "mcts:10")
    assert settings_from(settings.to_dict()) == settings
