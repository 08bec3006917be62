"""The shipped network for the 112 game, against perfect play."""

import numpy as np

import agents
import boardenvs


def test_112_never_loses_to_perfect_play():
    """The network keeps the tie in every tied opening of up to four random plies."""
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
    seats = np.arange(1000) % 2  # seats of the trained agent
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
