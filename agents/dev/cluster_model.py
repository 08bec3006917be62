"""A program that predicts how search-guided training grows with a cluster.

It is a discrete-event model of measured times.

    python -m agents.dev cluster_model gomoku -p board_size=9

The program measures these times on this machine:

- an order to an actor (see `agents.training.self_play.ray_actors`);
- reading an actor's samples from bytes into the replay buffer, and sampling from the buffer;
- a gradient step.

Then it simulates a number of actors and one learner:

- An actor searches, sends its samples, waits until the learner takes them, and gets the network.
- Samples and networks use the learner's link, one after the other.
- The learner takes the samples that have arrived, lets their actors go on, and takes the gradient
  steps for these samples.

The part that is busy nearly all the time is the limit: actors, link, buffer or gradient steps.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agents.arguments import add_game, make_game
from agents.players.trained import shipped
from agents.report.table import Table
from boardenvs.game import Game
from boardenvs.kernels.threads import fix_threads, fixed_threads

__all__ = ["DESCRIPTION", "Grown", "Times", "add_arguments", "grown", "measured", "run"]

DESCRIPTION = "Predict how many positions a second actors on a cluster would search in training."
_ACTORS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10_000)
_GIGABIT = 1e9 / 8
_ORDERS = 2000
"""That are played through, at least, and four for each actor."""


@dataclass(frozen=True)
class Times:
    """What things take, in seconds unless said otherwise."""

    search: float
    """Of one order, on one core."""
    positions: float
    """Searched in an order."""
    samples: float
    """That come of it."""
    sample_bytes: float
    """Of one sample on its way."""
    network_bytes: float
    take: float
    """A sample out of its bytes and into the buffer."""
    draw: float
    """A sample out of the buffer, in one of the game's views."""
    learn: float
    """A sample in a gradient step."""
    reuse: float
    """How often a sample is learned from."""
    bandwidth: float = 10 * _GIGABIT
    """Of the learner's link, in bytes a second."""


@dataclass(frozen=True)
class Grown:
    """What so many actors come to."""

    actors: int
    rate: float
    """Positions searched a second."""
    busy: dict[str, float]
    """The share of the time that each part works: `actors`, `link`, `buffer`, `learner`."""

    @property
    def limit(self) -> str:
        """The busiest part."""
        return max(self.busy, key=lambda part: self.busy[part])


def grown(times: Times, actors: int, orders: int | None = None) -> Grown:
    """Play through what so many actors and a learner do.

    Args:
        times: what things take.
        actors: how many.
        orders: to play through; a fifth of them comes before the measurement.
    """
    total = max(_ORDERS, 4 * actors) if orders is None else orders
    begin = total // 5
    sending = times.samples * times.sample_bytes / times.bandwidth
    fetching = times.network_bytes / times.bandwidth
    taking = times.samples * times.take
    learning = times.samples * times.reuse * (times.draw + times.learn)
    # When each actor has searched; they begin one after the other.
    searching = [(times.search * (1 + k / actors), k) for k in range(actors)]
    heapq.heapify(searching)
    come: list[float] = []  # when the samples of an order are there
    link = now = 0.0
    done = 0
    started, marks = 0.0, {"link": 0.0, "buffer": 0.0, "learner": 0.0}
    spent = dict(marks)
    while done < total:
        # Whatever has been searched by now goes over the link, in its order.
        while searching and (searching[0][0] <= now or not come):
            ready, _ = heapq.heappop(searching)
            link = max(link, ready) + sending
            spent["link"] += sending
            heapq.heappush(come, link)
        now = max(now, come[0])
        taken = 0
        while come and come[0] <= now:
            heapq.heappop(come)
            taken += 1
        now += taken * taking
        spent["buffer"] += taken * taking
        for k in range(taken):
            link = max(link, now) + fetching
            spent["link"] += fetching
            heapq.heappush(searching, (link + times.search, k))
        now += taken * learning
        spent["learner"] += taken * learning
        if done < begin <= done + taken:
            started, marks, begin = now, dict(spent), done + taken
        done += taken
    length = now - started
    orders_done = done - begin
    busy = {part: (spent[part] - marks[part]) / length for part in marks}
    busy = {"actors": orders_done * times.search / (actors * length), **busy}
    return Grown(actors, orders_done * times.positions / length, busy)


def measured(game: Game, seconds: float = 10.0) -> Times:
    """Measure on this machine, with one actor and the game's own settings.

    Args:
        game: what is learned; with the shipped network, if there is one.
        seconds: of searching.

    Raises:
        ValueError: its settings have no search-guided part.
    """
    from agents.networks.onnx_network import network_file
    from agents.training.ppo import PPOLearner
    from agents.training.self_play.actors import Actor, games_of_actors
    from agents.training.self_play.guided import GuidedLearner
    from agents.training.self_play.replay_buffer import ReplayBuffer, viewed
    from agents.training.settings import settings_for

    settings = settings_for(game)
    guided = settings.guided
    if guided is None:
        raise ValueError(f"the settings of {game.name} have no search-guided part")
    policy = PPOLearner(game, replace(settings, num_envs=4), 0).model.policy
    learner = GuidedLearner(game, policy, replace(guided, games=guided.actors), 0)
    try:
        network = shipped(game).read_bytes()
    except ValueError:  # none: a fresh one
        network = network_file(policy, game)
    actor = Actor(game, guided, games_of_actors(guided)[0], 0, 0, settings.guided_opponents)
    parts: list[npt.NDArray[np.void]] = []
    orders = searched = 0
    with _one_thread():  # as on a cluster, where an actor has a core
        actor.play(network, 4 * guided.plies)  # games are of all lengths then
        began = time.perf_counter()
        while (
            time.perf_counter() - began < seconds or sum(len(p) for p in parts) < guided.batch_size
        ):
            played = actor.play(network, guided.plies)
            orders += 1
            searched += played.searched
            parts.append(played.samples)
        search = (time.perf_counter() - began) / orders
    samples = np.concatenate(parts)

    buffer = ReplayBuffer(max(len(samples), guided.batch_size), samples.dtype)
    sent = pickle.dumps(samples, protocol=5)
    take = _usual(lambda: buffer.add(pickle.loads(sent))) / len(samples)
    rng = np.random.default_rng(0)
    symmetries = game.symmetries()

    def draw() -> object:
        drawn = buffer.draw(guided.batch_size, rng)
        return viewed(drawn, symmetries, rng.integers(0, len(symmetries), len(drawn)))

    drawing = _usual(draw)
    batch = buffer.draw(guided.batch_size, rng)
    learning = _usual(lambda: learner.fit(batch))
    return Times(
        search=search,
        positions=searched / orders,
        samples=len(samples) / orders,
        sample_bytes=samples.dtype.itemsize,
        network_bytes=len(network),
        take=take,
        draw=drawing / guided.batch_size,
        learn=learning / guided.batch_size,
        reuse=guided.reuse,
    )


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """The package's loops take one thread meanwhile."""
    before = fixed_threads()
    fix_threads(1)
    try:
        yield
    finally:
        fix_threads(before)


def _usual(work: Callable[[], object]) -> float:
    """The median of ten turns, in seconds."""
    spent = []
    for _ in range(10):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return float(np.median(spent))


def _table(times: Times, numbers: Sequence[int]) -> Table:
    rows = []
    for number in numbers:
        found = grown(times, number)
        one = times.positions / times.search
        busy = found.busy
        rows.append(
            (
                f"{number:,}",
                f"{found.rate:,.0f}",
                f"{found.rate / one:,.2f}",
                *(f"{busy[part]:.2f}" for part in ("actors", "link", "buffer", "learner")),
            )
        )
    head = ("actors", "positions/s", "of one's", "actors busy", "link", "buffer", "learner")
    return Table(head, rows, left=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_game(parser, optional=False)
    parser.add_argument(
        "--gigabits", type=float, default=10.0, help="a second of the learner's link (default 10)"
    )
    parser.add_argument(
        "--learner", type=float, metavar="TIMES", default=1.0,
        help="how many times as fast as here the learner learns, such as on a GPU (default 1)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Measure, and print the rate of each number of actors.

    Raises:
        ValueError: an argument is out of range, or the game has no search-guided training.
    """
    if not options.gigabits > 0 or not options.learner > 0:
        raise ValueError("--gigabits and --learner must be above 0")
    times = measured(make_game(options))
    print(
        f"measured: an order of {times.positions:,.0f} positions takes {times.search:.2f} s and "
        f"leaves {times.samples:,.0f} samples of {times.sample_bytes:,.0f} bytes; a sample takes "
        f"{1e6 * times.take:.1f} us into the buffer, {1e6 * times.draw:.1f} us out of it and "
        f"{1e6 * times.learn:.0f} us to be learned from, {times.reuse:g} times; "
        f"a network has {times.network_bytes / 1e3:,.0f} kB"
    )
    times = replace(
        times, bandwidth=options.gigabits * _GIGABIT, learn=times.learn / options.learner
    )
    print(_table(times, _ACTORS))
