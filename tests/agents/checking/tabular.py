"""A tabular learner that plays against itself, with a switch for each mistake."""

from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np


def learner(switch="", plies=6000):
    """Return a function for `check_learner` that learns with one mistake, or without.

    An action has a value for each seat: the mean of what followed it in random games, which is the
    returns, or the values of the best action in the next position.
    """

    def train(game, seed, seconds):
        seats, hidden = np.arange(game.num_players), switch == "hidden" and game.has_hidden
        followed, starts = random_games(game, plies * seconds, seed, hidden, switch)
        worth = defaultdict(lambda: np.zeros((game.num_actions, len(seats))))
        start = np.zeros(len(seats))  # values of the next game's first position

        def best(key, mask):
            return np.where(mask, worth[key][:, key[0]], -np.inf).argmax()

        def target(seat, key, mask, end, plies, truncated):
            if key is not None:
                values = worth[key][best(key, mask)] * (0.95 if switch == "discount" else 1)
                if switch in ("signs by plies", "no signs") or (
                    switch == "two seats" and len(seats) > 2
                ):
                    keeps = {"signs by plies": False, "no signs": True}.get(switch, seat == key[0])
                    own = values[key[0]] if keeps else -values[key[0]]
                    values = np.where(seats == seat, own, -own / (len(seats) - 1))
                return values
            end = np.array(end) * (plies**0.5 if switch == "normalised" else 1)
            end[1:] *= 2 if switch == "twice" else 1
            if truncated and switch.startswith("limit"):
                return start if switch == "limit is next game" else end - 1
            return np.where(seats == seat, end, {"loser": 0, "next game": start}.get(switch, end))

        for _ in range(60 if "next game" in switch else 12):
            for (key, action), afters in followed:
                targets = np.array([target(key[0], *after) for after in afters])
                if switch == "best case":
                    worth[key][action] = targets[targets[:, key[0]].argmax()]
                else:
                    worth[key][action] = np.average(targets, 0, [*afters.values()])
            first = [worth[key][best(key, mask)] for key, mask in starts]
            start = np.average(first, 0, [*starts.values()])

        def act(states):
            masks = game.legal(states) | (switch == "no mask")
            return [best(*one) for one in zip(keys(game, states, hidden), masks, strict=True)]

        def values(observations, masks):
            rows = [[key for key in worth if key[1] == one.tobytes()] for one in observations]
            return [
                np.mean([worth[key][best(key, mask), key[0]] for key in row] or [0.0])
                for row, mask in zip(rows, masks, strict=True)
            ]

        return SimpleNamespace(act=act), values

    return train


def keys(game, states, hidden):
    """Return how the table knows positions: by seat, observation, and hidden side of a coin."""
    sides = states["side"] if hidden else np.zeros(len(states))
    seen = [one.tobytes() for one in game.observe_to_move(states)]
    return list(zip(game.to_move(states).tolist(), seen, sides.tolist(), strict=True))


def random_games(game, plies, seed, hidden, switch):
    """Play about this number of random plies. Return what followed each action, and the starts.

    What followed is the next position and the mask for its maximum, or the end of the game.
    """
    followed, starts, played = defaultdict(Counter), Counter(), 0
    rng, states = np.random.default_rng(seed), game.new(0)
    while played < plies or len(states):
        if not len(states):
            states = game.new(100, int(rng.integers(2**32)))
            moved = np.zeros((100, game.num_players), bool)
            starts.update(
                zip(keys(game, states, hidden), map(tuple, game.legal(states)), strict=True)
            )
        masks, at, rows = game.legal(states), keys(game, states, hidden), np.arange(len(states))
        actions = np.argmax(rng.random(masks.shape) * masks, 1)
        firsts = ~moved[rows, game.to_move(states)]
        moved[rows, game.to_move(states)] = True
        game.play(states, actions)
        over, later, legal = game.over(states), keys(game, states, hidden), game.legal(states)
        maximum = {"other mask": masks, "all actions": masks | True}.get(switch, legal)
        for i, key in enumerate(at):
            if not over[i]:
                after = later[i], tuple(maximum[i]), None, 0, False
            elif switch != "dropped" or not firsts[i]:
                returns = tuple(states["returns"][i].tolist())
                after = None, None, returns, int(states["ply"][i]), bool(states["truncated"][i])
            else:
                continue
            followed[key, int(actions[i])][after] += 1
        played += len(states)
        states, moved = states[~over], moved[~over]
    return list(followed.items())[::-1], starts
