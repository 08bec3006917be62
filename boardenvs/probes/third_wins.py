"""Three seats: in one line the first seat wins, in the other the third one."""

from boardenvs.core.outcome import end_ply, end_with_loser, end_with_winner
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here = place(s)
    if here == 0:
        go(s, 2 if action == 0 else 1, 1)
    elif here == 1 and action == 1:
        end_with_loser(s, 1)
    elif here < 3:
        go(s, here + 2, 2)
    else:
        end_with_winner(s, 0 if here == 3 else 2)
    end_ply(s, p, action)


class ProbeThirdWins(Probe):
    """The probe `probe_third_wins`."""

    name = "probe_third_wins"
    checks = "each of three seats has a value of its own"
    about = "The first of three players chooses whether the first or the third player wins."

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=5, num_players=3)
