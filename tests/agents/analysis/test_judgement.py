"""Agents' judgement of a position: texts, values after each move, proofs."""

import numpy as np
import pytest

import agents
import boardenvs
from agents.analysis.analyst import analyst
from agents.analysis.judgement import judge, proofs_of


def test_the_default_analyst_supports_every_game(name):
    game = boardenvs.make(name)
    states = game.new(1, 2)
    spec, agent = analyst(game, states, 0)
    found = judge(game, states, agent, 0, 5)
    legal = game.legal(states)[0]
    assert legal[found.action]
    assert found.moves[0].action == found.action == found.line[0]
    assert found.analysis is not None
    assert len(found.moves) + found.more == legal.sum()
    assert sum(move.share or 0 for move in found.moves) <= 1 + 1e-9
    assert spec in (*agents.SPECS, spec)
    again = judge(game, states, agent, 0, 5)
    assert again == found


def test_exact_judges_every_move_of_112_correctly():
    game = boardenvs.make("game112")
    rng = np.random.default_rng(0)
    exact = agents.make("exact", game, 0)
    for _ in range(15):
        states = game.new(1, 0)
        for _ in range(int(rng.integers(7))):
            game.play(states, [rng.choice(np.flatnonzero(game.legal(states)[0]))])
        if game.over(states)[0]:
            continue
        truth = exact.action_values(states)[0]
        found = judge(game, states, exact, 0, 18)
        best = np.nanmax(truth)
        assert found.proof.value == best
        assert found.proven
        assert {move.action for move in found.moves} == set(np.flatnonzero(~np.isnan(truth)))
        for move in found.moves:
            assert move.value == move.proof.value == truth[move.action]
            child = states.copy()
            game.play(child, [move.action])
            if move.value:
                assert move.proof.plies == 1 + exact.plies(child)[0]
        assert truth[found.action] == best
        values = [move.value for move in found.moves]
        assert values == sorted(values, reverse=True)
        # Perfect play reaches the proven result.
        end = states.copy()
        for action in found.line:
            game.play(end, [action])
        if game.over(end)[0]:
            assert end["returns"][0, states["to_move"][0]] == best


def test_values_after_a_move_are_those_of_the_mover(gekitai):
    """Values are the mover's: X wins at once by A3, although O could win by F4 in its turn."""
    rows = ["X.....", "X.....", "......", "......", ".....O", ".....O"]
    state = gekitai.from_dict({"board": rows, "to_move": 0})
    for spec in ("mcts:200", "puct:50", "exact"):
        found = judge(gekitai, gekitai.arrays.batch(state), agents.make(spec, gekitai, 0), 0, 6)
        move = found.moves[0]
        assert gekitai.action_to_text(move.action) == "A3"
        assert found.proof[:2] == (1, 1)
        assert move.proof[:2] == (1, 1)
        assert move.value in (1, None)
        assert found.proven or spec == "exact"
        for other in found.moves[1:]:
            assert other.value is None or -1 <= other.value <= 1


@pytest.mark.slow  # compiles tree search for Goat Race
def test_a_judgement_does_not_depend_on_future_dice():
    game = boardenvs.make("goat_race")
    states = game.new(1, 2)
    found = judge(game, states, agents.make("mcts:20", game, 0), 0, 3)
    assert [move.value for move in found.moves] == [None] * 3
    assert found.line == [found.action]
    assert found.proof is None
    # The dice stored in the position make no difference.
    other = states.copy()
    other["rng"] += 12345
    assert judge(game, other, agents.make("mcts:20", game, 0), 0, 3) == found


def test_a_judgement_does_not_depend_on_hidden_tiles():
    game = boardenvs.make("dominoes175")
    agent = agents.make("trained", game, 0)
    found = [judge(game, game.new(1, seed), agent, 0, 3).moves for seed in range(3)]
    assert found[0] == found[1] == found[2]


def test_an_agent_without_analysis_judges_only_its_own_move(gekitai):
    states = gekitai.new(1, 0)
    found = judge(gekitai, states, agents.make("random", gekitai, 0), 0, 5)
    assert (found.analysis, len(found.moves), found.more) == (None, 1, 35)


def test_a_position_too_large_to_prove_has_no_proof():
    game = boardenvs.make("gomoku", board_size=5, win_length=5)
    assert proofs_of(game, game.new(1, 0), [0], budget=100) == (None, {})


def test_an_error_of_the_agent_is_raised_with_its_cause(gekitai):
    class Fails:
        def act(self, states):
            raise KeyError("no")

    with pytest.raises(ValueError, match="KeyError"):
        judge(gekitai, gekitai.new(1, 0), Fails(), 0, 5)
