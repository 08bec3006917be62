"""Games in a terminal: a person against an agent, agents against each other, an arena."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from agents.agent import blamed, check_can_play
from agents.arena import PairResult, SoloResult, local, round_robin, seats, solos
from agents.arena.seeds import agent_seed, fresh_seed
from agents.arena.store import Store
from agents.arena.tournament import Engine, Until
from agents.making import make
from agents.play.person import result_line, typed_move
from boardenvs.chance import one_way, seed_word, stream_words
from boardenvs.checks import whole_number
from boardenvs.episode import Episode
from boardenvs.game import Game
from boardenvs.opponents import ask

__all__ = ["arena", "play", "stored", "watch"]


def play(game: Game, opponent: str, seat: int, seed: int | None) -> None:
    """A person at the keyboard against an agent in every other seat.

    Moves are typed in the game's notation; `q` or the end of input leaves the game.

    Raises:
        ValueError: there is no such opponent or seat, or it cannot play the game.
    """
    seat = whole_number("seat", seat, 0, game.num_players - 1)
    seed = fresh_seed() if seed is None else seed
    agent = make(opponent, game, agent_seed(seed, 0))
    words = stream_words(seed_word(seed), 1)
    states = game.new_from_words(words)
    check_can_play(agent, states)
    own = one_way(words, "players")
    print(game.to_text(states[0]), end="")
    while not (states["terminated"][0] or states["truncated"][0]):
        turn = int(states["to_move"][0])
        prompt = f"{game.seat_names[turn]}'s turn: "
        if turn == seat:
            if aside := game.aside(states[0]):
                print(aside)
            action = _typed(game, states, prompt)
            if action is None:
                print("Game left.")
                return
        else:
            with blamed(f"agent {opponent}"):
                action = int(ask(agent, game, states, own)[0])
            print(f"{prompt}{game.action_to_text(action, states[0])}")
        game.play(states, [action])
        over = states["terminated"][0] or states["truncated"][0]
        print(("Game over:\n" if over else "") + game.to_text(states[0]), end="")
    print(result_line(game, states[0]))


def _typed(game: Game, states: np.ndarray, prompt: str) -> int | None:
    """A legal action from the keyboard; `None` if the person leaves."""
    while True:
        try:
            text = input(prompt)
        except EOFError:
            print()
            return None
        if text.strip().lower() == "q":
            return None
        try:
            return typed_move(game, states[0], text)
        except ValueError as error:
            print(f"Invalid move! {error}")


def watch(game: Game, specs: Sequence[str], seed: int | None, *, analysis: bool = False) -> Episode:
    """One game between agents, printed move by move; those of one spec are told apart by seat.

    Args:
        game: what is played.
        specs: one agent for each seat.
        seed: of everything random.
        analysis: whether the episode keeps what the agents thought; the game is the same.

    Raises:
        ValueError: there are not as many agents as seats, or one cannot be made or play the
            game.
    """
    if len(specs) != game.num_players:
        raise ValueError(f"{game.name} takes {seats(game)}, got {len(specs)}")
    seed = fresh_seed() if seed is None else seed
    agents = [make(spec, game, agent_seed(seed, k)) for k, spec in enumerate(specs)]
    for agent in agents:
        check_can_play(agent, game.new(1, seed))
    with blamed("an agent"):
        names = _names(game, specs)
        episode = Episode.play(game, agents, seed, names=names, analysis=analysis)
    print(episode.to_text(), end="")
    return episode


def stored(path: Path, number: str | None) -> Episode | None:
    """Print a stored game, or without a number which games there are.

    Raises:
        ValueError: there is no such store or game, or it is damaged.
    """
    with Store.read(path) as store:
        if number is None:
            print(f"{store.game!r}, seed {store.seed}")
            for match in store.matches():
                print(f"{match.id}. {' - '.join(match.specs)}: {match.games} games")
            print(f"Watch one: boardenvs watch --store {path} --game MATCH.NUMBER")
            return None
        episode = store.episode(number)
    print(episode.to_text(), end="")
    return episode


def _names(game: Game, specs: Sequence[str]) -> list[str]:
    return [
        spec if specs.count(spec) == 1 else f"{spec} ({seat})"
        for spec, seat in zip(specs, game.seat_names, strict=True)
    ]


def arena(
    game: Game,
    specs: Sequence[str],
    games: int,
    seed: int,
    *,
    opening_plies: int | None = None,
    until: Until | None = None,
    store: Path | None = None,
    engine: Engine = local.play_here,
) -> list[PairResult] | list[SoloResult]:
    """Every two agents play, or in a game for one each; a bar on standard error shows how far.

    Raises:
        ValueError: as `agents.arena.round_robin` and `agents.arena.solos`.
    """
    games = whole_number("games", games, 1)
    alone = game.num_players == 1
    if alone and until is not None:
        raise ValueError(f"{game.name} is for one player: there are no pairs to decide")
    total = games * (len(specs) if alone else len(specs) * (len(specs) - 1) // 2)
    with tqdm(total=total, unit="game", disable=not sys.stderr.isatty()) as bar:

        def progress(pair: str, finished: int) -> None:
            bar.set_description(pair)
            bar.update(finished)

        asked: dict[str, Any] = {
            "opening_plies": opening_plies,
            "store": store,
            "engine": engine,
            "progress": progress,
        }
        if alone:
            return list(solos(game, specs, games, seed, **asked))
        return list(round_robin(game, specs, games, seed, until=until, **asked))
