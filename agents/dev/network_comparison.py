"""Comparisons of a network with a cheaper version of it: agreement, speed and strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import Scores, play_match
from agents.arena.games import Games
from agents.arena.match import Match
from agents.arena.scores import agent_scores
from agents.bench.rows.evaluations import BATCHES, evaluating
from agents.bench.timing import interleaved
from agents.networks.onnx_policy import OnnxPolicy
from agents.players.choice import masked_choice, masked_policy
from agents.search.puct import PuctAgent
from boardenvs.game import Game, States

__all__ = ["Met", "agreement", "match", "met_by_search", "speeds", "together"]

_GAMES = 64
_SIMULATIONS = 64
_OPENING_PLIES = 6
_TEMPERATURE_PLIES = 10
"""Random plies of openings, a little more than in search-guided training."""
_LEAVES = 4096
_MATCH_OPENING = 4


@dataclass(frozen=True, eq=False)
class Met:
    """Positions of games that a search played against itself, as the network saw them."""

    played: States
    """Positions in which the network moved, shape (N,), as its seat knew them."""
    leaves: npt.NDArray[np.int8]
    """Observations of positions that it asked about, shape (M, *observation_shape)."""


def met_by_search(game: Game, network: OnnxPolicy, num: int, seed: int) -> Met:
    """Play games of a search guided by a network against itself.

    Games begin with up to six plies at random; for ten plies actions are drawn by their visits.

    Args:
        game: the game.
        network: what guides the search.
        num: positions in which it is to move, at least.
        seed: seed of everything random.
    """
    rng = np.random.default_rng(seed)
    recorder = _Recorder(network, _LEAVES / (num * _SIMULATIONS), rng)
    search = PuctAgent(game, seed, _SIMULATIONS, evaluator=recorder)
    states = game.new(_GAMES, seed)
    openings = rng.integers(0, _OPENING_PLIES + 1, _GAMES)
    played: list[States] = []
    while sum(map(len, played)) < num:
        legal = game.legal(states)
        random_bits = rng.integers(0, 2**64, _GAMES, np.uint64)
        actions = masked_choice(np.zeros(legal.shape), legal, 1.0, random_bits)
        turn = np.flatnonzero(states["ply"] >= openings)
        if len(turn):
            shown = game.conceal(states[turn], states["to_move"][turn], rng)
            found = search.search(shown)
            drawn = masked_choice(np.log(found.visits + 1e-9), legal[turn], 1.0, random_bits[turn])
            early = states["ply"][turn] < _TEMPERATURE_PLIES
            actions[turn] = np.where(early, drawn, found.actions)
            played.append(shown)
        game.play(states, actions, illegal="raise")
        over = game.over(states)
        game.kernels.restart_games(states, game.constants, game.start, over)
        openings[over] = rng.integers(0, _OPENING_PLIES + 1, over.sum())
    return Met(np.concatenate(played)[:num], np.concatenate(recorder.seen))


class _Recorder:
    """A network that remembers some of the positions that it is asked about."""

    def __init__(self, network: OnnxPolicy, share: float, rng: np.random.Generator) -> None:
        self._network = network
        self._share = share
        self._rng = rng
        self.seen: list[npt.NDArray[np.int8]] = []

    def evaluate(self, states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        some = states[self._rng.random(len(states)) < self._share]
        self.seen.append(self._network.observed_game.observe_to_move(some))
        return self._network.evaluate(states)


def agreement(network: OnnxPolicy, other: OnnxPolicy, states: States) -> dict[str, Any]:
    """Return how well another network agrees with a network.

    Returns:
        `positions`; `best_move`, the share in which both prefer the same action; `kl`, the mean
        Kullback-Leibler divergence of the other's policy, in nats; `value`, the root mean square
        of the values' difference.
    """
    masks = network.game.legal(states)
    (logits, values), (other_logits, other_values) = (
        _in_batches(one, states) for one in (network, other)
    )
    policy, other_policy = masked_policy(logits, masks), masked_policy(other_logits, masks)
    ratios = np.log(np.maximum(policy, 1e-30)) - np.log(np.maximum(other_policy, 1e-30))
    return {
        "positions": len(states),
        "best_move": round(float((policy.argmax(1) == other_policy.argmax(1)).mean()), 4),
        "kl": round(float((policy * ratios).sum(1).mean()), 5),
        "value": round(float(np.sqrt(np.square(values - other_values).mean())), 4),
    }


def together(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the mean of `agreement` over several games with equally many positions."""
    squares = [one["value"] ** 2 for one in found]
    return {
        "positions": sum(one["positions"] for one in found),
        "best_move": round(float(np.mean([one["best_move"] for one in found])), 4),
        "kl": round(float(np.mean([one["kl"] for one in found])), 5),
        "value": round(float(np.mean(squares)) ** 0.5, 4),
    }


def _in_batches(
    network: OnnxPolicy, states: States
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    parts = [network.evaluate(states[low : low + 256]) for low in range(0, len(states), 256)]
    logits, values = zip(*parts, strict=True)
    return np.concatenate(logits), np.concatenate(values)


def speeds(networks: Mapping[str, OnnxPolicy], seconds: float, rounds: int) -> dict[str, float]:
    """Evaluations a second of each network on one core, in its best batch.

    Args:
        networks: of one game, by their names.
        seconds: length of a turn.
        rounds: of turns; the median counts.
    """
    sides = {
        (name, batch): evaluating(network, batch, seconds)
        for name, network in networks.items()
        for batch in BATCHES
    }
    found = interleaved(sides, rounds)
    return {name: max(found[name, batch] for batch in BATCHES) for name in networks}


def match(
    game: Game, network: OnnxPolicy, other: OnnxPolicy, games: int, simulations: int, seed: int
) -> Scores:
    """Searches guided by two networks against each other, in turn in all seatings.

    Each pair of games begins with the same four plies at random, since else two agents that draw
    nothing would play one game again and again. In a game for one each plays the same games, and
    the better result wins.

    Returns:
        Scores of `other` and `network`, in this order.
    """
    agents = [
        PuctAgent(game, seed + place, simulations, evaluator=one)
        for place, one in enumerate((other, network))
    ]
    if game.num_players == 1:
        alone = [play_match(game, [agent], games, seed, opening_plies=_MATCH_OPENING)
                 for agent in agents]  # fmt: skip
        gains = np.sign(alone[0].returns - alone[1].returns)
        return Scores(np.concatenate([gains, -gains], 1), alone[0].plies)
    played = Match(game, agents, seed, _MATCH_OPENING)
    parts = [found for found in played.play(np.arange(games)) if found is not None]
    return agent_scores(Games.joined(parts), 2)
