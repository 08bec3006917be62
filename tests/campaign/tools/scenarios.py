"""Commands that write files, and conditions on these files after an interruption."""

import contextlib
import json
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

TINY = """
network = "plain"
ppo_steps = 256
num_envs = 8
rollout = 16
batch_size = 128
epochs = 1
hidden = [8]
selves = 2
remember_every = 128
evaluate_every = 128
evaluation_games = 2
final_games = 2
"""


def shown(folder):
    """Return the names of a folder's files except hidden files."""
    return {p.name for p in folder.iterdir() if not p.name.startswith(".")}


class Watch:
    """A game between two agents, saved as an episode and as a page."""

    def arguments(self, folder):
        return ["watch", "gekitai", "random", "greedy", "--seed", "3", "--save", folder / "e.json",
                "--html", folder / "e.html"]  # fmt: skip

    again = arguments

    def result(self, folder):
        return {name: (folder / name).read_bytes() for name in shown(folder)}

    def wrong(self, folder, _, whole):
        """Return what is wrong with the files of an interrupted run, or `None`."""
        left = self.result(folder)
        return next((f"{name} is incomplete" for name in left if left[name] != whole[name]), None)


class Arena:
    """A tournament with its store, results and page.

    Args:
        workers: number of processes.
        games: number of games.
    """

    def __init__(self, workers=1, games=8):
        self._more = ["--workers", workers, "--games", games]

    def arguments(self, folder):
        left = [
            "--store",
            folder / "s.db",
            "--json",
            folder / "r.json",
            "--html",
            folder / "p.html",
        ]
        return ["arena", "gekitai", "random", "greedy", "--seed", "4", *self._more, *left]

    again = arguments

    def _rows(self, folder):
        """Return the rows of a copy of the store; opening a store rolls back its journal."""
        with tempfile.TemporaryDirectory() as name:
            for path in folder.glob("s.db*"):
                shutil.copy(path, name)
            with contextlib.closing(sqlite3.connect(Path(name) / "s.db")) as store:
                if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'games'").fetchall():
                    return []
                return store.execute("SELECT * FROM games ORDER BY match, number").fetchall()

    def _json(self, folder):
        told = json.loads((folder / "r.json").read_text(encoding="utf-8"))
        del told["seconds_per_move"]
        return told

    def result(self, folder):
        rows = [row[:-1] for row in self._rows(folder)]  # without durations
        page = (folder / "p.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
        names = shown(folder) - {"s.db-wal", "s.db-shm"}  # may remain after an error at the end
        return names, rows, self._json(folder), page

    def wrong(self, folder, ran, whole):
        names, rows, told, _ = whole
        there = self._rows(folder)
        if shown(folder) - names - {"s.db-wal", "s.db-shm", "s.db-journal"}:
            return f"unexpected files: {shown(folder)}"
        if any(row[:-1] not in rows for row in there) or len(there) < ran.stored:
            return f"of {ran.stored} games kept the store has {len(there)}"
        if (folder / "r.json").exists() and self._json(folder) != told:
            return "r.json is incomplete"
        page = folder / "p.html"
        if page.exists() and not page.read_text(encoding="utf-8").rstrip().endswith("</html>"):
            return "p.html is incomplete"
        self.before = there
        return None

    def lost(self, folder):
        """Return games that are missing or were played again, recognised by their durations."""
        now = self._rows(folder)
        return [row for row in self.before if row not in now]


class Train:
    """Training with checkpoints, then the network, its card and the curve."""

    def __init__(self, settings):
        settings.write_text(TINY, encoding="utf-8")
        self._settings = settings

    def arguments(self, folder):
        return ["train", "gekitai", "--settings", self._settings, "--seed", "1",
                "--out", folder / "run"]  # fmt: skip

    def again(self, folder):
        kept = (folder / "run" / "checkpoint.pt").exists()
        return [*self.arguments(folder), *(["--resume"] if kept else [])]

    def result(self, folder):
        from agents.networks.card import card_path

        card = json.loads(card_path(folder / "run" / "agent.onnx").read_text(encoding="utf-8"))
        return shown(folder / "run"), sorted(card), card["steps"] <= 256

    def wrong(self, folder, _, whole):
        import hashlib

        import torch

        run = folder / "run"
        if not run.is_dir():
            return None
        if shown(run) - whole[0]:
            return f"unexpected files: {shown(run)}"
        for name in ("settings.json", "agent.json"):
            if (run / name).exists():
                json.loads((run / name).read_text(encoding="utf-8"))
        if (run / "checkpoint.pt").exists():
            torch.load(run / "checkpoint.pt", weights_only=True)
        if (run / "agent.json").exists():
            card = json.loads((run / "agent.json").read_text(encoding="utf-8"))
            if hashlib.sha256((run / "agent.onnx").read_bytes()).hexdigest() != card["sha256"]:
                return "the card is of another network"
        curve = run / "learning_curve.png"
        if curve.exists() and not curve.read_bytes().endswith(b"IEND\xaeB`\x82"):
            return "the curve is incomplete"
        return None


def everywhere(what, unit):
    """Return the parameters `make` of an attack on every file operation, each with its table row.

    `make` takes a folder and returns a scenario.

    Args:
        what: start of the row's name, such as "a kill".
        unit: unit of the counter.
    """

    def one(name, make, *more):
        row = pytest.mark.attack(f"{what} at every file operation: {name}", unit)
        return pytest.param(make, id=name.split()[-1], marks=[row, *more])

    return [
        one("an arena with its store", lambda _: Arena()),
        one("an episode and its page", lambda _: Watch()),
        one("training", lambda folder: Train(folder / "tiny.toml"), pytest.mark.takes(8)),
    ]
