"""OpenSpiel's AlphaZero, which requires flax, optax, chex and orbax, learns our games."""

from __future__ import annotations

import pytest

from agents.speed.rows.strength import alpha_zero_pace

for package in ("pyspiel", "flax", "optax", "chex", "orbax"):
    pytest.importorskip(package)


@pytest.mark.slow
def test_alpha_zero_of_openspiel_learns_gekitai():
    assert alpha_zero_pace(simulations=2, steps=2) > 0
