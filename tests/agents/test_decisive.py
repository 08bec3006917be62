"""Decisive moves: against every action tried out, and what the tree search makes of them."""

import importlib

import numpy as np
import pytest

import agents
import boardenvs
from agents.decisive import search_rules
from agents.mcts import MctsAgent

GAMES = {
    "gekitai": boardenvs.make("gekitai"),
    "gekitai, four in line": boardenvs.make("gekitai", line_length=4, pieces=6),
    "gomoku": boardenvs.make("gomoku", board_size=7, win_length=4),
    "gomoku, exact": boardenvs.make("gomoku", board_size=6, win_length=3, exact=True),
    "game112": boardenvs.make("game112"),
}


def decisive(game, state, before=-1):
    """What the game tells of one position, of shape (1,)."""
    module = importlib.import_module(search_rules(game))
    return module.decisive_action(state[0], game.constants[0], before)


def winning_actions(game, state):
    """Every action that wins at once, each tried out."""
    actions = np.flatnonzero(game.legal(state)[0])
    after = np.repeat(state, len(actions))
    game.play(after, actions)
    return set(actions[after["returns"][:, state["to_move"][0]] == 1].tolist())


def passed(game, state):
    """The position with the other player to move."""
    state = state.copy()
    state["to_move"] = 1 - state["to_move"]
    return state


@pytest.mark.parametrize("which", ["gekitai", "gekitai, four in line", "game112"])
def test_it_wins_whenever_an_action_does_and_else_spoils_a_threat(which, live_positions):
    game = GAMES[which]
    seen = {seat: {"win": 0, "threat": 0, "nothing": 0} for seat in (0, 1)}
    for state in live_positions(game, 60, 5)[:, None]:
        action = decisive(game, state)
        wins = winning_actions(game, state)
        threats = winning_actions(game, passed(game, state))
        kind = "win" if wins else "threat" if threats else "nothing"
        seen[int(state["to_move"][0])][kind] += 1
        assert action in (wins or threats or {-1})
    for counts in seen.values():
        assert counts["win"] > 5
        assert counts["nothing"] > 5
        assert counts["threat"] > 5 or which == "game112"


@pytest.mark.parametrize("which", ["gomoku", "gomoku, exact"])
def test_in_gomoku_it_sees_all_lines_through_the_last_stones(which):
    game = GAMES[which]
    rng = np.random.default_rng(4)
    seen = {seat: {"win": 0, "threat": 0, "nothing": 0} for seat in (0, 1)}
    for _ in range(60):
        state = game.new(1)
        before, last = -1, -1
        while not state["terminated"][0]:
            wins = through(game, state, before)
            threats = through(game, passed(game, state), last)
            kind = "win" if wins else "threat" if threats else "nothing"
            seen[int(state["to_move"][0])][kind] += 1
            assert decisive(game, state, before) in (wins or threats or {-1})
            all_wins = winning_actions(game, state)
            assert decisive(game, state, -2) in (all_wins or threats or {-1})
            before, last = last, int(rng.choice(np.flatnonzero(game.legal(state)[0])))
            game.play(state, [last])
    assert min(count for counts in seen.values() for count in counts.values()) > 20


def through(game, state, cell):
    """The actions that make a line which wins and has the stone on a cell, walked along."""
    if cell < 0:
        return set()
    side, length = game.params["board_size"], game.params["win_length"]
    board = state["cells"][0, : side * side].reshape(side, side)
    found = set()
    for row, column in np.argwhere(board == 0):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = {row * side + column}
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < side and 0 <= c < side and board[r, c] == state["to_move"][0] + 1:
                    line.add(r * side + c)
                    r, c = r + sign * down, c + sign * right
            if cell in line and (
                len(line) == length if game.params["exact"] else len(line) >= length
            ):
                found.add(int(row * side + column))
    return found


def test_in_gomoku_a_last_action_that_is_no_stone_of_its_player_tells_nothing():
    game = GAMES["gomoku"]
    state = game.new(1)
    for action in (0, 7, 1, 8, 2):
        game.play(state, [action])
    assert decisive(game, state, 8) == 3
    for nowhere in (-1, 40, 8):
        state["last_action"] = nowhere
        assert decisive(game, state, 2) == -1


def test_a_leaf_with_a_winning_action_is_proven_at_once(live_positions):
    # Then the other player's turn is lost as soon as every action has been tried.
    game = GAMES["gekitai"]
    states = live_positions(game, 150, 6)
    lost = np.array([loses_in_two(game, state) for state in states[:, None]])
    states = states[lost]
    assert len(states) > 10
    words = np.arange(len(states), dtype=np.uint64)
    found = MctsAgent(game, 0, 2 * game.num_actions).search(states, words)
    assert found.proven.all()
    assert (found.values[np.arange(len(states)), states["to_move"]] == -1).all()
    plain = MctsAgent(game, 0, 2 * game.num_actions, decisive_rollouts=False)
    assert not plain.search(states, words).proven.all()


def loses_in_two(game, state):
    """Whether the next player can win at once whatever the player to move does."""
    if winning_actions(game, state):
        return False
    for action in np.flatnonzero(game.legal(state)[0]):
        after = state.copy()
        game.play(after, [action])
        if after["terminated"][0] or after["truncated"][0] or not winning_actions(game, after):
            return False
    return True


def test_the_option_and_its_default(refused):
    gekitai = GAMES["gekitai"]
    goat_race = boardenvs.make("goat_race")
    assert agents.make("mcts", gekitai).decisive_rollouts
    assert not agents.make("mcts", gekitai, decisive_rollouts=False).decisive_rollouts
    assert not agents.make("mcts", goat_race).decisive_rollouts
    with refused("decisive_rollouts: goat_race tells of no decisive moves"):
        agents.make("mcts", goat_race, decisive_rollouts=True)
    with refused("decisive_rollouts must be True, False or None, got 'yes'"):
        agents.make("mcts", gekitai, decisive_rollouts="yes")
