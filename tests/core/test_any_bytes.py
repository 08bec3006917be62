"""Records of arbitrary bytes give a one-line `ValueError` or a result of the right shape.

Unchecked bytes could crash the process by an invalid index, or cause an infinite loop.
"""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from two_games import others_slow
from variants import VARIANTS

import agents
import boardenvs
from boardenvs.game112 import rules

EXTREMES = [-128, -1, 1, 2, 3, 5, 7, 9, 28, 126, 127]


@pytest.fixture(scope="module", params=others_slow(VARIANTS))
def game(request):
    name, params = VARIANTS[request.param]
    return boardenvs.make(name, **params)


def forged(game, played, num, rng):
    """Return records with some changed bytes in any field, some of them entirely random."""
    states = played[rng.integers(len(played), size=num)]
    for i in range(num):
        if i % 10 == 0:
            states[i] = np.frombuffer(rng.bytes(states.itemsize), game.state_dtype)[0]
        for name in rng.choice(game.state_dtype.names, rng.integers(1, 4)):
            field = np.atleast_1d(states[name][i])
            spoilt = field.view(np.uint8).reshape(-1)
            places = rng.integers(len(spoilt), size=rng.integers(1, 3))
            values = rng.choice(EXTREMES, len(places)).astype(np.int8).view(np.uint8)
            noise = rng.integers(256, size=len(places), dtype=np.uint8)
            spoilt[places] = np.where(rng.random() < 0.5, values, noise)
            states[name][i] = field.reshape(states[name][i].shape)
    return states


@pytest.fixture(scope="module")
def records(game, random_positions):
    """Return forged records of a game."""
    return forged(game, random_positions(game, 6, 0), 500, np.random.default_rng(0))


@pytest.fixture(scope="module")
def accepted(game, records, attempt):
    """Return the forged records that pass the checks."""
    kept = [one for one in records if attempt(game.arrays.batch, one) is not None]
    assert 20 < len(kept) < 450
    return np.array(kept, game.state_dtype)


def test_every_function_returns_or_raises_a_value_error(game, records, attempt):
    rng = np.random.default_rng(1)
    seats, actions = game.num_players, game.num_actions
    functions = {
        "legal": (game.legal, (1, actions)),
        "observe": (lambda one: game.observe(one, seats - 1), (1, *game.observation_shape)),
        "observe_to_move": (game.observe_to_move, (1, *game.observation_shape)),
        "conceal": (lambda one: game.conceal(one, 0, rng), (1,)),
        "to_move": (game.to_move, (1,)),
        "returns": (game.returns, (1, seats)),
        "terminated": (game.terminated, (1,)),
        "truncated": (game.truncated, (1,)),
        "restore": (game.restore, (1,)),
        "batch": (game.arrays.batch, (1,)),
    }
    others = (
        game.to_text,
        game.presentation.turn_line,
        game.to_dict,
        game.picture,
        game.info,
        game.infos,
        lambda one: game.action_to_text(actions - 1, one),
        lambda one: game.action_from_text("1", one),
        lambda one: game.presentation.action_area(actions - 1, one),
        lambda one: game.play(one.copy(), [rng.integers(actions)]),
    )
    refused = dict.fromkeys(functions, 0)
    for one in records:
        for name, (function, shape) in functions.items():
            answer = attempt(function, one)
            refused[name] += answer is None
            assert answer is None or answer.shape == shape
        for function in others:
            attempt(function, one.copy())
    del refused["restore"]  # restore requires more than the others
    assert len(set(refused.values())) == 1
    assert game.arrays.conceal(records, 0, np.zeros(len(records), np.uint64)).shape == (500,)


def test_accepted_records_can_be_played_to_the_end(game, accepted):
    rng = np.random.default_rng(2)
    states = accepted.copy()
    for _ in range(game.max_plies + 1):
        states = states[~(states["terminated"] | states["truncated"])]
        masks = game.legal(states)  # raises if the record is invalid
        assert masks.any(1).all()
        game.play(states, (rng.random(masks.shape) * masks).argmax(1), illegal="raise")
    assert not len(states)


# MCTS is compiled for each game and calls the same rules as greedy.
ASKED = [
    pytest.param(name, spec, marks=[pytest.mark.slow] if spec == "mcts:8" else [])
    for name in boardenvs.GAMES
    for spec in ("random", "greedy", "mcts:8")
]


@pytest.mark.parametrize(("game", "spec"), ASKED, indirect=["game"])
def test_agents_choose_or_raise_a_value_error(game, records, accepted, spec, attempt):
    player = agents.make(spec, game, seed=0)
    for one in records[:60]:
        answer = attempt(player.act, one)
        assert answer is None or answer.shape == (1,)
        for ask in (player.choose, player.consider):
            attempt(
                lambda state, ask=ask: ask(game.arrays.records(state), np.ones(1, np.uint64)), one
            )
    live = accepted[~(accepted["terminated"] | accepted["truncated"])][:40]
    chosen = player.act(live)
    assert game.legal(live)[np.arange(len(live)), chosen].all()


def test_every_position_of_a_game_is_accepted(game, random_positions):
    played = random_positions(game, 8, 1)
    masks = game.legal(played)
    forfeited = played[masks.any(1) & ~masks.all(1)]
    game.play(forfeited, (~game.legal(forfeited)).argmax(1))
    for states in (played, forfeited, game.conceal(played, 0, np.random.default_rng(0))):
        assert len(game.arrays.batch(states)) == len(states)


def test_the_message_names_the_field_and_the_record():
    game = boardenvs.make("gekitai")
    for field, value, said in [
        ("to_move", 2, "to_move .* 2$"),
        ("to_move", -1, "to_move .* -1$"),
        ("last_action", 36, "last_action .* 36$"),
        ("offender", 2, "offender .* 2$"),
        ("ply", -1, "ply .* -1$"),
        ("ply", 200, "ply .* 200$"),
        ("returns", np.nan, r"returns .* \[nan, nan\]$"),
        ("pieces", 2**63, "fields"),
    ]:
        states = game.new(3, 0)
        states[field][1] = value
        with pytest.raises(ValueError, match=f"^record 1 of 3 .*gekitai.* {said}"):
            game.legal(states)


BARE = """
from boardenvs.game112 import Game112

class Bare112(Game112):
    name = "bare112"
"""


def test_a_game_without_the_function_has_its_common_fields_checked(tmp_path, monkeypatch):
    """Without `sound` in a user's rules, only the common fields are checked."""
    (tmp_path / "bare112").mkdir()
    (tmp_path / "bare112" / "__init__.py").write_text(BARE, encoding="utf-8")
    text = Path(rules.__file__).read_text(encoding="utf-8")
    (tmp_path / "bare112" / "rules.py").write_text(
        text[: text.index("@njit\ndef sound")], encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    game = importlib.import_module("bare112").Bare112()
    assert game.rules.__name__ == "bare112.rules"
    states = game.new(2, 0)
    states["cells"][0, 0] = 99  # the game's own field
    assert game.legal(states)[1].all()
    states["to_move"][1] = 5
    with pytest.raises(ValueError, match=r"^record 1 of 2 .*bare112.* to_move"):
        game.legal(states)
    del sys.modules["bare112"], sys.modules["bare112.rules"]
