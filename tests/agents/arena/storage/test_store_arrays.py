"""Arrays of a store's games, and the page that explains them."""

import re
from pathlib import Path

import numpy as np
import pytest

import agents.arena
import boardenvs
from agents.arena.storage.arrays import positions
from agents.arena.storage.store import Store
from agents.command import main

PAGE = Path(agents.arena.__file__).with_name("ARRAYS.md")


@pytest.fixture
def store(tmp_path, capsys):
    path = tmp_path / "games.db"
    arena = ["arena", "gekitai", "greedy", "random", "--games", "10", "--seed", "0"]
    assert main([*arena, "--opening-plies", "2", "--store", str(path)]) == 0
    with Store.read(path) as opened:
        yield opened


def test_each_action_is_that_of_the_game(store):
    data = positions(store)
    game = store.game
    (match,) = store.matches()
    assert data.games.max() == match.games - 1
    for number in range(match.games):
        episode = store.episode(f"{match.id}.{number}")
        here = data.games == number
        assert data.policies[here].argmax(1).tolist() == episode.actions[2:]
        assert (data.states[here] == episode.states()[2:-1]).all()
        assert data.results[here].tolist() == [
            episode.returns[seat] for seat in game.to_move(episode.states()[2:-1])
        ]
    assert (data.policies.sum(1) == 1).all()
    assert data.masks[data.policies == 1].all()
    assert (data.observations == game.observe(data.states, game.to_move(data.states))).all()


def test_positions_can_be_limited_to_one_agent(store):
    data, mine = positions(store), positions(store, agent="greedy")
    assert (mine.agents == "greedy").all()
    assert (mine.states == data.states[data.agents == "greedy"]).all()
    assert 0 < len(mine.states) < len(data.states)
    assert mine.results.mean() > 0 > positions(store, agent="random").results.mean()


def test_invalid_arguments_are_refused(store, tmp_path):
    with pytest.raises(ValueError, match=r"agent .* got 'trained'"):
        positions(store, agent="trained")
    with pytest.raises(ValueError, match="Store"):
        positions("games.db")
    game = boardenvs.make("gekitai")
    with (
        Store.open(tmp_path / "empty.db", game, 0) as empty,
        pytest.raises(ValueError, match="choices"),
    ):
        positions(empty)


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    arena = ["arena", "gekitai", "greedy", "random", "--games", "20", "--seed", "0"]
    assert main([*arena, "--store", "games.db"]) == 0
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert isinstance(names["test"], np.ndarray)
    assert names["losses"][-1] < 0.7 * names["losses"][0]
