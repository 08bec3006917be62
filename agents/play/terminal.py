"""A person's game in a terminal."""

from __future__ import annotations

import numpy as np

from agents.agent import blamed
from agents.play.person import result_line, typed_move
from agents.play.setup import Setup
from boardenvs.game import Game
from boardenvs.opponents import ask

__all__ = ["play"]


def play(game: Game, opponent: str, seat: int, seed: int | None) -> None:
    """A person at the keyboard against an agent in every other seat.

    Moves are typed in the game's notation; `q` or the end of input leaves the game.

    Raises:
        ValueError: there is no such opponent or seat, or it cannot play the game.
    """
    setup = Setup(game, opponent, seat, seed)
    deal = setup.deal(0)
    states, words = deal.start, deal.opponents
    print(game.to_text(states[0]), end="")
    while not game.over(states)[0]:
        turn = int(states["to_move"][0])
        prompt = f"{game.seat_names[turn]}'s turn: "
        if turn == setup.seat:
            if aside := game.aside(states[0]):
                print(aside)
            action = _typed(game, states, prompt)
            if action is None:
                print("Game left.")
                return
        else:
            with blamed(f"agent {opponent}"):
                action = int(ask(setup.agent, game, states, words)[0])
            print(f"{prompt}{game.action_to_text(action, states[0])}")
        game.play(states, [action])
        over = game.over(states)[0]
        print(("Game over:\n" if over else "") + game.to_text(states[0]), end="")
    print(result_line(game, states[0]))


def _typed(game: Game, states: np.ndarray, prompt: str) -> int | None:
    """A legal action from the keyboard; `None` if the person leaves."""
    while True:
        try:
            text = input(prompt)
        except EOFError:
            print()
            return None
        if text.strip().lower() == "q":
            return None
        try:
            return typed_move(game, states[0], text)
        except ValueError as error:
            print(f"Invalid move! {error}")
