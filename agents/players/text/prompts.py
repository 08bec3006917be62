"""Prompts of text players."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardenvs.game import Game

__all__ = ["PROMPT_VERSION", "opening", "request", "turn"]

PROMPT_VERSION = 2
"""Version of prompts, and of the rules by which moves are found in answers."""


def opening(game: Game, seat: int) -> str:
    """Return the constant part of a game's prompts: the seat, the rules and how to answer."""
    rules = "\n".join(game.presentation.rules_in_short())
    return (
        f"You play {game.name.replace('_', ' ')} as {game.seat_names[seat]}.\n\n"
        f"Rules:\n{rules}\n\n"
        'Write your move on a separate line after "Move:". Text before the last "Move:" is '
        "ignored.\n"
    )


def turn(game: Game, state: np.void, *, list_moves: bool = False) -> str:
    """Return a prompt's part for one move: the position as the seat knows it, and the question.

    Args:
        game: the game.
        state: a position that is not over.
        list_moves: whether to list the legal moves.
    """
    turn_line = game.presentation.turn_line(state)
    parts = [f"The position:\n\n{game.to_text(state)}" + (f"{turn_line}\n" if turn_line else "")]
    if list_moves:
        legal = np.flatnonzero(game.legal(state)[0])
        moves = [game.action_to_text(int(action), state) for action in legal]
        parts.append(f"Legal moves: {'; '.join(moves)}\n")
    answer = game.presentation.what_to_type(state)
    parts.append(f'It is your turn. After "Move:", write {answer}.\n')
    return "\n".join(parts)


def request(
    game: Game, state: np.void, refused: Sequence[str] = (), *, list_moves: bool = False
) -> str:
    """Return the whole prompt for one move, with only the knowledge of the seat to move.

    Args:
        game: the game.
        state: a position that is not over.
        refused: the errors of the answers so far.
        list_moves: whether to list the legal moves.
    """
    parts = [opening(game, int(state["to_move"])), turn(game, state, list_moves=list_moves)]
    if refused:
        refusals = "\n".join(refused)
        parts.append(f"Your answers so far were refused:\n{refusals}\n\nAnswer again.\n")
    return "\n".join(parts)
