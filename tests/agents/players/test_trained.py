"""Trained agents: networks in ONNX Runtime with masks, and refused files."""

import json
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

import agents
import boardenvs
from agents.networks.card import card_path
from agents.networks.onnx_policy import OnnxPolicy
from agents.players.choice import masked_choice

SHIPPED = sorted(Path(agents.games.__file__).parent.glob("*/*.onnx"))


def words(num, seed=0):
    return np.random.default_rng(seed).integers(0, 2**64, num, np.uint64)


# -- The choice among the legal actions -------------------------------------------------


def test_the_agent_takes_the_best_legal_action():
    logits = np.array([[5.0, 1.0, 3.0, 2.0]] * 3, np.float32)
    masks = np.array([[0, 1, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]], bool)
    for bits in (words(3), np.zeros(3, np.uint64)):
        assert masked_choice(logits, masks, 0, bits).tolist() == [2, 1, 0]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_agent_samples_from_the_softmax_of_the_legal_logits(temperature):
    logits = np.tile(np.array([30.0, 0.0, 1.0, -1.0, 2.0], np.float32), (40_000, 1))
    masks = np.tile(np.array([False, True, True, True, True]), (40_000, 1))
    counts = np.bincount(masked_choice(logits, masks, temperature, words(40_000)), minlength=5)
    weights = np.exp(np.array([0.0, 1.0, -1.0, 2.0]) / temperature)
    expected = 40_000 * weights / weights.sum()
    assert counts[0] == 0
    assert ((counts[1:] - expected) ** 2 / expected).sum() < 16  # 3 degrees, p = 0.001


def test_a_high_temperature_is_uniform_and_a_low_one_takes_the_best():
    logits = np.tile(np.array([3.0, 0.0, 50.0, 9.0], np.float32), (9000, 1))
    masks = np.tile(np.array([True, True, False, True]), (9000, 1))
    counts = np.bincount(masked_choice(logits, masks, 1e6, words(9000)), minlength=4)
    assert counts[2] == 0
    assert abs(counts[[0, 1, 3]] - 3000).max() < 200
    assert set(masked_choice(logits, masks, 1e-3, words(9000)).tolist()) == {3}


def test_extreme_random_bits_choose_the_first_and_last_action():
    logits = np.zeros((2, 5), np.float32)
    masks = np.array([[False, True, True, True, False]] * 2)
    bits = np.array([0, 2**64 - 1], np.uint64)
    assert masked_choice(logits, masks, 1.0, bits).tolist() == [1, 3]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38, -1e38])
def test_actions_are_legal_for_any_logits(value, temperature):
    masks = np.random.default_rng(3).random((200, 7)) < 0.3
    masks[~masks.any(1), 6] = True
    masks[:, 0] = False
    masks[~masks.any(1), 6] = True
    for logits in (
        np.full((200, 7), value, np.float32),
        np.where(masks, np.float32(value), np.float32(0)),
        np.where(masks, np.float32(0), np.float32(value)),
    ):
        chosen = masked_choice(logits, masks, temperature, words(200))
        assert masks[np.arange(200), chosen].all()


# -- Handmade networks ------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_masks_are_applied_to_a_network_without_masks(
    temperature, game, network_file, live_positions
):
    # The network prefers action 0 almost certainly, then action 1, and so on.
    path = network_file(game, bias=-50.0 * np.arange(game.num_actions))
    agent = agents.make(f"trained:{path}", game, temperature=temperature)
    states = live_positions(game, 50, 6)
    np.testing.assert_array_equal(agent.act(states), game.legal(states).argmax(1))


def test_the_network_sees_the_board_from_the_seat_to_move(gekitai, network_file, live_positions):
    # Each cell's logit is 4 for an own piece, 2 for the opponent's and 1 if empty.
    planes = np.concatenate([k * np.eye(36, dtype=np.float32) for k in (4, 2, 1)])
    network = OnnxPolicy(gekitai, network_file(gekitai, weights=planes))
    states = live_positions(gekitai, 20, 7)
    logits, value = network.evaluate(states)
    owners = gekitai.owners(states).reshape(len(states), 36)
    mover = states["to_move"][:, None]
    expected = np.where(owners < 0, 1, np.where(owners == mover, 4, 2))
    np.testing.assert_array_equal(logits, expected)
    assert value.shape == (len(states),)
    assert not value.any()


@pytest.mark.parametrize("remembered", [True, False], ids=["trained with", "trained without"])
def test_the_network_observes_as_in_training(remembered, network_file):
    trained_on = boardenvs.make("goat_race", num_players=2, memory=remembered)
    played = boardenvs.make("goat_race", num_players=2, memory=not remembered)
    shown = int(np.prod(trained_on.observation_shape))
    # The first logit counts the ones in the observation.
    weights = np.zeros((shown, played.num_actions), np.float32)
    weights[:, 0] = 1
    path = network_file(trained_on, weights=weights)
    states = played.new(30, 0)
    for _ in range(12):
        played.play(states, played.legal(states).argmax(1))
    network = OnnxPolicy(played, path)
    seen = trained_on.observe(states, states["to_move"]).sum((1, 2, 3))
    np.testing.assert_array_equal(network.evaluate(states)[0][:, 0], seen)
    assert (seen != played.observe(states, states["to_move"]).sum((1, 2, 3))).any()
    assert pickle.loads(pickle.dumps(network)).evaluate(states)[0][0, 0] == seen[0]


def test_other_parameters_than_those_of_observations_are_refused(network_file, refused):
    path = network_file(boardenvs.make("goat_race", num_players=2, memory=True))
    with refused("goat_race .*'num_players': 2.*goat_race"):
        agents.make(f"trained:{path}", boardenvs.make("goat_race"))


def test_the_temperature_is_an_option_of_the_agent(game112, network_file):
    bias = np.where(np.arange(18) % 2, 1.0, 0.0)
    path = network_file(game112, bias=bias)
    states = np.repeat(game112.new(1), 20_000)
    warm = agents.make(f"trained:{path}", game112, seed=1, temperature=1)
    share = (warm.act(states) % 2).mean()
    assert share == pytest.approx(np.e / (1 + np.e), abs=0.015)
    assert set(agents.make(f"trained:{path}", game112).act(states).tolist()) == {1}


# -- Agreement with the policy that was trained -----------------------------------------


@pytest.mark.parametrize("num", [1, 2, 500])
def test_the_exported_network_is_the_policy(tiny, gekitai, live_positions, num):
    states = live_positions(gekitai, 60, 2)[:num]
    logits, value = OnnxPolicy(gekitai, tiny.network).evaluate(states)
    policy = tiny.run.model.policy
    with torch.no_grad():
        seen, _ = policy.obs_to_tensor(gekitai.observe(states, states["to_move"]))
        wanted = policy.get_distribution(seen).distribution.logits.numpy()
        wanted_value = policy.predict_values(seen).numpy()[:, 0]

    def normal(x):  # normalises logits as a softmax does
        return x - np.log(np.exp(x).sum(1, keepdims=True))

    np.testing.assert_allclose(normal(logits), normal(wanted), atol=1e-5)
    np.testing.assert_allclose(value, wanted_value, atol=1e-5)
    assert value.shape == (num,)


def test_the_agent_plays_like_the_model(tiny, gekitai, live_positions):
    states = live_positions(gekitai, 60, 3)
    np.testing.assert_array_equal(
        agents.make(tiny.spec, gekitai).act(states),
        agents.from_sb3(tiny.run.model, gekitai).act(states),
    )


# -- Refused files ----------------------------------------------------------------------


def test_a_network_of_another_game_is_refused(tiny, game112, refused):
    with refused("agent.onnx .*gekitai .*game112"):
        agents.make(tiny.spec, game112)


def test_a_network_for_other_parameters_is_refused(tiny, refused):
    for params in ({"board_size": 7}, {"pieces": 9}, {"line_length": 4}):
        with refused("agent.onnx .*gekitai .*'board_size': 6.*gekitai"):
            agents.make(tiny.spec, boardenvs.make("gekitai", **params))


def test_a_network_plays_games_with_any_max_plies(tiny):
    game = boardenvs.make("gekitai", max_plies=50)
    assert agents.play_match(game, [tiny.spec, "random"], 4, seed=0).games == 4


@pytest.mark.parametrize("checked", [True, False], ids=["with checksum", "without checksum"])
@pytest.mark.parametrize("kept", [0.0, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_truncated_network_is_refused(tiny_copy, gekitai, refused, kept, checked):
    data = tiny_copy.network.read_bytes()
    tiny_copy.network.write_bytes(data[: int(kept * len(data))])
    if not checked:
        card = tiny_copy.card
        del card["sha256"]
        card_path(tiny_copy.network).write_text(json.dumps(card), encoding="utf-8")
    with refused("agent.onnx .*damaged"):
        agents.make(tiny_copy.spec, gekitai)


def test_a_network_with_one_changed_byte_is_refused(tiny_copy, gekitai, refused):
    data = bytearray(tiny_copy.network.read_bytes())
    data[len(data) // 2] ^= 1
    tiny_copy.network.write_bytes(data)
    with refused("agent.onnx .*checksum"):
        agents.make(tiny_copy.spec, gekitai)


@pytest.mark.parametrize("content", [b"hello\n", b"\0" * 100, b"PK\x03\x04", b"\x80\x05K\x01."])
def test_a_file_that_is_not_a_network_is_refused(network_file, gekitai, refused, content):
    path = network_file(gekitai)
    path.write_bytes(content)
    with refused("handmade.onnx .*ONNX"):
        agents.make(f"trained:{path}", gekitai)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": (3, 7, 7)},
        {"shape": (108,)},
        {"bias": np.zeros(35)},
        {"names": ("input", "logits", "value")},
        {"names": ("observation", "policy", "value")},
        {"names": ("observation", "logits", "v")},
        {"element": onnx.TensorProto.DOUBLE},
        {"element": onnx.TensorProto.INT64},
        {"batch": 1},
    ],
    ids=str,
)
def test_a_network_of_another_kind_is_refused(network_file, gekitai, refused, change):
    path = network_file(gekitai, **change)
    with refused("handmade.onnx .*inputs .*outputs .*got "):
        agents.make(f"trained:{path}", gekitai)


def test_a_missing_network_is_refused(tmp_path, gekitai, refused):
    folder = tmp_path / "folder.onnx"
    folder.mkdir()
    for path, said in (
        (tmp_path / "no.onnx", "not exist"),
        (folder, "not a file"),
        *((path, ".onnx") for path in (tmp_path, tmp_path / "agent.pt", Path())),
    ):
        with refused(f"not a trained agent: .*{said}"):
            agents.make(f"trained:{path}", gekitai)


def test_a_network_without_a_card_is_refused(tiny_copy, gekitai, refused):
    card_path(tiny_copy.network).unlink()
    with refused("agent.onnx .*card.* agent.json"):
        agents.make(tiny_copy.spec, gekitai)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "5",
        "null",
        "{}",
        '{"game": "gekitai"}',
        '{"params": {}}',
        "\ud800",
        "[" * 100_000,
    ],
    ids=lambda text: text[:10].encode("ascii", "replace").decode(),
)
def test_a_broken_card_is_refused(tiny_copy, gekitai, refused, text):
    card_path(tiny_copy.network).write_text(text, encoding="utf-8", errors="surrogatepass")
    with refused("agent.json .*card"):
        agents.make(tiny_copy.spec, gekitai)


@pytest.mark.parametrize("scores", [None, 5, "x", [1], [{}], {"a": 1}], ids=repr)
def test_a_card_with_damaged_scores_is_refused(tiny_copy, gekitai, refused, scores):
    card = {**tiny_copy.card, "scores": scores}
    card_path(tiny_copy.network).write_text(json.dumps(card), encoding="utf-8")
    with refused("agent.json .*scores"):
        OnnxPolicy(gekitai, tiny_copy.network)


@pytest.mark.parametrize(
    "changes", [{"game": "chess"}, {"game": None}, {"params": None}, {"params": [1]}], ids=str
)
def test_a_card_of_another_kind_is_refused(tiny_copy, gekitai, refused, changes):
    card = {**tiny_copy.card, **changes}
    card_path(tiny_copy.network).write_text(json.dumps(card), encoding="utf-8")
    with refused("agent.onnx .*gekitai"):
        agents.make(tiny_copy.spec, gekitai)


@pytest.mark.parametrize("key", ["game", "params"])
def test_a_card_with_line_breaks_is_refused_in_one_line(tiny_copy, gekitai, refused, key):
    card = {**tiny_copy.card, key: "a\nb"}
    card_path(tiny_copy.network).write_text(json.dumps(card), encoding="utf-8")
    with refused(r"agent.onnx .*a\\nb.*gekitai"):
        agents.make(tiny_copy.spec, gekitai)


@pytest.mark.parametrize("sha256", ["", "00", None, 7])
def test_a_wrong_checksum_is_refused(tiny_copy, gekitai, refused, sha256):
    card = {**tiny_copy.card, "sha256": sha256}
    card_path(tiny_copy.network).write_text(json.dumps(card), encoding="utf-8")
    with refused("agent.onnx .*checksum"):
        agents.make(tiny_copy.spec, gekitai)


def test_parameters_without_a_shipped_network_are_refused(refused):
    game = boardenvs.make("gekitai", board_size=8, pieces=11, line_length=5)
    with refused(r"trained agent .*Gekitai\(board_size=8.*'boardenvs train gekit"):
        agents.make("trained", game)


# -- Requirements of play ---------------------------------------------------------------

PLAYS = """
    import importlib.abc, pickle, sys

    class Blocked(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "onnx"):
                raise ModuleNotFoundError(f"{name} is blocked")

    sys.meta_path.insert(0, Blocked())
    import agents, boardenvs

    game = boardenvs.make("gekitai")

    def plies():
        trained = agents.make(sys.argv[1], game, temperature=float(sys.argv[2]))
        return agents.play_match(game, [trained, "random"], 20, seed=0).plies.sum()

    plies()  # Numba's cache of compiled rules holds pickles

    def refuse(*args, **kwargs):
        raise AssertionError("something is unpickled")

    import _pickle
    for module in (pickle, _pickle):
        module.load = module.loads = module.Unpickler = refuse
    print(plies())
    assert "torch" not in sys.modules
"""


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_playing_needs_no_torch_and_unpickles_nothing(tiny, gekitai, temperature):
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PLAYS), tiny.spec, str(temperature)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    trained = agents.make(tiny.spec, gekitai, temperature=temperature)
    plies = agents.play_match(gekitai, [trained, "random"], 20, seed=0).plies.sum()
    assert int(ran.stdout) == plies
