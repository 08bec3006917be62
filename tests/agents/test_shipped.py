"""The agents that are shipped: made by the committed settings, small, and as strong as they say."""

import json

import numpy as np
import pytest

import agents
import boardenvs
from agents.trained import WEIGHTS, shipped
from agents.training.settings import settings_for

SHIPPED = [
    ("gekitai", {}),
    ("gomoku", {"board_size": 9}),
    ("game112", {}),
    ("dominoes175", {}),
]
LEAST = {
    ("gekitai", "random"): 0.99,
    ("gekitai", "greedy"): 0.75,
    ("gomoku 9", "random"): 0.995,
    ("gomoku 9", "neighbour"): 0.99,
    ("game112", "random"): 0.93,
}
"""The scores that the cards must show, draws counting half."""


@pytest.fixture(params=SHIPPED, ids=str)
def agent(request):
    """Each shipped agent."""
    name, params = request.param
    return agents.make("trained", boardenvs.make(name, **params), seed=0)


def label(game):
    """The game as `LEAST` names it."""
    return f"gomoku {game.params['board_size']}" if game.name == "gomoku" else game.name


def test_no_other_weights_lie_there():
    named = {shipped(boardenvs.make(name, **params)) for name, params in SHIPPED}
    assert named == set(WEIGHTS.glob("*.onnx"))
    assert len(named) == len(SHIPPED)
    assert {path.with_suffix(".json") for path in named} == set(WEIGHTS.glob("*.json"))


def test_small(agent):
    assert agent.path.stat().st_size <= 2_000_000


def test_made_by_the_committed_settings(agent):
    committed = json.loads(json.dumps(settings_for(agent.game).to_dict()))
    assert agent.card["settings"] == committed
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
    if game == "dominoes175":
        assert entries["alone"]["games"] >= 100_000


def test_the_card_is_replayed(agent):
    """The first games of the first match of the card, once more."""
    entry = agent.card["scores"][0]
    others = agent.game.num_players - 1
    rivals = [agents.make(entry["against"], agent.game, 0)] * others if others else []
    scores = agents.play_match(agent.game, [agent, *rivals], 100, seed=entry["seed"] + 1)
    low, high = scores.interval(0)
    # Other games of the same match: the interval holds the card's figure but for bad luck.
    assert low - 0.03 <= entry["score"] <= high + 0.03


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
        live = ~game.terminated(states)
        for player, turn in ((trained, seats), (exact, 1 - seats)):
            mine = live & (states["to_move"] == turn)
            if mine.any():
                part = states[mine]
                game.play(part, player.act(part))
                states[mine] = part
    assert game.terminated(states).all()
    results = game.returns(states)[np.arange(1000), seats]
    assert (results >= 0).all(), f"lost {(results < 0).sum()} of 1000"
