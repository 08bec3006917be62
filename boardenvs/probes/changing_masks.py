"""Each place has two legal actions of three, one of which loses."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_ply, end_with_loser
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    for action in range(len(mask)):
        mask[action] = action in (place(s) % 3, (place(s) + 1) % 3)


def play(s, p, action):
    if action == place(s) % 3:
        end_with_loser(s, s.to_move)
    elif place(s) == 3:
        end_with_loser(s, 1 if draw(s, 4) == 0 else 0)
    else:
        go(s, place(s) + 1, 1 - s.to_move)
    end_ply(s, p, action)


class ProbeChangingMasks(Probe):
    """The probe `probe_changing_masks`."""

    name = "probe_changing_masks"
    checks = "each position has a mask of its own"
    about = "Each place has two legal actions. One loses, and the other leads to the next place."
    has_chance = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=4, num_actions=3)
