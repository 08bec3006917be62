"""One match: its games played side by side, seats swapped, openings shared."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import blamed, check_can_play
from agents.arena.games import Games, Numbers
from agents.arena.named_openings import named_openings
from agents.arena.scores import Scores, agent_scores
from agents.naming.spec import make
from agents.seeds import agent_seed, fresh_seed, one_way_words
from boardenvs.core.chance import make_streams, next_bits, seed_word
from boardenvs.core.checks import callable_or_none, counted, is_list, shown, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.envs.opponents import Opponent, ask, player_names
from boardenvs.envs.playout import plies
from boardenvs.game import Game, States

__all__ = ["Match", "Progress", "play_match", "seatings", "seats"]

_SIDE_BY_SIDE = 1024  # maximum number of games at once; limits memory, not results
_OPENING_PLIES = 2  # when everyone is deterministic

Progress = Callable[[int], Any]


def seats(game: Game) -> str:
    """Return the number of agents that a game takes, such as "2 agents".

    Raises:
        ValueError: `game` is not a game.

    Example:
        >>> import boardenvs
        >>> from agents.arena import seats
        >>> seats(boardenvs.make("goat_race", num_players=3))
        '3 agents'
    """
    resolve_game(game)
    return counted(game.num_players, "agent")


def seatings(num_players: int, num_agents: int) -> tuple[Numbers, int]:
    """Return the seatings of agents in a game; consecutive games use them in turn.

    With one agent for each seat, the seatings are all orders, each followed by its rotations, so
    every agent soon has every seat. With two agents for more seats, the seatings are all ways to
    share the seats, each followed by the same with the agents swapped.

    Returns:
        The agent in each seat, shape (seatings, num_players), and the number of consecutive games
        that share their opening and the game's own chance. Two agents share them in 2 games with
        swapped seats. Otherwise this number is 1: if all seatings shared a deal, there would be too
        few deals for a reliable interval.
    """
    if num_agents == num_players:
        orders = [o for o in itertools.permutations(range(num_agents)) if o[0] == 0]
        rows = [order[k:] + order[:k] for order in orders for k in range(num_agents)]
    else:
        halves = [h for h in itertools.product((0, 1), repeat=num_players) if h[0] == 0 and any(h)]
        rows = [row for half in halves for row in (half, tuple(1 - k for k in half))]
    return np.array(rows), 2 if num_agents == 2 else 1


class Match:
    """A match: agents and the games that they play in turn in every seating.

    Game number i does not depend on the other games if the agents have `choose` or are
    deterministic.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Opponent],
        seed: int,
        opening_plies: int | None = None,
        openings: States | str | None = None,
    ) -> None:
        """Set up a match without playing it.

        Args:
            game: the game to play.
            players: one agent for each seat, or two agents that share the seats.
            seed: as for `play_match`.
            opening_plies: as for `play_match`.
            openings: initial positions, shape (K,), each for all seatings in turn, or the name of
                openings; by default the game's own start.

        Raises:
            ValueError: an argument is out of range, or the named openings do not exist.
        """
        self.named = named_openings(game, openings) if isinstance(openings, str) else None
        if opening_plies is None:
            varied = any(not getattr(a, "deterministic", True) for a in players) or game.has_chance
            given = varied or openings is not None
            opening_plies = 0 if given else _usual_opening(game)
        self.game = game
        self.players = list(players)
        self.seed = seed
        self.opening_plies = whole_number("opening_plies", opening_plies, 0, game.max_plies - 1)
        self.seatings, self.shared = seatings(game.num_players, len(players))
        self._base = seed_word(seed)
        self._openings = None if isinstance(openings, str) else openings
        self._moves = np.zeros((1, 0), np.int32)  # moves of the named openings, one row each
        if self.named is not None:
            # The seed decides which openings a short match uses.
            order = one_way_words(seed, "order of openings", np.arange(len(self.named.moves)))
            self._moves = self.named.moves[np.argsort(order)]

    def check_players(self) -> None:
        """Raise `ValueError` unless all agents can play the first game from its opening.

        See `Agent.check_can_play`.
        """
        first = np.zeros(1, np.int64)
        states, _ = self._opened(first, first, make_streams(self._base, 1))
        for player in self.players:
            check_can_play(player, states)

    def play(self, numbers: Numbers) -> Iterator[Games | None]:
        """Play games to their ends, one after another if a player has `one_game_at_a_time`.

        Args:
            numbers: numbers of the games, shape (N,).

        Yields:
            Games that have just ended; `None` after a ply that ended no game.

        Raises:
            ValueError: an agent fails or returns an invalid answer. The message names the agent.
        """
        alone = any(getattr(player, "one_game_at_a_time", False) for player in self.players)
        most = 1 if alone else _SIDE_BY_SIDE
        lengths = (self._named_moves(numbers) >= 0).sum(1)
        for length in np.unique(lengths):  # a batch needs openings of one length
            same = numbers[lengths == length]
            for low in range(0, len(same), most):
                yield from self._play_side_by_side(same[low : low + most])

    def _play_side_by_side(self, numbers: Numbers) -> Iterator[Games | None]:
        game = self.game
        groups = numbers // self.shared
        starts = make_streams(self._base, int(groups.max()) + 1)[groups]
        states, opening = self._opened(numbers, groups, starts)
        who = self.seatings[numbers % len(self.seatings)]
        # A stream for each agent in each game: no stream reveals another.
        streams = np.stack(
            [one_way_words(self.seed, f"words {k}", numbers) for k in range(len(self.players))], 1
        )
        seconds = np.zeros((len(numbers), len(self.players)))
        choices = np.zeros(seconds.shape, np.int64)
        count = opening.shape[1]  # moves so far, the same in all unfinished games
        moves = np.empty((len(numbers), count + 32), np.int32)
        moves[:, :count] = opening

        def choose(live_states: States, live: Numbers) -> Numbers:
            nonlocal moves, count
            actions = self._actions(live_states, live, who, streams, seconds, choices)
            if count == moves.shape[1]:
                moves = np.concatenate([moves, np.empty_like(moves)], 1)
            moves[live, count] = actions
            count += 1
            return actions

        for done in plies(game, states, choose):
            if not len(done):
                yield None
                continue
            yield Games(
                numbers[done],
                starts[done],
                who[done],
                states["returns"][done],
                states["ply"][done],
                moves[done, :count],
                states["offender"][done].astype(np.int64),
                seconds[done],
                choices[done],
            )

    def _actions(
        self,
        states: States,
        live: Numbers,
        who: Numbers,
        streams: npt.NDArray[np.uint64],
        seconds: npt.NDArray[np.float64],
        choices: Numbers,
    ) -> Numbers:
        """Return the agents' actions in the unfinished games `live`, which have these states.

        The method adds the agents' time to `seconds` and the number of choices to `choices`.
        """
        actions = np.empty(len(live), np.int64)
        to_move = who[live, states["to_move"]]
        for k in np.unique(to_move):
            mine = to_move == k
            where = live[mine]
            asked_streams = streams[where, k]
            player = self.players[k]
            began = time.perf_counter()
            with blamed(f"agent {getattr(player, 'spec', type(player).__name__)}"):
                actions[mine] = ask(player, self.game, states[mine], asked_streams)
            seconds[where, k] += (time.perf_counter() - began) / len(where)
            choices[where, k] += 1
            streams[where, k] = asked_streams
        return actions

    def _started(self, numbers: Numbers, starts: npt.NDArray[np.uint64]) -> States:
        """Return the initial positions of games, with the given random streams."""
        if self._openings is not None:
            states = self._openings[numbers // len(self.seatings) % len(self._openings)]
            states["rng"] = starts
            return states
        states = self.game.arrays.new(starts)
        for actions in self._named_moves(numbers).T:
            self.game.play(states, actions)
        return states

    def _named_moves(self, numbers: Numbers) -> npt.NDArray[np.int32]:
        """Return the moves of the games' named openings; shorter ones are padded with -1."""
        moves = self._moves[numbers // len(self.seatings) % len(self._moves)]
        return moves[:, : int((moves >= 0).sum(1).max(initial=0))]

    def _opened(
        self, numbers: Numbers, groups: Numbers, starts: npt.NDArray[np.uint64]
    ) -> tuple[States, npt.NDArray[np.int32]]:
        """Return the positions after the opening; games of one group have the same opening.

        A random opening that ends the game is resampled.

        Returns:
            The states, shape (N,), and the moves before them, shape (N, moves): the moves of the
            named openings, then the random moves.
        """
        game, plies = self.game, self.opening_plies
        states = self._started(numbers, starts)
        named = self._named_moves(numbers)
        if not plies:
            return states, named
        moves = np.zeros((len(states), plies), np.int32)
        streams = one_way_words(self.seed, "openings", groups)
        wanted = np.arange(len(states))
        for _ in range(1000):
            tried = self._started(numbers[wanted], starts[wanted])
            drawn = streams[wanted]
            for ply in range(plies):
                live = ~game.over(tried)
                bits = drawn[live]
                played = tried[live]
                actions = ask("random", game, played, bits)
                game.play(played, actions)
                tried[live] = played
                drawn[live] = bits
                moves[wanted[live], ply] = actions
            next_bits(drawn)
            streams[wanted] = drawn
            done = ~game.over(tried)
            states[wanted[done]] = tried[done]
            wanted = wanted[~done]
            if not len(wanted):
                return states, np.concatenate([named, moves], 1)
        raise ValueError(
            f"opening_plies must be smaller for {game.name}, which rarely lasts longer, got {plies}"
        )


def _usual_opening(game: Game) -> int:
    """Return `_OPENING_PLIES`, or fewer plies for a game that may end sooner."""
    states = game.new(1, 0)
    game.kernels.play_out(
        states, game.constants, np.zeros(1, np.uint64), np.zeros(game.num_actions, np.bool_)
    )
    return max(0, min(_OPENING_PLIES, int(states["ply"][0]) - 1))


def play_match(
    game: Game | str,
    agents: Sequence[Opponent | str],
    num_games: int | None = None,
    seed: int | None = None,
    *,
    opening_plies: int | None = None,
    openings: Sequence[Any] | States | str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Play games between agents, one for each seat, in turn in every order of seats.

    With two seats, two games that differ only in the seating share their opening and the game's own
    chance; see `seatings`. An illegal action loses the game. `Scores.forfeits` counts these games.

    Args:
        game: a game, or its name.
        agents: one agent for each seat: an object with `act(states) -> actions`, or a spec for
            `agents.make`, which gets its own seed.
        num_games: number of games, at least 1. With `openings`, the default is the number of
            openings times orders of seats. With positions, it must be a multiple of the default.
        seed: seed of everything random, including agents made from specs; `None` for a random one.
        opening_plies: number of random plies at the start of each game. The default is 2 if all
            agents are deterministic and `openings` is not given, else 0. An agent without the
            attribute `deterministic` counts as deterministic.
        openings: initial positions instead of the game's own start: records, dictionaries as
            `Game.to_dict` returns them, or an array of records. Each position is played in all
            orders of seats before the next one, cyclically. Their chance comes from `seed`.
            Alternatively the name of the game's openings, such as "balanced" (see
            `agents.arena.named_openings`), or the path of a list of openings, `*.txt`, if the game
            supports lists. Then the seed decides the order, and `num_games` may be any number.
        progress: function called repeatedly with the number of games that have just finished.

    Raises:
        ValueError: an argument is out of range, or an agent cannot play the game, fails, or returns
            an invalid answer. The message names the agent.

    Example:
        >>> import agents
        >>> scores = agents.play_match("game112", ["exact", "random"], num_games=20, seed=0)
        >>> scores.games, scores[0] > scores[1]
        (20, True)
    """
    game = resolve_game(game)
    callable_or_none("progress", progress)
    if not is_list(agents):
        raise ValueError(f"agents must be a list, got {shown(agents)}")
    if len(agents) != game.num_players:
        raise ValueError(f"{game.name} takes {seats(game)}, got {len(agents)}")
    seed = fresh_seed() if seed is None else seed
    players = [
        make(a, game, agent_seed(seed, place)) if isinstance(a, str) else a
        for place, a in enumerate(agents)
    ]
    given = openings if isinstance(openings, str) else _positions(game, openings)
    match = Match(game, players, seed, opening_plies, given)
    num_games = _number_of_games(num_games, match, openings)
    match.check_players()
    played = Games.blank(num_games, game.num_players, len(agents))
    for games in match.play(np.arange(num_games)):
        if games is not None:
            played.put(games)
            if progress is not None:
                progress(len(games))
    scores = agent_scores(played, len(agents))
    places = [f"agent {place}" for place in range(len(agents))]
    return replace(scores, names=player_names(agents, places, "agent {}"))


def _positions(game: Game, openings: Sequence[Any] | States | None) -> States | None:
    """Return the initial positions, or raise `ValueError`."""
    if openings is None:
        return None
    listed = isinstance(openings, list | tuple)
    if not (listed or (isinstance(openings, np.ndarray) and openings.ndim == 1)):
        raise ValueError(f"openings must be a list of {game.name} positions, got {shown(openings)}")
    if not len(openings):
        raise ValueError(f"openings must have at least one position, got {shown(openings)}")
    found = []
    for place, one in enumerate(openings):
        try:
            state = game.restore(one)
        except ValueError as error:
            raise ValueError(f"opening {place}: {error}") from None
        if game.over(state).any():
            raise ValueError(f"openings must not be over, but opening {place} is over")
        found.append(state)
    return np.concatenate(found)


def _number_of_games(
    num_games: int | None, match: Match, openings: Sequence[Any] | States | str | None
) -> int:
    """Return the number of games of a match, or raise `ValueError`."""
    if match.named is not None and num_games is None:
        return len(match.named.moves) * len(match.seatings)
    if openings is None or match.named is not None:
        return whole_number("num_games", num_games, 1)
    once = len(openings) * len(match.seatings)
    num_games = once if num_games is None else whole_number("num_games", num_games, 1)
    if num_games % once:
        raise ValueError(
            f"num_games must be a multiple of {once} ({counted(len(openings), 'opening')} times "
            f"{counted(len(match.seatings), 'order')} of seats), got {num_games}"
        )
    return num_games
