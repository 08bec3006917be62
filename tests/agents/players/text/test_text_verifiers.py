"""The games as environments of the library `verifiers`, with scripted players."""

import asyncio
import re

import pytest
from chat_server import served

import boardenvs
from boardenvs.episode import Episode

vf = pytest.importorskip("verifiers.v1", reason="needs the extra [verifiers]")

from agents.players.text.dialogue import Dialogue  # noqa: E402
from agents.players.text.verifiers_env import NAME, GamesEnv  # noqa: E402

PIZZA = boardenvs.make("pizza_order", max_pizzas=1)


def episodes(answer, **settings):
    """Play the games of an environment; return them and the server's requests."""
    taskset = {"id": NAME, **settings}
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
    assert isinstance(env, GamesEnv)

    async def run(url):
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_SUCH_KEY")
        context = vf.ModelContext(model="small", client=client)
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task)]
            return await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))

    with served(answer) as (url, asked):
        return asyncio.run(run(url)), asked


def rewards(found):
    """Return the reward of each game, and its metrics."""
    for episode in found:
        assert episode.ok, episode.errors or episode.traces[0].errors
    return [
        ({key: one.score for key, one in trace.rewards.items()}, trace.metrics)
        for episode in found
        for trace in episode.traces
    ]


def first(request):
    """Return the first move that the last message lists."""
    told = request["messages"][-1]["content"]
    moves = re.search("^Legal moves: (.*)$", told, re.MULTILINE)[1]
    return f"I take the first.\n\nMove: {moves.split('; ')[0]}"


def customer(request):
    """Order what the first message wants, with the answers of `greedy`."""
    messages = [one["content"] for one in request["messages"] if one["role"] == "user"]
    wanted = re.search("^Wanted: .*$", messages[0], re.MULTILINE)[0]
    start = next(
        state for state in PIZZA.new(4000, 0) if PIZZA.presentation.turn_line(state) == wanted
    )
    answers = Episode.play(PIZZA, ["greedy"], state=start).actions
    return f"Move: {PIZZA.action_to_text(answers[len(messages) - 1])}"


def test_a_correct_order_gets_the_reward():
    found, asked = episodes(customer, num_games=4, seed=1, params={"max_pizzas": 1})
    for reward, metrics in rewards(found):
        assert reward == {"result": 1.0}
        assert metrics["wrong"] == metrics["forfeited"] == 0
        assert metrics["plies"] > 0
    assert len(asked) == sum(metrics["plies"] for _, metrics in rewards(found))


def test_the_reward_is_the_result_of_the_game(name):
    settings = {"game": name, "num_games": 3, "seed": 2, "list_moves": True}
    found, asked = episodes(first, **settings)
    dialogues = [
        Dialogue(
            boardenvs.make(name),
            seat=episode.task.data.seat,
            seed=episode.task.data.seed,
            list_moves=True,
        )
        for episode in found
    ]
    for dialogue in dialogues:
        while not dialogue.over:
            message = {"role": "user", "content": dialogue.message}
            dialogue.answer(first({"messages": [message]}))
    assert [(reward["result"], metrics["plies"]) for reward, metrics in rewards(found)] == [
        (dialogue.result, dialogue.plies) for dialogue in dialogues
    ]
    last = max((body["messages"] for _, _, body in asked), key=len)
    assert [one["role"] for one in last[-3:]] == ["user", "assistant", "user"]


def test_nonsense_answers_forfeit():
    found, asked = episodes(lambda _: "pass", game="gekitai", num_games=2, tries=2)
    assert [
        (reward["result"], metrics["wrong"], metrics["forfeited"])
        for reward, metrics in rewards(found)
    ] == [(-1, 2, 1)] * 2
    assert len(asked) == 4
    assert "Your answer was refused: " in asked[-1][2]["messages"][-1]["content"]


def test_a_failing_server_is_not_a_forfeit():
    found, _ = episodes(lambda _: 400, game="game112", num_games=1)
    assert not found[0].ok
    (trace,) = found[0].traces
    assert trace.info["boardenvs"]["forfeited"] is False


def test_tasks_have_different_seeds_and_all_seats():
    config = {"taskset": {"id": NAME, "game": "goat_race", "num_games": 6, "seed": 3}}
    tasks = list(vf.load_environment(vf.resolve_env_config(config)).taskset)
    assert [task.data.seat for task in tasks] == [0, 1, 2, 0, 1, 2]
    assert len({task.data.seed for task in tasks}) == 6
    assert len({task.key for task in tasks}) == 6


def test_a_configuration_cannot_name_user_code():
    found, asked = episodes(first, game="game112", opponent="os:system", num_games=1)
    assert not found[0].ok
    assert "is an agent of your own" in found[0].errors[0].message
    assert not asked
