"""The program of `test_odd_values.py` that calls public functions with odd values.

It reads seeds from standard input, makes one call for each, and answers in lines of JSON. It
describes each call before making it, so that a crash can be attributed.
"""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
import io
import math
import os
import pathlib
import resource
import signal
import sys
import tempfile
import traceback
import types
import warnings
from contextlib import redirect_stdout, suppress

import numpy as np
from apart import SECONDS, say

import agents
import agents.arena
import boardenvs
from boardenvs.core.chance import seed_word
from boardenvs.envs.aec import GameAECEnv
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv

MEMORY = 6 << 30
"""Bytes of address space. `MemoryError` of a call is not a failure."""
AGENTS = ("random", "greedy", "mcts:8", "exact", "trained")
UNCHECKED = {
    "info": "asked for at every ply, so `state` is not checked",
    "infos": "as `info`",
    "choose": "words come from whoever runs the match",
    "choose_among": "as `choose`",
    "consider": "as `choose`",
    "forfeit_lines": "takes what the arena made",
    "rated": "as `forfeit_lines`",
    "report": "as `forfeit_lines`",
    "results_table": "as `forfeit_lines`",
    "close": "takes nothing",
}
"""Functions that document unchecked arguments, because checks would slow down a hot path."""
OWNERS = ("boardenvs", "agents")
LARGE = ("num_games", "games", "num", "num_envs", "simulations", "opening_plies", "seeds")
"""Parameters that accept large numbers and then run accordingly long."""


def odd_values(rng):
    """Return a description and an odd value of a random kind."""
    scalars = [
        *(None, True, False, math.nan, math.inf, -math.inf, -1, 0, 1, 2, 0.5, 1.0, -0.0, -(2**63)),
        *(2**63, 2**64, 10**30, 1 + 2j, "", "x", "1", "a\nb", "\0", "\ud800", "é" * 300, b"1"),
        *(np.float32("nan"), np.int8(-1), np.uint64(2**63), np.bool_(True), np.float64(1)),
        *(np.datetime64("2020-01-01"), np.str_("x"), np.int64(1), Ellipsis, NotImplemented),
        *(pathlib.Path("nowhere"), int, len, lambda *_: 1, object(), iter([1]), slice(1)),
        *(
            (),
            (1,),
            [],
            [1, 2],
            [[]],
            [None],
            ["x"],
            [math.nan],
            {},
            {"a": 1},
            {1: 2},
            {1},
            range(3),
        ),
        types.SimpleNamespace(act=lambda states: states),
        types.SimpleNamespace(act=lambda states: np.zeros(len(states), int)),
        types.SimpleNamespace(act=lambda states: [math.nan] * len(states)),
        np.zeros(0),
        np.zeros((0, 3), int),
        np.zeros((3, 3)),
        np.zeros((), int),
        np.array(None),
        np.array(["x", "y"]),
        np.array([1, None, "x"], object),
        np.array([math.nan, math.inf]),
        np.array([2**63], np.uint64),
        np.array([True, False, True]),
        np.ma.masked_array([1, 2], [True, False]),
        np.zeros(3, [("a", int)]),
        np.broadcast_to(np.zeros(1, int), (3,)),
    ]
    value = scalars[rng.integers(len(scalars))]
    return described(value), value, None


def variants(base, rng):
    """Return a description and a variant of a valid value, and an equivalent value or `None`."""
    base = np.asarray(base)
    twice = np.repeat(base.reshape(-1), 2)
    frozen = base.copy()
    frozen.setflags(write=False)
    swapped = base
    if base.dtype.fields is None:
        swapped = base.astype(base.dtype.newbyteorder())
    made = [
        ("strided", twice[::2].reshape(base.shape), base),
        ("reversed", base[::-1] if base.ndim else base, base[::-1].copy() if base.ndim else base),
        ("read-only", frozen, base),
        ("zero-length", base.reshape(-1)[:0], None),
        ("one dimension more", base[None], None),
        ("of other byte order", swapped, None),
        ("a list", base.tolist(), None),
        ("a list of records", list(base.reshape(-1)), None),
        ("as objects", base.astype(object), None),
        ("masked", np.ma.masked_array(base), None),
        ("its bytes", base.tobytes(), None),
        ("a matrix", twice.reshape(2, -1), None),
        ("a broadcast one", np.broadcast_to(base.reshape(-1)[:1], (3,)), None),
    ]
    if base.dtype.fields is None:
        made += [
            ("as floats", base.astype(float), None),
            ("as int8", base.astype(np.int8), None),
            ("as texts", base.astype(str), None),
            ("negative", -base.astype(np.int64) - 1, None),
            ("2^63 more", base.astype(np.uint64) + np.uint64(2**63), None),
        ]
    else:
        names = list(base.dtype.names)
        noise = np.frombuffer(rng.bytes(base.nbytes), base.dtype.base).reshape(base.shape)
        made += [
            ("noise", noise, None),
            ("plain void", base.view(f"V{base.dtype.itemsize}"), None),
            ("fewer fields", base[names[:2]], None),
            ("a record array", base.view(np.recarray), base),
        ]
    return made[rng.integers(len(made))]


def described(value):
    """Return a value as one line of text."""
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}, shape {value.shape}"
    with suppress(Exception):
        return ascii(value)[:80]
    return type(value).__name__


class Subjects:
    """The functions of one game and valid values of their parameters."""

    def __init__(self, name, rng):
        self.game = game = boardenvs.make(name)
        seed = int(rng.integers(1000))
        self.states = game.new(3, seed)
        rows = np.arange(3)
        for _ in range(int(rng.integers(4))):
            scores = rng.random((3, game.num_actions)) * game.legal(self.states)
            after = self.states.copy()
            game.play(after, scores.argmax(1))
            if not game.over(after).any():
                self.states = after
        masks = game.legal(self.states)
        self.actions = masks.argmax(1)
        self.state = self.states[0]
        self.rows = rows
        self.folder = tempfile.mkdtemp()

    def values(self, owner, function):
        """Return valid values by parameter name."""
        game, n = self.game, self.game.num_players
        one = isinstance(owner, SeatEnv | GameAECEnv)
        env = one or isinstance(owner, SeatVectorEnv | boardenvs.BatchEnv)
        numbers = self.actions.copy()
        values = {
            "states": self.states.copy(),
            "state": self.state.copy(),
            "actions": numbers,
            "array": self.states.copy(),
            "action": int(self.actions[0]),
            "seat": 0,
            "seats": np.zeros(3, np.int64),
            "rng": np.random.default_rng(0),
            "words": np.arange(3, dtype=np.uint64),
            "num": 3,
            "capacity": 3,
            "seed": 1,
            "illegal": "lose",
            "size": 64,
            "text": game.to_text(self.state),
            "line": game.presentation.turn_line(self.state),
            "to_move": int(self.state["to_move"]),
            "ply": int(self.state["ply"]),
            "data": game.to_dict(self.state),
            "masks": game.legal(self.states),
            "game": game,
            "name": game.name,
            "spec": "random",
            "num_envs": 3,
            "threads": 1,
            "opponent": "random",
            "render_mode": "ansi",
            "render_size": 64,
            "record_episode": True,
            "autoreset_mode": "SameStep",
            "options": None,
            "agent": "player_0" if isinstance(owner, GameAECEnv) else agents.make("random", game),
            "agents": ["random"] * n,
            "players": ["random"] * n,
            "specs": ["random", "greedy"],
            "num_games": 2,
            "games": 2,
            "opening_plies": 0,
            "openings": None,
            "progress": None,
            "initial": self.state.copy(),
            "names": None,
            "analysis": False,
            "until": None,
            "judge": None,
            "store": None,
            "engine": agents.arena.workers.local.play_here,
            "path": str(pathlib.Path(self.folder) / "file"),
            "remarks": None,
            "max_iter": 3,
            "allowed": (),
            "cls": type(game),
            "model": types.SimpleNamespace(predict=lambda *a, **k: (np.zeros(3, int), None)),
            "deterministic": True,
            "who": 0,
            "confidence": 0.95,
            "successes": 3,
            "num_agents": 2,
            "train": lambda *_: "random",
            "probes": ["probe_one_ply"],
            "seeds": 1,
            "seconds": 1,
            "results": [],
            "visits": np.ones(game.num_actions, np.int64),
            "probabilities": np.ones(game.num_actions) / game.num_actions,
            "logits": np.zeros((3, game.num_actions), np.float32),
            "scores": [],
            "players_": None,
            "function": first_of_the_list,
            "batched": False,
            "tries": 1,
            "list_moves": True,
            "timeout": None,
            "workers": 1,
            "make_agent": "random",
            "suite": "v1",
            "tasks": ["game112"],
            "minutes": 0.0,
            "aim": 50.0,
        }
        if env and one:
            values["seed"] = 1
        if function == "action_from_text":
            values["text"] = game.action_to_text(int(self.actions[0]), self.state)
        if isinstance(owner, SeatEnv):
            values["action"] = int(owner.action_masks().argmax())
        elif isinstance(owner, GameAECEnv):
            values["action"] = int(owner.observe(owner.agent_selection)["action_mask"].argmax())
        elif isinstance(owner, SeatVectorEnv):
            values["actions"] = owner.action_masks().argmax(1)
        elif isinstance(owner, boardenvs.BatchEnv):
            values["actions"] = owner.action_mask.argmax(1)
        if owner is boardenvs.Episode and function == "__init__":
            values["actions"] = [int(self.actions[0])]
            values["analysis"] = None
            values["players"] = None
        if owner is boardenvs.Episode and function == "play":
            values["state"] = None
        if isinstance(owner, boardenvs.BatchEnv) and function == "reset":
            values["states"] = None
        return values

    def owners(self):
        """Return constructors of the objects with public functions, by name."""
        game = self.game
        module = importlib.import_module(f"boardenvs.{game.name}_v0")

        def seated(cls, *args, **kwargs):
            env = cls(*args, **kwargs)
            env.reset(seed=1)
            return env

        made = {
            "game": lambda: game,
            "BatchEnv": lambda: boardenvs.BatchEnv,
            "SeatEnv": lambda: SeatEnv,
            "SeatVectorEnv": lambda: SeatVectorEnv,
            "Episode": lambda: boardenvs.Episode,
            "type(game)": lambda: type(game),
            "batch": lambda: boardenvs.BatchEnv(game, 3, 1),
            "strict batch": lambda: boardenvs.BatchEnv(game, 3, 1, illegal="raise"),
            "seat": lambda: seated(SeatEnv, game, render_mode="ansi", record_episode=True),
            "vector": lambda: seated(SeatVectorEnv, 3, game, render_mode="ansi"),
            "aec": lambda: seated(module.env, render_mode="ansi"),
            "env": lambda: types.SimpleNamespace(env=module.env),
            "episode": lambda: boardenvs.Episode(game, self.state, [int(self.actions[0])]),
            "boardenvs": lambda: boardenvs,
            "agents": lambda: agents,
            "agents.arena": lambda: agents.arena,
        }
        for spec in AGENTS:
            made[f"agent {spec}"] = lambda spec=spec: agent_of(game, spec)
        made["agent text"] = lambda: agents.from_text(first_of_the_list, game, list_moves=True)
        return made


def first_of_the_list(prompt):
    """Return the first legal move in a prompt, as a text agent does."""
    return f"Move: {prompt.partition('Legal moves: ')[2].split(';')[0].split(chr(10))[0]}"


@functools.cache
def agent_of(game, spec):
    """Return an agent, or `None` if it does not support the game."""
    try:
        return agents.make(spec, game, seed=0)
    except ValueError:
        return None


def functions_of(owner):
    """Return the public functions and methods of a class, object or package by name."""
    if isinstance(owner, types.ModuleType):
        found = {name: getattr(owner, name) for name in owner.__all__}
        return {name: f for name, f in found.items() if callable(f) and not is_result(f)}
    if isinstance(owner, types.SimpleNamespace):
        return dict(vars(owner))
    if isinstance(owner, type):
        found = {"__init__": owner}
        for name, value in vars(owner).items():
            if isinstance(value, classmethod) and not name.startswith("_"):
                found[name] = getattr(owner, name)
        return found
    found = {}
    for name in dir(type(owner)):
        if name.startswith("_") or isinstance(getattr(type(owner), name), property):
            continue
        value = getattr(owner, name)
        home = getattr(value, "__module__", "") or ""
        if callable(value) and not isinstance(value, type) and home.split(".")[0] in OWNERS:
            found[name] = value
    return found


def is_result(value):
    """Return whether a value is a class that only this package instantiates, as a result."""
    return isinstance(value, type) and not issubclass(value, boardenvs.BatchEnv | boardenvs.Episode)


def documented(function, owner):
    """Return the exceptions that the docstrings of a function and its owner name."""
    named = {"ValueError", "MemoryError"}
    texts = [inspect.getdoc(function) or "", inspect.getdoc(owner) or ""]
    for text in texts:
        for word in text.split("Raises:")[-1].split() if "Raises:" in text else ():
            if word.endswith("Error:"):
                named.add(word[:-1])
    return named


def fingerprint(value):
    """Return the bytes of the arrays in a value."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.tobytes()
    if isinstance(value, np.void):
        return value.tobytes()
    if isinstance(value, dict):
        return repr(value)
    return None


def position_of(owner):
    """Return the state that must not change if a call raises."""
    if isinstance(owner, boardenvs.BatchEnv):
        return owner.states.tobytes()
    if isinstance(owner, SeatVectorEnv):
        return owner.positions.tobytes()
    if isinstance(owner, SeatEnv | GameAECEnv):
        return owner.position.tobytes()
    return None


def alike(one, other):
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, str | bool | int | float):
        return one == other
    return True


def called(function, arguments):
    """Call a function and return its result, or the list of a generator's values."""
    with redirect_stdout(io.StringIO()):
        answer = function(**arguments)
        if isinstance(answer, types.GeneratorType):
            answer = list(answer)
    return answer


def attempt(seed):
    """Make one call with an odd value; return what was wrong, or `None`."""
    rng = np.random.default_rng(seed)
    name = list(boardenvs.GAMES)[rng.integers(len(boardenvs.GAMES))]
    subjects = Subjects(name, rng)
    owners = subjects.owners()
    which = list(owners)[rng.integers(len(owners))]
    if which in ("agent exact", "agent trained", "agent mcts:8") and rng.random() < 0.5:
        which = "game"
    owner = owners[which]()
    functions = functions_of(owner)
    functions = {name: f for name, f in functions.items() if name not in UNCHECKED}
    if not functions:
        return None
    chosen = sorted(functions)[rng.integers(len(functions))]
    function = functions[chosen]
    parameters = {
        key: parameter
        for key, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    further = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.VAR_KEYWORD
    ]
    own = {}
    if further and chosen in ("make", "env", "__init__"):
        own = {key: value for key, value in subjects.game.params.items() if rng.random() < 0.5}
        if chosen == "make" and "spec" in parameters:
            own = {}
    if not parameters and not own:
        with warnings.catch_warnings():
            called(function, {})
        return None
    values = subjects.values(owner, chosen)
    if own:
        values["game"] = subjects.game.name
    given, expected = {}, None
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty or rng.random() < 0.3:
            if key in values:
                given[key] = values[key]
            elif key in subjects.game.params:
                given[key] = subjects.game.params[key]
            elif parameter.default is parameter.empty:
                return f"no value is known for parameter {key!r} of {which}.{chosen}"
    given.update(own)
    given = {
        k: copy.deepcopy(v) if k not in ("game", "agent", "engine") else v for k, v in given.items()
    }
    odd = list({*parameters, *own})
    odd.sort()
    key = odd[rng.integers(len(odd))]
    base = given.get(key, values.get(key))
    if isinstance(base, np.ndarray | np.void) and rng.random() < 0.6:
        what, value, expected = variants(base, rng)
        what = f"{what}: {described(value)}"
    else:
        what, value, expected = odd_values(rng)
    if key in LARGE and isinstance(value, int | float | np.number) and not value < 2**60:
        value, what = 2**200, "2**200"
    if key in ("engine", "progress") and callable(value):
        value, what = 1, "1"  # errors of the caller's own function are the caller's
    given[key] = value
    case = f"{name}: {which}.{chosen}({key}={what}), with {sorted(given)}"
    say({"case": case})
    before = {k: fingerprint(v) for k, v in given.items()}
    standing = position_of(owner)
    positional = {
        k: given.pop(k) for k, p in parameters.items() if p.kind is p.POSITIONAL_ONLY and k in given
    }
    call = lambda **kwargs: function(*positional.values(), **kwargs)  # noqa: E731
    signal.alarm(SECONDS)
    try:
        answer = called(call, given)
    except Exception as error:  # noqa: BLE001 every error is examined
        frames = traceback.extract_tb(error.__traceback__)
        last = [frame for frame in frames if "/campaign/" not in frame.filename][-1:]
        at = f" ({last[0].filename}:{last[0].lineno})" if last else ""
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if not kinds & documented(function, owner):
            return f"{type(error).__name__}: {error}{at}"
        if "\n" in str(error):
            return f"{type(error).__name__} of several lines: {error}{at}"
        if not str(error) and "MemoryError" not in kinds:
            return f"{type(error).__name__} without a message"
        if position_of(owner) != standing and chosen != "reset":
            return f"{type(error).__name__}: {error}: but the position has changed"
    else:
        pure = which in ("game", "agent trained") and chosen not in ("play", "conceal", "act")
        if expected is not None and pure and not positional:
            again = called(call, {**given, key: expected})
            if not alike(answer, again):
                return "another answer than for the same values as they usually come"
    finally:
        signal.alarm(0)
    for k, v in given.items():
        changes = chosen == "play" and k == "states"
        if not changes and before.get(k) is not None and fingerprint(v) != before[k]:
            return f"argument {k} has changed"
    return None


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")  # warnings may precede errors
    seed_word(0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # relative odd paths stay in this folder
        tempfile.tempdir = folder
        for line in sys.stdin:
            say({"wrong": attempt(int(line))})
        os.chdir("/")


if __name__ == "__main__":
    main()
