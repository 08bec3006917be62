"""An agent's judgement of a position: its best moves, their expected results, and proofs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import blamed, check_can_play
from agents.naming.spec import make
from agents.search.search_agent import SearchAgent
from boardenvs.core.chance import make_streams, next_bits, one_way, seed_word
from boardenvs.envs.opponents import Opponent, consult
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["Judgement", "Move", "Proof", "judge", "proofs_of"]

_BUDGET = 200_000
"""Maximum number of positions that `exact` searches for each solved position."""
_LINE = 6
"""Plies of an expected line, for an agent whose analysis has no line."""


class Proof(NamedTuple):
    """A proved result for the player to move."""

    value: float
    """1 for a win, 0 for a draw, -1 for a loss."""
    plies: int
    """Maximum number of plies until the game is over; -1 if unknown."""
    source: str = ""
    """Kind of proof, as in `agents.search.solving.solution.Solution`; empty if there is none."""


@dataclass(frozen=True)
class Move:
    """One move of an agent's judgement."""

    action: int
    weight: float | None
    """Number of visits or probability; `None` if unknown."""
    share: float | None
    """The weight as a share of all weights."""
    value: float | None
    """Expected result of the mover after the move; `None` if unknown."""
    proof: Proof | None
    """Proved result of the mover after the move, if there is one."""


@dataclass(frozen=True)
class Judgement:
    """An agent's judgement of a position."""

    action: int
    """The agent's action."""
    analysis: Analysis | None
    """Analysis behind the action; `None` for an agent without an analysis."""
    proven: bool
    """Whether the values of the analysis are certain."""
    moves: list[Move]
    """The best moves; the agent's own move is the first."""
    more: int
    """Number of other legal moves."""
    line: list[int]
    """Expected actions from here; at least the agent's action."""
    proof: Proof | None
    """Proof of `exact`, if it supports the game and can solve the position."""


def judge(
    game: Game, state: States, agent: Opponent, seed: int, most: int, budget: int = _BUDGET
) -> Judgement:
    """Return an agent's judgement of a position and of its best moves.

    In a game without chance and hidden parts, the agent also judges the position after each
    returned move, and the positions of its line. The agent receives only information that the seat
    to move has.

    Args:
        game: the game.
        state: the position, shape (1,), not over.
        agent: the agent.
        seed: seed of the agent's random bits.
        most: maximum number of moves, at least 1.
        budget: maximum number of positions that `exact` searches for each proof; an agent `exact`
            has its own budget.

    Raises:
        ValueError: the agent cannot play on from this position, or fails.
    """
    check_can_play(agent, state)
    stream = one_way(make_streams(seed_word(seed), 1), "analysis")
    with blamed("the agent"):
        action, analysis, proven = _asked(game, state, agent, stream.copy())
        legal = game.legal(state)[0]
        if analysis is not None:
            analysis.check(game, legal)
    shares = {} if analysis is None else analysis.shares
    ranked = list(dict.fromkeys([action, *shares]))
    known = _known_values(game, state, agent)
    if known is not None:  # the agent's move is among the best; the others are sorted by value
        worth = np.nan_to_num(known, nan=-np.inf)
        rest = {*np.flatnonzero(legal).tolist()} - {action}
        ranked = [action, *sorted(rest, key=lambda a: -worth[a])]
    ranked = ranked[:most]
    tells = analysis is not None and analysis.values[int(state["to_move"][0])] is not None
    values: dict[int, float] = {}
    line = [action]
    if known is not None:
        values = {a: float(known[a]) for a in ranked if not np.isnan(known[a])}
    if tells and not (game.has_chance or game.has_hidden):
        with blamed("the agent"):
            if known is None:
                values = _after(game, state, agent, stream, ranked)
            line = _line(game, state, agent, stream, action)
    if analysis is not None and analysis.line:
        line = list(analysis.line)
    proof, proofs = proofs_of(game, state, ranked, budget, agent)
    moves = [
        Move(
            one,
            None if analysis is None else analysis.weights.get(one),
            shares.get(one),
            values.get(one),
            proofs.get(one),
        )
        for one in ranked
    ]
    return Judgement(action, analysis, proven, moves, int(legal.sum()) - len(moves), line, proof)


def _asked(
    game: Game, state: States, agent: Any, stream: npt.NDArray[np.uint64]
) -> tuple[int, Analysis | None, bool]:
    """Return an agent's action, its analysis, and whether the values are certain."""
    if isinstance(agent, SearchAgent):  # only the search itself knows whether it is proven
        known = game.arrays.conceal(state, state["to_move"], next_bits(stream))
        found = agent.search(known, next_bits(stream))
        return int(found.actions[0]), found.analyses()[0], bool(found.proven[0])
    actions, [analysis] = consult(agent, game, state, stream)
    certain = hasattr(agent, "action_values") or (analysis is not None and analysis.proven)
    return int(actions[0]), analysis, certain


def _known_values(game: Game, state: States, agent: Any) -> npt.NDArray[np.float32] | None:
    """Return each action's value for the mover, if the agent knows it, such as `exact`.

    The value is NaN for an illegal action, and for one whose value `exact` cannot prove.
    """
    if game.has_hidden:
        return None
    values = np.full(game.num_actions, np.nan, np.float32)
    if hasattr(agent, "solve"):
        legal = np.flatnonzero(game.legal(state)[0]).tolist()
        for action, proof in _proofs(game, state, agent, legal).items():
            values[action] = proof.value
    elif hasattr(agent, "action_values"):
        values = agent.action_values(state)[0]
    else:
        return None
    return values


def _children(game: Game, state: States, actions: list[int]) -> States:
    children = np.repeat(state, len(actions))
    game.play(children, actions)
    return children


def _after(
    game: Game,
    state: States,
    agent: Opponent,
    stream: npt.NDArray[np.uint64],
    actions: list[int],
) -> dict[int, float]:
    """Return the expected result of the mover after each action, if the agent has values."""
    mover = int(state["to_move"][0])
    children = _children(game, state, actions)
    over = game.over(children)
    values = {}
    for k, action in enumerate(actions):
        if over[k]:
            values[action] = float(children["returns"][k, mover])
            continue
        _, analysis, _ = _asked(game, children[k : k + 1], agent, stream.copy())
        value = None if analysis is None else analysis.values[mover]
        if value is not None:
            values[action] = value
    return values


def _line(
    game: Game,
    state: States,
    agent: Opponent,
    stream: npt.NDArray[np.uint64],
    action: int,
) -> list[int]:
    """Return an action and the agent's following actions for both sides."""
    line, state = [action], state.copy()
    game.play(state, line)
    while len(line) < _LINE and not game.over(state)[0]:
        action, _, _ = _asked(game, state, agent, stream.copy())
        line.append(action)
        game.play(state, [action])
    return line


def proofs_of(
    game: Game,
    state: States,
    actions: list[int],
    budget: int = _BUDGET,
    agent: Opponent | None = None,
) -> tuple[Proof | None, dict[int, Proof]]:
    """Return what `exact` proves about a position, and about the positions after some actions.

    Args:
        game: the game; without two players, or with chance, nothing is proved.
        state: the position, shape (1,), not over.
        actions: legal actions.
        budget: maximum number of positions that `exact` searches for each solved position.
        agent: an agent `exact`, which is used instead of a new one; other agents have no effect.

    Returns:
        The proof for the player to move, or `None`; and the proofs for the same player after the
        actions, if they are solved.
    """
    if game.has_chance:
        return None, {}
    exact: Any = agent
    if not hasattr(exact, "solve"):
        try:
            exact = make("exact", game, 0, budget=budget)
        except ValueError:
            return None, {}
    proof = _proof(exact, state)
    return proof, {} if proof is None else _proofs(game, state, exact, actions)


def _proofs(game: Game, state: States, exact: Any, actions: list[int]) -> dict[int, Proof]:
    """Return what `exact` proves for the player to move after each action."""
    proofs = {}
    children = _children(game, state, actions)
    for action, child, over in zip(actions, children, game.over(children), strict=True):
        one = np.array([child], game.state_dtype)
        if over:
            mover = int(state["to_move"][0])
            proofs[action] = Proof(float(one["returns"][0, mover]), 1)
        elif (after := _proof(exact, one)) is not None:
            plies = after.plies + (after.plies >= 0)
            proofs[action] = Proof(0.0 - after.value, plies, after.source)
    return proofs


def _proof(exact: Any, state: States) -> Proof | None:
    """Return the proof for the player to move, or `None`."""
    if hasattr(exact, "solve"):
        [solution] = exact.solve(state)
        if solution.settled:
            return Proof(solution.low + 0.0, solution.plies, solution.source)
        return None
    with contextlib.suppress(ValueError):  # an agent of a user; the position is too large
        value = float(exact.values(state)[0, int(state["to_move"][0])])
        if not np.isnan(value):
            return Proof(value + 0.0, int(exact.plies(state)[0]))
    return None
