"""The agents that are shipped: made by the committed settings, small, and as strong as they say."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents.trained import shipped
from agents.training.settings import settings_for, settings_from

SHIPPED = [
    ("gekitai", {}),
    ("gomoku", {"board_size": 9}),
    ("gomoku", {"board_size": 15}),
    ("game112", {}),
    ("goat_race", {"num_players": 2, "memory": True}),
    ("goat_race", {"num_players": 3, "memory": True}),
    ("goat_race", {"num_players": 4, "memory": True}),
    ("dominoes175", {}),
    ("pizza_order", {}),
]
LEAST = {
    ("gekitai", "random"): 0.99,
    ("gekitai", "greedy"): 0.75,
    ("gomoku 9", "random"): 0.995,
    ("gomoku 9", "neighbour"): 0.99,
    ("gomoku 15", "random"): 0.99,
    ("gomoku 15", "neighbour"): 0.99,
    ("game112", "random"): 0.93,
    ("goat_race 2", "random"): 0.80,
    ("goat_race 2", "greedy"): 0.52,
    ("pizza_order", "alone"): 0.98,
}
"""The scores that the cards must show, draws counting half."""


@pytest.fixture(params=SHIPPED, ids=str)
def agent(request):
    """Each shipped agent."""
    name, params = request.param
    return agents.make("trained", boardenvs.make(name, **params), seed=0)


def label(game):
    """The game as `LEAST` names it."""
    several = {"gomoku": "board_size", "goat_race": "num_players"}.get(game.name)
    return f"{game.name} {game.params[several]}" if several else game.name


def test_no_other_weights_lie_there():
    named = {shipped(boardenvs.make(name, **params)) for name, params in SHIPPED}
    games = Path(agents.games.__file__).parent
    assert named == set(games.glob("**/*.onnx"))
    assert len(named) == len(SHIPPED)
    assert {network.with_suffix(".json") for network in named} == set(games.glob("**/*.json"))


def test_goat_race_with_and_without_memory_have_the_same():
    for players in (2, 3, 4):
        game = boardenvs.make("goat_race", num_players=players)
        assert shipped(game).name == f"goat_race-{players}.onnx"
        assert agents.make("trained", game).observed_game.params["memory"]


def test_small(agent):
    assert agent.path.stat().st_size <= 2_000_000


def test_made_by_the_committed_settings(agent):
    # A setting that came later than the agent was at its default.
    assert settings_from(agent.card["settings"]) == settings_for(agent.game)
    words = agent.card["command"].split()
    assert words[:3] == ["boardenvs", "train", agent.game.name]
    assert "--steps" not in words or int(words[words.index("--steps") + 1]) == (
        settings_for(agent.game).total_steps
    )


def test_the_scores_of_the_card(agent):
    entries = {entry["against"]: entry for entry in agent.card["scores"]}
    game = label(agent.game)
    for (name, against), least in LEAST.items():
        if name == game:
            assert entries[against]["games"] >= 1000
            assert entries[against]["score"] >= least
    if game in ("goat_race 3", "goat_race 4"):
        share = 1 / agent.game.num_players
        assert entries["random"]["wins"] >= 2.2 * share * entries["random"]["games"]
    if game == "dominoes175":
        assert entries["alone"]["games"] >= 100_000


def test_the_card_is_complete(agent):
    card, game = agent.card, agent.game
    assert card["params"] == game.params
    assert card["steps"] >= 1
    assert card["seed"] >= 0
    assert not re.search(r"(^|[ =])[/~]", card["command"])  # no folder of one machine
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
        # A draw is shared by all seats; alone, there is nothing to share.
        share = 1 / game.num_players if game.num_players > 1 else 0
        points = entry["wins"] + entry["draws"] * share
        assert entry["score"] == pytest.approx(points / entry["games"], abs=1e-4)
        low, high = entry["interval"]
        assert 0 <= low <= entry["score"] <= high <= 1
        assert high - low < 0.1


def test_its_checksum(agent):
    assert hashlib.sha256(agent.path.read_bytes()).hexdigest() == agent.card["sha256"]


def test_the_scores_of_the_card_come_out_again(agent):
    """In fewer games: a score as far off as this has one chance in ten thousand."""
    others = agent.game.num_players - 1
    for entry in agent.card["scores"]:
        games = min(entry["games"], 300 if others else 20_000)
        players = [agent, *[entry["against"]] * others]
        again = agents.play_match(agent.game, players, games, entry["seed"])
        # Of a game with draws the spread is smaller; one in a hundred keeps it off 0.
        share = min(max(entry["score"], 0.01), 0.99)
        assert abs(again[0] - entry["score"]) < 4 * (share * (1 - share) / games) ** 0.5


def test_112_never_loses_to_perfect_play():
    """From every opening of up to four random plies that is still a tie."""
    game = boardenvs.make("game112")
    rng = np.random.default_rng(0)
    trained, exact = agents.make("trained", game, 0), agents.make("exact", game, 0)
    openings = []
    while sum(len(part) for part in openings) < 1000:
        states = game.new(500, 0)
        plies = rng.integers(0, 5, len(states))
        for ply in range(4):
            live = ~game.terminated(states) & (plies > ply)
            part = states[live]
            game.play(
                part, np.argmax(rng.random((len(part), game.num_actions)) * game.legal(part), 1)
            )
            states[live] = part
        states = states[~game.terminated(states)]
        openings.append(states[(exact.values(states) == 0).all(1)])
    states = np.concatenate(openings)[:1000]
    seats = np.arange(1000) % 2  # the trained agent's
    for _ in range(game.max_plies):
        for player, turn in ((trained, seats), (exact, 1 - seats)):
            mine = ~game.terminated(states) & (states["to_move"] == turn)
            if mine.any():
                part = states[mine]
                game.play(part, player.act(part))
                states[mine] = part
    assert game.terminated(states).all()
    results = game.returns(states)[np.arange(1000), seats]
    assert (results >= 0).all(), f"lost {(results < 0).sum()} of 1000"
