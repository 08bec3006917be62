"""Agents that try to read hidden tiles and future dice, and gain nothing.

Each attack is shown to work without protection: on unconcealed states, and on words that are made
like the games' own streams.
"""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs
from agents import play_match
from agents.arena.match import Match
from agents.seeds import agent_seed
from boardenvs.core.chance import make_streams, next_bits, one_way, seed_word
from boardenvs.dominoes175.rules import CELLS, HIGH, LOW
from boardenvs.envs.playout import playout
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.episode import Episode

GAMMA = np.uint64(0x9E3779B97F4A7C15)
INVERSES = [
    np.uint64(pow(factor, -1, 2**64)) for factor in (0x94D049BB133111EB, 0xBF58476D1CE4E5B9)
]
STEPS = np.arange(-40, 41).astype(np.uint64) * GAMMA
MOST = 12
"""Number of words at the start of an attack."""


def unshifted(z, shift):
    """Return the x with x ^ (x >> shift) == z."""
    x = z
    for _ in range(64 // shift + 1):
        x = z ^ (x >> np.uint64(shift))
    return x


def unmixed(bits):
    """Return the stream words of these random bits, the inverse of `mixed`; uint64 arrays."""
    z = unshifted(unshifted(bits, 31) * INVERSES[0], 27) * INVERSES[1]
    return unshifted(z, 30)


def foreseen(words):
    """Return words computable from these by steps in both directions, mixing and unmixing."""
    given = np.array(words, np.uint64)[:MOST]
    known = [given]
    for _ in range(2):
        known.append(np.add.outer(unmixed(known[-1]), STEPS).ravel())
    known += [next_bits(one - GAMMA) for one in known]
    return set(np.concatenate(known).tolist())


def test_mixing_is_invertible():
    words = np.array([0, 1, 2**63, 0x123456789ABCDEF], np.uint64)
    assert np.array_equal(unmixed(next_bits(words - GAMMA)), words)


class Spy:
    """A player of the first legal action that records the states it receives."""

    deterministic = True

    def __init__(self, game):
        self.game = game
        self.told = []

    def act(self, states):
        self.told.append(states.copy())
        return self.game.legal(states).argmax(1)


class WordSpy(Spy):
    """A spy that also receives random words."""

    def choose(self, states, words):
        self.words = np.concatenate([getattr(self, "words", words[:0]), words])
        return self.act(states)


def test_consecutive_words_of_one_stream_are_predictable():
    words = make_streams(seed_word(0), 2)
    assert int(words[0]) in foreseen(next_bits(words[1:].copy()))


@pytest.mark.parametrize("seed", range(5))
def test_an_agent_in_the_arena_cannot_compute_the_games_stream(seed):
    game = boardenvs.make("goat_race", num_players=2)
    spy = WordSpy(game)
    (games,) = [games for games in Match(game, [spy, spy], seed).play(np.arange(1)) if games]
    known = foreseen([*spy.words, *(int(states["rng"][0]) for states in spy.told)])
    assert int(seed_word(seed)) not in known
    state = game.arrays.new(games.streams)
    for action in games.moves[0]:
        assert int(state["rng"][0]) not in known
        game.play(state, [action])


@pytest.mark.parametrize("make", [SeatEnv, SeatVectorEnv])
def test_an_opponent_in_an_environment_cannot_compute_the_games_stream(make):
    game = boardenvs.make("goat_race")
    spy = WordSpy(game)
    env = make(*((1,) if make is SeatVectorEnv else ()), game, opponent=spy, seat=0)
    env.reset(seed=0)
    streams = set()
    for _ in range(30):
        record = env.positions[0] if make is SeatVectorEnv else env.position
        streams.add(int(record["rng"]))
        action = np.atleast_2d(env.action_masks()).argmax(1)
        over = env.step(action if make is SeatVectorEnv else int(action[0]))[2]
        if make is SeatEnv and over:
            break
    known = foreseen([*spy.words, *(int(states["rng"][0]) for states in spy.told)])
    assert len(streams) > 5
    assert not streams & known


def test_a_player_of_an_episode_cannot_compute_the_games_stream():
    game = boardenvs.make("goat_race", num_players=2)
    spies = [WordSpy(game), WordSpy(game)]
    episode = Episode.play(game, spies, 3)
    for spy in spies:
        known = foreseen([*spy.words, *(int(states["rng"][0]) for states in spy.told)])
        assert not {int(state["rng"]) for state in episode.states()} & known


def test_an_agent_does_not_receive_the_seed_of_its_match():
    seeds = [agent_seed(0, place) for place in range(3)]
    assert len({0, *seeds}) == 4
    assert one_way(np.zeros(1, np.uint64), "a") != one_way(np.zeros(1, np.uint64), "b")


# -- Future dice --------------------------------------------------------------------------


def prediction_hits(conceal):
    """Return whether playing on from the received state predicts the die of the next turn."""
    game = boardenvs.make("goat_race", num_players=2)
    rng = np.random.default_rng(0)
    hits = []
    states = game.new(200, 0)
    words = make_streams(np.uint64(5), 200)
    for _ in range(60):
        live = states[~game.over(states)]
        seats = game.to_move(live)
        told = game.conceal(live, seats, rng) if conceal else live.copy()
        actions = np.empty(len(live), np.int64)
        game.kernels.random_actions(game.legal(live), next_bits(words)[: len(live)], actions)
        before = live["rng"].copy()
        game.play(told, actions)
        game.play(live, actions)
        thrown = (live["rng"] != before) & ~live["terminated"] & ~live["truncated"]
        hits.append((told["die"] == live["die"])[thrown])
        states = live
    return np.concatenate(hits)


def test_agents_do_not_foresee_dice():
    assert prediction_hits(conceal=False).all()
    hits = prediction_hits(conceal=True)
    chance = 1 / 6
    assert len(hits) > 1000
    assert abs(hits.mean() - chance) < 4 * (chance / len(hits)) ** 0.5


# -- Hidden tiles -------------------------------------------------------------------------


class TilePeeker:
    """A player that turns over the tile that fits most stacks according to its state."""

    deterministic = True
    spec = "tile peeker"

    def __init__(self, game, seed=None):
        self.game = game

    def act(self, states):
        return np.array([self.best(state) for state in states])

    def best(self, state):
        mask = self.game.legal(state)[0]
        if state["hand"] >= 0:  # the highest stack that fits
            ways = np.flatnonzero(mask)
            return ways[np.argmax([state["heights"][(a - CELLS) // 2] for a in ways])]
        cells = np.flatnonzero(mask)
        tops = [state["dots"][k, height] for k, height in enumerate(state["heights"]) if height]
        fits = [
            sum(1 + (LOW[tile] != HIGH[tile]) for top in tops if top in (LOW[tile], HIGH[tile]))
            for tile in state["grid"][cells]
        ]
        return cells[np.argmax(fits)]


class BlindPeeker(TilePeeker):
    """A peeker that shuffles unseen tiles before it looks."""

    spec = "blind peeker"

    def act(self, states):
        return super().act(self.game.conceal(states, 0, np.random.default_rng(len(states))))


def alone(game, agent, num_games):
    """Return how many games an agent wins that receives unconcealed states."""
    states = game.new(num_games, 0)
    playout(game, states, lambda live, _: agent.act(live))
    return int((states["returns"][:, 0] > 0).sum())


def test_agents_do_not_read_hidden_tiles():
    game = boardenvs.make("dominoes175")
    games = 1500
    told_all = alone(game, TilePeeker(game), games)
    peeking = play_match(game, [TilePeeker(game)], games, 0).wins[0]
    blind = play_match(game, [BlindPeeker(game)], games, 0).wins[0]
    assert told_all > 10 * max(peeking, 1)  # peeking would pay off
    assert abs(peeking - blind) < 4 * (peeking + blind) ** 0.5
