"""Every game has a page with working code, correct tables and current pictures."""

import ast
import inspect
import re
from pathlib import Path

import game_gifs
import gymnasium as gym
import numpy as np
import pytest
from keyboards import pasted
from PIL import Image

import boardenvs
from boardenvs.registration import env_id

PACKAGE = Path(boardenvs.__file__).parent
HEADINGS = [
    "Rules",
    "Board as text",
    "Arguments",
    "Actions",
    "Observations",
    "Rewards",
    "Infos",
    "Known values",
    "Agents",
    "Deviations",
    "Version history",
]
MORE_HEADINGS = {
    "gekitai": {"Measurements"},
    "gomoku": {"Engine protocol", "Files", "Measurements"},
    "goat_race": {"Measurements"},
}
"""Additional headings of single pages."""
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GIF_BYTES = 125_000


def page(name):
    return (PACKAGE / name / "README.md").read_text(encoding="utf-8")


def blocks(name, language):
    """Return line number and text of every block of code in a language."""
    text = page(name)
    return [
        (text.count("\n", 0, found.start(2)) + 1, found[2])
        for found in FENCE.finditer(text)
        if found[1] == language
    ]


def run(name, code, namespace):
    """Run a block so that errors point at its line of the page."""
    line, text = code
    path = str(PACKAGE / name / "README.md")
    exec(compile("\n" * (line - 1) + text, path, "exec"), namespace)


def shown(name):
    """Return the first `game` and `state` in the page's code."""
    namespace = {}
    for code in blocks(name, "python"):
        run(name, code, namespace)
        if "state" in namespace:
            return namespace["game"], namespace["state"]
    raise AssertionError(f"no block of {name} makes a `state`")


def rows(name, heading=None):
    """Return the cells of each row of the first table below a heading, or above all headings."""
    prose = FENCE.sub("", page(name))
    if heading is None:
        section = prose.split("\n## ")[0]
    else:
        section = prose.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = re.search(r"(?:^\|.*\|\n)+", section, re.MULTILINE)[0]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]
    ]


def made(name):
    return gym.make(env_id(name)).unwrapped


def test_every_page_belongs_to_a_game():
    assert {path.parent.name for path in PACKAGE.glob("*/README.md")} <= set(boardenvs.GAMES)


def test_pages_have_the_same_headings(name):
    prose = FENCE.sub("", page(name))
    found = re.findall(r"^(#+) (.*)$", prose, re.MULTILINE)[1:]
    more = MORE_HEADINGS.get(name, set())
    assert [heading for heading in found if heading[1] not in more] == [
        ("##", heading) for heading in HEADINGS
    ]
    assert more <= {heading for _, heading in found}
    assert prose.startswith("# ")
    for body in re.split(r"^## .*$", prose, flags=re.MULTILINE)[1:]:
        assert body.strip()


def test_the_code_of_the_page_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some blocks write files
    namespace = {}
    codes = blocks(name, "python")
    for code in codes:
        run(name, code, namespace)
    text = "".join(text for _, text in codes)
    for expected in ("boardenvs.make(", "gym.make(", "from_dict(", "assert "):
        assert expected in text


def test_the_first_block_of_code_is_a_complete_loop(name, capsys):
    _, text = blocks(name, "python")[0]
    assert 5 <= len([line for line in text.splitlines() if line]) <= 9
    names = pasted(text)
    assert names["done"]
    assert str(names["reward"]) in capsys.readouterr().out


def test_the_table_of_facts_agrees_with_the_game(name):
    game, env = boardenvs.make(name), made(name)
    facts = {key: value.strip("`") for key, value in rows(name)}
    assert list(facts) == [
        "Players",
        "Chance",
        "Hidden information",
        "Import",
        "PettingZoo",
        "Gymnasium",
        "Action space",
        "Observation space",
        "Start",
        "End",
        "Versions",
        "Best-known value",
    ]
    least, most = getattr(type(game), "player_counts", None) or (game.num_players,) * 2
    assert facts["Players"].startswith(str(least) if least == most else f"{least} to {most}")
    assert facts["Chance"].startswith("yes" if game.has_chance else "none")
    assert facts["Hidden information"].startswith("yes" if game.has_hidden else "none")
    assert facts["Import"] == f"from boardenvs import {name}_v0"
    shown = f'import boardenvs; pettingzoo.make("aec", "boardenvs/{name}_v0")'
    assert facts["PettingZoo"] == shown
    assert facts["Gymnasium"] == f'gym.make("boardenvs:{env_id(name)}")'
    assert facts["Action space"].partition("`")[0] == str(env.action_space)
    assert facts["Observation space"].partition("`")[0] == str(env.observation_space)


def test_the_picture_is_current(name):
    """The picture, which the project's README shows, is current."""
    game, state = shown(name)
    assert game.name == name
    file = PACKAGE / name / "board.svg"
    assert file.read_text(encoding="utf-8") == game.picture(state), (
        f"{file} is out of date: write game.picture(state) of the page's text to it"
    )


def test_the_animation_shows_a_whole_game(name):
    alt, path = re.findall(r"^!\[(.+)\]\((.+)\)$", page(name), re.MULTILINE)[0]
    assert alt
    assert page(name).index(path) < page(name).index("\n## ")
    file = PACKAGE / name / path
    if not file.exists():
        pytest.skip("needs a checkout: the animation is not installed")
    assert file.stat().st_size <= GIF_BYTES
    episode = game_gifs.episode(name)
    assert episode.terminated
    with Image.open(file) as animation:
        assert animation.n_frames == 1 + len(episode.states()), (
            f"{file} is out of date: run python tests/support/game_gifs.py {name}"
        )
        drawn = episode.game.rgb_array(episode.states()[-1], game_gifs.GAMES[name].get("size", 480))
        # The first frame also has pieces: some viewers show only this frame.
        for number in (0, animation.n_frames - 1):
            animation.seek(number)
            assert np.abs(np.asarray(animation.convert("RGB"), float) - drawn).mean() < 2


def test_the_text_of_the_page_is_current(name):
    game, state = shown(name)
    assert blocks(name, "text")[0][1] == game.to_text(state)


def test_the_table_of_arguments_agrees_with_the_game(name):
    defaults = {
        row[0].strip("`"): ast.literal_eval(row[2].strip("`")) for row in rows(name, "Arguments")
    }
    signature = inspect.signature(type(boardenvs.make(name)))
    assert defaults == {key: one.default for key, one in signature.parameters.items()}


def test_the_table_of_infos_agrees_with_the_game(name):
    _, info = made(name).reset(seed=0)
    assert {
        key.strip("`"): (dtype, shape.strip("`")) for key, dtype, shape, _ in rows(name, "Infos")
    } == {key: (str(value.dtype), str(value.shape)) for key, value in info.items()}
