"""The regret of moves in positions with proved results."""

import pytest

import agents
import boardenvs
from agents.analysis.regret import regret

GAME = boardenvs.make("gekitai")


class Illegal(agents.Agent):
    def choose(self, states, random_bits):
        return self.game.legal(states).argmin(1)


@pytest.mark.parametrize("game", [GAME, boardenvs.make("game112")], ids=lambda game: game.name)
def test_perfect_play_has_no_regret_and_illegal_moves_have_the_most(game):
    assert set(regret(game, agents.make("exact", game), 10).losses) == {0.0}
    most = regret(game, Illegal(game), 10)
    assert set(most.losses) <= {1.0, 2.0}  # the result is a draw or a win before, and a loss after
    others = regret(game, agents.make("random", game, 0), 10)
    assert 0 < others.value < most.value
    assert others.interval[0] < others.value < others.interval[1]
    assert f"in {len(others.losses)} proved positions" in str(others)


def test_the_same_seed_has_the_same_positions():
    losses = [regret(GAME, agents.make("random", GAME, 0), 10, seed).losses for seed in (3, 3, 4)]
    assert losses[0] == losses[1] != losses[2]


def test_a_game_without_exact_is_refused():
    with pytest.raises(ValueError, match="exact"):
        regret(boardenvs.make("goat_race"), agents.make("random", "goat_race"))
