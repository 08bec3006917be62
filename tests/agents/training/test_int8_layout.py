"""Networks in 8-bit integers answer alike to the bit, however they are laid out."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from board_policies import board_policy

import boardenvs
from agents.sizes import free_axes, games_of, make_sizes
from agents.training import int8
from agents.training.int8_layout import lay_out
from agents.training.onnx_network import network_file

GAMES = {  # of cells and of rows; with planes to add and without; that looks lines up; of any size
    "gekitai": boardenvs.make("gekitai"),
    "game112": boardenvs.make("game112"),
    "goat_race": boardenvs.make("goat_race"),
    "gomoku": boardenvs.make("gomoku", board_size=9),
    "sizes": make_sizes("gekitai", {}, "board_size", [6, 8]),
}


def seen_in(game, num=96):
    """Observations of random games, int8 of shape (N, *observation_shape)."""
    batch, rng = boardenvs.BatchEnv(game, num, seed=0), np.random.default_rng(0)
    for _ in range(6):
        batch.step((rng.random(batch.action_mask.shape) * batch.action_mask).argmax(1))
    return batch.observation.copy()


def network_of(game, lines):
    policy = board_policy(games_of(game)[0], 1, channels=32, blocks=2, lines=lines)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.normal_(std=0.2)
    return network_file(policy, game)


@pytest.fixture(scope="module", params=GAMES)
def both(request):
    """A game, and its network in integers, laid out and as it was quantised."""
    game = GAMES[request.param]
    network = network_of(game, lines=8 if request.param == "gomoku" else 0)
    seen = [seen_in(one) for one in games_of(game)]
    laid_out = int8.int8_template(network, seen).network
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(int8, "lay_out", lambda *_: None)
        plain = int8.int8_template(network, seen).network
    return game, laid_out, plain


def session(network, game, optimised=None):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if optimised is not None:
        options.optimized_model_filepath = str(optimised)
    for axis, size in free_axes(game).items():
        options.add_free_dimension_override_by_name(axis, size)
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def test_answers_are_the_same_to_the_bit(both):
    game, laid_out, plain = both
    assert laid_out != plain
    for one in games_of(game):
        seen = seen_in(one).astype(np.float32)
        new, old = session(laid_out, one), session(plain, one)
        for size in (1, 7, 64):
            given = {"observation": seen[:size]}
            for found, wanted in zip(new.run(None, given), old.run(None, given), strict=True):
                assert size == 1 or np.ptp(found) > 0
                np.testing.assert_array_equal(found, wanted)


def test_fewer_steps_are_run(both, tmp_path):
    game, laid_out, plain = both
    kinds = []
    for name, network in (("laid_out", laid_out), ("plain", plain)):
        session(network, games_of(game)[0], tmp_path / name)
        kinds.append([node.op_type for node in onnx.load(tmp_path / name).graph.node])
    new, old = kinds
    # Two of these are turned round in each of two blocks, and two more for the value.
    assert new.count("Transpose") <= old.count("Transpose") - 8
    assert len(new) <= len(old) - 8


def test_a_network_is_laid_out_once(both):
    game, laid_out, _ = both
    model = onnx.load_from_string(laid_out)
    lay_out(model, games_of(game)[0].observation_shape[-2:])
    assert model.SerializeToString() == laid_out
