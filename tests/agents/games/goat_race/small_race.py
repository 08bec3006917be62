"""Small Goat Races solved by value iteration over the dice, and how near searches come to them.

Two or three players race their goats over 2 or 3 rows and 5 columns, and all goats have to arrive.
With fewer columns no goat gets past the obstacles. Nothing is hidden, so a position is the stacks,
the seat whose turn it is, the die and the decision. The rules say which actions lead where; only
the die is thrown here, in every way. Every player maximises the own result.

`python tests/agents/games/goat_race/small_race.py` prints the distances.
"""

import numpy as np

import agents
from boardenvs.goat_race import GoatRace
from boardenvs.goat_race.rules import FORWARD, PLACE, SIDEWAYS

OBSTACLES = {2: [(1, "B"), (2, "D")], 3: [(1, "B"), (2, "D"), (3, "C")]}
"""By the number of rows."""


def small_race(height=2, seats=2, goats=2):
    """Return a race with fewer goats than the arguments of the game allow."""
    game = GoatRace(num_players=seats, width=5, height=height, obstacles=OBSTACLES[height])
    game.constants["goats"] = goats
    game.constants["arrivals"] = goats
    return game


def in_order(states):
    """Return the states with the order of play 0, 1, ..."""
    states["order"] = np.arange(states["order"].shape[1])
    states["to_move"] = 0
    return states


class Solution:
    """Exact values of the race for each seat: iterated until none changes by more than `bound`.

    The seats play in the order 0, 1, ... Sweep k has the values of the race that is a draw after k
    turns, as `max_plies` makes it one.
    """

    def __init__(self, game, bound=1e-12):
        self.game = game
        self.seats = game.num_players
        self.records = self._placed()
        self.numbers = {self._key(record): k for k, record in enumerate(self.records)}
        self._lay_out()
        self.turn = np.zeros((self.seats, len(self.records), self.seats))
        """Values of a position before the throw of a seat: by seat, position, and player."""
        self.sweeps = 0
        self.residual = np.inf
        while self.residual > bound:
            before, self.turn = self.turn, self._swept()
            self.sweeps += 1
            self.residual = np.abs(self.turn - before).max()
        self._throws = {
            (seat, die): self.after_throw(seat, die)
            for seat in range(self.seats)
            for die in range(1, game.height + 1)
        }
        self._tables = {question: self._table(question) for question in self.moves}

    def _key(self, record):
        return record["stacks"].tobytes()

    def _placed(self):
        """Return a record for each placement of the goats, at the start of the race."""
        states = in_order(self.game.new(1, 0))
        while states["decision"][0] == PLACE:
            rows, actions = np.nonzero(self.game.legal(states))
            states = states[rows]
            self.game.play(states, actions)
        _, first = np.unique(states["stacks"].reshape(len(states), -1), axis=0, return_index=True)
        return list(states[first])

    def _asked(self, records, seat, die, decision):
        """Return the records with another decision; none of them is over."""
        states = np.array(records, self.game.state_dtype)
        states["to_move"], states["die"], states["decision"] = seat, die, decision
        states["terminated"] = states["truncated"] = False
        states["returns"] = 0
        states["ply"] = 10
        return states

    def _lay_out(self):
        """Find all stacks that play leads to, and where the actions of each decision lead.

        `moves[seat, die, decision]` are rows, actions, the number of the stacks after each, and
        the game's results if it is over, else NaN.
        """
        game = self.game
        found = {}  # by decision: row, action, number after, results
        done = 0
        while done < len(self.records):
            part = self.records[done:]
            for seat in range(self.seats):
                for die in range(1, game.height + 1):
                    for decision in (SIDEWAYS, FORWARD):
                        states = self._asked(part, seat, die, decision)
                        live = ~np.array([one["terminated"] for one in part])
                        masks = game.arrays.legal(states) & live[:, None]
                        rows, actions = np.nonzero(masks)
                        after = states[rows]
                        game.play(after, actions)
                        for row, action, one in zip(rows, actions, after, strict=True):
                            key = self._key(one)
                            if key not in self.numbers:
                                self.numbers[key] = len(self.records)
                                self.records.append(one)
                            results = (
                                one["returns"] if one["terminated"] else one["returns"] + np.nan
                            )
                            place = done + row, action, self.numbers[key], results
                            found.setdefault((seat, die, decision), []).append(place)
            done += len(part)
        self.moves = {
            decision: tuple(map(np.array, zip(*rows, strict=True)))
            for decision, rows in found.items()
        }

    def _results(self, question, following):
        """Return the values after each action; `following` are the values of all stacks."""
        _, _, after, results = self.moves[question]
        return np.where(np.isnan(results), following[after], results)

    def _best(self, question, following, otherwise):
        """Return the values after the best action for the seat, or `otherwise` without actions."""
        rows = self.moves[question][0]
        results = self._results(question, following)
        order = np.lexsort((np.arange(len(rows)), -results[:, question[0]], rows))
        first = order[np.unique(rows[order], return_index=True)[1]]
        best = otherwise.copy()
        best[rows[first]] = results[first]
        return best

    def after_throw(self, seat, die):
        """Return the values after a throw, before the forward move and before the sideways move."""
        passed = self.turn[(seat + 1) % self.seats]
        forward = self._best((seat, die, FORWARD), passed, passed)
        return forward, self._best((seat, die, SIDEWAYS), forward, forward)

    def _swept(self):
        dice = range(1, self.game.height + 1)
        return np.array(
            [
                np.mean([self.after_throw(seat, die)[1] for die in dice], 0)
                for seat in range(self.seats)
            ]
        )

    def action_values(self, states):
        """Return the value of each action for its player, (N, num_actions); NaN if illegal."""
        values = np.full((len(states), self.game.num_actions), np.nan)
        for k, state in enumerate(states):
            values[k] = self._tables[self._question(state)][self.numbers[self._key(state)]]
        return values

    def _question(self, state):
        return tuple(int(state[name]) for name in ("to_move", "die", "decision"))

    def _table(self, question):
        """Return the action values of all stacks for one decision."""
        seat, die, decision = question
        forward, _ = self._throws[seat, die]
        passed = self.turn[(seat + 1) % self.seats]
        results = self._results(question, forward if decision == SIDEWAYS else passed)
        table = np.full((len(self.records), self.game.num_actions), np.nan)
        rows, actions, _, _ = self.moves[question]
        table[rows, actions] = results[:, seat]
        return table

    def values(self, states):
        """Return the value of each seat, (N, seats), which after the end is the result."""
        values = self.game.returns(states).astype(np.float64)
        for k in np.flatnonzero(~self.game.over(states)):
            seat, die, decision = self._question(states[k])
            number = self.numbers[self._key(states[k])]
            values[k] = self._throws[seat, die][decision == SIDEWAYS][number]
        return values


def choices(solution, num, seed):
    """Return positions of random races in which the action matters, and the action values."""
    game = solution.game
    rng = np.random.default_rng(seed)
    states = in_order(game.new(4 * num, seed))
    seen = []
    while len(states):
        legal = game.legal(states)
        game.play(states, np.argmax(rng.random(legal.shape) * legal, axis=1))
        states = states[~game.over(states)]
        seen.append(states[states["decision"] != PLACE])
    states = np.concatenate(seen)
    states = states[rng.permutation(len(states))[: 4 * num]]
    values = solution.action_values(states)
    matters = np.nanmax(values, 1) - np.nanmin(values, 1) > 0.05
    return states[matters][:num], values[matters][:num]


def regret(values, actions):
    """Return the mean loss of the chosen actions against the best ones."""
    return float(np.mean(np.nanmax(values, 1) - values[np.arange(len(values)), actions]))


def distances(solution, simulations, num, seed):
    """Return the mean loss of the choices of `mcts`, and the mean error of its values."""
    states, values = choices(solution, num, seed)
    found = agents.make(f"mcts:{simulations}", solution.game, seed).search(states)
    error = np.abs(found.values[np.arange(len(states)), states["to_move"]] - np.nanmax(values, 1))
    return regret(values, found.actions), float(error.mean())


def main():
    for height in OBSTACLES:
        solution = Solution(small_race(height))
        print(
            f"{height} rows: {len(solution.records):,} stacks, {solution.sweeps} sweeps, residual "
            f"{solution.residual:.0e}"
        )
        print("simulations  lost by the choice  error of the value")
        for simulations in (10, 100, 1000, 10_000):
            loss, error = distances(solution, simulations, 300, 0)
            print(f"{simulations:<11}  {loss:<18.4f}  {error:.4f}", flush=True)


if __name__ == "__main__":
    main()
