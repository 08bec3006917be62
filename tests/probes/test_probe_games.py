"""Probe games: exact values by backward induction, what they isolate, and their files."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import boardenvs
from agents.checking.measuring import Exact, Measured
from boardenvs.core.rules import plain_rules
from boardenvs.probes import PROBES


class _MoreDrawsError(Exception):
    """The rules draw more often than there are given outcomes."""


def after_draws(run, states, given):
    """Return all records after a function of the rules, with their probabilities."""
    found, open_ = [], [((), 1.0)]
    while open_:
        drawn, chances = open_.pop()
        record, given[:] = states.copy(), drawn
        try:
            run(record)
            found.append((chances, record))
        except _MoreDrawsError as more:
            bound = more.args[0]
            open_ += [((*drawn, k), chances / bound) for k in range(bound)]
    return found


class Induction:
    """Backward induction over what the players know: positions that look the same are one."""

    def __init__(self, game):
        self.game, self.draws, self.values = game, [], {}

        def draw(_, bound):
            if not self.draws:
                raise _MoreDrawsError(bound)
            return np.int64(self.draws.pop(0))

        self.rules = plain_rules(game.rules, draw)
        deal = self.rules["deal"]
        dealt = after_draws(lambda s: deal(s[0], game.constants[0]), game.start, self.draws)
        self.start = self.worth(dealt)

    def worth(self, weighted):
        """Return the value of positions that a seat may see; finished games have their returns."""
        total, groups = np.zeros(self.game.num_players), defaultdict(list)
        for chances, state in weighted:
            if self.game.over(state)[0]:
                total += chances * state["returns"][0]
            else:
                seat = int(state["to_move"][0])
                seen = self.game.observe(state, seat).tobytes(), seat, int(state["ply"][0])
                groups[seen].append((chances, state))
        for seen, group in groups.items():
            total += sum(chances for chances, _ in group) * self.value(seen, group)
        return total

    def value(self, seen, group):
        """Return the value for each seat if the seat to move plays its best action."""
        if seen not in self.values:
            all_chances, play = sum(chances for chances, _ in group), self.rules["play"]
            actions = {}
            for action in np.flatnonzero(self.game.legal(group[0][1])[0]).tolist():
                weighted = []
                for chances, state in group:
                    outcomes = after_draws(
                        lambda s, action=action: play(s[0], self.game.constants[0], action),
                        state,
                        self.draws,
                    )
                    weighted += [(chances * share / all_chances, s) for share, s in outcomes]
                actions[action] = self.worth(weighted)
            self.values[seen] = max(actions.values(), key=lambda values: values[seen[1]])
        return self.values[seen]


@pytest.fixture(scope="module", params=PROBES)
def exact(request):
    return Exact(PROBES[request.param]())


def test_the_values_of_every_position_are_exact(exact):
    game, tree = exact.tree.game, exact.tree
    induction = Induction(game)
    assert exact.start == pytest.approx(induction.start, abs=1e-6)
    seen = game.observe_to_move(tree.states)
    keys = [
        (one.tobytes(), int(seat), int(ply))
        for one, seat, ply in zip(seen, tree.seats, tree.states["ply"], strict=True)
    ]
    assert set(keys) == set(induction.values)
    for key, values in zip(keys, exact.values, strict=True):
        assert values == pytest.approx(induction.values[key], abs=1e-6)
        assert abs(values.sum()) < 1e-6
        assert np.abs(values).max() <= 1


def test_a_player_without_a_table_of_what_it_sees_is_not_right(exact):
    """No constant choice and no random choice passes, so an untrained learner does not."""
    game = exact.tree.game
    for action in range(game.num_actions):
        assert not Measured(lambda seen, _, a=action: np.full(len(seen), a), exact, 0).is_right
        ranks = np.arange(game.num_actions)[::-1] if action else np.arange(game.num_actions)
        first = Measured(lambda _, masks, r=ranks: (masks * (r + 1)).argmax(1), exact, 0)
        assert not first.is_right or game.name == "probe_one_legal_action"
    if game.name != "probe_one_legal_action":
        assert not Measured("random", exact, 0).is_right


def test_perfect_play_is_right_against_random_opponents_too(exact):
    """So a learner that meets random opponents learns the actions that the check asks for."""
    tree = exact.tree
    for seat in range(tree.game.num_players):
        shares = exact.with_seat(seat, exact.shares)
        others = tree.masks / tree.masks.sum(1, keepdims=True)
        mixed = np.where((tree.seats == seat)[:, None], shares, others)
        most = exact.expected(mixed)[seat]
        for node in np.flatnonzero(tree.seats == seat):
            for action in np.flatnonzero(tree.masks[node] & (exact.shares[node] == 0)):
                worse = mixed.copy()
                worse[node] = np.eye(tree.game.num_actions)[action]
                loss = most - exact.expected(worse)[seat]
                assert loss > 0 or exact.reaches(mixed)[node] == 0


def test_values_are_between_the_best_and_the_worst_play(exact):
    assert (exact.worst <= exact.start + 1e-9).all()
    assert (exact.worst < exact.start - 0.1).any()


def test_a_probe_is_a_short_file():
    folder = Path(boardenvs.probes.__file__).parent
    files = [path for path in folder.rglob("*.py") if path.stem not in ("places", "__init__")]
    assert len(files) == len(PROBES) + 1  # the hidden coin has rules, and chance of its own
    for path in [*files, folder / "hidden_coin" / "__init__.py"]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 40, path


def test_names_and_texts():
    assert [cls.name for cls in PROBES.values()] == list(PROBES)
    assert len({cls.checks for cls in PROBES.values()}) == len(PROBES)
    for name, cls in PROBES.items():
        assert name.startswith("probe_")
        assert cls.about.endswith(".")
        assert cls.__name__ == "".join(word.capitalize() for word in name.split("_"))


def test_probes_are_registered_by_their_import_only():
    code = """if True:
        import agents, agents.command, boardenvs, gymnasium
        from boardenvs.registration import names
        assert names() == list(boardenvs.GAMES)
        import boardenvs.probes
        assert names() == [*boardenvs.GAMES, *boardenvs.probes.PROBES]
        assert len(boardenvs.GAMES) == 6
        boardenvs.probe_reply_v0.env, gymnasium.spec("boardenvs/ProbeReply-v0")
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
