"""Call public functions with odd values: NaN, huge numbers, texts, objects, other arrays.

Functions of games, batches, environments, agents and the arena are discovered, with their
parameters. Each call has one odd argument. It must return a correct result, or raise a one-line
`ValueError` or a documented exception and change nothing. A failure is another exception, another
result for equal values, a changed argument, a call that hangs, or the end of the process
`odd_calls.py` that makes the calls.
"""

from __future__ import annotations

import numpy as np
import odd_calls
import pytest
from apart import Caller

import boardenvs

CALLS = 40
"""Number of calls in a round."""


@pytest.fixture
def caller():
    made = Caller(odd_calls.__file__)
    yield made
    made.stop()


@pytest.mark.attack("odd values for every public argument", "calls", share=3)
def test_odd_values_raise_only_documented_errors(attack, caller):
    seen = set()
    for seed in attack.rounds():
        for one in [seed, *np.random.default_rng(seed).integers(2**32, size=CALLS - 1).tolist()]:
            case, wrong = caller.call(str(one))
            attack.count()
            if wrong is not None and (case, wrong) not in seen:
                seen.add((case, wrong))
                attack.failed(one, case, wrong)
            if attack.only is not None:
                break


def test_every_parameter_has_a_valid_value():
    """Every required parameter has a valid value, so that new functions are attacked too."""
    rng = np.random.default_rng(0)
    for name in boardenvs.GAMES:
        subjects = odd_calls.Subjects(name, rng)
        for which, make in subjects.owners().items():
            owner = make()
            for called, function in odd_calls.functions_of(owner).items():
                if called in odd_calls.UNCHECKED:
                    continue
                values = {**subjects.game.params, **subjects.values(owner, called)}
                for key, parameter in odd_calls.inspect.signature(function).parameters.items():
                    if parameter.default is parameter.empty and parameter.kind < 2:
                        assert key in values, (which, called, key)
