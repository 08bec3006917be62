"""Prompts of text agents."""

import numpy as np

import boardenvs
from agents.players.text.prompts import request


def test_a_prompt_contains_position_turn_and_format(name, random_positions):
    game = boardenvs.make(name)
    states = random_positions(game, 8, 2)
    for state in states[~game.over(states)][::10]:
        told = request(game, state, list_moves=True)
        assert game.to_text(state) in told
        assert game.presentation.turn_line(state) in told
        assert game.presentation.what_to_type(state) in told
        assert f"as {game.seat_names[state['to_move']]}." in told
        assert all(rule in told for rule in game.presentation.rules_in_short())
        (moves,) = [line for line in told.splitlines() if line.startswith("Legal moves: ")]
        actions = [
            game.action_from_text(text, state)
            for text in moves.removeprefix("Legal moves: ").split("; ")
        ]
        assert actions == np.flatnonzero(game.legal(game.arrays.batch(state))[0]).tolist()
        assert "Legal moves" not in request(game, state)


def test_a_prompt_lists_the_errors_of_refused_answers():
    game = boardenvs.make("game112")
    told = request(game, game.new(1, 0)[0], ["x is no move", "it was empty"])
    assert "refused:\nx is no move\nit was empty\n" in told


def test_a_prompt_contains_no_hidden_information(name, random_positions):
    """Resampling hidden information does not change the prompt."""
    game = boardenvs.make(name)
    states = random_positions(game, 32, 3)
    states = states[~game.over(states)]
    states = states[:: len(states) // 20]
    rng = np.random.default_rng(0)
    for _ in range(3):
        others = game.conceal(states, states["to_move"], rng)
        assert others.tobytes() != states.tobytes()
        for state, other in zip(states, others, strict=True):
            assert request(game, state, list_moves=True) == request(game, other, list_moves=True)


def test_a_prompt_does_not_show_face_down_tiles():
    game = boardenvs.make("dominoes175")
    told = request(game, game.new(1, 5)[0])
    assert told.count("[?|?]") == 28
