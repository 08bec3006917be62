"""A game of one ply."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import Probe, go, place


def deal(s, p):
    go(s, draw(s, 2), 0)


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    if action == 1:
        end_in_draw(s)
    else:
        end_with_winner(s, 0 if (action == 0) == (place(s) == 1) else 1)
    end_ply(s, p, action)


class ProbeOnePly(Probe):
    """The probe `probe_one_ply`."""

    name = "probe_one_ply"
    checks = "a game of one ply is not dropped"
    about = "One ply ends the game. The start shows whether the first or the last action wins."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=2, num_actions=3)
