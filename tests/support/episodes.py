"""Episodes and texts that several test files use."""

import boardenvs
from boardenvs import Episode

GAME112 = boardenvs.make("game112", board_size=5)
WON = [7, 1, 4, 2]  # 4 2, 1 2, 3 1, 2 1: the second player makes 1, 1, 2
THOUGHT = {"kind": "visits", "actions": [7, 2], "weights": [30, 10], "values": [0.25, -0.25]}
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror='a()'> {{title}} \"'&amp;"]


def won(**kwargs):
    return Episode(GAME112, GAME112.new(1, seed=3), WON, **kwargs)


def shown_text(game, state):
    """Return the position's text, followed by the line for the player to move."""
    over = state["terminated"] or state["truncated"]
    turn_line = "" if over else game.presentation.turn_line(state)
    return game.to_text(state) + (turn_line and f"{turn_line}\n")
