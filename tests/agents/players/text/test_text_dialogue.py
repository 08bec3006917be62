"""A game as a conversation."""

import re

import numpy as np
import pytest

import boardenvs
from agents.players.text.dialogue import Dialogue
from boardenvs.core.chance import make_streams, one_way, seed_word
from boardenvs.episode import Episode


def first(message):
    """Return the first move that a message lists."""
    return re.search("^Legal moves: (.*)$", message, re.MULTILINE)[1].split("; ")[0]


def played(dialogue, answer=first):
    """Answer a game to its end and return all messages."""
    told = []
    while not dialogue.over:
        told.append(dialogue.message)
        dialogue.answer(answer(dialogue.message))
    assert dialogue.message == ""
    return told


def test_a_dialogue_is_played_to_its_end(name):
    game = boardenvs.make(name)
    for seat in range(game.num_players):
        dialogue = Dialogue(game, "random", seat, 3, list_moves=True)
        told = played(dialogue)
        again = Dialogue(game, "random", seat, 3, list_moves=True)
        assert played(again) == told
        assert again.result == dialogue.result
        assert (dialogue.wrong, dialogue.forfeited) == (0, False)
        assert dialogue.plies >= len(told)
        assert "\n".join(game.presentation.rules_in_short()) in told[0]
        assert not any(game.presentation.rules_in_short()[0] in message for message in told[1:])


def test_greedy_plays_in_a_dialogue_as_in_an_episode():
    game = boardenvs.make("gekitai")
    dialogue = Dialogue(game, "greedy", 1, 5, list_moves=True)
    assert dialogue.message.count("Player X played ") == 1
    played(dialogue)
    assert dialogue.result == -1


def test_answers_with_the_wanted_order_win():
    """Ordering exactly what the customer wants wins the dialogue of the pizza order."""
    game = boardenvs.make("pizza_order")
    for seed in range(5):
        word = make_streams(seed_word(seed), 1)
        dialogue = Dialogue(game, seed=seed)
        start = game.arrays.new(word)[0]
        for action in Episode.play(game, ["greedy"], state=start).actions:
            dialogue.answer(f"Move: {game.action_to_text(action)}")
        assert dialogue.over
        assert dialogue.result == 1
        assert dialogue.wrong == 0


def test_wrong_answers_lead_to_a_forfeit():
    game = boardenvs.make("game112")
    dialogue = Dialogue(game, tries=2)
    dialogue.answer("10 1")
    assert "refused: 10 1: " in dialogue.message
    dialogue.answer("5 1")
    assert re.search(r"^Player 2 played \d [12]\.\n\nThe position:", dialogue.message)
    dialogue.answer("5 1")
    assert "refused: 5 1 is not legal here" in dialogue.message
    assert not dialogue.over
    dialogue.answer("so\nwhat")
    assert dialogue.over
    assert dialogue.forfeited
    assert (dialogue.wrong, dialogue.result, dialogue.message) == (3, -1, "")
    with pytest.raises(ValueError, match="game is over"):
        dialogue.answer("1 1")


def test_messages_contain_no_hidden_information(monkeypatch):
    """Messages use only what `conceal` leaves."""
    game = boardenvs.make("goat_race")
    shown = []
    real = type(game).to_text
    monkeypatch.setattr(
        type(game), "to_text", lambda self, state: shown.append(state.copy()) or real(self, state)
    )
    dialogue = Dialogue(game, seat=1, seed=2)
    word = make_streams(seed_word(2), 1)
    assert shown[0]["rng"] != dialogue._states["rng"][0]
    assert not np.array_equal(word, one_way(word, "players"))


def test_text_players_take_every_seat(name):
    """Each seat reads the rules once, and then the moves of the others."""
    game = boardenvs.make(name)
    dialogue = Dialogue(game, seat="all", seed=4, list_moves=True)
    told = [[] for _ in range(game.num_players)]
    moves = []
    while not dialogue.over:
        seat = dialogue.seat
        assert seat == dialogue._states["to_move"][0]
        told[seat].append(dialogue.message)
        moves.append((seat, first(dialogue.message)))
        dialogue.answer(moves[-1][1])
    rules = "\n".join(game.presentation.rules_in_short())
    for seat, messages in enumerate(told):
        assert rules in messages[0]
        assert game.seat_names[seat] in messages[0].splitlines()[0]
        assert not any(rules in message for message in messages[1:])
    if not game.has_hidden and game.num_players > 1:
        for seat, messages in enumerate(told):
            read = re.findall(r"^(.*) played (.*)\.$", "".join(messages), re.MULTILINE)
            last = max(ply for ply, (one, _) in enumerate(moves) if one == seat)
            before = [(game.seat_names[one], move) for one, move in moves[:last] if one != seat]
            assert read == before
    assert dialogue.results == game.returns(dialogue._states)[0].tolist()
    assert len(dialogue.results) == game.num_players


def test_the_other_seats_win_a_forfeit():
    dialogue = Dialogue(boardenvs.make("goat_race"), seat="all", tries=1)
    dialogue.answer("1")
    assert dialogue.results == [0, 0, 0]
    loser = dialogue.seat
    dialogue.answer("pass")
    assert dialogue.result == -1
    assert dialogue.results == [-1 if seat == loser else 0.5 for seat in range(3)]


def test_bad_arguments_are_refused():
    game = boardenvs.make("game112")
    for arguments, message in (
        ({"seat": 2}, "^seat .*got 2"),
        ({"seat": "both"}, "^seat .*got 'both'"),
        ({"seed": -1}, "^seed .*got -1"),
        ({"tries": 0}, "^tries .*got 0"),
        ({"list_moves": 1}, "^list_moves .*got 1"),
        ({"opponent": "nobody"}, "agent 'nobody'"),
        ({"opponent": "mine:factory"}, "mine:factory"),
    ):
        with pytest.raises(ValueError, match=message):
            Dialogue(game, **arguments)
