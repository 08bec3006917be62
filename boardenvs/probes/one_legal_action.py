"""Each place has one legal action."""

from boardenvs.core.outcome import end_in_draw, end_ply
from boardenvs.probes.places import Probe, go, place


def legal(s, p, mask):
    for action in range(len(mask)):
        mask[action] = action == (place(s) + 1) % 3


def play(s, p, action):
    if place(s) == 3:
        end_in_draw(s)
    else:
        go(s, place(s) + 1, 1 - s.to_move)
    end_ply(s, p, action)


class ProbeOneLegalAction(Probe):
    """The probe `probe_one_legal_action`."""

    name = "probe_one_legal_action"
    checks = "masks are used when acting"
    about = "Each place has one legal action. Four legal actions make a draw."

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=4, num_actions=3)
