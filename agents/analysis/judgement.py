"""What an agent thinks of one position: its best moves, what it expects of each, what is proved."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import blamed, check_can_play
from agents.making import make
from agents.search.search_agent import SearchAgent
from boardenvs.core.chance import make_streams, next_bits, one_way, seed_word
from boardenvs.envs.opponents import Opponent, consult
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["Judgement", "Move", "Proof", "judge", "prove"]

_BUDGET = 200_000
"""Positions that `exact` may look at for each that it is asked about."""
_LINE = 6
"""Plies of a line, where the agent tells none and is asked on."""


class Proof(NamedTuple):
    """What is certain for the player to move."""

    value: float
    """1 for a win, 0 for a draw, -1 for a loss."""
    plies: int
    """Within how many plies the game is over; -1 where that is not told."""


@dataclass(frozen=True)
class Move:
    """One move, as the agent sees it."""

    action: int
    weight: float | None
    """Visits or the probability; `None` where the agent gives it none."""
    share: float | None
    """The same as a part of the whole."""
    value: float | None
    """The result that the agent expects for the mover after it, where it tells."""
    proof: Proof | None
    """What the mover then has for certain."""


@dataclass(frozen=True)
class Judgement:
    """What an agent thinks of a position."""

    action: int
    """What it plays."""
    analysis: Analysis | None
    """What led to that; `None` of an agent that does not tell."""
    proven: bool
    """Whether the values of the analysis are certain."""
    moves: list[Move]
    """The best ones, what it plays first."""
    more: int
    """How many legal moves there are beside these."""
    line: list[int]
    """How it expects the game to go on; at least what it plays."""
    proof: Proof | None
    """What `exact` has proved, if it plays the game and can settle the position."""


def judge(game: Game, state: States, agent: Opponent, seed: int, most: int) -> Judgement:
    """Ask an agent about a position, and about what comes of its best moves.

    Where nothing is drawn or hidden it is asked about the position after each move that is told,
    too, and about those along its line; all of them as far as the seat to move may know them.

    Args:
        game: what is played.
        state: the position, shape (1,), not over.
        agent: who is asked.
        seed: of what it draws.
        most: moves to tell of, at least 1.

    Raises:
        ValueError: the agent cannot play on from here, or fails.
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
    if known is not None:  # what it plays is among the best, the others follow by what they bring
        rest = np.flatnonzero(legal)
        ranked = [action, *sorted({*rest.tolist()} - {action}, key=lambda a: -known[a])]
    ranked = ranked[:most]
    tells = analysis is not None and analysis.values[int(state["to_move"][0])] is not None
    values: dict[int, float] = {}
    line = [action]
    if known is not None:
        values = {a: float(known[a]) for a in ranked}
    if tells and not (game.has_chance or game.has_hidden):
        with blamed("the agent"):
            if known is None:
                values = _after(game, state, agent, stream, ranked)
            line = _line(game, state, agent, stream, action)
    if analysis is not None and analysis.line:
        line = list(analysis.line)
    proof, proofs = prove(game, state, ranked)
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
    """What an agent plays, why, and whether what it expects is certain."""
    if isinstance(agent, SearchAgent):  # a search says more than the analysis that it is kept as
        known = game.arrays.conceal(state, state["to_move"], next_bits(stream))
        found = agent.search(known, next_bits(stream))
        return int(found.actions[0]), found.analyses()[0], bool(found.proven[0])
    actions, [analysis] = consult(agent, game, state, stream)
    certain = hasattr(agent, "action_values") or (analysis is not None and analysis.proven)
    return int(actions[0]), analysis, certain


def _known_values(game: Game, state: States, agent: Any) -> npt.NDArray[np.float32] | None:
    """What each action is worth to the mover, of an agent that knows, such as `exact`."""
    known = getattr(agent, "action_values", None)
    if known is None or game.has_hidden or game.has_chance:
        return None
    values: npt.NDArray[np.float32] = known(state)[0]
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
    """What the agent expects for the mover after each action, where it tells."""
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
    """Return an action and what the agent would play after it, from both sides."""
    line, state = [action], state.copy()
    game.play(state, line)
    while len(line) < _LINE and not game.over(state)[0]:
        action, _, _ = _asked(game, state, agent, stream.copy())
        line.append(action)
        game.play(state, [action])
    return line


def prove(
    game: Game, state: States, actions: list[int], budget: int = _BUDGET
) -> tuple[Proof | None, dict[int, Proof]]:
    """What `exact` proves of a position, and of those after some actions.

    Args:
        game: what is played; of one with chance, or not of two players, nothing is proved.
        state: the position, shape (1,), not over.
        actions: legal ones.
        budget: positions that it may look at for each that it is asked about.

    Returns:
        What the player to move has, `None` where that is not settled; and the same, seen by him,
        after each of the actions where that is.
    """
    try:
        exact: Any = make("exact", game, 0, budget=budget)
    except ValueError:
        return None, {}
    proof = _proof(exact, state)
    if proof is None:
        return None, {}
    proofs = {}
    for action, child in zip(actions, _children(game, state, actions), strict=True):
        one = np.array([child], game.state_dtype)
        if game.over(one)[0]:
            mover = int(state["to_move"][0])
            proofs[action] = Proof(float(one["returns"][0, mover]), 1)
        elif (after := _proof(exact, one)) is not None:
            proofs[action] = Proof(-after.value, after.plies + (after.plies >= 0))
    return proof, proofs


def _proof(exact: Any, state: States) -> Proof | None:
    """What the player to move has, if that can be settled."""
    with contextlib.suppress(ValueError):  # it is too large
        value = float(exact.values(state)[0, int(state["to_move"][0])])
        if not np.isnan(value):
            return Proof(value + 0.0, int(exact.plies(state)[0]))
    return None
