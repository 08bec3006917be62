"""Ratings of policies on a frozen ladder of reference agents for each task.

`agents.benchmark` is the function; the modules are imported as `agents.benchmark.rating` and so on.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boardenvs.core.checks import (
    callable_or_none,
    file_path,
    finite_number,
    is_list,
    shown,
    text_value,
    truth_value,
    whole_number,
)

if TYPE_CHECKING:  # importing `agents` stays fast
    from agents.arena.workers.local import Engine
    from agents.benchmark.card import ScoreCard
    from agents.benchmark.running import Outcome, Progress
    from agents.naming.spec import MakeAgent

__all__ = ["benchmark"]


def benchmark(
    make_agent: MakeAgent | str,
    suite: str = "v1",
    tasks: Sequence[str] | None = None,
    minutes: float = 15.0,
    seed: int = 0,
    *,
    name: str | None = None,
    aim: float | None = None,
    store: str | Path | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    progress: Progress | None = None,
    met: Sequence[str] | None = None,
    held_out: bool = False,
) -> ScoreCard:
    """Rate a policy on the tasks of a suite.

    In each task the policy plays reference agents with known ratings, in both seats of varied
    openings. Each round chooses the agent whose games reduce the uncertainty most. A task ends when
    the rating's 95% interval is within 50 points, or when its time is over.

    Args:
        make_agent: function of a game and a seed that returns an object with
            `act(states) -> actions`; or the spec of an agent.
        suite: name of the suite of tasks and reference agents.
        tasks: names of tasks, at least one; by default all of the suite.
        minutes: playing time of all tasks together, shared equally. Unused time of a task goes to
            the tasks after it. A task without time is not rated. Compiling does not count.
        seed: seed of everything random.
        name: name of the policy; by default its spec, or "policy".
        aim: half the width of the interval at which a task ends, in points; by default the suite's.
        store: folder for the games, with a file for each task. Another call continues them. A
            policy without a spec needs an attribute `version`.
        workers: number of processes that play, for a policy with a spec.
        engine: function that plays the games, such as `agents.arena.workers.ray_tasks.play`; by
            default `workers` processes.
        progress: function called with the rating so far, in words.
        met: specs of the reference agents that the policy met in training, for the card. By default
            the agents in the card of the network, if `boardenvs train` made it. A mixture such as
            `mixed:20:greedy` needs its own entry.
        held_out: whether to rate the policy only against agents that it did not meet in training.

    Returns:
        The score card: `to_dict()` for JSON, `str()` for people, `row()` for a paper's table.

    Raises:
        ValueError: an argument is out of range, a task does not exist, the policy cannot be made or
            fails, or the store has other games.

    Example:
        >>> import agents
        >>> card = agents.benchmark("greedy", tasks=["game112"], minutes=0.02)
        >>> [task["task"] for task in card.to_dict()["tasks"]]
        ['game112']
    """
    from agents.arena.workers import local
    from agents.benchmark.card import ScoreCard
    from agents.benchmark.ladder import read_ladder
    from agents.benchmark.running import run_task
    from agents.benchmark.tasks import suite as suite_of
    from agents.naming.spec import PolicySpec, Spec

    if isinstance(make_agent, str):
        if name not in (None, make_agent):
            raise ValueError(f"name must be None for a policy with a spec, got {shown(name)}")
        label = make_agent
    elif callable(make_agent):
        label = "policy" if name is None else text_value("name", name)
    else:
        raise ValueError(
            f"make_agent must be a function of game and seed, or a spec, got {shown(make_agent)}"
        )
    known = suite_of(text_value("suite", suite))
    if tasks is not None and not (is_list(tasks) and len(tasks)):
        raise ValueError(f"tasks must be a list of one or more names, got {shown(tasks)}")
    ladders = [read_ladder(suite, task) for task in (known if tasks is None else tasks)]
    seconds = 60 * finite_number("minutes", minutes, 0)
    seed = whole_number("seed", seed, 0)
    if aim is not None:
        aim = finite_number("aim", aim, 0)
    callable_or_none("progress", progress)
    truth_value("held_out", held_out)
    if met is not None and not (is_list(met) and all(isinstance(spec, str) for spec in met)):
        raise ValueError(f"met must be a list of agents' specs, got {shown(met)}")
    callable_or_none("engine", engine)
    folder = None if store is None else file_path("store", store)
    if engine is None and whole_number("workers", workers, 1) > 1:
        engine = functools.partial(local.play, workers=workers)
    if not isinstance(make_agent, str):  # a function may not be known in other processes
        engine = None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for done, ladder in enumerate(ladders):
        spent = sum(outcome.seconds for outcome in outcomes)
        left = max(0.0, seconds - spent) / (len(ladders) - done)
        game = ladder.task.make()
        policy = (
            Spec.of(make_agent, game)
            if isinstance(make_agent, str)
            else PolicySpec.labelled(label, game, make_agent)
        )
        file = None if folder is None else folder / f"{suite}-{ladder.task.name}.games"
        outcomes.append(
            run_task(
                ladder,
                policy,
                seed,
                left,
                aim,
                file,
                engine,
                progress,
                met,
                held_out=held_out,
            )
        )
    return ScoreCard(suite, label, seed, outcomes)
