"""The greedy agent, compared with a plain search and checked on single positions."""

import numpy as np
import pytest

import agents
import boardenvs

GAMES = {
    "gekitai": boardenvs.make("gekitai"),
    "gekitai, long lines": boardenvs.make("gekitai", board_size=7, pieces=6, line_length=4),
    "gekitai, cut short": boardenvs.make("gekitai", max_plies=14),
    "game112": boardenvs.make("game112"),
    "game112, five positions": boardenvs.make("game112", board_size=5),
}


@pytest.fixture(params=GAMES)
def variant(request):
    return GAMES[request.param]


def successors(game, state):
    """Return the legal actions of a position, and the positions after each."""
    actions = np.flatnonzero(game.legal(state)[0])
    after = np.repeat(game.arrays.batch(state), len(actions))
    if len(actions):
        game.play(after, actions)
    return actions, after


def is_won_by(states, seat):
    return (states["terminated"] | states["truncated"]) & (states["returns"][:, seat] > 0)


def best_actions(game, state):
    """Return the best actions by looking one move ahead for each side, and the kind of decision."""
    me = int(state["to_move"])
    actions, after = successors(game, state)
    wins = is_won_by(after, me)
    if wins.any():
        return set(actions[wins].tolist()), "wins"
    safe = []
    for action, position in zip(actions.tolist(), after, strict=True):
        other = int(position["to_move"])
        if position["terminated"] or position["truncated"]:
            loses = position["returns"][me] < 0
        else:
            loses = is_won_by(successors(game, position)[1], other).any()
        if not loses:
            safe.append(action)
    if not safe:
        return set(actions.tolist()), "lost"
    return set(safe), "any" if len(safe) == len(actions) else "defends"


def chosen_actions(game, state, times, seed=0):
    """Return how often each action is chosen."""
    words = np.random.default_rng(seed).integers(0, 2**64, times, np.uint64)
    chosen = agents.make("greedy", game).choose(np.repeat(game.arrays.batch(state), times), words)
    return np.bincount(chosen, minlength=game.num_actions)


@pytest.fixture(scope="module")
def samples(live_positions):
    """Return shuffled positions of random play for each game."""
    return {
        game: np.random.default_rng(4).permutation(live_positions(game, 40, 5))
        for game in GAMES.values()
    }


def test_every_action_is_one_of_the_best(variant, samples):
    states = samples[variant][:300]
    chosen = agents.make("greedy", variant, seed=1).act(states)
    cases = []
    for state, action in zip(states, chosen.tolist(), strict=True):
        best, case = best_actions(variant, state)
        cases.append(case)
        assert action in best, variant.to_text(state)
    assert set(cases) >= {"wins", "defends"}


def test_exactly_the_best_actions_are_chosen(variant, samples):
    seen = dict.fromkeys(("wins", "defends", "lost", "any"), 0)
    for state in samples[variant][::-1][:400]:
        best, case = best_actions(variant, state)
        if seen[case] < 6:
            seen[case] += 1
            # One of k actions is missing in 16 k samples with probability k / e**16.
            counts = chosen_actions(variant, state, 16 * len(best))
            assert set(np.flatnonzero(counts).tolist()) == best, variant.to_text(state)
    assert seen["wins"] >= 3
    assert seen["defends"] >= 3


def test_ties_are_broken_uniformly(variant, samples):
    tested = set()
    for state in samples[variant]:
        best, case = best_actions(variant, state)
        if case in tested or len(best) < 3:
            continue
        tested.add(case)
        counts = chosen_actions(variant, state, 400 * len(best))[sorted(best)]
        # For a uniform distribution, Pearson's statistic has mean `degrees`, variance `2 *
        # degrees`.
        degrees = len(best) - 1
        assert ((counts - 400) ** 2 / 400).sum() < degrees + 4 * np.sqrt(2 * degrees)
        if len(tested) == 3:
            break
    assert len(tested) >= 2


# -- Single positions, in which nothing else wins or loses at once. -------------------------


def gekitai_position(board, to_move=0):
    rows = board.split()
    assert len(rows) == 6
    return GAMES["gekitai"].from_dict({"board": rows, "to_move": to_move})


def addresses(state):
    """Return the cells that greedy chooses among, in the console's notation."""
    game = GAMES["gekitai"]
    counts = chosen_actions(game, state, 36 * 16)
    return {game.action_to_text(a) for a in np.flatnonzero(counts)}


def test_greedy_takes_the_only_win():
    # After C1, the piece on B1 stays, because A1 behind it is occupied.
    state = gekitai_position("""
        XX....
        ......
        ......
        ...O..
        ......
        .O...O
    """)
    assert addresses(state) == {"C1"}


def test_greedy_prefers_a_win_to_a_defence():
    # O could win at C6 in the same way.
    state = gekitai_position("""
        XX....
        ......
        ......
        ......
        ......
        OO....
    """)
    assert addresses(state) == {"C1"}
    state = gekitai_position("XX.... ...... ...... ...... ...... OO....", to_move=1)
    assert addresses(state) == {"C6"}


def test_greedy_takes_a_win_that_also_completes_the_opponents_line():
    # A piece at C2 pushes C3 to C4 and completes A4-B4-C4 of O, but also A2-B2-C2 of X.
    state = gekitai_position("""
        ......
        XX....
        ..O...
        OO....
        ......
        ......
    """)
    assert "C2" in addresses(state)


def test_greedy_blocks_a_threat():
    # O threatens C1. C1 blocks it, A2 and B2 push both pieces off the board.
    state = gekitai_position("""
        OO....
        ......
        ......
        ......
        ....X.
        ......
    """)
    chosen = addresses(state)
    assert chosen >= {"C1", "A2", "B2"}
    # Distant moves do not change the threat.
    assert not chosen & {"F1", "F2", "A6", "B6", "F6"}


def test_greedy_does_not_complete_the_opponents_line():
    # C2 pushes the piece on C3 to C4, so O wins with A4-B4-C4.
    game = GAMES["gekitai"]
    state = gekitai_position("""
        ......
        ......
        ..O...
        OO....
        ......
        .....X
    """)
    after = np.repeat(game.arrays.batch(state), 1)
    game.play(after, [game.action_from_text("C2")])
    assert after["returns"][0].tolist() == [-1, 1]
    chosen = addresses(state)
    assert "C4" in chosen
    assert "C2" not in chosen


def test_greedy_plays_any_action_in_a_lost_position():
    # O has a row of two in each left corner, and no move stops both.
    state = gekitai_position("""
        OO....
        ......
        ......
        X.....
        ......
        OO....
    """)
    best, case = best_actions(GAMES["gekitai"], state)
    assert case == "lost"
    assert len(best) == 31
    assert len(addresses(state)) == 31


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("| 1 1 - |", {"3 2"}),  # wins
        ("| - - 1 2 - - - - - |", {"2 1"}),  # wins
        ("| - 1 - 2 2 |", {"3 1"}),  # wins: 1 1 2 at 2 to 4
        ("| 1 - - |", {"2 2", "3 1"}),  # other moves leave 1 1 - or 1 - 2
        ("| 2 1 - - 2 |", {"3 2"}),  # every other move leaves a 1 or a 2 that wins
        ("| - - - |", {"1 1", "1 2", "2 1", "2 2", "3 1", "3 2"}),  # no win is possible yet
    ],
)
def test_greedy_plays_known_positions_of_112(board, expected):
    size = len(board.split()) - 2
    game = boardenvs.make("game112", board_size=size)
    counts = chosen_actions(game, game.from_text(board + "\n"), 500)
    assert {game.action_to_text(a) for a in np.flatnonzero(counts)} == expected
