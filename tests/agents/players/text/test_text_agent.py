"""Functions from text to text as agents."""

import re
import threading
import time
import warnings

import numpy as np
import players
import pytest

import agents
import boardenvs
from agents.command import main
from agents.naming.spec import Spec
from agents.players.text.agent import TextAgent
from boardenvs.envs.single import SeatEnv
from boardenvs.episode import Episode

GAME112 = boardenvs.make("game112")
MINE = """
def first(prompt):
    moves = next(line for line in prompt.splitlines() if line.startswith("Legal moves: "))
    return "Move: " + moves.removeprefix("Legal moves: ").split("; ")[0]

def corner(prompt):
    return "A1"

def player(game, seed):
    from agents import from_text
    return from_text(first, game, list_moves=True)
"""


def first(prompt):
    """Return the first listed move."""
    return f"Move: {re.search('^Legal moves: (.*)$', prompt, re.MULTILINE)[1].split('; ')[0]}"


def scripted(*answers):
    """Return a function that gives these answers in turn and records the prompts."""
    told = []

    def function(prompt):
        told.append(prompt)
        return answers[len(told) - 1]

    function.told = told
    return function


class First(players.First):
    deterministic = True


# -- Moves ------------------------------------------------------------------------------


def test_the_agent_plays_the_written_move(name, random_positions):
    game = boardenvs.make(name)
    states = random_positions(game, 16, 4)
    states = states[~game.over(states)][::20]
    expected = game.legal(states).argmax(1)
    for player in (
        agents.from_text(first, game, list_moves=True),
        agents.from_text(first, name, list_moves=True, workers=3),
        agents.from_text(first, game, list_moves=True, timeout=60),
        agents.from_text(lambda ps: [first(p) for p in ps], game, list_moves=True, batched=True),
    ):
        assert player.act(states).tolist() == expected.tolist()
        assert player.act(states[:0]).shape == (0,)


def test_the_agent_plays_matches_and_environments():
    player = agents.from_text(first, GAME112, list_moves=True)
    scores = agents.play_match(GAME112, [player, "random"], 20, 1)
    assert scores == agents.play_match(GAME112, [First(GAME112), "random"], 20, 1)
    env = SeatEnv(GAME112, opponent=player, seat=0, record_episode=True)
    env.reset(seed=1)
    env.step(10)
    assert env.episode.actions == [10, 0]


def test_a_batched_function_is_called_once():
    sizes = []

    def many(prompts):
        sizes.append(len(prompts))
        return [f"Move: {len(sizes)} 1" if k % 2 else "no" for k in range(len(prompts))]

    player = agents.from_text(many, GAME112, batched=True, tries=4)
    states = GAME112.new(8, 0)
    GAME112.play(states, [17] * 8)
    with pytest.warns(RuntimeWarning, match="no legal move in 4 tries"):
        player.act(states)
    assert sizes == [8, 4, 2, 1]


def test_workers_call_the_function_in_parallel():
    meeting = threading.Barrier(4, timeout=60)

    def together(prompt):
        meeting.wait()
        return "1 1"

    player = agents.from_text(together, GAME112, workers=4)
    assert player.act(GAME112.new(8, 0)).tolist() == [0] * 8


# -- Wrong answers ----------------------------------------------------------------------


def test_a_refused_answer_is_asked_again_with_the_error():
    function = scripted("I think\nso", "Move: 0 0", "Move: 9 2", "Move: 1 2")
    states = GAME112.new(1, 0)
    GAME112.play(states, [17])
    player = agents.from_text(function, GAME112, tries=4)
    actions, (thought,) = player.consider(states, np.zeros(1, np.uint64))
    assert actions.tolist() == [1]
    assert thought.weights == {1: 1.0}
    assert [one.prompt for one in thought.tries] == function.told
    assert [one.answer for one in thought.tries][1:] == ["Move: 0 0", "Move: 9 2", "Move: 1 2"]
    assert [one.error.partition(":")[0] for one in thought.tries] == [
        "so",
        "0 0",
        "9 2 is not legal here",
        "",
    ]
    for number, prompt in enumerate(function.told):
        for k, one in enumerate(thought.tries[:-1]):
            assert (one.error in prompt) == (k < number)


def test_the_agent_forfeits_after_its_last_try():
    states = GAME112.new(1, 0)
    GAME112.play(states, [7])
    player = agents.from_text(scripted("4 2", "x", "4 2", "x"), GAME112, tries=2)
    with pytest.warns(RuntimeWarning, match=r"no legal move in 2 tries .*x: .*forfeit"):
        assert player.act(states).tolist() == [7]
    GAME112.play(states, [7])
    assert GAME112.returns(states).tolist() == [[1.0, -1.0]]


@pytest.mark.filterwarnings("ignore:.*no legal move in 1 try")
def test_an_agent_that_writes_nonsense_loses_every_game(name):
    game = boardenvs.make(name)
    player = agents.from_text(lambda _: "pass", game, tries=1)
    rest = ["random"] * (game.num_players - 1)
    scores = agents.play_match(game, [player, *rest], 6, 1)
    assert scores.forfeits[0] == 6


@pytest.mark.filterwarnings("ignore:.*no legal move in 1 try")
def test_a_forfeit_waits_until_an_action_is_illegal_in_that_game():
    """The agent forfeits only those of its parallel games in which it wrote no legal move."""
    asked = iter(["no", "5 1", "no", "6 1", *["9 2"] * 100])
    player = agents.from_text(lambda _: next(asked), GAME112, tries=1)
    states = GAME112.new(4, 0)
    first_moves = player.act(states)
    assert first_moves.tolist() == [0, 8, 0, 10]
    GAME112.play(states, first_moves)
    GAME112.play(states, [4, 4, 5, 5])
    actions = player.act(states[[3, 2, 1, 0]])[::-1]
    assert actions.tolist() == [0, 17, 0, 17]
    assert next(asked) == "9 2"
    assert player.act(states).tolist() == [17] * 4  # no forfeit is pending
    assert player._owed == []


def test_without_illegal_actions_a_forfeit_is_an_error(monkeypatch):
    game = boardenvs.make("dominoes175")
    monkeypatch.setattr(
        type(game), "legal", lambda self, states: np.ones((len(states), game.num_actions), bool)
    )
    with pytest.raises(ValueError, match="cannot forfeit"):
        agents.from_text(lambda _: "no", game).act(game.new(1, 0))


# -- Kept dialogues ---------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*no legal move in 2 tries")
def test_an_episode_keeps_all_prompts_and_answers(tmp_path):
    answers = ["5 1", "Move: 5 1", "Move: 7\ud800 1", "\x1b[31m<b>", "\n"]
    player = agents.from_text(scripted(*answers), GAME112, tries=2)
    episode = Episode.play(GAME112, [player, First(GAME112)], 0, analysis=True)
    assert episode.result == f"{player.spec} loses by an illegal action"
    assert [one and len(one.tries) for one in episode.analysis] == [1, None, 2]
    assert [one.answer for one in episode.analysis[2].tries] == answers[1:3]
    assert not episode.analysis[2].weights
    path = tmp_path / "episode.json"
    episode.save(path)
    assert Episode.load(path) == episode
    assert Episode.load(path).analysis == episode.analysis
    assert "<b>" not in episode.to_html()


# -- Failures ---------------------------------------------------------------------------


def fail(prompt):
    raise ConnectionError("the server\nis gone")


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (fail, {}, "^text:fail .*ConnectionError: the server is gone$"),
        (fail, {"workers": 2}, "^text:fail .*ConnectionError: the server is gone$"),
        (fail, {"timeout": 9}, "^text:fail .*ConnectionError: the server is gone$"),
        (fail, {"batched": True}, "^text:fail .*ConnectionError: the server is gone$"),
        (lambda _: None, {}, "^text:<lambda> .*got None$"),
        (lambda _: b"1 1", {}, "^text:<lambda> .*got b'1 1'$"),
        (lambda _: "1 1", {"batched": True}, "^text:<lambda> .*list of 2 .*got '1 1'$"),
        (lambda _: ["1 1"], {"batched": True}, r"^text:<lambda> .*list of 2 .*got \['1 1'\]$"),
        (lambda _: ["1 1", 1], {"batched": True}, "^text:<lambda> .*got 1$"),
        (lambda: "1 1", {}, "^text:<lambda> .*TypeError"),
    ],
)
def test_an_error_of_the_function_is_raised(function, options, message, refused):
    with refused(message):
        agents.from_text(function, GAME112, **options).act(GAME112.new(2, 0))


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"batched": True}])
def test_a_function_that_hangs_raises_a_timeout(options, refused):
    stop = threading.Event()

    def hang(prompt):
        stop.wait(60)
        return "1 1"

    began = time.monotonic()
    with refused(r"^text:hang .*TimeoutError: .*0\.2 s"):
        agents.from_text(hang, GAME112, timeout=0.2, **options).act(GAME112.new(3, 0))
    stop.set()
    assert 0.2 <= time.monotonic() - began < 30


def test_the_timeout_counts_each_call_separately():
    def slow(prompt):
        time.sleep(0.15)
        return "1 1"

    player = agents.from_text(slow, GAME112, timeout=5, workers=2)
    assert player.act(GAME112.new(6, 0)).tolist() == [0] * 6


def test_no_call_starts_after_a_failure(refused):
    begun = []

    def once(prompt):
        begun.append(prompt)
        raise RuntimeError("no")

    with refused("RuntimeError: no"):
        agents.from_text(once, GAME112, workers=2).act(GAME112.new(100, 0))
    assert len(begun) < 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"function": "mine:f"}, "function .*'mine:f'"),
        ({"game": "chess"}, "chess"),
        ({"tries": 0}, "^tries .*got 0"),
        ({"tries": True}, "^tries .*got True"),
        ({"batched": 1}, "^batched .*got 1"),
        ({"list_moves": None}, "^list_moves .*got None"),
        ({"timeout": 0}, "^timeout .*got 0"),
        ({"timeout": float("nan")}, "^timeout .*got nan"),
        ({"workers": 0}, "^workers .*got 0"),
    ],
)
def test_bad_arguments_are_refused(options, message, refused):
    with refused(message):
        agents.from_text(**{"function": first, "game": GAME112, **options})


# -- Making by name ---------------------------------------------------------------------


def test_make_accepts_the_name_of_a_function(own_module):
    own_module("mine", MINE)
    player = agents.make("text:mine:first", GAME112, list_moves=True)
    assert isinstance(player, TextAgent)
    assert player.spec == "text:mine:first"
    assert player.act(GAME112.new(2, 0)).tolist() == [0, 0]
    assert "mine" not in Spec.of("random", GAME112).version(agents.make("random", GAME112))
    version = Spec.of(player.spec, GAME112).version(player)
    own_module("mine", MINE + "\n")
    assert Spec.of(player.spec, GAME112).version(player) != version
    assert agents.make("text:mine:corner", "gekitai").act(boardenvs.make("gekitai").new(1)) == [0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("text", "agent 'text'"),
        ("text:mine", "agent 'text:mine'"),
        ("text:mine:", "agent 'text:mine:'"),
        ("text:mine:none", "agent 'text:mine:none' .*AttributeError"),
        ("text:nowhere:f", "agent 'text:nowhere:f' .*ModuleNotFoundError"),
        ("text:mine:MINE", "function .*got 1"),
        ("text:mine:a:b", "agent 'text:mine:a:b' .*AttributeError"),
    ],
)
def test_names_without_a_function_are_refused(spec, message, own_module, refused):
    own_module("mine", "MINE = 1")
    with refused(message):
        agents.make(spec, GAME112)


def test_the_command_accepts_a_text_agent(own_module, capsys, tmp_path):
    own_module("mine", MINE)
    page, file = tmp_path / "game.html", tmp_path / "game.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        words = ["watch", "gekitai", "text:mine:corner", "random", "--seed", "1"]
        assert main([*words, "--html", str(page), "--save", str(file)]) == 0
    assert "text:mine:corner loses by an illegal action" in capsys.readouterr().out
    tries = [one.tries for one in Episode.load(file).analysis if one]
    assert tries[0][0].answer == "A1"
    assert len(tries[-1]) == 3
    assert main(["arena", "game112", "mine:player", "random", "--games", "4"]) == 0
    assert main(["watch", "gekitai", "text:mine:nobody", "random"]) == 2
