"""The move that lost a game."""

import pytest

import boardenvs
from agents import make
from agents.analysis.losing_move import LossJudge, loss_line, remarks
from boardenvs.episode import Episode


def played(name, moves, **params):
    """Return the episode of a game with the moves given as text."""
    game = boardenvs.make(name, **params)
    states = game.new(1, 0)
    start = states.copy()
    actions = []
    for move in moves:
        actions.append(game.action_from_text(move, states[0]))
        game.play(states, actions[-1:], illegal="raise")
    return Episode(game, start, actions)


def lost(name, moves):
    """Return the line about the losing move, and the remarks on its page."""
    episode = played(name, moves)
    loss = LossJudge(episode.game).loss(episode)
    told = loss_line(episode, loss)
    return told, remarks(episode, loss)


@pytest.mark.parametrize(
    ("name", "moves", "told", "remark"),
    [
        # Nine positions are a draw. Writing 1 beside a 1 lets the opponent end with 2.
        (
            "game112",
            ["1 1", "2 1", "3 2"],
            "Player 2 lost by move 2, 2 1: the position before it was drawn.",
            {2: "This move lost a game that was a draw."},
        ),
        ("gekitai", ["C3", "A1"], "Nobody has lost.", {}),
    ],
)
def test_the_losing_move_is_the_last_move_with_a_better_alternative(name, moves, told, remark):
    assert lost(name, moves) == (told, remark)


@pytest.mark.slow
def test_a_game_lost_from_the_start_has_no_losing_move(gekitai):
    # The stored strategy against the reply that lasts longest.
    episode = Episode.play(gekitai, ["exact", "exact"], seed=1)
    loss = LossJudge(gekitai).loss(episode)
    told = "Player O had lost from the start."
    assert loss_line(episode, loss) == told
    assert remarks(episode, loss) == {0: told}


def test_a_win_given_away_is_found():
    moves = ["C3", "F2", "B6", "D3", "D4", "C2", "E3", "B4", "A4", "C5", "D3", "C6", "D6", "A2"]
    told = "Player X lost by move 9, A4: the position before it was won."
    assert lost("gekitai", moves) == (told, {9: "This move gave the win away."})
    # The value is unknown after the first player left the stored strategy early.
    moves = ["B3", "D1", "F6", "C3", "A1", "E4", "C6", "B3", "C3", "E2"]
    told = "Player X lost by move 5, A1: the result before it is unknown."
    remark = "This move lost the game; the result before it is unknown."
    assert lost("gekitai", moves) == (told, {5: remark})


def test_a_loss_found_after_a_winning_move_names_that_move(gekitai):
    """With a small budget, the judge can first settle the position after a move of X."""
    moves = ["C3", "F2", "B6", "D3", "D4", "C2", "E3", "B4", "A4", "C5", "D3", "C6", "D6", "A2"]
    episode = played("gekitai", moves)
    judge = LossJudge(gekitai)
    judge._exact = make("exact", gekitai, 0, budget=2)
    loss = judge.loss(episode)
    assert (loss.loser, loss.mover, loss.before) == (0, 1, "not settled")
    move = f"move {loss.move}, {moves[loss.move - 1]}"
    told = f"Player X had lost when {move} was played; the result before it is unknown."
    assert loss_line(episode, loss) == told
    assert remarks(episode, loss) == {
        loss.move: "Player X had lost when this move was played; the result before it is unknown."
    }


def test_games_not_for_two_players_are_refused(refused):
    with refused("game must be .*goat_race.* 3"):
        LossJudge(boardenvs.make("goat_race"))


def test_games_with_chance_are_refused(refused):
    with refused("agent 'exact' .*goat_race.*chance"):
        LossJudge(boardenvs.make("goat_race", num_players=2))
