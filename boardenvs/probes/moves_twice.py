"""Each seat moves twice in a row."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_loser
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0 and action == 0:
        end_in_draw(s)
    elif here == 0:
        go(s, 1, 0)
    elif here == 1 and action == 0:
        go(s, 2, 1)
    elif here == 2 and action == 0:
        go(s, 3, 1)
    elif here == 2 and draw(s, 2) == 0:
        end_in_draw(s)
    else:
        end_with_loser(s, s.to_move)
    end_ply(s, p, action)


class ProbeMovesTwice(Probe):
    """The probe `probe_moves_twice`."""

    name = "probe_moves_twice"
    checks = "signs follow seats, not plies"
    about = "Each player moves twice in a row, and can lead the other one into a bad place."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=4)
