"""The second seat's reply decides, and the reward comes with it."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0 and action == 0:
        go(s, 1, 1)
    elif here == 0 and draw(s, 2) == 0:
        end_with_winner(s, 1)
    elif here == 0:
        go(s, 2, 1)
    elif action == 0:
        end_in_draw(s)
    else:
        end_with_winner(s, 1 if here == 1 else 0)
    end_ply(s, p, action)


class ProbeReply(Probe):
    """The probe `probe_reply`."""

    name = "probe_reply"
    checks = "the first seat sees its loss"
    about = "The first player throws and loses half of the time, or the other one's reply wins."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=3)
