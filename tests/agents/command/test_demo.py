"""The demo: its output and files, and files that it never removes."""

import contextlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import agents
import agents.training.settings_files
from agents.command import demo
from agents.command.demo import run_demo
from agents.training.settings_files import settings_for
from boardenvs.episode import Episode

LEFT = {
    "agent.json",
    "agent.onnx",
    "checkpoint.pt",
    "episode.html",
    "learning_curve.png",
    "settings.json",
    "tensorboard",
}


def files(folder):
    """Return the names of the visible files in a folder."""
    return {p.name for p in folder.iterdir() if not p.name.startswith(".")}


@pytest.fixture(scope="module")
def small():
    """Reduce the demo to a small network and short matches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_ARENA_GAMES", 20)
        patch.setattr(demo, "_EVALUATE_EVERY", 2048)
        patch.setattr(demo, "_CHANNELS", 8)

        def small_settings(game, **changes):
            found = settings_for(game, **changes, hidden=(32,), evaluation_games=20, final_games=20)
            guided = replace(found.guided, games=16, plies=4, simulations=4, warm_up=100)
            return replace(found, guided=guided)

        patch.setattr(agents.training.settings_files, "settings_for", small_settings)
        yield


@pytest.fixture(scope="module")
def shown(small, tmp_path_factory):
    """Return the folder and the output of a demo."""
    folder = tmp_path_factory.mktemp("demo") / "boardenvs-demo"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run_demo(folder, seed=2, steps=4096)
    return folder, out.getvalue()


def test_the_demo_leaves_its_files(shown):
    folder, _ = shown
    assert files(folder) == LEFT


def test_the_demo_writes_pictures(shown):
    folder, _ = shown
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    page = (folder / "episode.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert "trained" in page
    assert "greedy" in page
    # The page loads nothing. The only address is the XML namespace of SVG.
    addresses = set(re.findall(r"https?://[^\s\"'\\<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    fetches = r"<(link|img|iframe|object|embed)\b|\bsrc=|@import|fetch\(|url\((?!#)"
    assert not re.search(fetches, page)


def test_the_demo_trains_an_agent(shown):
    folder, _ = shown
    card = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert card["command"] == "boardenvs demo --steps 4096 --seed 2"
    assert card["settings"]["guided"]["steps"] == 4096
    assert (card["seed"], card["game"]) == (2, "gekitai")
    agent = agents.make(f"trained:{folder}/agent.onnx", "gekitai")
    assert agents.play_match("gekitai", [agent, "random"], 4, seed=0).games == 4


def test_the_demo_prints_its_steps(shown):
    folder, out = shown
    lines = out.splitlines()
    assert lines[0] == (
        "1. Training an agent on Gekitai by self-play with a tree search: 4,096 positions."
    )
    assert "2. The arena: 20 games a pair, seats swapped." in lines
    trained = f"trained:{folder}/agent.onnx"
    rows = [line.split()[:3] for line in lines if line.startswith(("random ", "greedy "))]
    assert rows == [
        ["random", "greedy", "20"],
        ["random", trained, "20"],
        ["greedy", trained, "20"],
    ]
    for name in ("learning_curve.png", "episode.html", "agent.onnx", "agent.json"):
        assert any(line.endswith(f": {folder / name}") for line in lines)
    assert lines[-1] == f"Play against it: boardenvs play gekitai --opponent {trained}"


@pytest.mark.slow
def test_a_demo_replaces_an_earlier_one(small, shown, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in (0, 1):
        run_demo(Path("boardenvs-demo"), seed, 512)
    capsys.readouterr()
    assert files(tmp_path) == {"boardenvs-demo"}
    assert files(tmp_path / "boardenvs-demo") == LEFT
    card = json.loads(Path("boardenvs-demo/agent.json").read_text(encoding="utf-8"))
    assert card["seed"] == 1
    assert len(list(Path("boardenvs-demo/tensorboard").iterdir())) == 1


def test_a_demo_can_be_written_to_an_empty_folder(small, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_demo(Path(), 0, 512)
    capsys.readouterr()
    assert files(tmp_path) == LEFT


@pytest.mark.parametrize("name", ["thesis.tex", ".git", "agent.txt"])
def test_a_folder_with_other_files_is_refused(tmp_path, refused, name):
    (tmp_path / name).write_text("years of work\n", encoding="utf-8")
    (tmp_path / "agent.onnx").write_bytes(b"")
    with refused("--out"):
        run_demo(tmp_path, 0, 512)
    assert {p.name for p in tmp_path.iterdir()} == {name, "agent.onnx"}


def test_a_file_is_refused(tmp_path, refused):
    path = tmp_path / "boardenvs-demo"
    path.write_text("mine\n", encoding="utf-8")
    with refused("--out"):
        run_demo(path, 0, 512)
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_a_training_run_is_not_removed(tmp_path, tiny, refused):
    # `boardenvs train` writes files of the same names, which may be hours of work.
    folder = tmp_path / "run"
    folder.mkdir()
    for path in tiny.network.parent.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    before = files(folder)
    with refused("--out"):
        run_demo(folder, 0, 512)
    assert files(folder) == before


@pytest.mark.parametrize("steps", [0, -1, 0.5, "many"])
def test_bad_steps_are_refused(tmp_path, refused, steps):
    with refused("steps must be a whole number of at least 1, got "):
        run_demo(tmp_path / "demo", 0, steps)
    assert not files(tmp_path)


@pytest.mark.parametrize("seed", [-1, 2**31, None])
def test_a_bad_seed_is_refused(tmp_path, refused, seed):
    with refused("seed must be a whole number from 0 to 2147483647, got "):
        run_demo(tmp_path / "demo", seed, 512)
    assert not files(tmp_path)


def test_bad_input_removes_nothing(shown, refused):
    folder, _ = shown
    with refused("steps must be"):
        run_demo(folder, 0, 0)
    assert files(folder) == LEFT


def test_the_episode_is_a_whole_game(small, tmp_path, monkeypatch, capsys):
    kept = []
    play = Episode.play
    monkeypatch.setattr(
        Episode, "play", classmethod(lambda _cls, *a, **k: kept.append(play(*a, **k)) or kept[-1])
    )
    run_demo(tmp_path / "demo", 0, 512)
    capsys.readouterr()
    (episode,) = kept
    assert episode.terminated or episode.truncated
    assert episode.players == ["trained", "greedy"]
    assert (tmp_path / "demo" / "episode.html").read_text(encoding="utf-8") == episode.to_html()


def test_a_killed_demo_can_be_repeated(tmp_path):
    (tmp_path / ".boardenvs-demo").touch()
    for name in ("settings.json", ".checkpoint.pt.0123abcd", ".agent.onnx.cafe0123"):
        (tmp_path / name).touch()
    demo._clear(tmp_path)
    assert not (tmp_path / "settings.json").exists()


def test_a_demo_killed_while_it_clears_its_folder_can_be_repeated(tmp_path, monkeypatch):
    for name in (".boardenvs-demo", *LEFT - {"tensorboard"}):
        (tmp_path / name).touch()
    unlink = Path.unlink
    with monkeypatch.context() as patch:
        removed = []

        def killed(self):
            if len(removed) == 2:
                raise KeyboardInterrupt
            removed.append(self.name)
            unlink(self)

        patch.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            demo._clear(tmp_path)
    assert ".boardenvs-demo" not in removed
    demo._clear(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {".boardenvs-demo"}
