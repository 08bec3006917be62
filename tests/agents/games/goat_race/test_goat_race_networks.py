"""The shipped networks for Goat Race, one for each number of players."""

import pytest

import agents
import boardenvs
from agents.networks.card import shipped


@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_network_serves_both_values_of_memory(players):
    game = boardenvs.make("goat_race", num_players=players)
    assert shipped(game).name == f"goat_race-{players}.onnx"
    assert agents.make("trained", game).network.observed_game.params["memory"]


@pytest.mark.parametrize("players", [3, 4])
def test_networks_win_more_than_twice_their_share_against_random(players):
    agent = agents.make("trained", boardenvs.make("goat_race", num_players=players))
    entries = {entry["against"]: entry for entry in agent.card["scores"]}
    assert entries["random"]["wins"] >= 2.2 / players * entries["random"]["games"]
