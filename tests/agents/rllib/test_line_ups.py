"""Who plays whom: the learner everywhere, against everyone, the same from the same seed."""

from collections import Counter
from types import SimpleNamespace

import pytest

import boardenvs

pytest.importorskip("ray.rllib")

from agents.rllib.line_ups import (
    LEARNER,
    RANDOM,
    SELF_PLAY,
    NumberGames,
    earlier,
    line_up,
    policy_mapping,
)

GAMES = 3000


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_learner_sits_in_every_seat_against_everyone(num_players):
    drawn = [line_up(f"7-1-{k}", num_players, 2) for k in range(GAMES)]
    others = Counter()
    seats = Counter()
    for modules in drawn:
        assert len(modules) == num_players
        if set(modules) == {LEARNER}:
            others[LEARNER] += 1
            continue
        assert modules.count(LEARNER) == 1
        (other,) = set(modules) - {LEARNER}
        others[other] += 1
        seats[modules.index(LEARNER), other] += 1
    rest = (1 - SELF_PLAY) / 2
    shares = {LEARNER: SELF_PLAY, RANDOM: rest, earlier(0): rest / 2, earlier(1): rest / 2}
    assert {name: n / GAMES for name, n in others.items()} == pytest.approx(shares, abs=0.05)
    assert len(seats) == 3 * num_players
    assert min(seats.values()) > 0.5 * GAMES / 3 / 2 / num_players


def test_a_game_for_one_is_the_learners():
    assert {line_up(str(k), 1, 2) for k in range(20)} == {(LEARNER,)}


def test_seats_and_modules():
    mapping = policy_mapping(boardenvs.make("goat_race", num_players=4), 2)
    for k in range(20):
        played = SimpleNamespace(id_=f"0-1-{k}")
        assert tuple(mapping(f"player_{seat}", played) for seat in range(4)) == line_up(
            played.id_, 4, 2
        )


def test_names_of_games():
    def names(seed, worker):
        number = NumberGames()
        runner = SimpleNamespace(config=SimpleNamespace(seed=seed), worker_index=worker)
        played = [SimpleNamespace(id_="random") for _ in range(3)]
        for one in played:
            number.on_episode_created(episode=one, env_runner=runner)
        return [one.id_ for one in played]

    assert names(3, 1) == names(3, 1)
    assert len({*names(3, 1), *names(3, 2), *names(4, 1)}) == 9
