"""Waiting until the limit of plies, against throws."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def deal(s, p):
    go(s, draw(s, 3), 0)


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0:
        end_with_winner(s, 0)
    elif here < 3 and action == 0:
        end_with_winner(s, 0 if draw(s, 3) < 3 - here else 1)
    elif here < 3:
        go(s, 3, 1)
    else:
        go(s, 7 - here, 1 - s.to_move)
    end_ply(s, p, action)


class ProbePlyLimit(Probe):
    """The probe `probe_ply_limit`."""

    name = "probe_ply_limit"
    checks = "truncation is no loss, and not the next game"
    about = "The first player wins, waits until the limit of plies, or throws at known odds."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=5)
