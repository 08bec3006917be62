"""A game that the first ply of the second seat ends."""

from boardenvs.core.outcome import end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0:
        go(s, action + 1, 1)
    else:
        end_with_winner(s, 1 if action == here - 1 else 0)
    end_ply(s, p, action)


class ProbeSecondEnds(Probe):
    """The probe `probe_second_ends`."""

    name = "probe_second_ends"
    checks = "the only ply of the second seat is not dropped"
    about = "The second player's first ply ends the game. The first player's ply sets what wins."

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=3)
