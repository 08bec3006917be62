"""The multi-agent environment plays the same games as PettingZoo's."""

import numpy as np
import pytest
from two_games import others_slow

import boardenvs
from boardenvs.envs.aec import GameAECEnv

pytest.importorskip("ray.rllib")

from ray.rllib.env.env_context import EnvContext
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from agents.training.rllib.env import GameMultiAgentEnv

GAMES = [
    *((name, {}) for name in boardenvs.GAMES),
    ("goat_race", {"num_players": 5, "max_plies": 40}),
    ("gekitai", {"max_plies": 12}),
]


@pytest.fixture(
    params=others_slow(GAMES), ids=lambda game: "-".join([game[0], *map(str, game[1].values())])
)
def any_game(request):
    """Return every game, and two truncated ones."""
    name, params = request.param
    return boardenvs.make(name, **params)


def test_games_agree_with_the_aec_environment(any_game):
    env, aec = GameMultiAgentEnv({"game": any_game}), GameAECEnv(any_game)
    draws = np.random.default_rng(0)
    for seed in [5, None, None]:
        seen, _ = env.reset(seed=seed)
        aec.reset(seed)
        while True:
            over = aec.terminations[aec.agent_selection] or aec.truncations[aec.agent_selection]
            assert list(seen) == (aec.possible_agents if over else [aec.agent_selection])
            for agent, part in seen.items():
                expected = aec.observe(agent)
                np.testing.assert_array_equal(part["observations"], expected["observation"])
                np.testing.assert_array_equal(part["action_mask"], expected["action_mask"])
                assert env.observation_spaces[agent].contains(part)
            if over:
                break
            mover = aec.agent_selection
            action = int(draws.choice(np.flatnonzero(seen[mover]["action_mask"])))
            aec.step(action)
            seen, rewards, terminated, truncated, _ = env.step({mover: action})
            over = aec.terminations[mover] or aec.truncations[mover]
            assert rewards == (aec.rewards if over else {mover: 0.0})
            assert terminated == {"__all__": aec.terminations[mover]}
            assert truncated == {"__all__": aec.truncations[mover]}


def test_a_truncated_game_is_reported():
    env = GameMultiAgentEnv({"game": boardenvs.make("gekitai", max_plies=3)})
    seen, _ = env.reset(seed=0)
    for ply in range(3):
        (mover,) = seen
        seen, rewards, terminated, truncated, _ = env.step({mover: ply})
    assert (terminated["__all__"], truncated["__all__"]) == (False, True)
    assert rewards == {"player_0": 0.0, "player_1": 0.0}
    # RLlib values the rest of the game from both seats' final observations.
    assert [int(part["observations"].sum()) > 0 for part in seen.values()] == [True, True]


def test_the_environment_passes_the_check_of_rllib(any_game):
    check_multiagent_environments(GameMultiAgentEnv({"game": any_game}))


def test_reset_accepts_a_position(gekitai):
    state = gekitai.new(1, 0)
    gekitai.play(state, [7])
    seen, _ = GameMultiAgentEnv({"game": gekitai}).reset(options={"state": state[0]})
    assert list(seen) == ["player_1"]
    assert not seen["player_1"]["action_mask"][7]


def test_an_illegal_action_loses(gekitai):
    env = GameMultiAgentEnv({"game": gekitai})
    env.reset(seed=0)
    env.step({"player_0": 7})
    _, rewards, terminated, _, _ = env.step({"player_1": 7})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert terminated["__all__"]


@pytest.mark.parametrize("actions", [{}, {"player_1": 0}, {"player_0": 0, "player_1": 1}])
def test_only_the_seat_to_move_acts(gekitai, refused, actions):
    env = GameMultiAgentEnv({"game": gekitai})
    env.reset(seed=0)
    with refused("action_dict .*'player_0'"):
        env.step(actions)


def test_env_runners_with_different_seeds_deal_different_games():
    game = boardenvs.make("goat_race")

    def deals(worker, seed):
        env = GameMultiAgentEnv(EnvContext({"game": game}, worker_index=worker))
        env.reset(seed=seed)
        return int(env._env.position["rng"])

    # RLlib seeds game i of env runner w by their sum.
    drawn = [deals(worker, worker + i) for worker in (1, 2, 3) for i in range(3)]
    assert len(set(drawn)) == len(drawn)
    assert drawn[0] == deals(1, 1)
