"""Both interpretations of a placement that satisfies both players, in plain Python."""

import itertools

import numpy as np
import pytest

from agents.games.gekitai.proofs.solving import Solver
from boardenvs.gekitai import Gekitai

pytestmark = pytest.mark.slow  # compiles another variant of the rules

SIDE = 4
STEPS = [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)]
CELLS = list(itertools.product(range(SIDE), repeat=2))


@pytest.fixture(scope="module")
def small():
    """Return the game on 4 by 4 cells, which its arguments do not allow."""
    game = Gekitai()
    game.constants["side"] = SIDE
    game.constants["board"] = 0x0F0F0F0F
    game.constants["bits"][0, : SIDE * SIDE] = [8 * row + column for row, column in CELLS]
    return game


def placed(mine, theirs, cell):
    """Return both players' cells after a placement."""
    new = {cell: 0, **dict.fromkeys(mine, 0), **dict.fromkeys(theirs, 1)}
    for down, right in STEPS:
        near = cell[0] + down, cell[1] + right
        beyond = cell[0] + 2 * down, cell[1] + 2 * right
        if near in mine | theirs and beyond not in mine | theirs:
            owner = new.pop(near)
            if beyond in CELLS:
                new[beyond] = owner
    return tuple(frozenset(c for c, owner in new.items() if owner == k) for k in (0, 1))


def satisfied(cells):
    return len(cells) >= 8 or any(
        {(row + down * k, column + right * k) for k in range(3)} <= cells
        for row, column in cells
        for down, right in STEPS
    )


def forced(mine, theirs, plies, attack, both_draw):
    """Return whether the attacker, who owns `mine` and is to move if `attack`, forces a win."""
    for cell in CELLS:
        if cell in mine | theirs:
            continue
        own, others = placed(mine, theirs, cell)
        if satisfied(own) and not (both_draw and satisfied(others)):
            won = attack
        elif satisfied(own):
            won = False
        elif satisfied(others):
            won = not attack
        else:
            won = plies > 1 and forced(others, own, plies - 1, not attack, both_draw)
        if won == attack:
            return won
    return not attack


def positions(num, seed):
    """Return random unfinished positions; the cells of the player to move come first."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < num:
        cells = [CELLS[k] for k in rng.permutation(len(CELLS))]
        few, many = np.sort(rng.integers(2, 13, 2))
        mine, theirs = frozenset(cells[:few]), frozenset(cells[few:many])
        if not (satisfied(mine) or satisfied(theirs)):
            found.append((mine, theirs))
    return found


def as_state(game, mine, theirs):
    state = game.new(1)
    for seat, cells in enumerate((mine, theirs)):
        state["pieces"][0, seat] = sum(1 << 8 * row + column for row, column in cells)
    return state[0]


@pytest.fixture(scope="module")
def solvers(small):
    return [Solver(small, 12, both_draw=both_draw) for both_draw in (False, True)]


@pytest.mark.parametrize(
    ("attack", "plies", "num"), [(True, 1, 20), (True, 3, 20), (False, 4, 1), (True, 5, 2)]
)
def test_both_interpretations_agree_with_a_plain_search(small, solvers, attack, plies, num):
    asked = positions(4000, plies)
    found = [
        [solver.search(as_state(small, *one), 10**6, attack=attack, plies=plies) for one in asked]
        for solver in solvers
    ]
    answers = list(zip(*([one.won for one in part] for part in found), strict=True))
    chosen = []
    for answer in ((False, False), (True, False), (True, True)):
        some = [k for k, one in enumerate(answers) if one == answer][:num]
        assert len(some) == num
        chosen += some
    # A win where lines of both players draw is also a win where the mover's line wins.
    assert set(answers) == {(False, False), (True, False), (True, True)}
    for k, both_draw in itertools.product(chosen, (False, True)):
        assert answers[k][both_draw] == forced(*asked[k], plies, attack, both_draw)
        if attack and answers[k][both_draw]:
            own, others = placed(*asked[k], CELLS[found[both_draw][k].action])
            if satisfied(own):
                assert not (both_draw and satisfied(others))
            else:
                assert forced(others, own, plies - 1, False, both_draw)


def test_lost_replies_depend_on_the_interpretation(small, solvers):
    """Lost replies follow the interpretation: the same reply may be a draw in the other one."""
    asked = []
    for one in positions(4000, 5):
        state = as_state(small, *one)
        if not solvers[0].search(state, 1, plies=1).won:  # without a win or draw at once
            lost = [solver.replies(state, 2)[0][: len(CELLS)] for solver in solvers]
            asked.append((one, lost))
    differ = [(one, lost) for one, lost in asked if (lost[0] != lost[1]).any()]
    assert len(differ) > 5
    for one, lost in differ[:20] + asked[:50]:
        for k, cell in enumerate(CELLS):
            if cell in one[0] | one[1]:
                assert lost[0][k] == lost[1][k] == -1
                continue
            own, others = placed(*one, cell)
            for both_draw in (False, True):
                loses = satisfied(others) or forced(others, own, 1, True, both_draw)
                assert (lost[both_draw][k] == 0) == loses
