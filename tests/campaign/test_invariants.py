"""Check invariants of batches and environments: batch sizes, threads, snapshots, autoreset modes.

- The same seed gives the same games, byte by byte, for any number of games and threads. A copy, a
  pickle and a batch that starts from the records of another batch continue in the same way.
- The laws in `tests/<game>/array_<game>.py` hold, for example that no piece is created or lost.
  Masks and observations of a batch equal `Game.legal` and `Game.observe` of its records.
- Rewards are nonzero only at ends and sum to zero in games with opponents. An illegal action loses.
  With `illegal="raise"`, illegal actions raise and change nothing. Invalid values always raise.
- The vector environment plays the same games in the modes of autoreset SAME_STEP and NEXT_STEP. A
  single environment equals a vector of one.

A failure reports the record or the number of the step.
"""

from __future__ import annotations

import copy
import importlib
import pickle

import gymnasium as gym
import numpy as np
import pytest
from array_game import array_game
from parameters import parameters

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv

STEPS = 200
SIZES = [1, 2, 7, 64, 500, 4096]
ODD = [
    lambda good: good.astype(float),
    lambda good: good[:-1],
    lambda good: np.append(good, 0),
    lambda good: good[:, None, None],
    lambda good: np.where(np.arange(len(good)) == len(good) - 1, -1, good),
    lambda good: np.where(np.arange(len(good)) == 0, 2**40, good),
    lambda good: good == 0,
    lambda good: [str(action) for action in good],
    lambda good: None,
    lambda good: np.full(len(good), np.nan),
    lambda good: good.astype(object),
    lambda good: np.full(len(good), 2**63, np.uint64),
]
"""Functions that turn an array of actions into an invalid argument."""


class BrokenError(Exception):
    """A violated invariant, with its case and its description."""

    def __init__(self, case, told):
        super().__init__(case, told)
        self.case, self.told = case, told


def laws_of(game):
    array_game(game, 1)  # imports the module
    return importlib.import_module(f"array_{game.name}").laws


def check_laws(game, laws, states):
    holds = [
        ("a live game has no result", ~states["returns"].any(1)),
        ("nobody has offended", states["offender"] == -1),
        ("there is room for a ply", (states["ply"] >= 0) & (states["ply"] < game.max_plies)),
        ("the last action is one", (states["last_action"] >= 0) == (states["ply"] > 0)),
        ("something is legal", game.legal(states).any(1)),
        ("it is a position", np.array([len(game.arrays.batch(states)) == len(states)])),
        *laws(game, states),
    ]
    for law, where in holds:
        if not where.all():
            raise BrokenError(f"{game!r}, {game.to_dict(states[(~where).argmax()])}", f"not: {law}")


def check_result(game, movers, wild, told):
    """Check the results of a step: rewards, terminated, truncated."""
    rewards, terminated, truncated = told
    ended, sums = terminated | truncated, rewards.sum(1)
    best = rewards.max(1)
    n = game.num_players
    holds = [
        ("rewards come at the end alone", ended | ~rewards.any(1)),
        ("a game ends in one way", ~(terminated & truncated)),
        ("a truncated game is worth nothing", ~truncated | ~rewards.any(1)),
        ("an illegal action ends the game", ~wild | terminated),
        ("and loses it", ~wild | (rewards[np.arange(len(wild)), movers] == -1)),
    ]
    if n > 1:
        holds.append(("rewards sum to zero", np.abs(sums) < 1e-6))
        holds.append(("somebody wins or nobody", ~rewards.any(1) | (best == 1) | wild))
    for law, where in holds:
        if not where.all():
            i = int((~where).argmax())
            raise BrokenError(f"{game!r}, rewards {rewards[i].tolist()}", f"not: {law}")


def same(what, ours, theirs):
    if not np.array_equal(ours, theirs):
        differs = (np.asarray(ours) != np.asarray(theirs)).reshape(len(ours), -1).any(1)
        raise BrokenError(f"{what}, game {int(differs.argmax())}", "differs")


def twin_of(main, rng):
    """Return another batch that plays the first M of the same games, and its description."""
    kind = rng.integers(4)
    if kind == 0:
        return copy.deepcopy(main), "a copy"
    if kind == 1:
        return pickle.loads(pickle.dumps(main)), "a pickle"
    num = int(rng.integers(1, main.num_envs + 1))
    threads = [1, 2, 3, None][rng.integers(4)]
    twin = boardenvs.BatchEnv(main.game, num, 0, threads=threads)
    given = main.states[:num]
    if kind == 3:
        given = np.frombuffer(given.tobytes(), given.dtype)
    twin.reset(states=given if num > 1 else given[0])
    return twin, f"{num} games over {threads} threads, from records"


def refuses(batch, actions, what):
    """Check that the batch raises a one-line `ValueError` and changes nothing."""
    before = batch.states.tobytes(), batch.action_mask.tobytes(), batch.observation.tobytes()
    try:
        batch.step(actions)
    except ValueError as error:
        if "\n" in str(error):
            raise BrokenError(f"{batch.game!r}: {what}", f"several lines: {error}") from error
    else:
        raise BrokenError(f"{batch.game!r}: {what}", "was accepted")
    after = batch.states.tobytes(), batch.action_mask.tobytes(), batch.observation.tobytes()
    if before != after:
        raise BrokenError(f"{batch.game!r}: {what}", "raised and changed something")


def batch_round(attack, name, seed):
    rng = np.random.default_rng(seed)
    game = boardenvs.make(name, **parameters(name, rng))
    laws = laws_of(game)
    num = SIZES[rng.integers(len(SIZES))]
    if game.observation_size > 1000:
        num = min(num, 256)
    first = int(rng.integers(2**63))
    main = boardenvs.BatchEnv(game, num, first, threads=1)
    fewer = int(rng.integers(1, num + 1))
    twin = boardenvs.BatchEnv(game, fewer, first, threads=[1, 2, 3, None][rng.integers(4)])
    what = f"{fewer} of {num} games"
    illegal = float(rng.choice([0, 0.002]))
    actions = np.zeros(num, np.int64)
    for step in range(STEPS):
        masks = main.action_mask
        game.kernels.random_actions(masks, rng.integers(0, 2**64, num, np.uint64), actions)
        if illegal:
            places = np.flatnonzero(rng.random(num) < illegal)
            actions[places] = rng.integers(game.num_actions, size=len(places))
        wild = ~masks[np.arange(num), actions]
        movers = main.to_move.copy()
        if rng.random() < 0.05:
            odd = int(rng.integers(len(ODD)))
            refuses(main, ODD[odd](actions), f"ODD[{odd}] of {num} actions")
            if wild.any():
                strict = boardenvs.BatchEnv(game, num, 0, illegal="raise")
                strict.reset(states=main.states)
                refuses(strict, actions, "an illegal action")
        told = main.step(actions)
        check_result(game, movers, wild, told)
        theirs = twin.step(actions[: twin.num_envs])
        attack.count(num + twin.num_envs)
        at = f"{game!r}, seed {first}, {what}, step {step}"
        for ours, its in zip(told, theirs, strict=True):
            same(at, ours[: twin.num_envs], its)
        if step % 8 == 0:
            check_laws(game, laws, main.states)
            same(f"{at}: masks", main.action_mask, game.legal(main.states))
            same(f"{at}: to_move", main.to_move, game.to_move(main.states))
            same(f"{at}: observations", main.observation, game.observe(main.states, main.to_move))
            if main.observation.min() < 0 or main.observation.max() > game.observation_high:
                raise BrokenError(at, "an observation is out of its space")
            if main.states[: twin.num_envs].tobytes() != twin.states.tobytes():
                same(at, main.states[: twin.num_envs], twin.states)
                raise BrokenError(at, "the records are equal, but not their bytes")
            same(f"{at}: masks", main.action_mask[: twin.num_envs], twin.action_mask)
            same(f"{at}: observations", main.observation[: twin.num_envs], twin.observation)
        if rng.random() < 0.03:
            twin, what = twin_of(main, rng)


def batches(name):
    label = f"invariants of batches: {name}"
    return pytest.param(name, marks=pytest.mark.attack(label, "plies", share=1))


@pytest.mark.parametrize("called", [batches(name) for name in boardenvs.GAMES])
def test_batches_keep_the_invariants(attack, called):
    for seed in attack.rounds():
        try:
            batch_round(attack, called, seed)
        except BrokenError as broken:
            attack.failed(seed, broken.case, broken.told)
        except ValueError as error:
            # Odd actions of opponents may end every game before the seat's turn.
            if "games in a row ended before the seat's first turn" not in str(error):
                raise


# -- Environments ---------------------------------------------------------------------


def action_for(masks, bits):
    """Return the legal action of each row that `bits` select; 0 if there is none."""
    counts = masks.sum(1)
    wanted = (bits % np.maximum(counts, 1).astype(np.uint64)).astype(int)
    return (masks.cumsum(1) == wanted[:, None] + 1).argmax(1)


def copied(env, pickled):
    return pickle.loads(pickle.dumps(env)) if pickled else copy.deepcopy(env)


def run(envs, seed, table, swap):
    """Play `len(table)` steps of the seat in each game and return the results of each step.

    Args:
        envs: vector environment.
        seed: seed of the reset.
        table: random bits, shape (K, N), for each step of each game.
        swap: number of the call of `step` before which a copy or a pickle replaces the vector.
    """
    num, last = envs.num_envs, len(table)
    next_step = envs.autoreset_mode is gym.vector.AutoresetMode.NEXT_STEP
    seen, infos = envs.reset(seed=seed)
    rows = np.arange(num)
    count, resting = np.zeros(num, int), np.zeros(num, bool)
    rewards = np.zeros((last + 1, num))
    ends = np.zeros((last + 1, num, 2), bool)
    shown = np.zeros((last + 1, *seen.shape), np.int8)
    final = np.zeros((last + 1, *seen.shape), np.int8)
    calls = 0
    while (count < last).any():
        calls += 1
        if calls == swap:
            envs = copied(envs, swap % 2)
        k = np.minimum(count, last - 1)
        actions = action_for(infos["action_mask"], table[k, rows])
        seen, reward, terminated, truncated, infos = envs.step(actions)
        begun, count = resting, count + ~resting
        at = np.minimum(np.maximum(count - 1, 0), last)
        shown[at, rows] = seen
        rewards[at[~begun], rows[~begun]] = reward[~begun]
        ends[at[~begun], rows[~begun]] = np.stack([terminated, truncated], 1)[~begun]
        over = terminated | truncated
        last_seen = seen if next_step else infos.get("final_obs", seen)
        for i in np.flatnonzero(over):
            final[at[i], i] = last_seen[i]
        resting = over if next_step else np.zeros(num, bool)
        positions = envs.positions
        live = ~envs.game.over(positions)
        same("masks of the environment", infos["action_mask"], envs.game.legal(positions))
        same("what it shows", seen[live], envs.game.observe(positions, infos["seat"])[live])
        if not np.array_equal(envs.action_masks(), infos["action_mask"]):
            raise BrokenError("action_masks()", "differ from those of infos")
    return calls * num, [rewards[:-1], ends[:-1], shown[:-2], final[:-2]]


def vector_round(attack, seed):
    rng = np.random.default_rng(seed)
    name = list(boardenvs.GAMES)[rng.integers(len(boardenvs.GAMES))]
    game = boardenvs.make(name, **parameters(name, rng))
    num = int(rng.choice([1, 3, 20, 200]))
    steps = 30
    table = rng.integers(0, 2**64, (steps, num), np.uint64)
    first = int(rng.integers(2**31))
    seat = "random" if rng.random() < 0.5 else int(rng.integers(game.num_players))
    arguments = {"opponent": "random", "seat": seat}
    plain = SeatVectorEnv(num, game, threads=1, **arguments)
    plies, expected = run(plain, first, table, 0)
    for mode in ("SAME_STEP", "NEXT_STEP"):
        fewer = int(rng.integers(1, num + 1))
        other = SeatVectorEnv(
            fewer,
            game,
            autoreset_mode=getattr(gym.vector.AutoresetMode, mode),
            threads=[None, 1, 2][rng.integers(3)],
            **arguments,
        )
        swap = int(rng.integers(2 * steps))
        more, told = run(other, first, table[:, :fewer], swap)
        at = f"{game!r}, {arguments}, seed {first}, {mode}, {fewer} of {num}, swapped at {swap}"
        for what, ours, theirs in zip(
            ("rewards", "ends", "what is shown", "what is shown at the end"),
            expected,
            told,
            strict=True,
        ):
            same(f"{at}: {what}", ours[:, :fewer], theirs)
        plies += more
    attack.count(plies)
    single_round(attack, game, arguments, first, rng)


def single_round(attack, game, arguments, first, rng):
    """Check that `SeatEnv`, a vector of one and PettingZoo's environment play the same game."""
    at = f"{game!r}, {arguments}, seed {first}"
    alone = SeatEnv(game, **arguments)
    one = SeatVectorEnv(1, game, **arguments)
    seen, info = alone.reset(seed=first)
    many, infos = one.reset(seed=[first])
    over = False
    while not over:
        same(f"{at}: one and a vector of one", seen[None], many)
        same(f"{at}: their masks", info["action_mask"][None], infos["action_mask"])
        if rng.random() < 0.02:
            alone = (
                copy.deepcopy(alone) if rng.random() < 0.5 else pickle.loads(pickle.dumps(alone))
            )
        legal = np.flatnonzero(info["action_mask"])
        action = rng.choice(legal) if rng.random() < 0.99 else rng.integers(game.num_actions)
        seen, reward, terminated, truncated, info = alone.step(action)
        many, rewards, ended, cut, infos = one.step(np.array([action]))
        attack.count(2)
        over = terminated or truncated
        same(f"{at}: results", [reward, terminated, truncated], [rewards[0], ended[0], cut[0]])
        if over:
            many = np.stack(list(infos["final_obs"]))
            same(f"{at}: the end", seen[None], many)
            break
    env = importlib.import_module(f"boardenvs.{game.name}_v0").env(**game.params)
    env.reset(seed=first)
    batch = boardenvs.BatchEnv(game, 1, first)
    while env.agents:
        seat = env.possible_agents.index(env.agent_selection)
        if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.step(None)
            continue
        told = env.observe(env.agent_selection)
        same(f"{at}: PettingZoo and a batch", told["observation"][None], batch.observation)
        same(f"{at}: their masks", told["action_mask"][None].astype(bool), batch.action_mask)
        same(f"{at}: their seats", [seat], batch.to_move)
        action = int(rng.choice(np.flatnonzero(told["action_mask"])))
        env.step(action)
        rewards, *_ = batch.step([action])
        attack.count(2)
        same(f"{at}: rewards", [list(env.rewards.values())], rewards)


@pytest.mark.attack(
    "invariants of environments: autoreset, snapshots, one and many", "plies", share=2
)
def test_environments_keep_the_invariants(attack):
    for seed in attack.rounds():
        try:
            vector_round(attack, seed)
        except BrokenError as broken:
            attack.failed(seed, broken.case, broken.told)
        except ValueError as error:
            # Odd actions of opponents may end every game before the seat's turn.
            if "games in a row ended before the seat's first turn" not in str(error):
                raise


# -- The attacks themselves -----------------------------------------------------------


class Counter:
    def count(self, number): ...


def test_the_attack_finds_a_broken_invariant():
    game = boardenvs.make("gekitai")
    states = game.new(3, 0)
    game.play(states, [0, 1, 2])
    check_laws(game, laws_of(game), states)
    states["to_move"][1] = 0
    with pytest.raises(BrokenError, match="they take turns"):
        check_laws(game, laws_of(game), states)


def test_the_attack_finds_a_diverging_copy(monkeypatch):
    real = boardenvs.BatchEnv.step

    def step(self, actions):
        told = real(self, actions)
        if self.threads != 1:  # twin
            self._batch.games.states["rng"][0] ^= np.uint64(1)
        return told

    monkeypatch.setattr(boardenvs.BatchEnv, "step", step)
    monkeypatch.setitem(globals(), "STEPS", 9)
    found = 0
    for seed in range(6):
        try:
            batch_round(Counter(), "game112", seed)
        except BrokenError:
            found += 1
    assert found
