"""`agents.benchmark`: rating a policy, continuing, and reports."""

import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import agents
from agents.analysis.grading import Grade
from agents.analysis.intervals import bootstrap_mean, interquartile_mean
from agents.benchmark import ladder, running
from agents.benchmark.ladder import Ladder, read_ladder
from agents.benchmark.page import card_page_html
from agents.benchmark.training_opponents import met_in_training

QUICK = {"tasks": ["game112"], "minutes": 5.0, "seed": 3, "aim": 80.0}


class Legal:
    """A random player that has only `act`."""

    def __init__(self, game, seed):
        self.game = game
        self.rng = np.random.default_rng(seed)
        self.asked = 0

    def act(self, states):
        self.asked += len(states)
        noise = self.rng.random((len(states), self.game.num_actions))
        return (noise * self.game.legal(states)).argmax(1)


def played(card):
    """Return a card without values that depend on the machine."""
    told = card.to_dict()
    for task in told["tasks"]:
        del task["seconds_per_move"]
    return told


def test_a_random_policy_has_the_rating_of_random():
    card = agents.benchmark(Legal, name="mine", **QUICK)
    (task,) = card.to_dict()["tasks"]
    assert card.policy == "mine"
    assert task["low"] < 0 < task["high"]
    assert task["high"] - task["low"] <= 2 * QUICK["aim"]
    assert abs(task["score"]) < 0.25
    assert task["forfeits"] == 0
    assert task["games"] == sum(one["games"] for one in task["against"])


def test_a_reference_agent_has_its_rating():
    rated = {"mixed:60:greedy": 160, "greedy": 384}
    for spec, elo in rated.items():
        (task,) = agents.benchmark(spec, **QUICK).to_dict()["tasks"]
        assert task["low"] < elo < task["high"], spec


@pytest.mark.parametrize(("rated", "unrated"), [("game112", "gekitai"), ("gekitai", "pizza_order")])
def test_a_task_without_games_is_not_rated(rated, unrated, monkeypatch):
    """The mean covers only the rated tasks."""
    run_task = running.run_task

    def hurried(ladder, contender, seed, seconds, *more, **options):
        seconds = 0 if ladder.task.name == unrated else 0.5
        return run_task(ladder, contender, seed, seconds, *more, **options)

    monkeypatch.setattr(running, "run_task", hurried)
    card = agents.benchmark("greedy", tasks=[rated, unrated], minutes=1)
    told = card.to_dict()
    first, second = told["tasks"]
    assert (first["rated"], second["rated"], card.not_rated) == (True, False, [unrated])
    assert {second[key] for key in ("elo", "low", "high", "score", "score_high")} == {None}
    assert told["overall"]["tasks"] == 1
    assert told["overall"]["score"] == first["score"]
    assert card.row().count("not rated") == 1
    text = str(card)
    assert [line.split()[:3] for line in text.splitlines() if line.startswith(f"{unrated} ")] == [
        [unrated, "not", "rated"]
    ]
    page = card_page_html(card)
    assert f"Not rated, because the time was over: {unrated}." in page
    assert "▶ greedy" in page
    assert "▶ greedy" not in page.partition(f"<h2>{unrated}</h2>")[2]


def test_a_card_without_any_game_has_no_mean():
    card = agents.benchmark("greedy", tasks=["game112", "pizza_order"], minutes=0)
    assert card.to_dict()["overall"] == {"score": None, "low": None, "high": None, "tasks": 0}
    assert card.row() == "| greedy | not rated | not rated | not rated |"
    assert "mean" not in str(card) + card_page_html(card)


@pytest.mark.slow
def test_compilation_does_not_count_as_playing_time(monkeypatch):
    """Compiling, and loading at the first call, do not count as playing time."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: clock.now))

    class Loading(Legal):
        def act(self, states):
            clock.now += 0.1 if self.asked else 100
            return super().act(states)

    tasks = ["game112", "gekitai", "goat_race-2"]
    card = agents.benchmark(Loading, tasks=tasks, minutes=0.5)
    assert card.not_rated == []
    assert all(0 < outcome.seconds < 100 for outcome in card.outcomes)


def test_forfeits_are_counted():
    class Illegal(Legal):
        def act(self, states):
            return (~self.game.legal(states)).argmax(1)

    card = agents.benchmark(Illegal, **QUICK | {"minutes": 0.02})
    (task,) = card.to_dict()["tasks"]
    assert task["forfeits"] > 0.9 * task["games"] > 0
    assert task["high"] < 0
    lines = str(card).splitlines()
    assert f"game112: {task['forfeits']:,} games lost by illegal moves." in lines
    assert "game112: below random." in lines


def test_a_rating_above_the_ladder_is_reported_as_such(monkeypatch):
    monkeypatch.setattr(Ladder, "best", property(lambda ladder: 50.0))
    card = agents.benchmark("greedy", **QUICK)
    assert "game112: above the ladder" in str(card)


def test_games_end_at_the_uncertainty_of_the_ladder(monkeypatch):
    monkeypatch.setattr(running, "LADDERS", 1e6)
    (task,) = agents.benchmark("greedy", **QUICK | {"aim": 1.0}).to_dict()["tasks"]
    assert "ladder's own" in task["ended"]


@pytest.mark.parametrize(
    ("task", "policy", "minutes"), [("game112", "random", 0.1), ("dominoes175", "greedy", 0.01)]
)
def test_a_card_of_too_few_games_reports_the_minutes_it_still_needs(
    task, policy, minutes, monkeypatch
):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: clock.now))

    class Slow:
        def __init__(self, game, seed):
            self.agent = agents.make(policy, game, seed)

        def act(self, states):
            clock.now += 0.1 * len(states)
            return self.agent.act(states)

    def rated(minutes):
        card = agents.benchmark(Slow, tasks=[task], minutes=minutes)
        return card, card.to_dict()["tasks"][0]

    card, first = rated(minutes)
    wanted = first["too_few_games"]
    assert list(wanted) == ["more_games", "more_minutes"]
    pace = clock.now / 60 / first["games"]
    assert wanted["more_minutes"] == pytest.approx(pace * wanted["more_games"], rel=0.3)
    for text in (str(card), card_page_html(card)):
        assert re.search(r"too few games: about \d+ more minutes? for an interval of", text)
    card, enough = rated(minutes + 1.3 * wanted["more_minutes"])
    assert enough["too_few_games"] is None
    assert enough["games"] > 1.5 * first["games"]
    assert "too few games" not in str(card) + card_page_html(card)


def test_a_suite_without_a_ladder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(ladder, "ladder_path", lambda *_: tmp_path / "game112.json")
    with pytest.raises(ValueError, match=r"suite v1 .*game112"):
        read_ladder("v1", "game112")
    (tmp_path / "game112.json").write_text('{"task": "game112"}')
    with pytest.raises(ValueError, match=r"game112\.json is damaged"):
        read_ladder("v1", "game112")


@pytest.mark.parametrize("name", ["game112", "dominoes175"])
def test_the_error_of_a_damaged_ladder_names_it(tmp_path, monkeypatch, name):
    text = ladder.ladder_path("v1", name).read_text("utf-8")
    path = tmp_path / "ladder.json"
    monkeypatch.setattr(ladder, "ladder_path", lambda *_: path)
    told = json.loads(text)
    key = "solos" if "solos" in told else "covariance"
    changed = [
        {**told, "agents": 5},
        {**told, "agents": [{}]},
        {**told, key: "x"},
        {**told, key: []},
    ]
    changed += [{**told, "task": "other"}, [], None, {k: told[k] for k in told if k != key}]
    for damaged in ["", text[:100], *map(json.dumps, changed)]:
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(ValueError, match=r"ladder\.json is damaged: .") as error:
            read_ladder("v1", name)
        assert "\n" not in str(error.value)
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"ladder\.json is damaged: .*utf-8"):
        read_ladder("v1", name)


def test_a_benchmark_with_a_store_continues_its_games(tmp_path):
    whole = played(agents.benchmark("greedy", **QUICK))
    store = tmp_path / "games"
    agents.benchmark("greedy", store=store, **QUICK | {"aim": 150.0})
    assert (store / "v1-game112.games").is_file()
    assert played(agents.benchmark("greedy", store=store, **QUICK)) == whole


def test_a_store_of_another_version_of_a_policy_is_refused(tmp_path):
    made = []

    def rated(version):
        def make(game, seed):
            made.append(Legal(game, seed))
            if version is not None:
                made[-1].version = version
            return made[-1]

        return played(agents.benchmark(make, store=tmp_path, **QUICK))

    with pytest.raises(ValueError, match="version"):
        rated(None)
    first = rated("1")
    assert made[-1].asked > 0
    assert rated("1") == first
    assert made[-1].asked == 0  # all games came from the store
    with pytest.raises(ValueError, match="version"):
        rated("2")


@pytest.mark.slow
def test_processes_play_the_same_games():
    here = played(agents.benchmark("greedy", **QUICK))
    assert played(agents.benchmark("greedy", workers=2, **QUICK)) == here


@pytest.mark.slow
@pytest.mark.parametrize("task", ["goat_race-3", "pizza_order"])
def test_other_tasks_are_rated(task):
    quick = QUICK | {"tasks": [task], "aim": 100.0, "minutes": 0.2}
    (told,) = agents.benchmark("random", **quick).to_dict()["tasks"]
    assert told["score_low"] < 0 < told["score_high"]


def test_arguments_of_the_function_are_checked():
    with pytest.raises(ValueError, match="make_agent"):
        agents.benchmark(3)
    with pytest.raises(ValueError, match="tasks"):
        agents.benchmark("random", tasks="game112")
    with pytest.raises(ValueError, match="name must be"):
        agents.benchmark("random", name="other")
    with pytest.raises(ValueError, match="act"):
        agents.benchmark(lambda game, seed: None, tasks=["game112"])


def test_interquartile_means_agree_with_computed_values():
    assert interquartile_mean([9.0, 1, 2, 100]) == 5.5
    assert interquartile_mean([3.0]) == 3
    errors = np.full(4, 0.1)
    low, high = bootstrap_mean(np.array([9.0, 1, 2, 100]), errors, np.random.default_rng(0))
    # The two middle values count, each with a standard error of 0.1.
    assert abs(low - (5.5 - 1.96 * 0.0707)) < 0.01
    assert abs(high - (5.5 + 1.96 * 0.0707)) < 0.01


def test_agents_met_in_training_are_listed_and_can_be_excluded():
    card = agents.benchmark(Legal, met=["random", "somebody else"], **QUICK)
    (task,) = card.to_dict()["tasks"]
    assert (task["met"], task["held_out"]) == (["random"], False)
    assert "random" in [one["agent"] for one in task["against"]]
    assert "met in training: random; rated against them, too" in str(card)

    card = agents.benchmark(Legal, met=["random"], held_out=True, **QUICK)
    (task,) = card.to_dict()["tasks"]
    assert (task["met"], task["held_out"]) == (["random"], True)
    assert "random" not in [one["agent"] for one in task["against"]]
    assert task["low"] < 0 < task["high"]
    assert "rated against others" in str(card)


def test_agents_met_in_imitation_and_self_play_count_as_met():
    clone = {"agent": "greedy", "opponents": ["mcts:20"]}
    settings = {"clone": clone, "guided": {"opponents": ["mcts:10"]}}
    trained = SimpleNamespace(card={"settings": {**settings, "evaluate_against": ["random"]}})
    assert met_in_training(trained) == ("greedy", "mcts:20", "mcts:10", "random")


def test_a_search_has_met_the_agents_of_its_networks_training(gekitai):
    """A search and its network have the same training opponents, also with the int8 network."""
    search, network = (agents.make(spec, gekitai, 0) for spec in ("puct:4", "trained"))
    assert search.path != network.path
    assert "greedy" in met_in_training(network)
    assert met_in_training(search) == met_in_training(network)


@pytest.mark.slow
def test_the_card_of_a_trained_agent_lists_the_agents_it_met():
    (task,) = agents.benchmark("trained", held_out=True, **QUICK).to_dict()["tasks"]
    assert task["met"] == ["random", "greedy"]  # `exact` is not on the ladder
    assert {one["agent"] for one in task["against"]} <= {"mixed:60:greedy", "mixed:20:greedy"}
    (task,) = agents.benchmark("puct:4", **QUICK).to_dict()["tasks"]
    assert task["met"] == ["random", "greedy"]
    (task,) = agents.benchmark("mcts:4", **QUICK).to_dict()["tasks"]
    assert task["met"] is None


def test_held_out_requires_agents_that_were_not_met():
    with pytest.raises(ValueError, match=r"held_out .*met"):
        agents.benchmark(Legal, held_out=True, **QUICK)
    everyone = ["random", "mixed:60:greedy", "mixed:20:greedy", "greedy"]
    with pytest.raises(ValueError, match=r"held_out .*game112"):
        agents.benchmark(Legal, met=everyone, held_out=True, **QUICK)
    with pytest.raises(ValueError, match="met must be"):
        agents.benchmark(Legal, met="random", **QUICK)


def test_perfection_measures_the_distance_to_perfect_play():
    (task,) = agents.benchmark("greedy", **QUICK).to_dict()["tasks"]
    assert task["perfection"] == {"kind": "exploitability", "value": 0, "low": 0, "high": 0}
    card = agents.benchmark("random", **QUICK)
    (task,) = card.to_dict()["tasks"]
    expected = agents.exploitability("random", "game112").value
    assert task["perfection"]["value"] == expected > 0.9
    assert f"game112: exploitability {expected:.3f}" in str(card)
    # A player with only `act` has no policy to evaluate, and short runs only play games.
    assert agents.benchmark(Legal, **QUICK).to_dict()["tasks"][0]["perfection"] is None
    short = agents.benchmark("greedy", **QUICK | {"minutes": 0.02})
    assert short.to_dict()["tasks"][0]["perfection"] is None


def test_perfection_is_missing_without_a_win_to_keep(monkeypatch):
    """Perfection is missing if there is no win to keep, because NaN is not valid JSON."""
    none = Grade(lost=3, drawn=1, unsettled=0, kept=0, given_away=0, unclear=0)
    monkeypatch.setattr(running, "_perfection", lambda *_: none)
    card = agents.benchmark("random", **QUICK)
    assert card.to_dict()["tasks"][0]["perfection"] is None
    assert "nan" not in str(card)


def test_the_card_of_a_text_player_has_its_answers_and_regret():
    answers = itertools.cycle(["Hm.", "Move: 1 1", ("Move: 9 2", 7), "1 2"])
    with pytest.warns(RuntimeWarning, match="gave no legal move"):
        card = agents.benchmark(
            lambda game, _: agents.from_text(lambda _: next(answers), game, tries=1), **QUICK
        )
    (task,) = card.to_dict()["tasks"]
    found = task["answers"]
    assert found["moves"] == found["answers"] > 20
    assert found["tokens"] == 7 * (found["answers"] // 4 + (found["answers"] % 4 == 3))
    assert 0.2 < found["unreadable"] / found["answers"] < 0.3
    assert 0 < found["illegal"] / found["answers"] < 0.75
    assert task["perfection"]["kind"] == "regret"
    assert 1 < task["perfection"]["value"] <= 2
    assert "1.00 answers a move, 25." in str(card)
    assert card_page_html(card).count("answers a move") == 1
    assert agents.benchmark("greedy", **QUICK).to_dict()["tasks"][0]["answers"] is None
