"""Search-guided self-play learns, and continues exactly from its saved state."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

import agents
import boardenvs
from agents.naming.spec import specs_of
from agents.networks.export import NetworkTemplate, policy_to_onnx
from agents.networks.policy_networks import BoardPolicy, logits_and_values
from agents.networks.seat_values import num_values
from agents.search.puct import PuctAgent
from agents.training.self_play.learner import SelfPlay
from agents.training.self_play.policy_evaluator import (
    PolicyEvaluator,
    evaluate_with_onnx,
    evaluate_with_torch,
)
from agents.training.settings import GuidedSettings

SMALL = GuidedSettings(
    steps=20_000,
    games=16,
    actors=3,
    plies=3,
    simulations=20,
    cheap_simulations=6,
    full_share=0.5,
    temperature_plies=4,
    opponent_share=0.25,
    buffer=300,
    warm_up=60,
    batch_size=32,
    reuse=4.0,
    learning_rate=1e-3,
    final_learning_rate=1e-4,
)


GAME = boardenvs.make("gomoku", board_size=5, win_length=4)
POLICIES = [("gomoku", {"board_size": 7}), ("game112", {}), ("goat_race", {"memory": True})]


@pytest.fixture(scope="module")
def gomoku():
    return GAME


def small_policy(game, seed=0, values=None):
    torch.manual_seed(seed)
    return BoardPolicy(
        spaces.Box(0, 1, game.observation_shape, np.int8),
        spaces.Discrete(game.num_actions),
        lambda left: 1e-3,
        net_arch=[16],
        features_extractor_kwargs={"channels": 16, "blocks": 1},
        num_values=values or num_values(game),
    )


def plain_policy(game):
    torch.manual_seed(0)
    return MaskableActorCriticPolicy(
        spaces.Box(0, game.observation_high, game.observation_shape, np.int8),
        spaces.Discrete(game.num_actions),
        lambda left: 1e-3,
        net_arch=[16, 8],
        activation_fn=torch.nn.ReLU,
    )


def learner(game, settings=SMALL, seed=0):
    opponents = specs_of(["random", "greedy"], game)
    return SelfPlay((game,), (1.0,), small_policy(game), settings, seed, [opponents])


def weights(one):
    return {key: value.clone() for key, value in one.policy.state_dict().items()}


def assert_equal_weights(one, other):
    for key, value in one.items():
        assert torch.equal(value, other[key]), key


@pytest.mark.parametrize(
    ("name", "plies"), [("gomoku", 3), pytest.param("goat_race", 10, marks=pytest.mark.slow)]
)
def test_a_restored_learner_continues_bit_for_bit(name, plies, gomoku, tmp_path):
    game = gomoku if name == "gomoku" else boardenvs.make(name)
    settings = replace(SMALL, plies=plies)
    whole = learner(game, settings)
    for _ in range(12):
        whole.advance()
    before = weights(whole)
    torch.save(whole.state(), tmp_path / "state.pt")
    figures = [whole.advance() for _ in range(8)]
    assert any("policy_loss" in each for each in figures)
    assert not all(torch.equal(value, before[key]) for key, value in weights(whole).items())

    resumed = learner(game, settings, seed=99)
    resumed.advance()  # loading the state replaces these results
    resumed.load_state(torch.load(tmp_path / "state.pt", weights_only=True))
    assert [resumed.advance() for _ in range(8)] == figures
    assert resumed.steps == whole.steps
    assert_equal_weights(weights(resumed), weights(whole))


def test_a_policy_has_a_value_for_every_seat_of_three(refused):
    race = boardenvs.make("goat_race")
    with refused("policy .* 3 values .*got 1"):
        SelfPlay((race,), (1.0,), small_policy(race, values=1), SMALL, 0)


def test_the_seed_determines_the_weights(gomoku):
    one, same, other = (learner(gomoku, seed=seed) for seed in (1, 1, 2))
    figures = [[each.advance() for _ in range(8)] for each in (one, same, other)]
    assert figures[0] == figures[1] != figures[2]
    assert_equal_weights(weights(one), weights(same))


@pytest.mark.slow
def test_the_learner_beats_random(gomoku):
    settings = replace(SMALL, games=32, full_share=1.0, buffer=3000, learning_rate=3e-3)
    one = learner(gomoku, settings)
    figures = [one.advance() for _ in range(45)]
    learned = [each for each in figures if "policy_loss" in each]
    assert one.steps > 3000

    def mean(part, key):
        return np.mean([each[key] for each in part])

    for loss in ("policy_loss", "value_loss"):
        assert mean(learned[-5:], loss) < 0.92 * mean(learned[:2], loss)
    agent = PuctAgent(gomoku, 0, 1, decisive=False, evaluator=evaluator(gomoku, one.policy))
    fresh = evaluator(gomoku, small_policy(gomoku))
    unlearned = PuctAgent(gomoku, 0, 1, decisive=False, evaluator=fresh)
    scores = [
        agents.play_match(gomoku, [each, agents.make("random", gomoku, 0)], 200, 0)[0]
        for each in (agent, unlearned)
    ]
    assert scores[0] > 0.8 > scores[1]


def test_steps_count_the_positions_searched(gomoku):
    settings = replace(SMALL, opponent_share=0.0)
    one = learner(gomoku, settings)
    one.advance()
    assert one.steps == SMALL.games * SMALL.plies


def test_gradient_steps_follow_the_new_positions(gomoku):
    one = learner(gomoku)
    steps, samples = 0, 0
    for _ in range(15):
        had = one.fitter.buffers[0].added
        figures = one.advance()
        assert figures["samples"] == one.fitter.buffers[0].added - had
        if len(one.fitter.buffers[0]) >= SMALL.warm_up:
            samples += figures["samples"]
            steps = one.fitter.optimizer.state_dict()["steps"]
    assert steps == int(samples * SMALL.reuse / SMALL.batch_size) > 5


def test_the_learning_rate_falls_to_its_final_value(gomoku):
    one = learner(gomoku, replace(SMALL, steps=480))
    rates = []
    for _ in range(12):
        one.advance()
        rates.append(one.fitter.optimizer.lr)
    assert rates == sorted(rates, reverse=True)
    assert 5e-4 < rates[0] < 1e-3
    assert rates[-1] == 1e-4


def test_games_for_one_player_are_refused(refused):
    game = boardenvs.make("pizza_order")
    with refused("two players.*pizza_order"):
        SelfPlay((game,), (1.0,), None, SMALL, 0)


def evaluator(game, policy):
    return PolicyEvaluator(game, evaluate_with_torch(policy))


@pytest.mark.parametrize(
    "kind",
    [evaluate_with_torch, lambda policy: evaluate_with_onnx(policy_to_onnx(policy, (GAME,)))],
)
def test_the_evaluator_keeps_the_weights_of_its_last_update(kind, live_positions):
    policy = small_policy(GAME)
    policy.set_training_mode(False)
    evaluator = PolicyEvaluator(GAME, kind(policy))
    states = live_positions(GAME, 20, 0)
    states = np.concatenate([states, states[:7]])

    def said():
        seen = torch.from_numpy(GAME.observe(states, states["to_move"])).float()
        with torch.no_grad():
            return [part.numpy() for part in logits_and_values(policy, seen)]

    def check(expected):
        for found, wanted in zip(evaluator.evaluate(states), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)

    before = said()
    check(before)
    with torch.no_grad():
        policy.value_net.bias += 1
    assert not np.allclose(said()[1], before[1])
    check(before)
    evaluator.use(kind(policy))
    check(said())


def test_the_evaluator_caches_positions_up_to_a_limit(gomoku, live_positions, monkeypatch):
    monkeypatch.setattr("agents.training.self_play.policy_evaluator._MEMORY", 40 * (5 * 25 + 75))
    judge, asked = evaluate_with_torch(small_policy(gomoku)), []

    def counted(seen):
        asked.append(len(seen))
        return judge(seen)

    evaluator = PolicyEvaluator(gomoku, counted)
    states = live_positions(gomoku, 20, 0)
    evaluator.evaluate(states[:15])
    evaluator.evaluate(states[:15])
    assert len(asked) == 1
    assert asked[0] == len(np.unique(gomoku.observe(states[:15], states[:15]["to_move"]), axis=0))
    for low in range(0, len(states), 15):
        part = states[low : low + 15]
        expected = PolicyEvaluator(gomoku, judge).evaluate(part)
        np.testing.assert_allclose(evaluator.evaluate(part)[0], expected[0], atol=1e-5)
        assert len(evaluator._places) <= 40


@pytest.mark.parametrize(("name", "params"), POLICIES)
@pytest.mark.parametrize("plain", [False, True])
def test_a_template_accepts_any_weights(name, params, plain):
    """Equal biases at the start do not confuse the template, although exporters may merge them."""
    game = boardenvs.make(name, **params)
    policy = plain_policy(game) if plain else small_policy(game)
    template = NetworkTemplate(policy, (game,))
    seen = np.random.default_rng(0).integers(0, 2, (5, *game.observation_shape), np.int8)
    for seed in (0, 1):
        torch.manual_seed(seed)
        for weight in policy.parameters():
            torch.nn.init.normal_(weight, std=0.1) if seed else None
        for found, wanted in zip(
            evaluate_with_onnx(template.filled(policy))(seen),
            evaluate_with_torch(policy)(seen),
            strict=True,
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
