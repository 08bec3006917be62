"""Behaviour cloning: the policy learns to act like the agent."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from two_games import others_slow

import agents
import boardenvs
from agents.networks.policy_networks import copied, logits_and_values
from agents.training import run as run_module
from agents.training.imitation import Imitation
from agents.training.learning_games import LearningGames
from agents.training.ppo import make_ppo
from agents.training.run import TrainingRun
from agents.training.samples import legal_actions
from agents.training.selves import PolicyAgent
from agents.training.settings import CloningSettings, Settings
from agents.training.values import Values
from boardenvs.envs.playout import playout
from boardenvs.show.analysis import Analysis

SMALL = Settings(
    ppo_steps=0,
    clone=CloningSettings(steps=60_000, learning_rate=3e-3),
    num_envs=16,
    network="convolutional",
    hidden=(16,),
    channels=16,
    blocks=1,
    evaluate_every=20_000,
    evaluation_games=20,
    final_games=20,
)


def learner(game, settings=SMALL, seed=0, spec="greedy"):
    policy = make_ppo(game, settings, seed).model.policy
    return Imitation((game,), (1.0,), policy, replace(settings.clone, agent=spec), seed)


class Recorder(agents.agent.Agent):
    """A player of the first legal action that records the states it receives."""

    def __init__(self, game):
        super().__init__(game, 0)
        self.shown = []

    def choose(self, states, words):
        self.shown.append(states.copy())
        return self.game.legal(states).argmax(1)


def columns(samples):
    """Return the observations, masks, actions and values of samples."""
    values = samples["value"]
    return samples["observation"], legal_actions(samples), samples["policy"].argmax(1), values


@pytest.mark.slow
def test_imitation_learns_the_agents_actions():
    game = boardenvs.make("gomoku", board_size=7, win_length=4)
    clone = learner(game)
    first = clone.advance()
    while clone.steps < SMALL.clone.steps:
        last = clone.advance()
    assert first["agreement"] < 0.3
    assert last["agreement"] > first["agreement"] + 0.2
    assert last["policy_loss"] < first["policy_loss"]
    assert last["value_loss"] < first["value_loss"]


@pytest.mark.parametrize(
    "name",
    others_slow(["gekitai", "goat_race", "dominoes175", "pizza_order"], ["gekitai", "dominoes175"]),
)
def test_samples_match_the_positions_and_results_of_the_games(name):
    """Observations, masks, actions and results of the samples belong together."""
    game = boardenvs.make(name)
    settings = replace(SMALL, network="plain", clone=replace(SMALL.clone, random_share=0.3))
    clone = learner(game, settings)
    clone._agents[0] = Recorder(game)
    seen, masks, actions, results = columns(clone._play())
    shown = np.concatenate(clone._agents[0].shown)
    assert len(seen) == len(masks) == len(actions) == len(results) == len(shown)
    np.testing.assert_array_equal(game.observe(shown, shown["to_move"]), seen)
    np.testing.assert_array_equal(game.legal(shown), masks)
    np.testing.assert_array_equal(actions, masks.argmax(1))
    assert set(np.unique(results)) <= {-1, -0.5, 0, 1}
    assert len(np.unique(results)) > 1


def test_a_share_of_the_positions_is_learned():
    game = boardenvs.make("gekitai")
    clone = learner(game, replace(SMALL, clone=replace(SMALL.clone, position_share=0.1)))
    clone._agents[0] = Recorder(game)
    seen, masks, actions, results = columns(clone._play())
    asked = sum(map(len, clone._agents[0].shown))
    assert len(seen) == pytest.approx(asked / 10, rel=0.2)
    assert len(seen) == len(masks) == len(actions) == len(results)
    assert masks[np.arange(len(actions)), actions].all()


def test_results_are_for_the_seat_that_moved():
    game = boardenvs.make("gekitai")
    clone = learner(game)
    clone._agents[0] = Recorder(game)
    results = clone._play()["value"]
    movers = np.concatenate([s["to_move"] for s in clone._agents[0].shown])
    # In the last position of each won game, the mover is the winner. (Losing by one's own move
    # requires lining up the opponent's pieces, which is rare.)
    assert results[movers == 0].mean() == pytest.approx(-results[movers == 1].mean(), abs=0.1)
    assert abs(results).mean() > 0.5


def test_the_learner_plays_only_after_the_first_round():
    game = boardenvs.make("gekitai")
    shares = replace(SMALL.clone, random_share=0, learner_share=1.0)
    clone = learner(game, replace(SMALL, clone=shares))
    clone._agents[0] = Recorder(game)
    for begun in (False, True):
        clone.steps = int(begun)
        clone._rng = np.random.default_rng(3)
        seen, _, actions, _ = columns(clone._play(num=4))
        states = game.arrays.new(np.random.default_rng(3).integers(0, 2**64, 4, np.uint64))
        visited = []

        def choose(part, _, begun=begun, visited=visited):
            legal, observed = game.legal(part), game.observe(part, part["to_move"])
            visited.append(observed)
            with torch.no_grad():
                logits = logits_and_values(clone.policy, torch.from_numpy(observed).float())[0]
            return np.where(legal, logits, -np.inf).argmax(1) if begun else legal.argmax(1)

        playout(game, states, choose)
        np.testing.assert_array_equal(seen, np.concatenate(visited))
        # The learned action is the agent's answer, even if another player moved.
        shown = np.concatenate(clone._agents[0].shown[-len(visited) :])
        np.testing.assert_array_equal(actions, game.legal(shown).argmax(1))


def test_the_learner_plays_its_share_of_the_plies():
    game = boardenvs.make("gekitai")
    played = []
    for share in (0.0, 0.5, 1.0):
        shares = replace(SMALL.clone, random_share=0, learner_share=share)
        clone = learner(game, replace(SMALL, clone=shares))
        clone._agents[0] = Recorder(game)
        clone.steps = 1
        clone._play(num=64)
        first_plies = clone._agents[0].shown[1]["last_action"]
        played.append(np.mean(first_plies == 0))  # the first cell, which Recorder plays
    assert played[0] == 1
    assert 0.25 < played[1] < 0.75
    assert played[2] == 0


class Last(agents.agent.Agent):
    """A player of the last legal action."""

    def choose(self, states, words):
        return self.game.num_actions - 1 - self.game.legal(states)[:, ::-1].argmax(1)


@pytest.mark.parametrize("name", others_slow(["gekitai", "goat_race"], ["gekitai"]))
def test_opponents_play_all_seats_but_one_and_are_not_imitated(name):
    game = boardenvs.make(name)
    met = replace(SMALL.clone, random_share=0, opponent_share=1.0, opponents=("random", "greedy"))
    clone = learner(game, replace(SMALL, network="plain", clone=met))
    clone._agents[0] = Recorder(game)
    opponents, num = [Last(game, 0), Last(game, 0)], 30
    games = LearningGames(game, opponents, num, np.random.default_rng(0), 0, 1.0)
    samples = np.concatenate(list(clone._plies(0, games)))
    states, seats = games.states, games.seats
    assert game.terminated(states).all()
    assert set(seats) == set(range(game.num_players))
    np.testing.assert_array_equal(samples["seats"][:, 0], seats[samples["game"]])
    _, masks, actions, _ = columns(samples)
    np.testing.assert_array_equal(actions, masks.argmax(1))
    if game.has_chance:
        return  # Recorder received resampled dice
    again = game.arrays.new(np.arange(num, dtype=np.uint64))

    def choose(part, live):
        legal = game.legal(part)
        last = game.num_actions - 1 - legal[:, ::-1].argmax(1)
        return np.where(part["to_move"] == seats[live], legal.argmax(1), last)

    playout(game, again, choose)
    np.testing.assert_array_equal(game.returns(again), game.returns(states))


def test_openings_are_random_and_not_learned():
    game = boardenvs.make("gomoku", board_size=7)
    opened = replace(SMALL.clone, random_share=0, opening_plies=6)
    clone = learner(game, replace(SMALL, clone=opened))
    clone._agents[0] = Recorder(game)
    seen = clone._play(num=300)["observation"]
    stones = seen[:, :2].sum((1, 2, 3))
    # The first learned position of a game has as many stones as its opening has plies.
    for few in range(6):
        assert np.sum(stones == few) == pytest.approx(300 * (few + 1) / 7, abs=45)
    first = seen[stones == 3]
    assert len(np.unique(first.reshape(len(first), -1), axis=0)) > 60


def test_games_without_samples_are_replaced():
    game = boardenvs.make("game112", board_size=3)
    opened = replace(SMALL.clone, opening_plies=30)
    clone = learner(game, replace(SMALL, network="plain", clone=opened))
    assert all(len(clone._play(num=1)[0]) for _ in range(5))


def test_the_buffer_keeps_positions_for_later_rounds():
    game = boardenvs.make("gekitai")
    kept = replace(SMALL.clone, buffer=25_000, epochs=3)
    clone = learner(game, replace(SMALL, clone=kept))
    steps = []
    step = clone.fitter.step
    clone.fitter.step = lambda size, *batch: steps.append(batch[0]) or step(size, *batch)
    clone.advance()
    first = clone.steps
    (buffer,) = clone.fitter.buffers
    assert len(buffer) == first
    assert len(steps) == pytest.approx(3 * first / 256, abs=1)
    clone.advance()
    assert len(buffer) == min(clone.steps, 25_000)
    assert len(steps) == pytest.approx(3 * clone.steps / 256, abs=2)
    for samples in steps:
        _, masks, actions, _ = columns(samples)
        assert masks[np.arange(256), actions].all()
    # Samples of the second round include some of the first.
    firsts = {row.tobytes() for samples in steps[: first // 256] for row in samples}
    later = [row.tobytes() in firsts for samples in steps[-30:] for row in samples]
    assert 0.1 < np.mean(later) < 0.9


@pytest.mark.slow
def test_imitation_with_a_buffer_learns_the_agents_actions():
    game = boardenvs.make("gomoku", board_size=7, win_length=4)
    kept = replace(SMALL.clone, buffer=50_000, opponents=("random",), opponent_share=0.3)
    clone = learner(game, replace(SMALL, clone=kept))
    first = clone.advance()
    while clone.steps < SMALL.clone.steps:
        last = clone.advance()
    assert last["agreement"] > first["agreement"] + 0.1
    assert last["value_loss"] < first["value_loss"]


class Judge(Recorder):
    """A player that gives every position the value 0.25, and every fourth a proven loss."""

    def consider(self, states, words):
        analyses = []
        for k, seat in enumerate(states["to_move"].tolist()):
            value = -1.0 if k % 4 == 0 else 0.25
            one = Analysis("visits", {0: 1}, tuple(np.where(np.arange(2) == seat, value, -value)))
            analyses.append(replace(one, proven=k % 4 == 0))
        return self.choose(states, words), analyses


def test_the_values_target_mixes_the_result_and_the_agents_value():
    game = boardenvs.make("gekitai")
    found = []
    for share in (0, 0.5, 1):
        clone = learner(game, replace(SMALL, clone=replace(SMALL.clone, agent="mcts:1")))
        clone._agents[0] = Judge(game)
        clone.settings = replace(clone.settings, value_share=share)
        found.append(clone._play()["value"][:, 0])
    numbers = np.concatenate([np.arange(len(s)) for s in clone._agents[0].shown])
    proven = numbers % 4 == 0
    assert set(found[0].tolist()) <= {-1, 0, 1}
    np.testing.assert_array_equal(found[1][proven], -1)
    np.testing.assert_array_equal(found[1][~proven], found[0][~proven] / 2 + 0.125)
    np.testing.assert_array_equal(found[2], np.where(proven, -1, 0.25))


def test_an_agent_without_values_is_refused(refused):
    settings = replace(SMALL, clone=replace(SMALL.clone, value_share=0.5))
    with refused("value_share .*'greedy'.*got 0.5"):
        learner(boardenvs.make("gekitai"), settings)


def test_the_agent_receives_concealed_states():
    game = boardenvs.make("dominoes175")
    clone = learner(game, replace(SMALL, network="plain"))
    clone._agents[0] = Recorder(game)
    clone._play()
    again = learner(game, replace(SMALL, network="plain"))
    again._agents[0] = Recorder(game)
    again._rng = np.random.default_rng(0)
    again._play()
    # States are concealed again at every ply, so their streams differ from the real one.
    streams = [s["rng"] for s in clone._agents[0].shown]
    assert not np.intersect1d(streams[0], streams[1]).size


def test_fixed_ties_gives_one_action_for_each_position():
    game = boardenvs.make("pizza_order")
    for fixed in (False, True):
        settings = replace(SMALL, clone=replace(SMALL.clone, fixed_ties=fixed, random_share=0))
        seen, masks, actions, _ = columns(learner(game, settings)._play())
        rows = np.concatenate([seen.reshape(len(seen), -1), masks], axis=1)
        _, which = np.unique(rows, axis=0, return_inverse=True)
        answers = np.unique(np.stack([which.ravel(), actions], 1), axis=0)
        alone = len(answers) == which.max() + 1  # a single answer for each position
        assert alone == fixed


def test_the_same_seed_gives_the_same_weights():
    game = boardenvs.make("gekitai")
    found = []
    for seed in (0, 0, 1):
        clone = learner(game, seed=seed)
        clone.advance()
        found.append(clone.policy.state_dict())
    assert all(torch.equal(found[0][k], found[1][k]) for k in found[0])
    assert any(not torch.equal(found[0][k], found[2][k]) for k in found[0])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"steps": 0}, "steps .*got 0"),
        ({"random_share": 1.0}, "random_share .*got 1.0"),
        ({"learner_share": 1.5}, "learner_share .*got 1.5"),
        ({"value_share": 1.5}, "value_share .*got 1.5"),
        ({"learning_rate": -1}, "learning_rate .*got -1"),
    ],
)
def test_bad_settings_are_refused(changes, told, refused):
    with refused(told):
        CloningSettings(**changes)


def test_an_interrupted_imitation_continues_before_the_other_parts(tmp_path):
    game = boardenvs.make("gekitai")
    settings = replace(SMALL, ppo_steps=512, rollout=16, clone=replace(SMALL.clone, steps=10_000))
    whole = TrainingRun(game, settings, 0, tmp_path)
    whole.learn(progress=False)
    assert whole.parts["clone"].steps >= 10_000
    assert whole.model.num_timesteps >= 512
    assert whole.steps == whole.history[-1]["steps"] >= settings.total_steps
    again = TrainingRun.resume(tmp_path)
    assert (again.steps, again.parts["clone"].steps) == (whole.steps, whole.parts["clone"].steps)
    assert len(again.ppo.earlier.selves) == 2  # before and after cloning


@pytest.mark.slow
def test_earlier_selves_are_kept_after_imitation(tmp_path):
    """Earlier selves are kept as often as without cloning, whose decisions do not count."""
    game = boardenvs.make("gekitai")
    clone = replace(SMALL.clone, steps=10_000)
    settings = replace(SMALL, ppo_steps=2048, rollout=16, remember_every=512, clone=clone)
    run = TrainingRun(game, settings, 0, tmp_path)
    run.learn(progress=False)
    # The untrained self, the cloned self, and one per 512 decisions except the last.
    assert len(run.ppo.earlier.selves) == 2 + 2048 // 512 - 1
    again = TrainingRun.resume(tmp_path, settings.total_steps + 256)
    again.learn(progress=False)
    assert len(again.ppo.earlier.selves) == len(run.ppo.earlier.selves) + 1


def test_totals_cover_all_parts():
    settings = replace(SMALL, ppo_steps=1000, clone=replace(SMALL.clone, steps=500))
    assert settings.total_steps == 1500
    for total, parts in ((300, (300, 0)), (500, (500, 0)), (700, (500, 200)), (9000, (500, 8500))):
        ending = settings.ending_at(total)
        assert (ending.clone.steps, ending.ppo_steps) == parts
        assert ending.total_steps == total


def test_the_policy_does_not_change_while_its_values_learn():
    game = boardenvs.make("gekitai")
    settings = replace(SMALL, clone=replace(SMALL.clone, agent="latest", learning_rate=1e-3))
    policy = make_ppo(game, settings, 0).model.policy
    with torch.no_grad():
        policy.mlp_extractor.policy.weight *= 1000  # so that it prefers some actions
    teacher = PolicyAgent(game, copied(policy))
    clone = Imitation((game,), (1.0,), policy, settings.clone, 0, [teacher])
    losses = [clone.advance() for _ in range(3)]
    rng = np.random.default_rng(0)
    states = game.new(200, 0)
    for _ in range(4):
        legal = game.legal(states)
        game.play(states, np.argmax(rng.random(legal.shape) * legal, axis=1))
    ties = np.zeros(200, np.uint64)
    told = teacher.choose(states, ties)
    assert len(set(told.tolist())) > 3
    assert (PolicyAgent(game, policy).choose(states, ties) == told).mean() > 0.9
    assert losses[-1]["value_loss"] < losses[0]["value_loss"]


def test_a_run_ends_with_the_fit_of_the_values(tmp_path):
    game = boardenvs.make("goat_race", num_players=3, width=5, height=2, max_plies=60)
    one = CloningSettings(steps=3000)
    settings = replace(
        SMALL, network="plain", clone=one, values=replace(one, agent="latest"), ppo_steps=256
    )
    run = TrainingRun(game, settings, 0, tmp_path)
    run.learn(progress=False)
    assert list(run.parts) == ["clone", "ppo", "values"]
    assert run.steps == sum(part.steps for part in run.parts.values())
    assert run.parts["values"].steps >= 3000
    assert run.best["steps"] == run.steps
    # The policy was evaluated before the fit, although `evaluate_every` had not passed.
    before = run.steps - run.parts["values"].steps
    assert before in [point["steps"] for point in run.history]
    again = TrainingRun.resume(tmp_path)
    assert again.steps == run.steps
    again.learn(progress=False)
    assert again.steps == run.steps
    assert settings.ending_at(4000).values == settings.values
    assert settings.ending_at(2000).values is None


def test_an_interrupted_fit_of_the_values_continues(tmp_path, monkeypatch):
    game = boardenvs.make("goat_race", num_players=3, width=5, height=2, max_plies=60)
    values = CloningSettings(agent="latest", steps=100_000)
    run = TrainingRun(game, replace(SMALL, network="plain", clone=None, values=values), 0, tmp_path)
    advance = Values.advance

    def interrupted(part):
        if part.steps:
            raise KeyboardInterrupt
        return advance(part)

    monkeypatch.setattr(Values, "advance", interrupted)
    monkeypatch.setattr(run_module, "_SAVE_EVERY", 0)
    monkeypatch.setattr(run_module, "_SAVE_SHARE", 1e9)
    with pytest.raises(KeyboardInterrupt):
        run.learn(progress=False)
    again = TrainingRun.resume(tmp_path)
    assert again.parts["values"].steps == run.parts["values"].steps > 0
    found, expected = (one.model.policy.state_dict() for one in (again, run))
    assert all(torch.equal(found[key], expected[key]) for key in expected)
    assert not torch.equal(expected["value_net.bias"], run.best["policy"]["value_net.bias"])
