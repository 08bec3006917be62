"""A sure win at the end of 40 plies against a throw at once."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0 and action == 0:
        end_with_winner(s, 1 if draw(s, 4) == 0 else 0)
    elif here == 38 and action == 1:
        end_in_draw(s)
    elif here == 39:
        end_with_winner(s, 0)
    else:
        go(s, here + 1, 1 - s.to_move)
    end_ply(s, p, action)


class ProbeCorridor(Probe):
    """The probe `probe_corridor`."""

    name = "probe_corridor"
    checks = "credit reaches back over 40 plies"
    about = "A throw wins three times in four. A corridor of 40 plies ends with a win."
    has_chance = True
    slow = True

    def __init__(self, max_plies: int = 64) -> None:
        super().__init__(max_plies, places=40)
