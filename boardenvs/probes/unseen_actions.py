"""A trap in which all legal actions lose, beside a throw that may lose."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_loser
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    waits = place(s) in (1, 4)
    for action in range(len(mask)):
        mask[action] = action == 3 if waits else action < 2


def play(s, p, action):
    here, seat = place(s), s.to_move
    if here in (2, 5):  # in the trap
        end_with_loser(s, seat)
    elif here in (1, 4) or action == (0 if here == 0 else 1):
        go(s, here + 1, 1 - seat)
    elif draw(s, 4) < (2 if here == 0 else 3):
        end_with_loser(s, seat)
    elif here == 3:
        end_in_draw(s)
    else:
        go(s, 3, 1 - seat)
    end_ply(s, p, action)


class ProbeUnseenActions(Probe):
    """The probe `probe_unseen_actions`."""

    name = "probe_unseen_actions"
    checks = "the target's maximum is over legal actions"
    about = "Each player throws and may lose at once, or walks into a sure loss."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=6, num_actions=4)
