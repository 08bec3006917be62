"""A coin with three sides that nobody sees, and a sure draw."""

import numpy as np

from boardenvs.probes.places import Probe


class ProbeHiddenCoin(Probe):
    """The probe `probe_hidden_coin`."""

    name = "probe_hidden_coin"
    checks = "no value from what is not seen"
    about = "Each player guesses the side of a hidden coin with three sides, or leaves it."
    has_chance = True
    has_hidden = True

    def __init__(self, max_plies: int = 8) -> None:
        super().__init__(max_plies, places=2, num_actions=4, more_fields=(("side", np.int8),))
