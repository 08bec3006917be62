"""A sure draw against a gamble that wins one time in three."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here, seat = place(s), s.to_move
    if action == here:
        end_with_winner(s, seat if draw(s, 3) == 0 else 1 - seat)
    elif here == 0:
        go(s, 1, 1)
    else:
        end_in_draw(s)
    end_ply(s, p, action)


class ProbeDice(Probe):
    """The probe `probe_dice`."""

    name = "probe_dice"
    checks = "values are expectations"
    about = "Each player throws, or leaves it. A throw wins one time in three, and otherwise loses."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=2)
