"""By which move a game was lost."""

import pytest

import boardenvs
from agents.losing_move import where_lost
from boardenvs.episode import Episode


def lost(name, moves, **params):
    """What is said of a game, by its moves as text."""
    game = boardenvs.make(name, **params)
    states = game.new(1, 0)
    start = states.copy()
    actions = []
    for move in moves:
        actions.append(game.action_from_text(move, states[0]))
        game.play(states, actions[-1:], illegal="raise")
    return where_lost(Episode(game, start, actions))


@pytest.mark.parametrize(
    ("name", "moves", "told"),
    [
        # Nine places are a draw: who writes 1 beside a 1 lets the other end with 2.
        ("game112", ["1 1", "2 1", "3 2"], "Player 2 lost by move 2, 2 1: a draw before it."),
        ("gekitai", ["C3", "A1"], "Nobody has lost."),
    ],
)
def test_it_is_the_last_that_could_have_been_better(name, moves, told):
    assert lost(name, moves) == told


@pytest.mark.slow
def test_a_game_that_is_lost_from_the_start(gekitai):
    # By the strategy, against the reply that lasts longest.
    episode = Episode.play(gekitai, ["exact", "exact"], seed=1)
    assert where_lost(episode) == "Player O had lost from the start."


def test_a_win_given_away():
    moves = ["C3", "F2", "B6", "D3", "D4", "C2", "E3", "B4", "A4", "C5", "D3", "C6", "D6", "A2"]
    assert lost("gekitai", moves) == "Player X lost by move 9, A4: won before it."
    # Which nobody can tell of a first player who has strayed from the strategy early.
    moves = ["B3", "D1", "F6", "C3", "A1", "E4", "C6", "B3", "C3", "E2"]
    told = "Player X lost by move 5, A1: before it that is not settled."
    assert lost("gekitai", moves) == told


def test_a_game_with_chance_is_refused(refused):
    with refused("agent 'exact' cannot play goat_race, which has chance"):
        where_lost(Episode.play(boardenvs.make("goat_race"), ["random"] * 3, seed=1))
