"""Random games played by the rules and by their second implementation in NumPy, ply by ply.

Each `tests/<game>/array_<game>.py` implements a game's rules and observations independently. Legal
actions and the observations of all seats must be equal before every ply. The seat to move, returns
and ends must be equal after it. Some actions are illegal. A failing game is reduced by dropping
actions while it still fails.
"""

from __future__ import annotations

import numpy as np
from array_game import array_game

import boardenvs

PLIES = 120
"""Plies in each game of a round."""


def difference(game, mirror, states, masks, shown):
    """Return the first game that differs and a description, or `None`.

    Args:
        game: the game.
        mirror: the other implementation.
        states: positions of the game, shape (N,).
        masks: legal actions according to the game.
        shown: observations of the seats to move.
    """
    seats = mirror.to_move
    live = ~mirror.over
    told = [
        ("terminated", game.terminated(states), mirror.terminated),
        ("truncated", game.truncated(states), mirror.truncated),
        ("returns", game.returns(states), mirror.returns),
        ("to_move", game.to_move(states), np.where(live, seats, states["to_move"])),
        ("ply", states["ply"], mirror.ply),
        ("legal", masks, mirror.legal()),
        ("what the seat to move sees", shown.reshape(len(states), -1), mirror.observation(seats)),
    ]
    for further in range(1, game.num_players):
        others = (seats + further) % game.num_players
        seen = game.observe(states, others).reshape(len(states), -1)
        told.append((f"what seat to_move + {further} sees", seen, mirror.observation(others)))
    for what, ours, theirs in told:
        if not np.array_equal(ours, theirs):
            differs = (ours != theirs).reshape(len(states), -1)
            place = int(differs.any(1).argmax())
            entry = int(differs[place].argmax())
            values = [x.reshape(len(states), -1)[place, entry].item() for x in (ours, theirs)]
            return place, f"{what}, entry {entry}: {values[0]}, expected {values[1]}"
    return None


def replay(game, start, actions):
    """Replay one game with these actions; return the difference or `None`."""
    states = np.array([start], game.state_dtype)
    mirror = array_game(game, 1)
    mirror.start(np.zeros(1, int), states)
    for action in [*actions, None]:
        masks = game.legal(states)
        found = difference(game, mirror, states, masks, game.observe(states, states["to_move"]))
        if found or action is None or mirror.over[0]:
            return found and found[1]
        game.play(states, [action])
        mirror.step(np.array([action]), masks)
    return None


def shrunk(game, start, actions):
    """Return the fewest actions that still differ, and the difference.

    Returns all actions if the game does not differ on its own.
    """
    told = replay(game, start, actions)
    if told is None:
        return actions, "no difference in this game alone"
    k = len(actions)
    while k:
        k -= 1
        fewer = actions[:k] + actions[k + 1 :]
        again = replay(game, start, fewer)
        if again:
            actions, told, k = fewer, again, min(k, len(fewer))
    return actions, told


class Round:
    """Random games in both implementations at once."""

    def __init__(self, game, num, seed, batched):
        self.game = game
        self.batch = boardenvs.BatchEnv(game, num, seed) if batched else None
        self.states = game.new(num, seed) if self.batch is None else self.batch.states
        self.mirror = array_game(game, num)
        self.mirror.start(np.arange(num), self.states)
        self.starts = self.states.copy()
        self.began = np.zeros(num, int)
        self.past = []

    def compare(self):
        """Return start, actions and description of a game that differs now, or `None`."""
        if self.batch is None:
            masks = self.game.legal(self.states)
            shown = self.game.observe(self.states, self.states["to_move"])
        else:
            masks, shown = self.batch.action_mask, self.batch.observation
        found = difference(self.game, self.mirror, self.states, masks, shown)
        return found and self.told(*found)

    def told(self, place, how):
        actions = [int(past[place]) for past in self.past[self.began[place] :]]
        return self.starts[place], actions, how

    def step(self, actions):
        """Play one ply in each game and restart finished games. Returns the same as `compare`."""
        masks = self.mirror.legal()
        self.past.append(actions)
        if self.batch is None:
            self.game.play(self.states, actions)
            self.mirror.step(actions, masks)
            found = self.compare()  # includes finished games
            ended = np.flatnonzero(self.mirror.over)
            words = self.states["rng"][ended] + np.uint64(1)
            self.states[ended] = self.game.arrays.new(words)
        else:
            told = [answer.copy() for answer in self.batch.step(actions)]
            self.mirror.step(actions, masks)
            found = None
            expected = (self.mirror.returns, self.mirror.terminated, self.mirror.truncated)
            for what, ours, theirs in zip(
                ("rewards", "terminated", "truncated"), told, expected, strict=True
            ):
                if not np.array_equal(ours, theirs):
                    place = int((ours != theirs).reshape(len(ours), -1).any(1).argmax())
                    values = f"{ours[place].tolist()}, expected {theirs[place].tolist()}"
                    found = self.told(place, f"{what} of the step: {values}")
            ended = np.flatnonzero(self.mirror.over)
        self.mirror.start(ended, self.states[ended])
        self.starts[ended] = self.states[ended]
        self.began[ended] = len(self.past)
        return found


def chosen(rng, masks, liking, illegal):
    """Return an action for each game: mostly legal, weighted by `liking`, and a few illegal."""
    scores = rng.random(masks.shape, np.float32) + liking
    actions = (scores * masks).argmax(1)
    wild = rng.random(len(masks)) < illegal
    actions[wild] = rng.integers(masks.shape[1], size=int(wild.sum()))
    return actions


def play_round(game, rng, num, plies=PLIES):
    """Play random games; return the number of plies, and a game that differs or `None`.

    A game that differs is described by its start, its actions and the difference.
    """
    # Preferred actions lead to longer lines and higher stacks.
    liked = [np.zeros(1), rng.random(game.num_actions), np.linspace(1, 0, game.num_actions)]
    liking = liked[rng.integers(3)].astype(np.float32) * np.float32(rng.choice([0.2, 1, 3]))
    played = Round(game, num, int(rng.integers(2**32)), batched=bool(rng.integers(2)))
    illegal = float(rng.choice([0, 0.003]))
    found = played.compare()
    ply = 0
    while ply < plies and not found:
        actions = chosen(rng, played.mirror.legal(), liking, illegal)
        found = played.step(actions) or played.compare()
        ply += 1
    if found:
        start, actions, how = found
        fewer, told = shrunk(game, start, actions)
        found = f"{game!r}, {game.to_dict(start)}, actions {fewer}", f"{how}; {told}"
    return ply * num, found
