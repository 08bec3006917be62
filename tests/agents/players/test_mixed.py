"""`mixed:PERCENT:AGENT`: a share of random moves, and otherwise another agent's moves."""

import numpy as np
import pytest

import agents
import boardenvs
from agents.naming.spec import Spec, make_builtin
from boardenvs.core.chance import make_streams


def positions(game, num=3000):
    states = game.new(num, 1)
    return states, make_streams(np.uint64(5), num)


def test_the_given_share_of_moves_is_random():
    game = boardenvs.make("game112")
    states, words = positions(game)
    greedy = agents.make("greedy", game, seed=0)
    shares = greedy.policies(states[:1])[0]
    mixed = agents.make("mixed:30:greedy", game, seed=0)
    expected = 0.7 * shares + 0.3 * agents.make("random", game, seed=0).policies(states[:1])[0]
    np.testing.assert_allclose(mixed.policies(states[:1])[0], expected)
    actions = mixed.choose(states, words)
    found = np.bincount(actions, minlength=game.num_actions) / len(actions)
    assert np.abs(found - expected).max() < 0.03
    assert len(set(actions.tolist())) > 1


@pytest.mark.parametrize(("percent", "like"), [("0", "greedy"), ("100", "random")])
def test_the_extreme_percentages_are_the_agent_and_random(percent, like):
    game = boardenvs.make("gekitai")
    states, _ = positions(game, 1)
    mixed = agents.make(f"mixed:{percent}:greedy", game, seed=0)
    other = agents.make(like, game, seed=0)
    np.testing.assert_array_equal(mixed.policies(states), other.policies(states))


def test_an_action_depends_only_on_its_state_and_random_bits():
    game = boardenvs.make("gekitai")
    states, words = positions(game, 40)
    mixed = agents.make("mixed:50:mcts:8", game, seed=0)
    together = mixed.choose(states, words)
    assert together.tolist() == [
        int(mixed.choose(states[k : k + 1], words[k : k + 1])[0]) for k in range(40)
    ]


def test_a_mixture_has_the_version_and_clock_of_its_agent(monkeypatch):
    game = boardenvs.make("gekitai")
    assert Spec.of("mixed:10:mcts:1s", game).uses_clock
    assert not Spec.of("mixed:10:mcts:50", game).uses_clock
    trained, mixed = (agents.make(spec, game) for spec in ("trained", "mixed:10:trained"))
    version = Spec.of("trained", game).version(trained)
    assert "network" in version
    assert Spec.of("mixed:10:trained", game).version(mixed) == version
    with pytest.raises(ValueError, match="some_module:factory"):
        make_builtin("mixed:10:mixed:5:some_module:factory", game)


@pytest.mark.parametrize("spec", ["mixed", "mixed:10", "mixed:101:greedy", "mixed:x:greedy"])
def test_invalid_mixtures_are_refused(spec):
    with pytest.raises(ValueError, match=r"mixed|percent"):
        agents.make(spec, "gekitai")


def test_a_users_agent_with_only_act_can_be_mixed(own_module):
    own_module(
        "first_legal",
        """
class Agent:
    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1).tolist()
""",
    )
    game = boardenvs.make("gekitai")
    states, words = positions(game, 400)
    mixed = agents.make("mixed:50:first_legal:Agent", game, seed=0)
    mixed.check_can_play(states)
    assert 0.4 < (mixed.choose(states, words) == 0).mean() < 0.65
    with pytest.raises(ValueError, match="probabilities"):
        mixed.policies(states)
