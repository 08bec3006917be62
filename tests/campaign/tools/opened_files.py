"""The program of `test_mutated_files.py` that opens damaged files.

It reads one JSON line for each file to damage and open, and answers in lines of JSON.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import tomllib
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from apart import SECONDS, say
from mutations import ByteEdit, ValueEdit, as_json, as_toml, edits
from scenarios import TINY

import agents
import boardenvs
from agents.arena import round_robin
from agents.arena.named_openings import openings_of
from agents.arena.opening_files import openings_in
from agents.arena.storage.store import Store
from agents.networks.card import card_path, shipped
from boardenvs.dominoes175 import console
from boardenvs.episode import Episode, _digest

MEMORY = 8 << 30
"""Bytes of address space."""


class RefusedError(Exception):
    """A clear error, which is allowed."""


@contextlib.contextmanager
def refusals(*kinds: type[Exception]):
    """Turn `ValueError` or other documented errors of one line into `RefusedError`."""
    try:
        yield
    except (ValueError, *kinds) as error:
        if "\n" in str(error) or not str(error):
            raise AssertionError(f"not one line: {error!r}") from error
        raise RefusedError from error


def played_out(game: boardenvs.Game, states: np.ndarray) -> None:
    """Play accepted positions to their end."""
    states = game.arrays.batch(states).copy()
    rng = np.random.default_rng(0)
    for _ in range(game.max_plies + 1):
        states = states[~game.over(states)]
        if not len(states):
            return
        masks = game.legal(states)
        assert masks.any(1).all(), "a position that is not over has no legal action"
        game.play(states, (rng.random(masks.shape) * masks).argmax(1), illegal="raise")
    raise AssertionError("a position is not played to its end")


def random_game(rng: np.random.Generator) -> boardenvs.Game:
    return boardenvs.make(list(boardenvs.GAMES)[rng.integers(len(boardenvs.GAMES))])


def position(game: boardenvs.Game, rng: np.random.Generator) -> np.void:
    """Return an unfinished position of a random game."""
    states = game.new(1, int(rng.integers(100)))
    for _ in range(rng.integers(12)):
        after = states.copy()
        masks = game.legal(after)
        game.play(after, (rng.random(masks.shape) * masks).argmax(1))
        if game.over(after)[0]:
            break
        states = after
    return states[0]


class Spoiler:
    """A maker and opener of damaged files of one kind.

    Args:
        folder: folder of the original files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[Any, Any] = {}

    def original(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return `make()`, cached by `key`."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


def spoilt(content: Any, found: list[Any], keep: list[int]) -> Any:
    """Apply the edits with numbers in `keep` to bytes or a tree."""
    for number, edit in enumerate(found):
        if number in keep:
            content = edit(content)
    return content


def json_or_bytes(tree: Any, rng: np.random.Generator, keep: list[int], seal: Any = None) -> Any:
    """Return a tree as JSON with damaged values or bytes, and the edits.

    Args:
        tree: valid content.
        rng: random generator of the edits.
        keep: numbers of the edits to apply.
        seal: function that adds a checksum after most edits.
    """
    deep, sealed = rng.random() < 0.02, rng.random() < 0.7
    if rng.random() < 0.3:
        found = edits(ByteEdit, rng)
        return spoilt(as_json(tree), found, keep), found
    found = edits(ValueEdit, rng)
    tree = spoilt(tree, found, keep)
    if seal is not None and sealed and isinstance(tree, dict):
        with contextlib.suppress(ValueError):  # content without a checksum
            seal(tree)
    return as_json(tree, deep), [*found, "deep" if deep else ""]


class Episodes(Spoiler):
    def __call__(self, rng, keep, tell):
        game = random_game(rng)
        which = int(rng.integers(4))

        def make():
            players = ["mcts:8" if which else "random"] * game.num_players
            path = self.folder / "made.json"
            Episode.play(game, players, which, analysis=bool(which)).save(path)
            return json.loads(path.read_text(encoding="utf-8"))

        content = self.original((game.name, which), make)

        def seal(tree):
            tree["sha256"] = _digest({k: v for k, v in tree.items() if k != "sha256"})

        data, found = json_or_bytes(content, rng, keep, seal)
        tell(game.name, found)
        path = self.write("episode.json", data)
        with refusals():
            episode = Episode.load(path)
        assert episode.to_text()
        assert len(episode.returns) == episode.game.num_players
        assert episode.game.arrays.batch(episode.states()).shape == (len(episode) + 1,)
        assert "</html>" in episode.to_html()


class Positions(Spoiler):
    def __call__(self, rng, keep, tell):
        game = random_game(rng)
        data, found = json_or_bytes(game.to_dict(position(game, rng)), rng, keep)
        tell(game.name, found)
        try:
            told = json.loads(data)
        except (ValueError, RecursionError):
            raise RefusedError from None  # Python's reader refused it
        with refusals():
            record = game.from_dict(told)
        played_out(game, np.array([record]))


class Texts(Spoiler):
    def __call__(self, rng, keep, tell):
        game = random_game(rng)
        state = position(game, rng)
        board = rng.random() < 0.5
        text = (
            game.to_text(state)
            if board
            else game.action_to_text(int(game.legal(np.array([state]))[0].argmax()), state)
        )
        found = edits(ByteEdit, rng)
        tell(game.name, found)
        text = spoilt(text.encode(), found, keep).decode("utf-8", "replace")
        if board:
            with refusals():
                record = game.from_text(text, to_move=int(state["to_move"]), ply=int(state["ply"]))
            played_out(game, np.array([record]))
        else:
            with refusals():
                action = game.action_from_text(text, state)
            assert 0 <= action < game.num_actions


class Openings(Spoiler):
    def __call__(self, rng, keep, tell):
        game = boardenvs.make(str(rng.choice(["gekitai", "gomoku"])))
        path = next(iter(openings_of(game).values()))
        tree = self.original(game.name, lambda: json.loads(path.read_text(encoding="utf-8")))
        tree = {**tree, "openings": tree["openings"][:20]}

        def seal(tree):
            text = json.dumps(tree["openings"]) if "openings" in tree else ""
            tree["sha256"] = hashlib.sha256(text.encode()).hexdigest()

        data, found = json_or_bytes(tree, rng, keep, seal)
        tell(game.name, found)
        with refusals():
            openings = openings_in(self.write("openings.json", data), game)
        for moves in openings.moves:
            states = game.new(1, 0)
            for action in moves:
                game.play(states, [action], illegal="raise")
            assert not game.over(states)[0]


class Cards(Spoiler):
    def __call__(self, rng, keep, tell):
        game = boardenvs.make(str(rng.choice(["gekitai", "game112", "pizza_order"])))
        network = shipped(game)

        def make():
            for path in network.parent.glob(f"{network.stem}*"):
                shutil.copy(path, self.folder)
            return json.loads(card_path(network).read_text(encoding="utf-8"))

        data, found = json_or_bytes(self.original(game.name, make), rng, keep)
        tell(game.name, found)
        path = self.folder / network.name
        card_path(path).write_bytes(data)
        play_by(path, game, bool(rng.random() < 0.5))


class Networks(Spoiler):
    def __call__(self, rng, keep, tell):
        import onnx

        game = boardenvs.make(str(rng.choice(["gekitai", "game112", "pizza_order"])))
        network = shipped(game)
        data = self.original(game.name, network.read_bytes)
        if rng.random() < 0.5:
            found = edits(ByteEdit, rng)
            data = spoilt(data, found, keep)
        else:
            found = edits(GraphEdit, rng)
            model = spoilt(onnx.load_from_string(data), found, keep)
            data = model.SerializeToString()
        tell(game.name, found)
        path = self.write(network.name, data)
        card = json.loads(card_path(network).read_text(encoding="utf-8"))
        card.pop("int8", None)
        if rng.random() < 0.95:
            card["sha256"] = hashlib.sha256(data).hexdigest()
        card_path(path).write_text(json.dumps(card), encoding="utf-8")
        play_by(path, game, bool(rng.random() < 0.2))


class GraphEdit:
    """A change of a network's graph that keeps the file readable."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._kind = str(rng.choice(["operator", "input", "attribute", "dims", "data", "remove"]))
        self._at, self._to, self._share = rng.random(3)
        self._operator = str(rng.choice(["Relu", "Loop", "Tanh", "Gemm", "Shape", "Reshape", "X"]))
        self._number = int(rng.choice([-1, 0, 1, 2, 3, 1000, 2**31, 2**62]))

    def __repr__(self) -> str:
        return f"{self._kind} at {self._at:.3f}, {self._to:.3f} {self._operator} {self._number}"

    def __call__(self, model):
        def one(many, share):
            return many[int(share * len(many))] if len(many) else None

        graph = model.graph
        node, tensor = one(graph.node, self._at), one(graph.initializer, self._at)
        if node is None or tensor is None:
            return model
        match self._kind:
            case "operator":
                node.op_type = self._operator
            case "input" if node.input:
                other = one(graph.node, self._to)
                node.input[int(self._share * len(node.input))] = (
                    other.output[0] if other.output else "nothing"
                )
            case "attribute" if attribute := one(node.attribute, self._to):
                if attribute.ints:
                    attribute.ints[0] = self._number
                else:
                    attribute.i = self._number
            case "dims" if tensor.dims:
                tensor.dims[int(self._to * len(tensor.dims))] = self._number
            case "data":
                rng = np.random.default_rng(int(self._to * 2**32))
                tensor.raw_data = rng.bytes(len(tensor.raw_data))
            case "remove":
                graph.node.remove(node)
        return model


def play_by(path: Path, game: boardenvs.Game, search: bool) -> None:
    """Choose actions with a network, or with a search that uses it."""
    states = game.new(3, 0)
    with refusals():
        agent = agents.make(f"puct:4:{path}" if search else f"trained:{path}", game, seed=0)
        chosen = agent.act(states)
    assert game.legal(states)[np.arange(3), chosen].all(), "it chose an illegal action"


class TrainingSettings(Spoiler):
    def __call__(self, rng, keep, tell):
        from agents.naming.game_folders import files
        from agents.training.settings_files import read_settings

        game = boardenvs.make(str(rng.choice(["gekitai", "gomoku", "goat_race", "pizza_order"])))
        text = self.original(game.name, lambda: next(files(game, "training.toml")).read_bytes())
        if rng.random() < 0.3:
            found = edits(ByteEdit, rng)
            data = spoilt(text, found, keep)
        else:
            found = edits(ValueEdit, rng)
            data = as_toml(spoilt(tomllib.loads(text.decode()), found, keep))
        tell(game.name, found)
        with refusals():
            settings = read_settings(self.write("settings.toml", data), game)
        assert settings.total_steps >= 0


class Runs(Spoiler):
    """A run's settings and its checkpoint."""

    def _run(self) -> dict[str, bytes]:
        from agents.training.run import TrainingRun
        from agents.training.settings_files import read_settings

        path = self.write("tiny.toml", TINY.encode())
        game = boardenvs.make("game112")
        folder = self.folder / "whole"
        run = TrainingRun(game, read_settings(path, game), 1, folder)
        run.learn(progress=False)
        run.save_checkpoint()
        return {name: (folder / name).read_bytes() for name in ("settings.json", "checkpoint.pt")}

    def __call__(self, rng, keep, tell):
        import torch

        from agents.training.run import TrainingRun

        files = dict(self.original("run", self._run))
        which = str(rng.choice(["settings.json", "checkpoint.pt"]))
        if which == "settings.json":
            files[which], found = json_or_bytes(json.loads(files[which]), rng, keep)
        elif rng.random() < 0.3:
            found = edits(ByteEdit, rng)
            files[which] = spoilt(files[which], found, keep)
        else:
            found = edits(ValueEdit, rng)
            tree = torch.load(io.BytesIO(files[which]), weights_only=True)
            data = io.BytesIO()
            torch.save(spoilt(tree, found, keep), data)
            files[which] = data.getvalue()
        tell(which, found)
        folder = self.folder / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        with refusals():
            run = TrainingRun.resume(folder)
            if rng.random() < 0.2:
                run.learn(progress=False)


class Stores(Spoiler):
    def _store(self) -> bytes:
        path = self.folder / "made.db"
        list(round_robin(boardenvs.make("game112"), ["random", "greedy"], 4, 0, store=path))
        with contextlib.closing(sqlite3.connect(path)) as store:
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            store.execute("PRAGMA journal_mode=DELETE")
        return path.read_bytes()

    def __call__(self, rng, keep, tell):
        data = self.original("store", self._store)
        for path in self.folder.glob("store.db*"):
            path.unlink()
        if rng.random() < 0.4:
            found = edits(ByteEdit, rng)
            data = spoilt(data, found, keep)
        else:
            found = edits(CellEdit, rng)
        path = self.write("store.db", data)
        tell("game112", found)
        if isinstance(found[0], CellEdit):
            with contextlib.closing(sqlite3.connect(path)) as store:
                spoilt(store, found, keep)
                store.commit()
        with refusals(), Store.read(path) as store:
            for match in store.matches():
                for games in store.games(match.specs):
                    assert games is not None
                for number in range(min(match.games, 4)):
                    assert store.episode(f"{match.id}.{number}").to_text()
            store.results()
        game = boardenvs.make("game112")
        with refusals():
            list(round_robin(game, ["random", "greedy"], 6, 0, store=path))


class CellEdit:
    """A change of one value in a store."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._table, self._row, self._column = rng.random(3)
        values = [None, 0, 1, -1, 2**62, 0.5, float("inf"), "", "x", "[1]", "[[1]]", "{}", "nan"]
        values += [b"", b"x", rng.bytes(5), "[" * 100_000, "9" * 5000, "\x1b[2J", "random", "0"]
        self._value = values[rng.integers(len(values))]

    def __repr__(self) -> str:
        at = f"{self._table:.3f}, {self._row:.3f}, {self._column:.3f}"
        return f"the value at {at} becomes {self._value!r:.40}"

    def __call__(self, store: sqlite3.Connection) -> sqlite3.Connection:
        names = sorted(
            row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        )
        table = names[int(self._table * len(names))]
        columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
        column = columns[int(self._column * len(columns))]
        total = store.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        with contextlib.suppress(sqlite3.Error):  # values that the table does not accept
            key = "rowid"
            rows = store.execute(f"SELECT {key} FROM {table}").fetchall()
            if total:
                place = rows[int(self._row * total)][0]
                store.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (self._value, place)
                )
        return store


class Curves(Spoiler):
    """Learning curves, and the CSV file of a user's run."""

    def _curves(self) -> dict[str, Any]:
        from agents.curves import reference_curves, write_curves

        path = self.folder / "made.json"
        curves = reference_curves("gekitai")[:4]
        for curve in curves:
            del curve.points[4:]
        write_curves(path, curves)
        curves[0].to_csv(self.folder / "made.csv")
        return json.loads(path.read_text(encoding="utf-8"))

    def __call__(self, rng, keep, tell):
        from agents.curves import draw_curves, read_curves, read_run
        from agents.curves.joining import AXES, drawable, over_seeds

        tree = self.original("curves", self._curves)
        if rng.random() < 0.5:
            data, found = json_or_bytes(tree, rng, keep)
            tell("gekitai", found)
            with refusals():
                curves = read_curves(self.write("curves.json", data))
        else:
            found = edits(ByteEdit, rng)
            tell("gekitai", found)
            data = spoilt((self.folder / "made.csv").read_bytes(), found, keep)
            with refusals():
                curves = [read_run(self.write("mine.csv", data), "gekitai")]
        curves = [one for one in curves if len(one.points) > 1]
        for one in curves:
            for axis in AXES:
                if drawable(one, axis):
                    assert np.isfinite(over_seeds([one], axis).mean).all()
        if curves and rng.random() < 0.05:
            with refusals():
                assert draw_curves({curves[0].task: curves}).startswith(b"<?xml")


class Tiles(Spoiler):
    def __call__(self, rng, keep, tell):
        tiles = [f"{low}/{high}" for high in range(7) for low in range(high + 1)]
        found = edits(ByteEdit, rng)
        tell("dominoes175", found)
        path = self.write("tiles.txt", spoilt("\n".join(tiles).encode(), found, keep))
        console._answer = lambda _: str(path)
        with refusals(console.DominoError):
            deck = console._tiles_from_file()
        assert len(deck) == 28


KINDS = {
    "episode": Episodes,
    "position": Positions,
    "text": Texts,
    "openings": Openings,
    "card": Cards,
    "network": Networks,
    "settings": TrainingSettings,
    "run": Runs,
    "store": Stores,
    "curves": Curves,
    "tiles": Tiles,
}


def attempt(spoilers: dict[str, Spoiler], kind: str, seed: int, keep: list[int]) -> str | None:
    """Open one damaged file; return what was wrong, or `None`."""

    def tell(about: str, found: list[Any]) -> None:
        made = [edit for number, edit in enumerate(found) if number in keep]
        say({"case": f"{kind} of {about}: {made}"})

    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            spoilers[kind](np.random.default_rng(seed), keep, tell)
    except RefusedError:
        pass
    except Exception as error:  # noqa: BLE001 every error is examined
        frames = traceback.extract_tb(error.__traceback__)
        at = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:]]
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]} ({', '.join(at)})"
    finally:
        signal.alarm(0)
    return None


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")  # warnings may precede errors
    with tempfile.TemporaryDirectory() as folder:
        spoilers = {}
        for kind, make in KINDS.items():
            (Path(folder) / kind).mkdir()
            spoilers[kind] = make(Path(folder) / kind)
        for line in sys.stdin:
            asked = json.loads(line)
            say({"wrong": attempt(spoilers, asked["kind"], asked["seed"], asked["keep"])})


if __name__ == "__main__":
    main()
