"""Games with a sure win, after games with a draw or a loss."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def deal(s, p):
    go(s, max(draw(s, 4) - 1, 0), 0)


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0:
        end_with_winner(s, 0)
    elif here == 3:
        end_with_winner(s, 1)
    elif action == here - 1:
        end_in_draw(s)
    else:
        go(s, 3, 1)
    end_ply(s, p, action)


class ProbeNextGame(Probe):
    """The probe `probe_next_game`."""

    name = "probe_next_game"
    checks = "nothing of the next game comes into this one"
    about = "The first player wins at once, or can draw, or loses by the second player's reply."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=4)
