"""The shipped agents: trained with the settings of their cards, small, as strong as stated."""

import hashlib
import re
import tomllib
from pathlib import Path

import pytest
from two_games import TWO

import agents
import boardenvs
from agents.games.gekitai.proofs.check_strategy import shipped_files
from agents.networks.card import read_card, scores_on, shipped
from agents.networks.sizes import common_params, covered_sizes, games_of_card, size_parameter
from agents.training.settings_files import settings_for, settings_from

PLACE = Path(agents.games.__file__).parent
VERSIONS = sorted(PLACE.glob("*/*.int8.onnx"))
SHIPPED = sorted({*PLACE.glob("*/*.onnx")} - {*VERSIONS})
EARLIER = {"gekitai", "gekitai-6-8"}
"""Agents that were trained with the settings of an earlier version."""


def trained_on(path):
    """Return the game or sizes that a network was trained on."""
    return games_of_card(read_card(path))


def least(path):
    """Return the required scores of a network's card, by opponent."""
    file = Path(__file__).parent / "games" / path.parent.name / "least.toml"
    floors = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert floors.keys() <= {network.stem for network in path.parent.glob("*.onnx")}
    return floors.get(path.stem, {})


@pytest.fixture(params=SHIPPED, ids=lambda path: path.stem)
def agent(request):
    """Return each shipped agent, on its smallest board."""
    game = trained_on(request.param)[0]
    return agents.make(f"trained:{request.param}", game, seed=0)


def test_every_game_has_its_shipped_agents():
    assert {path.parent.name for path in SHIPPED} == set(boardenvs.GAMES)
    for path in SHIPPED:
        games = trained_on(path)
        assert games[0].name == path.parent.name
        found = {shipped(game) for game in games}
        assert path in found  # some sizes may have their own network
        assert len(games) > 1 or found == {path}
    strategies = [path.with_suffix(".json") for path in shipped_files()]
    others = {*strategies, *PLACE.glob("**/*.openings.json")}
    cards = {*PLACE.glob("**/*.json")} - others
    assert {path.with_suffix(".json") for path in SHIPPED} == cards
    assert {*SHIPPED, *VERSIONS} == set(PLACE.glob("**/*.onnx"))


def test_shipped_networks_are_small(agent):
    assert agent.path.stat().st_size <= 2_000_000


def test_the_settings_of_the_card_are_the_committed_ones_or_earlier_ones(agent):
    # Settings that are newer than the agent had their defaults.
    settings = settings_from(agent.card["settings"])
    changed = settings != settings_for(trained_on(agent.path))
    assert changed == (agent.path.stem in EARLIER)
    words = agent.card["command"].split()
    assert words[:3] == ["boardenvs", "train", agent.game.name]
    steps = words[words.index("--steps") + 1] if "--steps" in words else settings.total_steps
    assert int(steps) == settings.total_steps


def test_searches_use_the_int8_network_if_there_is_one(agent):
    """An int8 version exists if it was measured to be useful, and searches use it."""
    entry = agent.card.get("int8", {"file": None})
    search = agents.make(f"puct:1:{agent.path}", agent.game, seed=0)
    if entry["file"] is None:
        assert search.path == agent.path
        assert agent.path.with_name(f"{agent.path.stem}.int8.onnx") not in VERSIONS
        return
    assert search.path in VERSIONS
    assert search.path.name == entry["file"] == f"{agent.path.stem}.int8.onnx"
    assert hashlib.sha256(search.path.read_bytes()).hexdigest() == entry["sha256"]
    assert search.path.stat().st_size < agent.path.stat().st_size
    assert entry["evaluations_per_second"]["times"] >= 2
    score = entry["score"]
    assert score["games"] >= 400
    assert score["score"] >= 0.48
    assert score["interval"][0] < score["score"] < score["interval"][1]


def test_the_scores_of_the_card_reach_the_required_minimum(agent):
    for against, score in least(agent.path).items():
        found = [entry for entry in agent.card["scores"] if entry["against"] == against]
        assert found
        for entry in found:  # for each size
            assert entry["games"] >= 1000
            assert entry["score"] >= score


def test_the_card_is_complete(agent):
    card, game = agent.card, agent.game
    several = trained_on(agent.path)
    if len(several) > 1:
        covered = {size_parameter(several): covered_sizes(several)}
        assert card["params"] == {**common_params(several), **covered}
    else:
        assert card["params"] == game.params
    assert card["steps"] >= 1
    assert card["seed"] >= 0
    assert not re.search(r"(^|[ =])[/~]", card["command"])  # no absolute paths
    assert card["versions"].keys() >= {
        "python",
        "boardenvs",
        "numpy",
        "numba",
        "torch",
        "stable-baselines3",
        "sb3-contrib",
    }
    assert all(version[0].isdigit() for version in card["versions"].values())
    against = {entry["against"] for entry in card["scores"]}
    assert against == set(
        card["settings"]["evaluate_against"] if game.num_players > 1 else ["alone"]
    )
    for entry in card["scores"]:
        assert entry["games"] >= 1000
        assert entry["games"] == entry["wins"] + entry["draws"] + entry["losses"]
        # A draw is shared by all seats; solo games have nothing to share.
        share = 1 / game.num_players if game.num_players > 1 else 0
        points = entry["wins"] + entry["draws"] * share
        assert entry["score"] == pytest.approx(points / entry["games"], abs=1e-4)
        low, high = entry["interval"]
        assert 0 <= low <= entry["score"] <= high <= 1
        assert high - low < 0.1


def test_the_checksum_of_the_card_is_that_of_the_file(agent):
    assert hashlib.sha256(agent.path.read_bytes()).hexdigest() == agent.card["sha256"]


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param(path, marks=[] if path.stem in TWO else pytest.mark.slow, id=path.stem)
        for path in SHIPPED
    ],
    indirect=True,
)
def test_the_scores_of_the_card_can_be_reproduced(agent):
    """Fewer games reproduce the card's scores; by chance, one in 10,000 agents fails."""
    others = agent.game.num_players - 1
    for entry in scores_on(agent.card, agent.game):
        games = min(entry["games"], 100 if others else 10_000)
        players = [agent, *[entry["against"]] * others]
        again = agents.play_match(agent.game, players, games, entry["seed"])
        # Games with draws have less variance. One in a hundred keeps the variance above 0.
        share = min(max(entry["score"], 0.01), 0.99)
        assert abs(again[0] - entry["score"]) < 4 * (share * (1 - share) / games) ** 0.5
