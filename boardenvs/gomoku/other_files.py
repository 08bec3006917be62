"""Conversion between episodes of Gomoku and the formats of `.psq` and `.sgf`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boardenvs.episode import Episode
    from boardenvs.game import Game

__all__ = ["decoded", "episode_of", "exact_of", "kept_moves", "rule_of", "winner_of"]

_RULES = {"0": False, "freestyle": False, "1": True, "standard": True}
"""Value of `exact` for each number and name of Gomocup's rules."""
_HOME = f"{__package__}.rules"


def decoded(data: bytes, charset: str | None = None) -> str:
    """Return the text of a file, with all its characters.

    Args:
        data: content of the file.
        charset: character set that the file declares. Without one, the text is UTF-8, or
            ISO-8859-1, the default of SGF, if it is not valid UTF-8.

    Raises:
        ValueError: if the data do not fit the declared character set.
    """
    try:
        return data.decode(charset or "utf-8-sig")
    except UnicodeError as error:
        if charset is None:
            return data.decode("iso-8859-1")
        raise ValueError(f"CA must be the file's character set, got {charset}: {error}") from error


def exact_of(rule: str, game: Game | None) -> bool | None:
    """Return the value of `exact` for a rule: whether only exactly five stones win.

    Args:
        rule: the rule of a file.
        game: expected game, whose rule replaces a rule that is not supported.

    Returns:
        `None` if the rule is not supported and there is an expected game.

    Raises:
        ValueError: if the rule is not supported and there is no expected game.
    """
    exact = _RULES.get(rule.strip().lower())
    if exact is None and game is None:
        raise ValueError(
            "the rule must be 0 (freestyle, exact=False) or 1 (standard, exact=True), "
            f"got {rule!r}; pass `game`, or --param to the command, to use its rule"
        )
    return exact


def rule_of(game: Game) -> str:
    """Return the name of a game's rule."""
    return "standard" if game.params["exact"] else "freestyle"


def episode_of(
    side: int,
    exact: bool | None,
    cells: Sequence[int],
    players: Sequence[str] | None,
    game: Game | None,
) -> Episode:
    """Return the episode of a game that was read from a file.

    Args:
        side: number of rows and columns of the board.
        exact: whether only exactly five stones win; `None` if the file has no rule.
        cells: cells of the stones in the order of play, black first.
        players: names of black and white; `None` for the defaults of `Episode`.
        game: expected game; `None` for the game of the file, with the rule freestyle if the file
            has no rule.

    Raises:
        ValueError: if the board or the rule differs from `game`, or a move is invalid.
    """
    from boardenvs.episode import Episode
    from boardenvs.registration import make

    if game is None:
        game = make("gomoku", board_size=side, exact=bool(exact))
    _check_kind(game)
    size, wanted = game.params["board_size"], game.params["exact"]
    if side != size:
        raise ValueError(f"the board must be {size} by {size}, got {side} by {side}")
    if exact is not None and exact != wanted:
        raise ValueError(f"the rule must be {rule_of(game)} (exact={wanted}), got exact={exact}")
    taken = set()
    for number, cell in enumerate(cells, 1):
        if cell in taken:
            where = game.action_to_text(cell)
            raise ValueError(f"move {number} is on {where}, where there is a stone already")
        taken.add(cell)
    try:
        return Episode(game, game.new(1, 0), list(cells), players)
    except ValueError as error:
        raise ValueError(f"by the rule {rule_of(game)} (exact={wanted}), {error}") from None


def kept_moves(episode: Episode) -> list[int]:
    """Return the moves to write to a file: all moves except an illegal last one.

    Raises:
        ValueError: if the episode is not a game of lines of five from an empty board.
    """
    _check_kind(episode.game)
    states = episode.states()
    if states["ply"][0]:
        raise ValueError(f"the game must begin on an empty board, got one after {states['ply'][0]}")
    return episode.actions[: len(episode) - int(states["offender"][-1] >= 0)]


def winner_of(episode: Episode) -> int | None:
    """Return the seat of the winner, -1 for a draw, `None` for an unfinished game."""
    if not episode.terminated:
        return None
    return int(np.argmax(episode.returns)) if episode.returns.any() else -1


def _check_kind(game: Game) -> None:
    if game.rules.__name__ != _HOME or game.params["win_length"] != 5:
        raise ValueError(f"the game must be Gomoku with lines of five, got {game!r}")
