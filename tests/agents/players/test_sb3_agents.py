"""Stable-Baselines3 models as agents, with masks, on flat observations and on planes."""

import importlib
import pickle
import sys
import zipfile

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC

import agents
import boardenvs
from agents.naming.spec import Spec
from boardenvs.registration import env_id

KINDS = {"MaskablePPO": MaskablePPO, "PPO": PPO, "A2C": A2C, "DQN": DQN}


def new_model(kind, name, *, flat=False, seed=0, **params):
    env = gymnasium.make(env_id(name), **params)
    env = FlattenObservation(env) if flat else env
    options = {"buffer_size": 100} if kind is DQN else {"n_steps": 16}
    if kind in (PPO, MaskablePPO):
        options["batch_size"] = 16
    return kind("MlpPolicy", env, seed=seed, device="cpu", **options)


@pytest.fixture(
    scope="module", params=[(k, flat) for k in KINDS for flat in (False, True)], ids=str
)
def model(request):
    kind, flat = request.param
    return new_model(KINDS[kind], "gekitai", flat=flat)


def scores(model, game, states):
    """Return the model's own logits or Q-values."""
    seen = game.observe(states, states["to_move"])
    seen = seen.reshape(len(states), *model.observation_space.shape)
    with torch.no_grad():
        tensor, _ = model.policy.obs_to_tensor(seen)
        if isinstance(model, DQN):
            return model.q_net(tensor).numpy()
        return model.policy.get_distribution(tensor).distribution.logits.numpy()


def last_bias(model):
    net = model.q_net.q_net[-1] if isinstance(model, DQN) else model.policy.action_net
    return net.bias


def test_the_agent_takes_the_best_legal_action(model, gekitai, live_positions):
    states = live_positions(gekitai, 20, 1)
    agent = agents.from_sb3(model, gekitai)
    assert agent.deterministic
    wanted = np.where(gekitai.legal(states), scores(model, gekitai, states), -np.inf).argmax(1)
    np.testing.assert_array_equal(agent.act(states), wanted)


def test_the_agent_reports_the_probabilities_of_a_policy(model, gekitai, live_positions):
    states = live_positions(gekitai, 5, 1)
    words = np.arange(len(states), dtype=np.uint64)
    agent = agents.from_sb3(model, gekitai, temperature=1)
    actions, told = agent.consider(states, words)
    np.testing.assert_array_equal(actions, agent.choose(states, words))
    if isinstance(model, DQN):
        assert told == [None] * len(states)
        return
    masks = gekitai.legal(states)
    weights = np.exp(scores(model, gekitai, states)) * masks
    for one, legal, row in zip(told, masks, weights, strict=True):
        assert one.kind == "probabilities"
        assert one.weights.keys() == set(np.flatnonzero(legal))
        found = [one.weights[a] for a in np.flatnonzero(legal)]
        np.testing.assert_allclose(found, row[legal] / row.sum(), atol=1e-4)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_masks_override_a_strong_preference_of_the_model(
    model, gekitai, live_positions, temperature
):
    states = live_positions(gekitai, 40, 2)
    taken = ~gekitai.legal(states)[:, 14]
    assert taken.sum() > 30
    bias = last_bias(model)
    before = bias[14].item()
    with torch.no_grad():
        bias[14] += 1000
    actions = agents.from_sb3(model, gekitai, temperature).act(states)
    with torch.no_grad():
        bias[14] = before
    assert gekitai.legal(states)[np.arange(len(states)), actions].all()
    np.testing.assert_array_equal(actions == 14, ~taken)


def test_the_agent_plays_a_match(model, gekitai):
    result = agents.play_match(gekitai, [agents.from_sb3(model, gekitai), "random"], 20, seed=0)
    assert result.games == 20


def test_the_agent_agrees_with_predict_of_maskable_ppo(gekitai, live_positions):
    model = new_model(MaskablePPO, "gekitai", seed=4)
    states = live_positions(gekitai, 20, 3)
    seen, masks = gekitai.observe(states, states["to_move"]), gekitai.legal(states)
    wanted, _ = model.predict(seen, action_masks=masks, deterministic=True)
    np.testing.assert_array_equal(agents.from_sb3(model, gekitai).act(states), wanted)


def test_temperature_one_samples_from_the_policy(game112):
    model = new_model(PPO, "game112")
    states = np.repeat(game112.new(1), 20_000)
    states_words = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    agent = agents.from_sb3(model, game112, temperature=1.0)
    assert not agent.deterministic
    counts = np.bincount(agent.choose(states, states_words), minlength=18)
    logits = scores(model, game112, states[:1])[0].astype(float)
    expected = 20_000 * np.exp(logits) / np.exp(logits).sum()
    assert ((counts - expected) ** 2 / expected).sum() < 17 + 4 * np.sqrt(34)


def test_the_agent_follows_changes_of_the_model(gekitai):
    model = new_model(PPO, "gekitai")
    agent = agents.from_sb3(model, gekitai)
    with torch.no_grad():
        last_bias(model)[7] += 1000
    assert agent.act(gekitai.new(1)).tolist() == [7]


def test_an_empty_batch_has_no_actions(model, gekitai):
    assert agents.from_sb3(model, gekitai).act(gekitai.new(0)).shape == (0,)


def test_the_agent_does_not_change_the_model(model, gekitai):
    before = {k: v.clone() for k, v in model.policy.state_dict().items()}
    agents.from_sb3(model, gekitai, 1.0).act(gekitai.new(4))
    assert all(torch.equal(before[k], v) for k, v in model.policy.state_dict().items())
    assert all(p.grad is None for p in model.policy.parameters())


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_model_of_another_game_is_refused(kind, gekitai, refused):
    with refused(r"model .*\(3, 6, 6\) .*Gekitai\(.*got Box"):
        agents.from_sb3(new_model(kind, "game112"), gekitai)
    with refused(r"model .*\(3, 6, 6\) .*Gekitai\(.*got Box"):
        agents.from_sb3(new_model(kind, "gekitai", board_size=7), gekitai)


def test_a_model_with_other_actions_is_refused(gekitai, refused):
    class Five(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(0, 1, (108,), np.int8)
        action_space = gymnasium.spaces.Discrete(5)

    with refused(r"model .*36 actions .*Gekitai\(.*got Discrete\(5\)"):
        agents.from_sb3(PPO("MlpPolicy", Five(), n_steps=16, batch_size=16, device="cpu"), gekitai)


def test_spaces_of_other_kinds_are_refused(gekitai, refused):
    class Continuous(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(-1, 1, (108,), np.float32)
        action_space = gymnasium.spaces.Box(-1, 1, (36,), np.float32)

    class Named(gymnasium.Env):
        observation_space = gymnasium.spaces.Dict(
            {"observation": gymnasium.spaces.Box(0, 1, (108,), np.float32)}
        )
        action_space = gymnasium.spaces.Discrete(36)

    with refused("model .*policy or Q-values .*got "):
        agents.from_sb3(SAC("MlpPolicy", Continuous(), buffer_size=10, device="cpu"), gekitai)
    options = {"n_steps": 16, "batch_size": 16, "device": "cpu"}
    with refused(r"model .*actions .*got Box"):
        agents.from_sb3(PPO("MlpPolicy", Continuous(), **options), gekitai)
    with refused(r"model .*observe .*got Dict"):
        agents.from_sb3(PPO("MultiInputPolicy", Named(), **options), gekitai)


@pytest.mark.parametrize(
    ("kind", "policy", "options"),
    [
        (QRDQN, "MlpPolicy", {"buffer_size": 10}),
        (RecurrentPPO, "MlpLstmPolicy", {"n_steps": 16, "batch_size": 16}),
    ],
    ids=["QRDQN", "RecurrentPPO"],
)
def test_unsupported_algorithms_are_refused(kind, policy, options, gekitai, refused):
    # One model predicts distributions of returns, the other one is recurrent.
    env = FlattenObservation(gymnasium.make(env_id("gekitai")))
    model = kind(policy, env, device="cpu", **options)
    with refused("model .*policy or Q-values .*got "):
        agents.from_sb3(model, gekitai)


@pytest.mark.parametrize("junk", [None, "MaskablePPO", 3])
def test_objects_that_are_not_models_are_refused(junk, gekitai, refused):
    with refused("model .*policy or Q-values .*got "):
        agents.from_sb3(junk, gekitai)


@pytest.mark.parametrize("temperature", [-1, float("nan"), float("inf"), "hot"])
def test_a_bad_temperature_is_refused(temperature, gekitai, refused):
    with refused("^temperature .*got "):
        agents.from_sb3(new_model(PPO, "gekitai"), gekitai, temperature)


def test_a_model_plays_games_with_any_max_plies():
    model = new_model(PPO, "gekitai")
    game = boardenvs.make("gekitai", max_plies=30)
    scores = agents.play_match(game, [agents.from_sb3(model, game), "random"], 10, seed=0)
    assert scores.plies.max() <= 30


# -- Saved models -----------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
def test_a_saved_model_plays_like_the_model(model, gekitai, live_positions):
    model.save("model.zip")
    states = live_positions(gekitai, 20, 1)
    saved = agents.make("sb3:model.zip", gekitai, seed=0)
    assert saved.spec == "sb3:model.zip"
    assert saved.deterministic
    np.testing.assert_array_equal(saved.act(states), agents.from_sb3(model, gekitai).act(states))


@pytest.mark.usefixtures("here")
def test_a_saved_model_samples_by_its_seed(game112):
    new_model(PPO, "game112").save("model.zip")
    states = game112.new(50, 0)
    first, again, other = (
        agents.make("sb3:model.zip", game112, seed, temperature=1.0).act(states)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


EXTRACTOR = """
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

class Flat(BaseFeaturesExtractor):
    def __init__(self, space):
        super().__init__(space, 27)

    def forward(self, seen):
        return seen.flatten(1)
"""


def test_a_saved_model_finds_modules_in_the_current_folder(own_module, game112, monkeypatch):
    own_module("my_layers", EXTRACTOR)
    with monkeypatch.context() as there:
        there.syspath_prepend(".")
        extractor = importlib.import_module("my_layers").Flat
        env = gymnasium.make(env_id("game112"))
        options = {"policy_kwargs": {"features_extractor_class": extractor}, "device": "cpu"}
        PPO("MlpPolicy", env, n_steps=16, batch_size=16, **options).save("model.zip")
    del sys.modules["my_layers"]
    assert agents.make("sb3:model.zip", game112).act(game112.new(2, 0)).shape == (2,)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.zip", "does not exist"),
        ("other", r"does not exist; did you mean other\.zip\?"),
        (".", "folder"),
        ("text.zip", "zip"),
        ("pickle.zip", "zip"),
        ("other.zip", "settings"),
    ],
)
@pytest.mark.usefixtures("here")
def test_files_that_are_not_saved_models_are_refused(name, reason, game112, tmp_path, refused):
    (tmp_path / "text.zip").write_text("nothing", encoding="utf-8")
    (tmp_path / "pickle.zip").write_bytes(pickle.dumps({}))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("text", "nothing")
    with refused(f"is not a Stable-Baselines3 model.*{reason}"):
        agents.make(f"sb3:{name}", game112)


@pytest.mark.usefixtures("here")
def test_the_version_of_a_saved_model_changes_with_its_file(game112):
    versions = []
    for seed in range(2):
        new_model(PPO, "game112", seed=seed).save("model.zip")
        saved = agents.make("sb3:model.zip", game112)
        versions.append(Spec.of("sb3:model.zip", game112).version(saved))
    assert versions[0] != versions[1]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("a/model.zip", "sb3:a/model.zip"),
        ("model.ONNX", "trained:model.ONNX"),
        ("trained:model.zip", "sb3:model.zip"),
        ("sb3", "sb3:PATH"),
    ],
)
def test_a_path_without_an_agent_name_gets_a_suggestion(given, meant, game112, refused):
    with refused(f"did you mean {meant}\\?$"):
        agents.make(given, game112)
