"""The losing moves of an arena's games."""

import json

import pytest

import boardenvs
from agents.analysis.losing_move import LossJudge, remarks
from agents.arena import rated, report, round_robin
from agents.arena.lost_games import LostGame, lost_lines
from agents.arena.page import arena_page_html
from agents.arena.storage.store import Store

SPECS = ["random", "greedy", "exact"]


@pytest.fixture(scope="module")
def game():
    return boardenvs.make("game112", board_size=7)


@pytest.fixture(scope="module")
def judge(game):
    return LossJudge(game)


@pytest.fixture(scope="module")
def played(game, judge, tmp_path_factory):
    """Return the results and the store of the games."""
    path = tmp_path_factory.mktemp("arena") / "games.db"
    return list(round_robin(game, SPECS, 40, 3, judge=judge, store=path)), path


def test_results_list_the_losses_that_the_judge_finds(game, judge, played):
    results, path = played
    said = set()
    with Store.read(path) as store:
        for result in results:
            lost = {one.game: one for one in result.lost}
            assert len(lost) == len(result.lost)
            assert sum(one.loser == "a" for one in result.lost) == result.scores.losses[0]
            assert sum(one.loser == "b" for one in result.lost) == result.scores.wins[0]
            for number in range(40):
                episode = store.game_of(result.agents, number)
                loss = judge.loss(episode)
                if loss is None:
                    assert number not in lost
                    continue
                one = lost[number]
                names = [name.partition(" (")[0] for name in episode.players]
                for letter, seat in ((one.loser, loss.loser), (one.mover, loss.mover)):
                    assert names[seat] == result.agents["ab".index(letter)]
                assert (one.move, one.before) == (loss.move, loss.before)
                if one.move:
                    before = episode.states()[one.move - 1]
                    assert one.played == game.action_to_text(episode.actions[one.move - 1], before)
                else:
                    assert one.played == ""
                said.add(one.before)
    assert "drawn" in said


def test_stored_games_are_judged_like_new_ones(game, judge, played):
    results, path = played
    fresh = list(round_robin(game, SPECS, 40, 3, judge=judge))
    stored = list(round_robin(game, SPECS, 40, 3, judge=judge, store=path))
    assert [one.lost for one in fresh] == [one.lost for one in stored]
    assert [one.lost for one in fresh] == [one.lost for one in results]


def test_only_games_that_count_are_listed(game, judge):
    [result] = round_robin(game, ["random", "greedy"], 400, 3, judge=judge, until="decided")
    assert result.scores.games < 400
    assert len(result.lost) == result.scores.losses[0] + result.scores.wins[0]


def test_the_report_describes_the_lost_games(game, judge, played):
    results, _ = played
    told = report(game, 3, results)
    assert json.loads(json.dumps(told)) == told
    for pair, result in zip(told["pairs"], results, strict=True):
        assert [LostGame(**one) for one in pair["lost"]] == result.lost
    lines = lost_lines(told)
    for agent in SPECS:
        lost = [
            one.before for result in results for one in result.lost
            if result.agents["ab".index(one.loser)] == agent
        ]  # fmt: skip
        line = (
            f"{agent} lost {len(lost)} games: a win given away in {lost.count('won')}, a draw in "
            f"{lost.count('drawn')}; lost from the start {lost.count('lost')}; not settled "
            f"{lost.count('not settled')}"
        )
        assert (line in lines) is bool(lost)
    unasked = list(round_robin(game, SPECS[:2], 4, 3))
    assert "lost" not in report(game, 3, unasked)["pairs"][0]
    assert lost_lines(report(game, 3, unasked)) == []


def test_the_page_describes_lost_games_and_marks_their_moves(game, judge, played):
    results, _ = played
    told = report(game, 3, results)
    episodes = {result.agents: result.extremes for result in results}
    marks = [
        remark
        for result in results
        for episode in result.extremes
        for remark in remarks(episode, judge.loss(episode)).values()
    ]
    assert "This move lost a game that was a draw." in marks
    page = arena_page_html(told, rated(results), episodes, judge)
    plain = arena_page_html(told, rated(results), episodes)
    for line in lost_lines(told):
        assert f"<p>{line}.</p>" in page
    for remark in set(marks):
        assert page.count(remark) == marks.count(remark)
        assert remark not in plain
