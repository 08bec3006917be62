"""The search of `exact`, which finds the value of a position and the plies to the end.

It is a depth-limited alpha-beta search, which is deepened ply by ply until the position is settled.
The table stores an interval of scores for each position, from the view of the player to move: a win
in j plies is `WIN - j`, a draw 0, a loss in j plies `j - WIN`. The intervals do not depend on the
depth of the search, so entries never become invalid. A draw is settled when every line of play has
been searched to its end.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search.solving.long_search import LongSearch
from agents.search.solving.solution import UNKNOWN, Solution
from boardenvs.core.chance import make_streams, mixed, seed_word
from boardenvs.core.hooks import legal, play
from boardenvs.core.outcome import is_over
from boardenvs.game import Game, States
from boardenvs.kernels.binding import over_rules

__all__ = ["WIN", "ExactSearch", "TooLargeError", "solution"]

WIN = 1 << 30
"""Score of a won game, before the plies to the end are subtracted."""
_DEEPEST = 1000  # maximum plies ahead; any budget is used up before
_PLACES = 1 << 20  # entries of the table: 24 MB
_PROBES = 4  # entries that may hold a position
_STEP = 2_000_000  # positions between two updates of the progress bar
_POSITIONS, _ACTIONS, _BEST = range(3)
"""Questions: the score of a position, the scores of its actions, or its best actions."""
_NOT_OF_THE_POSITION = ("rng", "returns", "last_action", "offender")

_ENTRY = [("key", np.uint64), ("floor", np.int32), ("ceiling", np.int32), ("hint", np.int64)]
_LEVEL = [
    ("key", np.uint64),
    *(
        (name, np.int64)
        # The window, the interval from the table, and the interval of the actions so far.
        for name in ("alpha", "beta", "known_floor", "known_ceiling", "floor", "ceiling")
    ),
    *((name, np.int64) for name in ("first", "next", "playing", "hint")),
]


def _records(shape: int, fields: list[Any]) -> npt.NDArray[np.void]:
    return np.zeros(shape, np.dtype((np.record, np.dtype(fields, align=True))))


def solution(score: int, source: str) -> Solution:
    """Return the solution of a settled position by its score."""
    value = float(np.sign(score))
    return Solution(value, value, WIN - abs(score) if score else -1, source)


class TooLargeError(ValueError):
    """A position is too large for the budget."""

    def __init__(self, game: Game, state: int, needed: str) -> None:
        """Create the error of a position, by its index; `needed` says what its proof needs."""
        super().__init__(f"state {state} of {game.name} is too large for exact play: {needed}")
        self.needed = needed


class ExactSearch:
    """A search of one game, with its table of positions."""

    def __init__(self, game: Game, budget: int, *, progress: bool = False) -> None:
        """Create a search with an empty table.

        Args:
            game: a game of two players who take turns, without chance and hidden information.
            budget: maximum number of positions to search for each position asked about.
            progress: whether long searches show their cost and progress on standard error.
        """
        self._game = game
        self.budget = budget
        """Maximum number of positions to search for each position asked about."""
        self._progress = progress
        self._table = _records(_PLACES, _ENTRY)
        self._long = LongSearch(budget, self._table.nbytes, shown=progress)
        keep = np.zeros(1, game.state_dtype).view(np.uint8)
        for name, (dtype, offset, *_) in (game.state_dtype.fields or {}).items():
            if name not in _NOT_OF_THE_POSITION:
                keep[offset : offset + dtype.itemsize] = 0xFF
        self._keep = keep.view(np.uint64)
        self._salt = make_streams(seed_word(0), len(self._keep))

    def __reduce__(self) -> tuple[Any, ...]:
        # The table is too large to copy.
        return functools.partial(type(self), progress=self._progress), (self._game, self.budget)

    def scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the score of each position for the player to move, int64 of shape (N,).

        Raises:
            TooLargeError: a position is too large for the budget.
        """
        return self._ask(_POSITIONS, states)[:, 0]

    def action_scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the scores of the legal actions for the mover, int64 of shape (N, num_actions).

        Raises:
            TooLargeError: a position is too large for the budget.
        """
        return self._ask(_ACTIONS, states)

    def best_actions(self, states: States) -> npt.NDArray[np.bool_]:
        """Return a mask of the best actions of each position, bool of shape (N, num_actions).

        Raises:
            TooLargeError: a position is too large for the budget.
        """
        return self._ask(_BEST, states).astype(np.bool_)

    def solve(self, state: States) -> Solution:
        """Return what is proved about a position, shape (1,)."""
        try:
            score = int(self.scores(state)[0])
        except TooLargeError:
            return UNKNOWN
        return solution(score, "exhaustive search")

    def _ask(self, question: int, states: States) -> npt.NDArray[np.int64]:
        """Return answers of shape (N, num_actions); unused entries are 0."""
        game = self._game
        answers = np.zeros((len(states), game.num_actions), np.int64)
        longest = int((game.max_plies - states["ply"].astype(np.int64)).max(initial=0))
        stack = np.zeros(min(longest, _DEEPEST) + 1, game.state_dtype)
        state_words = stack.view(np.uint64).reshape(len(stack), -1)
        masks = np.zeros((len(stack), game.num_actions), np.bool_)
        workspace = stack, state_words, self._keep, self._salt, masks, _records(len(stack), _LEVEL)
        answer = answer_all.bound_to(game.rules)
        answer(states[:0], game.constants, question, self._table, workspace, 0, answers)  # compiles
        # The table has what a step found, so the next step continues.
        for step in self._long.steps(_STEP):
            failed = answer(states, game.constants, question, self._table, workspace, step, answers)
            if failed < 0:
                return answers
        raise TooLargeError(game, failed, self._long.needed())


@over_rules(plies=1_000_000)
def answer_all(states, params, question, table, workspace, budget, answers):
    """Answer a question about each position; return the first that is too large, or -1."""
    p = params[0]
    first = workspace[0][0]
    result = workspace[5][0]
    visits = np.zeros(1, np.int64)
    mask = np.empty(answers.shape[1], np.bool_)
    for i in range(len(states)):
        visits[0] = budget
        best = 0
        # After the first round `_BEST` is like `_ACTIONS`, but only tests for the best score.
        for action in range(-1, len(mask)):
            workspace[0][0] = states[i]
            low = 1
            high = min(p.max_plies - states[i].ply, len(workspace[0]) - 1)
            alpha = -WIN
            beta = WIN
            if action < 0:
                legal(states[i], p, mask)
                if question == _ACTIONS:
                    continue
            elif question == _POSITIONS or not mask[action]:
                continue
            else:
                play(first, p, action)
                if is_over(first):
                    score = final_score(first, states[i].to_move)
                    answers[i, action] = score == best if question == _BEST else score
                    continue
                high -= 1
                if question == _BEST:
                    # Depth that suffices to distinguish the best score from all others.
                    high = WIN - abs(best) - 1 if best != 0 else high
                    low = high
                    alpha = one_ply_down(best)
                    beta = alpha + 1
            if not settle(p, table, workspace, visits, low, high, alpha, beta):
                return i
            if action < 0:
                best = result.floor
                answers[i, 0] = best if question == _POSITIONS else 0
            elif question == _ACTIONS:
                answers[i, action] = one_ply_up(result.floor)
            else:
                answers[i, action] = within(result.ceiling, high) <= alpha
    return -1


# -- Scores ---------------------------------------------------------------------------------


@over_rules()
def final_score(s, seat):
    """Return the score of an action that ended the game, for the seat that chose it."""
    if s.returns[seat] > 0:
        return WIN - 1
    return 1 - WIN if s.returns[seat] < 0 else 0


@over_rules()
def one_ply_up(score):
    """Convert a score after an action to a score for the player who chose the action."""
    return -score + (1 if score > 0 else -1 if score < 0 else 0)


@over_rules()
def one_ply_down(score):
    """Invert `one_ply_up`."""
    return -score - (1 if score > 0 else -1 if score < 0 else 0)


@over_rules()
def within(score, plies):
    """Return a score as seen by a search of `plies` plies: 0 if the game ends later."""
    return score if WIN - abs(score) <= plies else 0


# -- The search -----------------------------------------------------------------------------


@over_rules()
def settle(p, table, workspace, visits, low, high, alpha, beta):
    """Search position 0 of the stack `low` to `high` plies deep, until its score is settled.

    A score is settled if, as seen `within` that depth, it is at most `alpha`, at least `beta`, or
    known. Level 0 holds the resulting interval. `visits[0]` is reduced by the number of positions
    searched. Returns whether `visits[0]` sufficed.
    """
    result = workspace[5][0]
    for depth in range(low, high + 1):
        if not explore(p, table, workspace, visits, depth, alpha, beta):
            return False
        if result.floor == result.ceiling or low == high:
            return True
    return False


@over_rules()
def explore(p, table, workspace, visits, depth, alpha, beta):
    """Narrow the score of position 0 of the stack by a search of `depth` plies.

    Returns whether `visits[0]` sufficed.
    """
    stack, _, _, _, masks, levels = workspace
    levels[0].alpha = alpha
    levels[0].beta = beta
    level = 0
    open_ = enter(p, table, workspace, 0, depth)
    while True:
        here = levels[level]
        if open_:
            action = next_action(here, masks[level])
            if action >= 0:
                here.playing = action
                s = stack[level + 1]
                stack[level + 1] = stack[level]
                play(s, p, action)
                if is_over(s):
                    score = final_score(s, stack[level].to_move)
                    open_ = add_action(here, score, score, depth - level)
                    if not open_:
                        leave(table, here, False)
                    continue
                visits[0] -= 1
                if visits[0] < 0:
                    return False
                levels[level + 1].alpha = one_ply_down(here.beta)
                levels[level + 1].beta = one_ply_down(here.alpha)
                level += 1
                open_ = enter(p, table, workspace, level, depth - level)
                continue
            leave(table, here, True)
        # `floor` and `ceiling` of this level are final and passed up.
        if level == 0:
            return True
        level -= 1
        above = levels[level]
        floor = one_ply_up(here.ceiling)
        ceiling = one_ply_up(here.floor)
        open_ = add_action(above, floor, ceiling, depth - level)
        if not open_:
            leave(table, above, False)


@over_rules()
def enter(p, table, workspace, level, depth):
    """Start the position of a level; return False if its interval needs no search.

    The caller must set the window of the level.
    """
    stack, state_words, keep, salt, masks, levels = workspace
    here = levels[level]
    here.key = key_of(state_words[level], keep, salt)
    key = here.key
    floor = 1 - WIN  # the game ends after the next ply at the earliest
    ceiling = WIN - 1
    here.first = here.hint  # the best action of the last position at this level
    place = find(table, key)
    if table[place].key == key:
        floor = table[place].floor
        ceiling = table[place].ceiling
        here.first = table[place].hint
    # A game that max_plies ends before a win or a loss is drawn.
    left = p.max_plies - stack[level].ply
    floor = within(floor, left) if floor < 0 else floor
    ceiling = within(ceiling, left) if ceiling > 0 else ceiling
    here.known_floor = floor
    here.known_ceiling = ceiling
    seen_floor = within(floor, depth)
    seen_ceiling = within(ceiling, depth)
    if seen_floor >= here.beta or seen_ceiling <= here.alpha or seen_floor == seen_ceiling:
        here.floor = floor
        here.ceiling = ceiling
        return False
    here.alpha = max(here.alpha, seen_floor)
    here.beta = min(here.beta, seen_ceiling)
    here.floor = -WIN
    here.ceiling = -WIN
    here.next = -1
    here.hint = here.first
    legal(stack[level], p, masks[level])
    return True


@over_rules()
def key_of(state_words, keep, salt):
    """Return the key of a position in the table: 64 bits, not 0, which marks a free entry.

    The probability that two positions of a full table share a key is below one in a million.
    """
    key = np.uint64(0)
    for k in range(len(state_words)):
        word = state_words[k] & keep[k]
        if word != np.uint64(0):  # most words of a small board are empty
            key ^= mixed(word ^ salt[k])
    return key if key != np.uint64(0) else np.uint64(1)


@over_rules()
def next_action(here, mask):
    """Return the next legal action of a level, the table's hint first; -1 after the last."""
    if here.next < 0:
        here.next = 0
        if here.first >= 0 and mask[here.first]:
            return here.first
    while here.next < len(mask):
        action = here.next
        here.next += 1
        if mask[action] and action != here.first:
            return action
    return -1


@over_rules()
def add_action(here, floor, ceiling, depth):
    """Merge the interval of the last action; return False if the other actions do not matter."""
    here.ceiling = max(here.ceiling, ceiling)
    here.floor = max(here.floor, floor)
    seen = within(floor, depth)
    if seen > here.alpha:
        here.alpha = seen
        here.hint = here.playing
    return seen < here.beta


@over_rules()
def leave(table, here, complete):
    """Finish the interval of a level and store it; `complete` if all actions were searched."""
    if not complete:
        here.ceiling = WIN
    here.floor = max(here.floor, here.known_floor)
    here.ceiling = min(here.ceiling, here.known_ceiling)
    entry = table[find(table, here.key)]
    entry.key = here.key
    entry.floor = here.floor
    entry.ceiling = here.ceiling
    entry.hint = here.hint


@over_rules()
def find(table, key):
    """Return the entry of a position in the table, or the entry to store it in."""
    size = len(table)
    first = np.int64(key & np.uint64(size - 1))
    for k in range(_PROBES):
        place = (first + k) & (size - 1)
        if table[place].key == key or table[place].key == np.uint64(0):
            return place
    # All entries are used: the key selects which one to replace.
    return (first + np.int64(key >> np.uint64(62))) & (size - 1)
