"""Choices of all agents, compared with the recorded `choices.json` of each game.

Stores distinguish versions of an agent's play by the class's `play_version` (see
`Spec.version`). If a change of play is intended, raise this number and write the files
again. Writing refuses agents whose number was not raised:

    python tests/agents/test_recorded_choices.py --write
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents.naming.spec import Spec
from agents.naming.tables import agents_of
from boardenvs.envs.playout import playout

SIMULATIONS = {"mcts": 60, "puct": 20}
UNSEARCHED = ("gomoku", "goat_race", "pizza_order")
"""Games without recorded searches, which take long to compile and are the same for other games."""
NUM = 24
"""Number of positions of each game."""
ROUNDED = 2
"""Choices that may differ because other processors round a network's logits differently."""


def file_of(name):
    """Return the path of a game's record."""
    return Path(__file__).parent / "games" / name / "choices.json"


def recorded(name):
    """Return arguments (`params`) and agents (`agents`) of each variant, by its name."""
    path = file_of(name)
    if not path.exists():
        return {name: {"params": {}, "agents": {}}}
    return json.loads(path.read_text(encoding="utf-8"))


RECORDED = {which: (name, one) for name in boardenvs.GAMES for which, one in recorded(name).items()}


def positions(game):
    """Return unfinished positions of random games, concealed for the seats to move, and words.

    Every other position has no last action.
    """
    rng = np.random.default_rng(16)
    states = game.new(8, 16)
    seen = []

    def choose(live, _):
        seen.append(live.copy())
        draws = rng.random((len(live), game.num_actions))
        return np.argmax(draws * game.legal(live), 1)

    playout(game, states, choose)
    found = rng.permutation(np.concatenate(seen))[:NUM]
    found["last_action"][::2] = -1
    words = rng.integers(0, 2**64, (2, len(found)), np.uint64)
    return game.arrays.conceal(found, found["to_move"].astype(np.int64), words[0]), words[1]


def chosen(which):
    """Return class, version and choices of each recorded agent of a game."""
    name, one = RECORDED[which]
    game = boardenvs.make(name, **one["params"])
    states, words = positions(game)
    found = {}
    for name in agents_of(game):
        if name in SIMULATIONS and which in UNSEARCHED:
            continue
        if name == "exact" and game.name == "gomoku":
            continue  # these positions are too large for it
        if name == "perfect":
            continue  # it examines all positions first, for about 15 seconds
        spec = f"{name}:{SIMULATIONS[name]}" if name in SIMULATIONS else name
        try:
            agent = agents.make(spec, game, 0)
        except ValueError:
            continue
        found[spec] = {
            "class": type(agent).__name__,
            # The package's version comes first and does not describe the play.
            "version": Spec.of(spec, game).version(agent).partition(", ")[2],
            "choices": " ".join(map(str, agent.choose(states, words))),
        }
    return found


def difference(spec, now, then):
    """Return what to do if an agent differs from its record; "" for nothing."""
    write = f"python {'/'.join(Path(__file__).parts[-3:])} --write"
    if then is None or now["version"] != then["version"]:
        return f"another version of {spec}: write the record anew with '{write}'"
    pairs = zip(now["choices"].split(), then["choices"].split(), strict=True)
    allowed = ROUNDED if "network" in now["version"] else 0
    if sum(a != b for a, b in pairs) > allowed:
        return (
            f"{spec} chooses otherwise than recorded: if that is meant, raise "
            f"{now['class']}.play_version, and write the record anew with '{write}'"
        )
    return ""


LONG = ("dominoes175", "game112", "goat_race, two", "gomoku, 9x9")
"""Variants whose searches take long to compile."""


@pytest.mark.parametrize(
    "which",
    [pytest.param(which, marks=[pytest.mark.slow] if which in LONG else []) for which in RECORDED],
)
def test_agents_with_changed_play_have_another_version(which):
    _, one = RECORDED[which]
    then = one["agents"]
    now = chosen(which)
    assert now.keys() == then.keys()
    told = [difference(spec, now[spec], then[spec]) for spec in now]
    assert [line for line in told if line] == []


def test_a_change_of_play_is_reported():
    record = recorded("gekitai")["gekitai"]["agents"]
    for spec, then in record.items():
        now = {**then, "choices": then["choices"][::-1]}
        assert f"raise {then['class']}.play_version" in difference(spec, now, then)
        now["version"] = "play 99"
        assert "another version" in difference(spec, now, then)
    first, _, others = record["greedy"]["choices"].partition(" ")
    now = {**record["greedy"], "choices": f"{1 - int(first)} {others}"}
    assert difference("greedy", now, record["greedy"])


def write():
    """Write the records, unless an agent's play has changed without a new version."""
    found = {which: chosen(which) for which in RECORDED}
    for which, now in found.items():
        for spec, then in RECORDED[which][1]["agents"].items():
            told = difference(spec, now[spec], then) if spec in now else ""
            if "play_version" in told:
                raise SystemExit(f"{which}: {told}")
    for name in boardenvs.GAMES:
        record = recorded(name)
        for which, one in record.items():
            one["agents"] = found[which]
        file_of(name).parent.mkdir(exist_ok=True)
        file_of(name).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    write()
