"""The replay buffer of guided training, and its samples under the board's symmetries."""

import numpy as np
import pytest
import torch

import boardenvs
from agents.search.puct import PuctAgent
from agents.training.samples import ReplayBuffer, sample_dtype, viewed


@pytest.fixture(scope="module")
def gomoku():
    return boardenvs.make("gomoku", board_size=5, win_length=4)


def numbered(game, numbers):
    """Return samples that are identified by their value."""
    samples = np.zeros(len(numbers), sample_dtype(game))
    samples["value"][:, 0] = numbers
    return samples


def test_the_buffer_keeps_the_latest_samples(gomoku):
    buffer = ReplayBuffer(5, sample_dtype(gomoku))
    for first, last, kept in [
        (0, 3, {0, 1, 2}),
        (3, 7, {2, 3, 4, 5, 6}),
        (7, 19, {*range(14, 19)}),
    ]:
        buffer.add(numbered(gomoku, np.arange(first, last)))
        assert set(buffer.samples["value"][: len(buffer), 0].tolist()) == kept
        assert len(buffer) == len(kept)


def test_the_buffer_samples_from_all_stored_samples(gomoku):
    buffer = ReplayBuffer(50, sample_dtype(gomoku))
    buffer.add(numbered(gomoku, np.arange(1, 5)))
    drawn = buffer.draw(400, np.random.default_rng(0))["value"][:, 0]
    values, counts = np.unique(drawn, return_counts=True)
    np.testing.assert_array_equal(values, [1, 2, 3, 4])
    assert counts.min() > 60


def test_a_restored_buffer_continues(gomoku):
    buffer = ReplayBuffer(5, sample_dtype(gomoku))
    buffer.add(numbered(gomoku, np.arange(7)))
    other = ReplayBuffer(5, sample_dtype(gomoku))
    other.load_state(buffer.state())
    for one in (buffer, other):
        one.add(numbered(gomoku, [7, 8]))
    np.testing.assert_array_equal(buffer.samples, other.samples)
    assert buffer.added == other.added == 9


class Neighbours:
    """An evaluator of cells by the stones around them, equal in all symmetries."""

    def __init__(self, side):
        rows, columns = np.divmod(np.arange(side * side), side)
        distance = np.hypot(rows[:, None] - rows, columns[:, None] - columns)
        self.weights = np.cos(3 * distance) * np.exp(-distance)

    def evaluate(self, states):
        own = np.where(states["cells"] == states["to_move"][:, None] + 1, 1, 0)
        other = np.where(states["cells"] == 2 - states["to_move"][:, None], 0.7, 0)
        stones = (own - other)[:, : len(self.weights)]
        logits = stones @ self.weights
        return logits.astype(np.float32), np.tanh(logits.sum(1)).astype(np.float32)


def test_a_rotated_position_has_a_rotated_sample(gomoku):
    agent = PuctAgent(gomoku, 0, 60, decisive=False, evaluator=Neighbours(5))
    views = gomoku.symmetries()
    assert len(views) == 8

    def sample(cells):
        states = gomoku.new(1)
        for cell in cells:
            gomoku.play(states, [cell])
        one = np.zeros(1, sample_dtype(gomoku))
        one["observation"] = gomoku.observe(states, states["to_move"])
        one["legal"] = np.packbits(gomoku.legal(states), axis=1)
        found = agent.search(states, np.zeros(1, np.uint64))
        one["policy"] = found.visits / 60
        one["value"] = found.values[0, 1]
        return one

    played = [0, 7, 1, 13, 22]
    original = sample(played)
    assert original["policy"].max() < 0.9
    for k in range(8):
        turned = sample([int(np.flatnonzero(views.actions[k] == cell)[0]) for cell in played])
        view = viewed(original, views, np.array([k]))
        for field in ("observation", "legal", "policy", "seats"):
            np.testing.assert_array_equal(view[field], turned[field])
        np.testing.assert_allclose(view["value"], turned["value"], atol=1e-5)
    assert not np.array_equal(viewed(original, views, np.array([1])), original)


def test_samples_of_games_without_symmetries_are_unchanged():
    game = boardenvs.make("game112")
    samples = numbered(game, [1, 2])
    seen = viewed(samples, game.symmetries(), np.zeros(2, np.int64))
    np.testing.assert_array_equal(seen, samples)


def test_the_state_contains_only_tensors_and_numbers(gomoku, tmp_path):
    buffer = ReplayBuffer(5, sample_dtype(gomoku))
    buffer.add(numbered(gomoku, [3]))
    torch.save(buffer.state(), tmp_path / "state.pt")
    loaded = torch.load(tmp_path / "state.pt", weights_only=True)
    other = ReplayBuffer(5, sample_dtype(gomoku))
    other.load_state(loaded)
    np.testing.assert_array_equal(other.samples[:1], buffer.samples[:1])
