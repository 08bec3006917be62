"""The wording of errors: the argument, the expected and the given value.

Other tests assert only the type of an error and the argument.
"""

# ruff: noqa: E501 a message is one line

import pytest

import agents
import agents.training
import boardenvs
import boardenvs.envs.single
import boardenvs.envs.vector

MESSAGES = {
    "boardenvs.make('chess')": (
        "game must be one of gekitai, gomoku, game112, goat_race, dominoes175, pizza_order, got 'chess'"
    ),
    "boardenvs.make('gekitai', board_size=9)": (
        "board_size must be a whole number from 6 to 8, got 9"
    ),
    "boardenvs.make('gekitai', bord_size=7)": (
        "gekitai has no parameter 'bord_size'; its parameters are board_size, pieces, line_length, max_plies; did you mean board_size?"
    ),
    "boardenvs.BatchEnv('gekitai', 0, 0)": (
        "num_envs must be a whole number from 1 to 2147483647, got 0"
    ),
    "boardenvs.BatchEnv('gekitai', 2, 0).step([0, 99])": ("action must be from 0 to 35, got 99"),
    "boardenvs.BatchEnv('gekitai', 1, 0).step([0.5])": (
        "actions must be 1 whole number, got an array of shape (1,) and dtype float64"
    ),
    "boardenvs.BatchEnv('gekitai', 2, 0).step([0])": (
        "actions must be 2 whole numbers, got an array of shape (1,) and dtype int64"
    ),
    "boardenvs.envs.vector.SeatVectorEnv(1, 'gekitai').reset(seed=[1, 2])": (
        "seed must be an integer or a sequence of 1 integer, got a sequence of 2"
    ),
    "boardenvs.make('game112', board_size=1).from_dict({'board': []})": (
        "board must be 1 number, 0 (empty), 1 or 2, got []"
    ),
    "boardenvs.register(int)": ("cls must be a subclass of boardenvs.Game, got <class 'int'>"),
    "boardenvs.envs.single.SeatEnv('gekitai', seat=5)": (
        "seat must be 'random' or an integer from 0 to 1, got 5"
    ),
    "boardenvs.envs.single.SeatEnv('pizza_order', seat=1)": ("seat must be 'random' or 0, got 1"),
    "boardenvs.envs.single.SeatEnv('pizza_order', opponent='greedy')": (
        "opponent must be 'random' in pizza_order, a game for one player, got 'greedy'"
    ),
    "import gymnasium; gymnasium.make('boardenvs:boardenvs/Gekitai-v0', oponent='greedy')": (
        "gekitai has no parameter 'oponent'; its parameters are board_size, pieces, line_length, max_plies; the environment also takes opponent, seat, illegal, render_mode, record_episode, render_size, max_episode_steps, disable_env_checker; did you mean opponent?"
    ),
    "boardenvs.gekitai_v0.env(render_mod='ansi')": (
        "gekitai has no parameter 'render_mod'; its parameters are board_size, pieces, line_length, max_plies; the environment also takes render_mode, illegal, render_size; did you mean render_mode?"
    ),
    "boardenvs.envs.single.SeatEnv('gekitai', opponent=3)": (
        "opponent must be an agent's spec such as 'random', an object with act(states), or a list of these, got 3"
    ),
    "boardenvs.envs.single.SeatEnv('goat_race', opponent=['random'])": (
        "opponent must be a list of 2 opponents for goat_race, got 1"
    ),
    "boardenvs.envs.single.SeatEnv('gekitai').step(0)": (
        "step requires a game that is under way: call reset"
    ),
    "boardenvs.envs.single.SeatEnv('gekitai').reset(options={'sate': None})": (
        "a key of options must be state, got 'sate'"
    ),
    "boardenvs.envs.single.SeatEnv('gekitai').render()": (
        "render requires an environment made with render_mode, one of ['ansi', 'human', 'rgb_array']"
    ),
    "boardenvs.envs.vector.SeatVectorEnv(3, 'gekitai').reset(seed=[1, 2])": (
        "seed must be an integer or a sequence of 3 integers, got a sequence of 2"
    ),
    "boardenvs.make('gomoku', board_size=5).from_dict({'board': ['XX...'] + ['.....'] * 4})": (
        "board must have as many X as O, or one X more, got 2 X and 0 O"
    ),
    "boardenvs.make('goat_race', obstacles=[])": (
        "obstacles must be one (row, column) for each row from 1 to 6, with columns from B to H, got []"
    ),
    "boardenvs.make('dominoes175', deck=[(0, 0)])": (
        "deck must be 28 pairs, a full set, got [(0, 0)]"
    ),
    "boardenvs.make('pizza_order').from_dict({'wanted': [[0]], 'answers': []})": (
        "wanted must have for each pizza a list of at least one number from 1 to 15, each once, got [0]"
    ),
    "agents.make('mcts', 'gekitai', simulations=0)": (
        "simulations must be a whole number from 1 to 10000000, got 0"
    ),
    "agents.make('mcts', 'goat_race', decisive_rollouts=True)": (
        "decisive_rollouts must be False or None for goat_race, which has no decisive moves, got True"
    ),
    "agents.make('exact', 'dominoes175')": (
        "agent 'exact' requires two players, no chance and no hidden information, but dominoes175 has chance"
    ),
    "agents.make('exact', 'goat_race', budget=1000)": (
        "agent 'exact' cannot play goat_race: this race has up to 116,370,681,548,121,000 positions, more than budget = 1,000"
    ),
    "agents.make('exact', 'gomoku', budget=100).act(boardenvs.make('gomoku').new(1, seed=0))": (
        "state 0 of gomoku is too large for exact play: the search needs more than budget = 100 positions; a budget of 1,000 positions, about 1 s, may suffice"
    ),
    "agents.make('mcts:5', 'gekitai').search(boardenvs.make('gekitai').new(3, seed=0), [0.5, 1.5, 2.5])": (
        "random_bits must be integers of shape (3,), got float64 of shape (3,)"
    ),
    "agents.make('trained:nowhere.onnx', 'gekitai')": (
        "nowhere.onnx is not a trained agent: the file does not exist"
    ),
    "from agents.networks.sizes import make_sizes; make_sizes('gomoku', {}, 'board_size', [7, 7])": (
        "board_size must be at least two different integers, got [7, 7]"
    ),
    "from agents.training import Settings; Settings(network='deep')": (
        "network must be plain or convolutional, got 'deep'"
    ),
    "import boardenvs, pathlib; from agents.training import train; train(boardenvs.make('gekitai'), pathlib.Path('nowhere'), resume=True)": (
        "nowhere has no run that can be resumed: [Errno 2] No such file or directory: 'nowhere/settings.json'"
    ),
    'agents.make("greedy", "gekitai", depth=3)': (
        "agent 'greedy' has no option 'depth'; it has no options"
    ),
    'agents.make("mcts:many", "gekitai")': (
        "SIMULATIONS must be a whole number or a time such as 500ms or 2s, got 'many' in agent 'mcts:many'"
    ),
    'agents.make("perfect", "gekitai")': ("agent 'perfect' supports only dominoes175, got gekitai"),
    'agents.make("mcts:2s", "gekitai", simulations=3)': (
        "agent 'mcts:2s' has a time limit: remove the option simulations"
    ),
    'agents.allow("greedy")': ("spec must be an agent of your own, MODULE:FACTORY, got 'greedy'"),
    'agents.play_match("gekitai", ["random"], 10)': ("gekitai takes 2 agents, got 1"),
    'agents.play_match("gekitai", ["random", "random"], 0)': (
        "num_games must be a whole number of at least 1, got 0"
    ),
    'agents.play_match("gekitai", ["random", "random"], 2, openings=[])': (
        "openings must have at least one position, got []"
    ),
    'agents.benchmark("random", suite="v0")': ("suite must be 'v1', got 'v0'"),
    'agents.benchmark("random", name="mine")': (
        "name must be None for a policy with a spec, got 'mine'"
    ),
    'agents.exploitability("mcts:8", "game112")': (
        "agent 'mcts:8' has no action probabilities; use a deterministic agent or one with its own policies()"
    ),
}


@pytest.mark.usefixtures("temporary_games")  # the list of games has no registered ones
@pytest.mark.parametrize("call", MESSAGES)
def test_error_messages_have_the_documented_wording(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError)) as error:
        exec(call, {"agents": agents, "boardenvs": boardenvs})
    assert str(error.value) == MESSAGES[call]
