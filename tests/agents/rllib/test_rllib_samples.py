"""What env runners hand over: whole games, though cut in pieces, of which the learner's stay."""

from collections import defaultdict
from dataclasses import replace

import pytest

import boardenvs

pytest.importorskip("ray.rllib")

from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

from agents.rllib.config import ppo_config
from agents.rllib.line_ups import DECISIONS, LEARNER, NumberGames, line_up
from agents.rllib.settings import ClusterSettings
from agents.training.settings import settings_for

# Each env runner in a process registers RLlib's environment anew.
pytestmark = pytest.mark.filterwarnings("ignore:.*Overriding environment rllib:UserWarning")

GAMES = {
    "gekitai": {},
    "goat_race": {"num_players": 3, "width": 3, "height": 3},
    "gomoku": {"board_size": 5, "max_plies": 9},
    "pizza_order": {},
}


@pytest.fixture(params=GAMES)
def config(request):
    game = boardenvs.make(request.param, **GAMES[request.param])
    training = replace(settings_for(game), hidden=(8,))
    return game, ppo_config(game, ClusterSettings(training, games=4, selves=2), 1, 0)


def sampled(config, times, plies):
    runner = MultiAgentEnvRunner(config)
    for _ in range(times):
        yield runner.sample(num_timesteps=plies), runner.get_metrics()


def test_pieces_of_a_game_add_up(config):
    game, config = config
    config.callbacks([NumberGames])
    returns, decisions = defaultdict(lambda: [0.0] * game.num_players), defaultdict(int)
    plies, ended, pieces = defaultdict(int), {}, defaultdict(int)
    for games, _ in sampled(config, 40, 30):
        for part in games:
            pieces[part.id_] += 1
            plies[part.id_] += len(part)
            for agent, seat in part.agent_episodes.items():
                returns[part.id_][int(agent[-1])] += seat.get_return()
                decisions[part.id_] += len(seat)
                modules = line_up(part.id_, game.num_players, 2)
                assert seat.module_id == modules[int(agent[-1])]
            if part.is_done:
                ended[part.id_] = part.is_terminated
    assert len(ended) > 10
    assert max(pieces[name] for name in ended) > 1
    for name, terminated in ended.items():
        assert decisions[name] == plies[name]
        if game.num_players > 1:
            assert sum(returns[name]) == pytest.approx(0, abs=1e-6)
            assert max(returns[name]) == 1 or returns[name] == [0] * game.num_players
        if not terminated:
            assert returns[name] == [0] * game.num_players


def test_only_the_learners_part_is_handed_over(config):
    _, config = config
    for games, metrics in sampled(config, 5, 30):
        seats = [seat for part in games for seat in part.agent_episodes.values()]
        assert {seat.module_id for seat in seats} == {LEARNER}
        assert metrics[DECISIONS].peek() == sum(map(len, seats)) > 0
