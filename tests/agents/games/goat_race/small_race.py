"""Exact solution of a small Goat Race by value iteration, and the distance of `mcts` from it.

Two players race with two goats each over 2 or 3 rows and 5 columns, and both goats must arrive.
With fewer columns, nobody passes the obstacles. Nothing is hidden, so a position consists of the
stacks, the seat to move, the die and the decision. The rules provide all transitions except the
throws of the die, which are enumerated here.

`python tests/agents/games/goat_race/small_race.py` prints the distances.
"""

import numpy as np

import agents
from boardenvs.goat_race import GoatRace
from boardenvs.goat_race.rules import FORWARD, PLACE, SIDEWAYS

SEATS = 2


OBSTACLES = {2: [(1, "B"), (2, "D")], 3: [(1, "B"), (2, "D"), (3, "C")]}
"""Obstacles by number of rows."""


def small_race(height=2):
    """Return the game with two goats each, fewer than its arguments allow."""
    game = GoatRace(num_players=SEATS, width=5, height=height, obstacles=OBSTACLES[height])
    game.constants["goats"] = 2
    game.constants["arrivals"] = 2
    return game


class Solution:
    """Exact values for seat 0, iterated until no value changes by more than `bound`.

    Sweep k contains the values of the race that `max_plies` truncates after k turns.
    """

    def __init__(self, game, bound=1e-12):
        self.game = game
        self.records = self._placed()
        self.numbers = {self._key(record): k for k, record in enumerate(self.records)}
        self._lay_out()
        self.turn = np.zeros((len(self.records), SEATS))
        """Value of each position before the throw of the seat to move."""
        self.sweeps = 0
        self.residual = np.inf
        while self.residual > bound:
            before, self.turn = self.turn, self._swept()
            self.sweeps += 1
            self.residual = np.abs(self.turn - before).max()

    def _key(self, record):
        return record["stacks"].tobytes()

    def _placed(self):
        """Return a record for each placement of the goats, before the race starts."""
        states = self.game.new(1, 0)
        while states["decision"][0] == PLACE:
            rows, actions = np.nonzero(self.game.legal(states))
            states = states[rows]
            self.game.play(states, actions)
        _, first = np.unique(states["stacks"].reshape(len(states), -1), axis=0, return_index=True)
        return list(states[first])

    def _asked(self, records, seat, die, decision):
        """Return unfinished copies of the records with another decision."""
        states = np.array(records, self.game.state_dtype)
        states["to_move"], states["die"], states["decision"] = seat, die, decision
        states["terminated"] = states["truncated"] = False
        states["returns"] = 0
        states["ply"] = 10
        return states

    def _lay_out(self):
        """Find all reachable stacks, and the transitions of the actions of each decision.

        `moves[seat, die, decision]` contains rows, actions, the number of the stacks after each
        action, and the result if the game is over, else NaN.
        """
        game = self.game
        found = []  # (question, row, action, number after, result)
        done = 0
        while done < len(self.records):
            part = self.records[done:]
            for seat in range(SEATS):
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
                            result = one["returns"][0] if one["terminated"] else np.nan
                            place = done + row, action, self.numbers[key], result
                            found.append(((seat, die, decision), *place))
            done += len(part)
        self.moves = {}
        for question in {one[0] for one in found}:
            rows = [one[1:] for one in found if one[0] == question]
            row, action, after, result = map(np.array, zip(*rows, strict=True))
            self.moves[question] = row, action, after, result

    def _results(self, question, following):
        """Return the value of each action, given the values `following` of the stacks after it."""
        _, _, after, result = self.moves[question]
        return np.where(np.isnan(result), following[after], result)

    def _best(self, question, following, otherwise):
        """Return the best action's value for the seat to move, or `otherwise` without actions."""
        sign = 1 if question[0] == 0 else -1
        best = np.full(len(self.records), -np.inf)
        np.maximum.at(best, self.moves[question][0], sign * self._results(question, following))
        return np.where(np.isfinite(best), sign * best, otherwise)

    def after_throw(self, seat, die):
        """Return each position's value after this throw, for decisions forward and sideways."""
        passed = self.turn[:, 1 - seat]
        forward = self._best((seat, die, FORWARD), passed, passed)
        return forward, self._best((seat, die, SIDEWAYS), forward, forward)

    def _swept(self):
        dice = range(1, self.game.height + 1)
        swept = [
            np.mean([self.after_throw(seat, die)[1] for die in dice], 0) for seat in range(SEATS)
        ]
        return np.stack(swept, 1)

    def action_values(self, states):
        """Return each action's value for the mover, shape (N, num_actions); NaN if illegal."""
        tables = {question: self._table(question) for question in self.moves}
        values = np.full((len(states), self.game.num_actions), np.nan)
        for k, state in enumerate(states):
            question = tuple(int(state[name]) for name in ("to_move", "die", "decision"))
            values[k] = tables[question][self.numbers[self._key(state)]]
        return values

    def _table(self, question):
        """Return the action values of one decision for all stacks."""
        seat, die, decision = question
        forward, _ = self.after_throw(seat, die)
        results = self._results(
            question, forward if decision == SIDEWAYS else self.turn[:, 1 - seat]
        )
        table = np.full((len(self.records), self.game.num_actions), np.nan)
        rows, actions, _, _ = self.moves[question]
        table[rows, actions] = results if seat == 0 else -results
        return table

    def values(self, states):
        """Return the values of positions for seat 0, shape (N,); the result if finished."""
        values = self.game.returns(states)[:, 0].astype(np.float64)
        live = np.flatnonzero(~self.game.over(states))
        best = np.nanmax(self.action_values(states[live]), 1)
        values[live] = np.where(states["to_move"][live] == 0, best, -best)
        return values


def choices(solution, num, seed):
    """Return positions of random races in which the choice of the action matters."""
    game = solution.game
    rng = np.random.default_rng(seed)
    states = game.new(4 * num, seed)
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


def distances(solution, simulations, num, seed):
    """Return the mean loss of the choices of `mcts`, and the mean error of its values."""
    states, values = choices(solution, num, seed)
    best = np.nanmax(values, 1)
    found = agents.make(f"mcts:{simulations}", solution.game, seed).search(states)
    rows = np.arange(len(states))
    loss = best - values[rows, found.actions]
    error = np.abs(found.values[rows, states["to_move"]] - best)
    return float(loss.mean()), float(error.mean())


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
