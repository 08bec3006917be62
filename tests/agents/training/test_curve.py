"""The learning curve."""

import pytest

from agents.training.evaluation import draw_curve

PNG = b"\x89PNG\r\n\x1a\n"
OPPONENTS = ("random", "greedy")


@pytest.mark.parametrize("points", [0, 1, 3])
def test_the_learning_curve_is_drawn(points):
    found = {"score": 0.5, "low": 0.4, "high": 0.6, "games": 10}
    history = [{"steps": 1000 * k, "random": found, "greedy": found} for k in range(points)]
    assert draw_curve("title", history, OPPONENTS, 1000).startswith(PNG)


def test_the_curve_has_a_line_for_each_size():
    found = {"score": 0.5, "low": 0.4, "high": 0.6, "games": 10}
    plain = [{"steps": 1000 * k, "random": found} for k in range(3)]
    several = [{**point, "sizes": {"6": {"random": {**found, "score": 0.9}}}} for point in plain]
    pictures = [draw_curve("title", history, ["random"], 1000) for history in (plain, several)]
    assert pictures[0] != pictures[1]
