"""Decisive moves, compared with trying every action, and their use in tree search."""

import numpy as np
import pytest
from two_games import others_slow

import agents
import boardenvs
from agents.naming.game_folders import player_module
from agents.search.gumbel import GumbelAgent
from agents.search.mcts import MctsAgent
from agents.search.puct import PuctAgent

GAMES = {
    "gekitai": boardenvs.make("gekitai"),
    "gekitai, four in line": boardenvs.make("gekitai", line_length=4, pieces=6),
    "gomoku": boardenvs.make("gomoku", board_size=7, win_length=4),
    "gomoku, exact": boardenvs.make("gomoku", board_size=6, win_length=3, exact=True),
    "game112": boardenvs.make("game112"),
}


def decisive(game, state, before=-2):
    """Return the game's decisive action of one position, of shape (1,)."""
    return player_module(game, "decisive").decisive_action(state[0], game.constants[0], before)


def winning_actions(game, state):
    """Return every action that wins at once, by trying all."""
    actions = np.flatnonzero(game.legal(state)[0])
    after = np.repeat(state, len(actions))
    game.play(after, actions)
    return set(actions[after["returns"][:, state["to_move"][0]] == 1].tolist())


def passed(game, state):
    """Return the position with the other player to move."""
    state = state.copy()
    state["to_move"] = 1 - state["to_move"]
    return state


def spoiling_actions(game, state):
    """Return every action with which the other player would win at once if it were to move."""
    return winning_actions(game, passed(game, state))


def set_up(game, states):
    """Return the same positions without a last action, as read from text."""
    told = [{k: game.to_dict(s)[k] for k in ("board", "to_move")} for s in states]
    return np.concatenate([game.arrays.batch(game.from_dict(position)) for position in told])


@pytest.mark.parametrize("which", GAMES)
def test_decisive_moves_win_or_else_block_a_threat(which, live_positions):
    game = GAMES[which]
    states = live_positions(game, 60, 5)
    nowhere = states.copy()
    nowhere["last_action"] = np.random.default_rng(1).integers(-1, game.num_actions, len(states))
    seen = {seat: {"win": 0, "threat": 0, "nothing": 0} for seat in (0, 1)}
    for state, *others in zip(states, set_up(game, states), nowhere, strict=True):
        action = decisive(game, state[None])
        assert all(decisive(game, other[None]) == action for other in others)
        wins = winning_actions(game, state[None])
        threats = spoiling_actions(game, state[None])
        kind = "win" if wins else "threat" if threats else "nothing"
        seen[int(state["to_move"])][kind] += 1
        assert action in (wins or threats or {-1})
        if game.name == "gomoku":
            assert action == min(wins or threats or {-1})
    for counts in seen.values():
        assert counts["win"] > 5
        assert counts["nothing"] > 5
        assert counts["threat"] > 5 or which == "game112"


def stones_at_random(game, rng):
    """Return a random unfinished position of Gomoku."""
    side = game.params["board_size"]
    while True:
        stones = rng.integers(side, side * side * 3 // 5)
        cells = rng.permutation(list("XO" * stones)[:stones] + ["."] * (side * side - stones))
        rows = ["".join(row) for row in cells.reshape(side, side)]
        try:
            state = game.arrays.batch(game.from_dict({"board": rows}))
        except ValueError:  # both players have won
            continue
        if not state["terminated"][0]:
            return state


@pytest.mark.parametrize("which", ["gomoku", "gomoku, exact"])
def test_gomoku_hints_of_where_to_look_change_no_result(which):
    # As a search that continues from any position: random where nothing is decisive.
    game = GAMES[which]
    rng = np.random.default_rng(4)
    seen = {"all over": 0, "last stone": 0, "last stones": 0}
    for _ in range(400):
        state = stones_at_random(game, rng)
        before = -2
        while not (state["terminated"][0] or state["truncated"][0]):
            action = decisive(game, state)
            assert decisive(game, state, before) == action
            if action >= 0:
                seen[("last stones", "last stone", "all over")[-min(before, 0)]] += 1
                before = -2 if before == -2 else int(state["last_action"][0])
            else:
                action = rng.choice(np.flatnonzero(game.legal(state)[0]))
                before = -1
            game.play(state, [action])
    assert min(seen.values()) > 20


# -- In tree search ---------------------------------------------------------------------------


class Uniform:
    """An evaluator that gives every position the value 0."""

    def __init__(self, game):
        self.num_actions = game.num_actions

    def evaluate(self, states):
        return np.zeros((len(states), self.num_actions), np.float32), np.zeros(len(states))


def searching(kind, game, simulations):
    """Return a search of this kind without a network."""
    if kind == "mcts":
        return MctsAgent(game, 0, simulations)
    return {"puct": PuctAgent, "gumbel": GumbelAgent}[kind](
        game, 0, simulations, evaluator=Uniform(game)
    )


@pytest.mark.parametrize("simulations", [1, 2, 30])
@pytest.mark.parametrize("kind", ["mcts", "puct", "gumbel"])
@pytest.mark.parametrize("name", others_slow(["gekitai", "gomoku", "game112"], ["gekitai"]))
def test_searches_win_at_once_with_any_number_of_simulations(
    name, kind, simulations, live_positions
):
    game = boardenvs.make(name, **({"board_size": 9} if name == "gomoku" else {}))
    states = live_positions(game, 30, 8)
    wins = [winning_actions(game, state[None]) for state in states]
    won = np.array([bool(actions) for actions in wins])
    found = searching(kind, game, simulations).search(set_up(game, states[won]))
    assert won.sum() > 20
    assert found.proven.all()
    for action, actions in zip(found.actions, [w for w in wins if w], strict=True):
        assert action in actions


@pytest.mark.slow  # compiles tree search for Gomoku
@pytest.mark.parametrize(("kind", "few"), [("mcts", 1), ("puct", 90), ("gumbel", 90)])
def test_searches_block_the_only_threat_of_any_origin(kind, few):
    # The last stone is unknown.
    game = boardenvs.make("gomoku", board_size=9)
    rng = np.random.default_rng(15)
    states, cells = [], []
    while len(states) < 40:
        state = stones_at_random(game, rng)
        threats = spoiling_actions(game, state)
        if len(threats) == 1 and not winning_actions(game, state):
            states.append(state)
            cells += threats
    for simulations in (few, 100, 400):
        found = searching(kind, game, simulations).search(np.concatenate(states))
        assert found.actions.tolist() == cells


@pytest.mark.slow
def test_a_leaf_with_an_older_winning_line_is_proven_at_once():
    game = boardenvs.make("gomoku", board_size=9)
    rows = ["........."] * 9
    rows[0], rows[4], rows[8] = "X.X.X....", "XOOOO....", "X...O...."
    state = game.arrays.batch(game.from_dict({"board": rows}))
    found = MctsAgent(game, 0, 200).search(state)
    block = 4 * 9 + 5
    assert found.actions[0] == block
    # Every other move was visited once and is a proven loss.
    others = np.delete(found.visits[0], block)
    assert others[others > 0].tolist() == [1] * (int(game.legal(state).sum()) - 1)


def test_a_leaf_with_a_winning_action_is_proven_at_once(live_positions):
    # The other player's turn is then lost as soon as every action has been tried.
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


def gekitai_position(board, to_move=0):
    game = GAMES["gekitai"]
    return game.arrays.batch(game.from_dict({"board": board.split(), "to_move": to_move}))


@pytest.mark.parametrize("kind", ["mcts", "puct", "gumbel"])
def test_searches_prefer_a_later_loss_to_an_immediate_one(kind):
    # After any other move O wins at once. D4 also loses, but its proof takes longer.
    game = GAMES["gekitai"]
    state = gekitai_position("O.O... ...... X...O. .O...O ..O.X. ......")
    d4 = game.action_from_text("D4")
    for action in np.flatnonzero(game.legal(state)[0]):
        after = state.copy()
        game.play(after, [action])
        assert bool(winning_actions(game, after)) == (action != d4)
    proven = 0
    for simulations in (*range(1, 40), 400, 3000):
        found = searching(kind, game, simulations).search(state, np.array([7], np.uint64))
        action = found.actions[0]
        assert action == d4 or not found.visits[0, d4]
        if kind != "gumbel":  # a move with visits must not lose at once
            assert action == d4 or not found.visits[0, action]
        proven += found.proven[0]
    assert proven > 0


def test_puct_plays_only_visited_actions():
    game = GAMES["gekitai"]
    state = gekitai_position("O.O... ...... X...O. .O...O ..O.X. ......")
    for simulations in range(380, 420, 4):
        found = agents.make(f"puct:{simulations}", game, 0).search(state)
        assert game.action_to_text(found.actions[0]) == "D4"
        assert found.visits[0, found.actions[0]] > 0


def test_searches_play_the_longest_proven_loss(live_positions):
    game = GAMES["gekitai"]
    states = live_positions(game, 30, 9)
    found = MctsAgent(game, 0, 3000).search(states, np.arange(len(states), dtype=np.uint64))
    mine = found.values[np.arange(len(states)), states["to_move"]]
    lost = found.proven & (mine < 0)
    longer = 0
    for state, chosen in zip(states[lost][:, None], found.actions[lost], strict=True):
        later = []
        for action in np.flatnonzero(game.legal(state)[0]):
            after = state.copy()
            game.play(after, [action])
            if not after["terminated"][0] and not winning_actions(game, after):
                later.append(action)
        assert chosen in later or not later
        longer += bool(later)
    assert longer > 3


def loses_in_two(game, state):
    """Return whether the opponent can win at once after every move of the player to move."""
    if winning_actions(game, state):
        return False
    for action in np.flatnonzero(game.legal(state)[0]):
        after = state.copy()
        game.play(after, [action])
        if after["terminated"][0] or after["truncated"][0] or not winning_actions(game, after):
            return False
    return True


def test_decisive_rollouts_is_on_by_default_if_supported(refused):
    gekitai = GAMES["gekitai"]
    goat_race = boardenvs.make("goat_race")
    assert agents.make("mcts", gekitai).decisive_rollouts
    assert not agents.make("mcts", gekitai, decisive_rollouts=False).decisive_rollouts
    assert not agents.make("mcts", goat_race).decisive_rollouts
    with refused("decisive_rollouts .*goat_race"):
        agents.make("mcts", goat_race, decisive_rollouts=True)
    with refused("decisive_rollouts .*got 'yes'"):
        agents.make("mcts", gekitai, decisive_rollouts="yes")
