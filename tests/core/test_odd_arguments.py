"""Public functions refuse invalid arguments with a one-line error.

`tests/campaign/test_odd_values.py` tries more values.
"""

import numpy as np
import pytest

import agents
import agents.arena
import boardenvs
from agents.analysis.intervals import wilson
from agents.networks.onnx_policy import OnnxPolicy
from boardenvs import BatchEnv, gekitai_v0
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.episode import Episode

GAME = boardenvs.make("gekitai")
STATES = GAME.new(2, 0)
SEATS = SeatVectorEnv(2, GAME)
ROWS = np.zeros((3, 3))  # with a `repr` of three lines
ODD = (
    ROWS,
    np.ma.masked_array([1, 2], [True, False]),
    {1: 2},
    1 + 2j,
    object(),
    np.zeros(3, "i,i"),
)

TAKES = {
    "a game": [
        lambda odd: Episode(odd, STATES[0], []),
        lambda odd: Episode.play(odd, ["random", "random"]),
        lambda odd: boardenvs.BatchEnv(odd, 2),
        SeatEnv,
        lambda odd: agents.make("random", odd),
        lambda odd: agents.exploitability("random", odd),
        lambda odd: agents.play_match(odd, ["random", "random"], 2),
        lambda odd: list(agents.arena.round_robin(odd, ["random", "greedy"], 2, 0)),
        lambda odd: list(agents.arena.solos(odd, ["random"], 2, 0)),
        agents.arena.seats,
        boardenvs.make,
        boardenvs.register,
    ],
    "a number": [
        GAME.new,
        lambda odd: GAME.new(1, odd),
        lambda odd: GAME.presentation.action_area(odd, STATES[0]),
        lambda odd: GAME.observe(STATES, odd),
        GAME.action_to_text,
        lambda odd: boardenvs.make("gekitai", board_size=odd),
        lambda odd: SeatEnv(GAME, seat=odd),
        lambda odd: SeatVectorEnv(odd, GAME),
        lambda odd: GAME.rgb_array(STATES[0], odd),
        lambda odd: wilson(odd, 3),
        lambda odd: wilson(1, odd),
    ],
    "a text": [
        GAME.from_text,
        GAME.action_from_text,
        lambda odd: agents.make(odd, GAME),
        agents.allow,
        lambda odd: GAME.play(STATES.copy(), [0, 0], illegal=odd),
        lambda odd: SeatEnv(GAME, illegal=odd),
        lambda odd: SeatEnv(GAME, render_mode=odd),
        lambda odd: boardenvs.make("goat_race", draw_rule=odd),
        lambda odd: gekitai_v0.env().observation_space(odd),
        lambda odd: gekitai_v0.env().action_space(odd),
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, openings=odd)),
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, until=odd)),
    ],
    "a path": [
        Episode.load,
        Episode(GAME, STATES[0], []).save,
        Episode(GAME, STATES[0], []).save_html,
        Episode(GAME, STATES[0], []).save_gif,
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, store=odd)),
    ],
    "agents": [
        lambda odd: Episode.play(GAME, odd),
        lambda odd: SeatEnv(GAME, opponent=odd),
        lambda odd: agents.play_match(GAME, odd, 2),
        lambda odd: list(agents.arena.round_robin(GAME, odd, 2, 0)),
        lambda odd: agents.exploitability(odd, GAME),
        lambda odd: agents.from_sb3(odd, GAME),
        lambda odd: agents.from_text(odd, GAME),
    ],
    "another thing": [
        lambda odd: GAME.conceal(STATES, 0, odd),
        lambda odd: agents.play_match(GAME, ["random", "random"], 2, 0, progress=odd),
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, progress=odd)),
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, engine=odd)),
        lambda odd: list(agents.arena.round_robin(GAME, ["random", "greedy"], 2, 0, judge=odd)),
        lambda odd: OnnxPolicy(GAME).evaluate(odd),
        lambda odd: OnnxPolicy(GAME).session(odd),
        lambda odd: SeatVectorEnv(2, GAME).load_state(odd),
        lambda odd: SeatVectorEnv(2, GAME).load_state({**SEATS.state(), "states": odd}),
        lambda odd: agents.check_learner(lambda *_: "random", probes=odd),
        agents.check_learner,
    ],
}


@pytest.mark.parametrize("what", TAKES)
@pytest.mark.filterwarnings("ignore::UserWarning")  # masked arrays
def test_odd_arguments_raise_value_errors_of_one_line(what):
    for function in TAKES[what]:
        for odd in ODD:
            with pytest.raises(ValueError, match=r".") as refused:
                function(odd)
            assert "\n" not in str(refused.value)


def rendered(env):
    env.reset(seed=0)
    env.render()


PIZZA, RACE = boardenvs.make("pizza_order"), boardenvs.make("goat_race")
OUTSIDE = [
    # The call, the argument that the error names, and values of it.
    (lambda x: BatchEnv(GAME, x, 0), "num_envs", [0, -3, 2.0, True, None]),
    (lambda x: BatchEnv(GAME, 2, x), "seed", [-1, 0.5, "0"]),
    (lambda x: BatchEnv(GAME, 2, 0, threads=x), "threads", [0, 1.5]),
    (lambda x: BatchEnv(GAME, 2, 0, illegal=x), "illegal", ["ignore"]),
    (lambda x: BatchEnv(x, 2, 0), "chess", ["chess"]),
    (lambda x: SeatEnv(GAME, seat=x), "seat", [-1, 2, 9, "black", None, 0.0, True, "0"]),
    (lambda x: SeatEnv(PIZZA, seat=x), "seat", [-1, 1]),
    (lambda x: SeatEnv(RACE, seat=x), "seat", [-1, 3]),
    (lambda x: SeatEnv(GAME, x), "opponent", [None, 3, object(), len]),
    (lambda x: SeatEnv(PIZZA, x), "opponent", [None, 3, object(), len]),
    (lambda x: SeatEnv(GAME, illegal=x), "illegal", ["ignore"]),
    (lambda x: SeatEnv(GAME, render_mode=x), "render_mode", ["rgb", "ANSI", "", 1]),
    (lambda x: SeatEnv(GAME, max_plies=x), "max_plies", [9]),
    (lambda x: SeatEnv("gekitai", depth=x), "'depth'", [3]),
    (lambda x: SeatVectorEnv(x, GAME), "num_envs", [0, 1.5, True]),
    (lambda x: SeatVectorEnv(x, GAME), "num_envs.*2147483647", [2**31]),
    (lambda x: SeatVectorEnv(2, GAME, threads=x), "threads", [0]),
    (lambda x: SeatVectorEnv(2, GAME, autoreset_mode=x), "sometimes", ["sometimes"]),
    (lambda x: SeatVectorEnv(2, GAME, illegal=x), "illegal", ["ignore"]),
    (lambda x: SeatVectorEnv(2, GAME, seat=x), "seat", [9]),
    (lambda x: SeatVectorEnv(2, x), "chess", ["chess"]),
    (lambda x: SeatVectorEnv(2, GAME, max_plies=x), "max_plies", [9]),
    (lambda x: gekitai_v0.env(render_mode=x), "render_mode", ["rgb", "ANSI", "", 1]),
    (lambda x: gekitai_v0.raw_env(render_mode=x), "render_mode", ["rgb", "ANSI", "", 1]),
    (lambda x: gekitai_v0.env(depth=x), "'depth'", [3]),
    (lambda x: gekitai_v0.raw_env(depth=x), "'depth'", [3]),
    (rendered, "render_mode", [SeatEnv(GAME), gekitai_v0.env(), gekitai_v0.raw_env()]),
    (lambda x: boardenvs.make("gomoku", board_size=x), "board_size.*got ", [4, 27]),
    (lambda x: boardenvs.make("gomoku", win_length=x), "win_length.*got 0", [0]),
    (lambda x: boardenvs.make("gomoku", board_size=9, win_length=x), "win_length.*9, got 10", [10]),
    (lambda x: boardenvs.make("pizza_order", max_pizzas=x), "^max_pizzas ", [0, 10]),
    (lambda x: boardenvs.make("goat_race", num_players=x), "^num_players ", [1, 6]),
    (lambda x: boardenvs.make("goat_race", width=x), "^width ", [2, 27]),
    (lambda x: boardenvs.make("goat_race", height=x), "^height ", [0, 27]),
    (
        lambda x: boardenvs.make("goat_race", draw_rule=x),
        "^draw_rule ",
        ["sideways", None, ["jump"]],
    ),
]


@pytest.mark.parametrize(("call", "argument", "values"), OUTSIDE)
def test_a_value_outside_of_the_range_is_an_error_that_names_the_argument(call, argument, values):
    for value in values:
        with pytest.raises(ValueError, match=argument) as refused:
            call(value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("odd", [[], "1", -1, 1.0, ROWS])
def test_odd_remarks_and_agents_are_refused(odd):
    with pytest.raises(ValueError, match=r"^remarks "):
        Episode(GAME, STATES[0], []).to_html(odd)
    env = gekitai_v0.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^agent .*'player_0'.*'player_1'"):
        env.observe(odd)


def test_a_seed_can_be_a_zero_dimensional_array():
    env = SeatVectorEnv(2, GAME)
    first, _ = env.reset(seed=np.array(3))
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(first, again)


def test_a_zero_dimensional_array_of_actions_is_refused():
    with pytest.raises(ValueError, match=r"^actions .*array"):
        Episode(GAME, STATES[0], np.array(1))


def test_errors_about_paths_with_line_breaks_have_one_line(tmp_path):
    path = tmp_path / "a\nb"
    path.write_text("{}")
    with pytest.raises(ValueError, match=r"a\\nb: ") as refused:
        Episode.load(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("odd", [-1, 2, "0", True, [0], 1.0])
def test_invalid_seats_have_no_symbol(odd):
    with pytest.raises(ValueError, match=r"^seat "):
        GAME.presentation.seat_symbol(odd)


def test_an_empty_batch_has_no_example_of_input():
    with pytest.raises(ValueError, match="record"):
        GAME.presentation.what_to_type(STATES[:0])
