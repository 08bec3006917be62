"""OpenSpiel's AlphaZero, which requires flax, optax, chex and orbax, learns our games."""

from __future__ import annotations

import json

import pytest

for package in ("pyspiel", "flax", "optax", "orbax.checkpoint"):
    pytest.importorskip(package)

import boardenvs.openspiel  # noqa: E402 F401 registers the games

# The warnings are those of OpenSpiel and JAX.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_alpha_zero_of_openspiel_learns_a_game(tmp_path):
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    config = alpha_zero.Config(
        game="python_boardenvs_gomoku(board_size=5,win_length=4)",
        path=str(tmp_path),
        learning_rate=1e-3,
        weight_decay=1e-4,
        decouple_weight_decay=False,
        train_batch_size=16,
        replay_buffer_size=64,
        replay_buffer_reuse=2,
        max_steps=2,
        checkpoint_freq=1,
        actors=1,
        evaluators=1,
        evaluation_window=4,
        eval_levels=2,
        uct_c=2,
        max_simulations=4,
        policy_alpha=1,
        policy_epsilon=0.25,
        temperature=1,
        temperature_drop=4,
        nn_model="mlp",
        nn_width=16,
        nn_depth=1,
        observation_shape=None,
        output_size=None,
        verbose=False,
        quiet=True,
    )
    alpha_zero.alpha_zero(config)
    steps = [json.loads(line) for line in (tmp_path / "learner.jsonl").read_text().splitlines()]
    assert [step["step"] for step in steps] == [1, 2]
    assert steps[-1]["total_states"] > 0
    assert steps[-1]["loss"]["policy"] > 0
