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
from agents.networks.onnx_policy import OnnxPolicy
from agents.players.choice import masked_choice, masked_policy
from agents.search.puct import PuctAgent
from agents.speed.rows.networks import BATCHES, evaluating
from agents.speed.timing import interleaved
from boardenvs.game import Game, States

__all__ = ["Met", "agreement", "match", "met_by_search", "speeds", "together"]

_GAMES = 64  # games in parallel
_SIMULATIONS = 64
_OPENING_PLIES = 6  # maximum number of random plies of an opening
_TEMPERATURE_PLIES = 10  # plies in which actions are sampled in proportion to their visits
_LEAVES = 4096  # expected number of recorded observations
_MATCH_OPENING = 4  # random plies


@dataclass(frozen=True, eq=False)
class Met:
    """Positions from games of a search against itself, as the network observed them."""

    played: States
    """Positions of the games, shape (N,), as the seat to move knew them."""
    leaves: npt.NDArray[np.int8]
    """Observations that the search evaluated, shape (M, *observation_shape)."""


def met_by_search(game: Game, network: OnnxPolicy, num: int, seed: int) -> Met:
    """Return positions from games of a search, guided by a network, against itself.

    Each game begins with up to six random plies. In the first ten plies, the search samples
    its actions in proportion to their visits.

    Args:
        game: the game.
        network: the network.
        num: length of `Met.played`.
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
    """An evaluator that records a random part of the positions that it evaluates."""

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
        A dictionary with these keys:

        - `positions`: the number of positions.
        - `best_move`: the share of positions in which both networks prefer the same action.
        - `kl`: the mean Kullback-Leibler divergence of the policies, in nats.
        - `value`: the root mean square of the difference of the values.
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
    """Return the mean of `agreement` over games with equal numbers of positions."""
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
    """Return the evaluations a second of each network on one core, at its fastest batch size.

    Args:
        networks: networks of one game, by name.
        seconds: duration of each measurement.
        rounds: number of measurements, of which the median is returned.
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
    """Play games between searches guided by two networks, in turn in all seatings.

    Each pair of games begins with the same four random plies. Otherwise deterministic agents would
    repeat one game. In a game for one seat, both agents play the same games, and the better result
    wins.

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
