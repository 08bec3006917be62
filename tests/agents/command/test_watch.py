"""`boardenvs watch`: games on the screen and in files."""

import importlib.util
import re

import pytest

import agents
from boardenvs.episode import Episode


def test_watch_prints_the_whole_game(command, game):
    specs = ["greedy", *["random"] * (game.num_players - 1)]
    arguments = ["watch", game.name, *specs, "--seed"]
    status, out, err = command(*arguments, "6")
    assert (status, err) == (0, "")
    players = [agents.make(spec, game, 6 + k) for k, spec in enumerate(specs)]
    names = specs[:2]  # names of several equal agents include the seat
    if game.num_players > 2:
        names = ["greedy", *(f"random ({seat})" for seat in game.seat_names[1:])]
    episode = Episode.play(game, players, 6, names=names)
    assert out == episode.to_text()
    assert out.startswith(f"{game!r}: {', '.join(names)}\n")
    first = names[int(episode.states()["to_move"][0])]
    assert out.count(f"\n1. {first}: ") == 1
    assert command(*arguments, "6") == (0, out, "")
    assert command(*arguments, "8")[1] != out


def test_options_can_come_between_game_and_agents(command):
    mixed = ["gomoku", "-p", "board_size=9", "greedy", "--seed", "1", "random"]
    status, out, err = command("watch", *mixed)
    assert (status, err) == (0, "")
    assert (status, out, err) == command(
        "watch", "-p", "board_size=9", "--seed", "1", "gomoku", "greedy", "random"
    )


def test_watch_without_a_seed_plays_different_games(command):
    one, two = (command("watch", "gekitai", "random", "random")[1] for _ in range(2))
    assert one != two


@pytest.mark.slow
def test_watch_prints_the_losing_move(command):
    arguments = ["watch", "gekitai", "exact", "random", "--seed", "2"]
    status, out, _ = command(*arguments, "--judge")
    assert status == 0
    assert out == f"{command(*arguments)[1]}\nPlayer O had lost from the start.\n"


def test_watch_marks_the_losing_move_on_the_page(command, tmp_path):
    page, saved = tmp_path / "game.html", tmp_path / "game.json"
    # The first player has at best a draw, so its losing move is known.
    arguments = ["watch", "game112", "random", "exact", "--seed", "2", "--save", saved]
    status, out, _ = command(*arguments, "--judge", "--html", page)
    assert status == 0
    [(number, before)] = re.findall(r"\nPlayer 1 lost by move (\d+), \d \d: .* (\w+)\.\n", out)
    said = {
        "drawn": "This move lost a game that was a draw.",
        "won": "This move gave the win away.",
    }
    episode = Episode.load(saved)
    assert page.read_text(encoding="utf-8") == episode.to_html({int(number): said[before]})
    command(*arguments, "--html", page)
    assert page.read_text(encoding="utf-8") == episode.to_html()


def test_watch_refuses_to_judge_a_game_with_chance(fails):
    told = "exact.* goat_race .*chance"
    arguments = ["random", "random", "-p", "num_players=2", "--seed", "2", "--judge"]
    fails(told, "watch", "goat_race", *arguments)


def test_watch_writes_files(command, tmp_path, gekitai):
    page, saved = tmp_path / "game.html", tmp_path / "game.json"
    arguments = ["watch", "gekitai", "greedy", "random", "--seed", "2"]
    status, out, _ = command(*arguments, "--html", page, "--save", saved)
    assert status == 0
    assert f"\nThe game as a page: {page}\n" in out
    assert f"\nThe game as JSON: {saved}\n" in out
    episode = Episode.load(saved)
    assert episode.game == gekitai
    assert out.startswith(episode.to_text())
    assert page.read_text(encoding="utf-8") == episode.to_html()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["game.html", "game.json"]
    before = page.read_bytes(), saved.read_bytes()
    command(*arguments, "--html", page, "--save", saved)
    assert (page.read_bytes(), saved.read_bytes()) == before


def test_watch_writes_files_of_other_programs(command, fails, tmp_path):
    saved, store, folder = (tmp_path / name for name in ("game.psq", "games.db", "games"))
    arguments = ["gomoku", "random", "greedy", "-p", "board_size=9", "--seed", "2"]
    status, out, _ = command("watch", *arguments, "--save", saved)
    assert status == 0
    assert f"\nThe game as PSQ: {saved}\n" in out
    assert Episode.load(saved).players == ["random", "greedy"]
    command("arena", *arguments, "--games", "2", "--store", store)
    exporting = ["watch", "--store", store, "--export", folder]
    assert command(*exporting, "--format", "sgf") == (0, f"2 games in {folder}\n", "")
    assert sorted(file.name for file in folder.iterdir()) == ["1.0.sgf", "1.1.sgf"]
    assert command(*exporting)[0] == 0
    assert Episode.load(folder / "1.0.json").actions == Episode.load(folder / "1.0.sgf").actions
    fails(
        r"--format must be one of \['json', 'psq', 'sgf'\], got 'pgn'",
        *exporting,
        "--format",
        "pgn",
    )
    fails("--export .*--game", *exporting, "--game", "1.0")
    fails("--export", "watch", *arguments, "--export", folder)
    fails("--format", "watch", *arguments, "--format", "sgf")
    fails("File exists", "watch", "--store", store, "--export", saved)


def test_watch_writes_an_animation(command, tmp_path):
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    path, saved, again = (tmp_path / name for name in ("game.gif", "game.json", "again.gif"))
    arguments = ["watch", "game112", "random", "random", "--seed", "2", "--save", saved]
    status, out, err = command(*arguments, "--gif", path)
    assert (status, err) == (0, "")
    assert f"\nThe game as an animation: {path}\n" in out
    Episode.load(saved).save_gif(again)
    assert path.read_bytes() == again.read_bytes()
    assert path.read_bytes().startswith(b"GIF89a")


def test_an_animation_without_the_extra_is_refused(fails, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    said = r"--gif .*\[render\]"
    assert fails(said, "watch", "game112", "random", "random", "--gif", tmp_path / "a.gif") == ""
    assert not list(tmp_path.iterdir())


def test_watch_accepts_a_trained_agent(command, tiny):
    status, out, _ = command("watch", "gekitai", tiny.spec, "greedy", "--seed", "1")
    assert status == 0
    assert f"\n1. {tiny.spec}: " in out
    assert "\nResult: " in out
