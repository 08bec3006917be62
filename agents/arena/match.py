"""One match: its games played side by side, seats swapped, openings shared."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import blamed, check_can_play
from agents.arena.openings import named_openings
from agents.arena.scores import Scores, agent_scores
from agents.making import make
from agents.seeds import agent_seed, fresh_seed, one_way_words
from boardenvs.core.chance import make_streams, next_bits, seed_word
from boardenvs.core.checks import callable_or_none, is_list, shown, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.envs.opponents import Opponent, ask, player_names
from boardenvs.envs.playout import plies
from boardenvs.game import Game, States

__all__ = ["Games", "Match", "Progress", "play_match", "seatings", "seats"]

_SIDE_BY_SIDE = 1024  # maximum number of games at once; limits memory, not results
_OPENING_PLIES = 2  # when everyone is deterministic

Numbers = npt.NDArray[np.int64]
Progress = Callable[[int], Any]


def seats(game: Game) -> str:
    """How many agents a game takes, in words. Raises `ValueError` unless it is a game.

    Example:
        >>> import boardenvs
        >>> from agents.arena import seats
        >>> seats(boardenvs.make("goat_race", num_players=3))
        '3 agents'
    """
    resolve_game(game)
    return f"{game.num_players} agent{'s' if game.num_players > 1 else ''}"


@dataclass(frozen=True)
class Games:
    """Finished games of one match, G of them."""

    numbers: Numbers
    """Which of the match's games, from 0, shape (G,)."""
    streams: npt.NDArray[np.uint64]
    """Start of each game's own random stream, uint64 of shape (G,)."""
    who: Numbers
    """Which agent has each seat, shape (G, num_players)."""
    returns: npt.NDArray[np.float32]
    """Each seat's result, shape (G, num_players)."""
    plies: npt.NDArray[np.int32]
    """Each game's length, shape (G,)."""
    moves: npt.NDArray[np.int32]
    """All actions from the start, the opening's too, equally many: shape (G, moves)."""
    offenders: Numbers
    """The seat that lost each game by an illegal action, -1 where none did, shape (G,)."""
    seconds: npt.NDArray[np.float64]
    """What each agent took to choose in each game, shape (G, agents). Where it was asked for many
    games at once, each has an equal share."""
    choices: Numbers
    """How often each agent chose, likewise; 0 where nobody took the time."""

    def __len__(self) -> int:
        return len(self.numbers)

    def rows(self, which: npt.ArrayLike) -> Games:
        """Some of them, given as an index or a mask."""
        return Games(*(getattr(self, field.name)[which] for field in fields(self)))


def seatings(num_players: int, num_agents: int) -> tuple[Numbers, int]:
    """In which ways agents share the seats of a game; games take them in turn.

    With as many agents as seats these are all orders, each followed by its rotations, so
    that no agent waits for a seat. With two agents for more seats they are all ways to share
    them, each followed by the one with the agents swapped.

    Returns:
        The agent in each seat, shape (seatings, num_players), and how many games in a row
        share their opening and the game's own chance: 2 for two agents, the two that differ
        only in who is who. Else every game has its own, since whole sets of seatings in one
        deal would make so few deals that no interval could be trusted.
    """
    if num_agents == num_players:
        orders = [o for o in itertools.permutations(range(num_agents)) if o[0] == 0]
        rows = [order[k:] + order[:k] for order in orders for k in range(num_agents)]
    else:
        halves = [h for h in itertools.product((0, 1), repeat=num_players) if h[0] == 0 and any(h)]
        rows = [row for half in halves for row in (half, tuple(1 - k for k in half))]
    return np.array(rows), 2 if num_agents == 2 else 1


class Match:
    """Agents, and the games that they play in turn in every seating.

    Game number i is the same whichever others are played, beside it or at all, as far as
    the agents have `choose` or draw nothing of their own.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Opponent],
        seed: int,
        opening_plies: int | None = None,
        openings: States | str | None = None,
    ) -> None:
        """Set up a match; nothing is played.

        Args:
            game: what is played.
            players: as many as it has seats, or two who share them.
            seed: as for `play_match`, like the rest.
            opening_plies: see there.
            openings: positions to start from, each for all seatings in turn, shape (K,), or
                the name of openings; by default games start as usual.

        Raises:
            ValueError: for arguments out of range, or if there are no openings of that name.
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
        self._moves = np.zeros((1, 0), np.int32)  # with which games begin, a row for each opening
        if self.named is not None:
            # Few games are of other openings with another seed.
            order = one_way_words(seed, "order of openings", np.arange(len(self.named.moves)))
            self._moves = self.named.moves[np.argsort(order)]

    def check_players(self) -> None:
        """Whether everyone can play on from where the first game begins, its opening played.

        Raises:
            ValueError: an agent cannot, see `Agent.check_can_play`.
        """
        first = np.zeros(1, np.int64)
        states, _ = self._opened(first, first, make_streams(self._base, 1))
        for player in self.players:
            check_can_play(player, states)

    def play(self, numbers: Numbers) -> Iterator[Games | None]:
        """Play games to their ends, one after another if a player has `one_game_at_a_time`.

        Args:
            numbers: which, shape (N,).

        Yields:
            Games that have just ended; `None` after a ply with which none did.

        Raises:
            ValueError: an agent answers nonsense or fails; it is named.
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
        count = opening.shape[1]  # moves so far, the same in all games that still go on
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
        """What the agents to move do in the live games, of which these are the states.

        What they take for it is added to `seconds`, and how often they are asked to `choices`.
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
        """Return the positions that games start from, with the given random streams."""
        if self._openings is not None:
            states = self._openings[numbers // len(self.seatings) % len(self._openings)]
            states["rng"] = starts
            return states
        states = self.game.arrays.new(starts)
        for actions in self._named_moves(numbers).T:
            self.game.play(states, actions)
        return states

    def _named_moves(self, numbers: Numbers) -> npt.NDArray[np.int32]:
        """Return the moves of games' named openings; -1 follows the end of shorter ones."""
        moves = self._moves[numbers // len(self.seatings) % len(self._moves)]
        return moves[:, : int((moves >= 0).sum(1).max(initial=0))]

    def _opened(
        self, numbers: Numbers, groups: Numbers, starts: npt.NDArray[np.uint64]
    ) -> tuple[States, npt.NDArray[np.int32]]:
        """Positions after the opening, equal where the groups are.

        A random opening in which the game ends is drawn again.

        Returns:
            The states, shape (N,), and the moves that led there, shape (N, moves): those of the
            named openings, then the random ones.
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
        raise ValueError(f"{game.name} hardly ever lasts {plies} random plies: ask for fewer")


def _usual_opening(game: Game) -> int:
    """`_OPENING_PLIES`, or what a very short game lasts, its last ply aside."""
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
    """Games between agents, one for each seat, in turn in every order of seats.

    With two seats, the two games that differ only in the seating share their opening and
    the game's own chance; see `seatings`. An illegal action loses the game; how many games
    an agent loses so is told by `Scores.forfeits`.

    Args:
        game: what is played, or its name.
        agents: as many as the game has seats: objects with `act(states) -> actions`, or
            specs for `agents.make`, which get seeds of their own.
        num_games: how many in all, at least 1. With `openings` it may be left out, for each
            of them once in every order of seats, or is a multiple of that.
        seed: of everything random that is not the agents' own; with agents of this
            package, of those too.
        opening_plies: how many random plies each opening has. By default 2 if all agents
            are deterministic (an agent that does not say is taken to be), else none; none
            after `openings`.
        openings: positions to start from instead of the game's own start: records,
            dictionaries as `Game.to_dict` gives them, or an array of records. Each is played
            in all orders of seats before the next one comes, and after the last the first
            comes again. Of chance they keep nothing: it comes from `seed`. A name of the game's
            openings, such as "balanced", is accepted, too (see `agents.arena.openings`). So is
            the path of a list of openings, `*.txt`, if the game supports such lists. The
            openings of a name or a list come in an order that follows the seed, and
            `num_games` may be any number.
        progress: called with the number of games just finished, now and then.

    Raises:
        ValueError: for arguments out of range, for an agent that cannot play the game from
            its start, and for one that answers nonsense or fails, naming it.

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
    returns = np.zeros((num_games, game.num_players), np.float32)
    who = np.zeros((num_games, game.num_players), np.int64)
    plies = np.zeros(num_games, np.int32)
    offenders = np.zeros(num_games, np.int64)
    seconds = np.zeros((num_games, len(agents)))
    choices = np.zeros((num_games, len(agents)), np.int64)
    match.check_players()
    for games in match.play(np.arange(num_games)):
        if games is not None:
            returns[games.numbers] = games.returns
            who[games.numbers] = games.who
            plies[games.numbers] = games.plies
            offenders[games.numbers] = games.offenders
            seconds[games.numbers] = games.seconds
            choices[games.numbers] = games.choices
            if progress is not None:
                progress(len(games))
    scores = agent_scores(returns, who, plies, offenders, len(agents), seconds, choices)
    places = [f"agent {place}" for place in range(len(agents))]
    return replace(scores, names=player_names(agents, places, "agent {}"))


def _positions(game: Game, openings: Sequence[Any] | States | None) -> States | None:
    """Positions to start from, checked."""
    if openings is None:
        return None
    listed = isinstance(openings, list | tuple)
    if not (listed or (isinstance(openings, np.ndarray) and openings.ndim == 1)):
        raise ValueError(f"openings must be a list of {game.name} positions, got {shown(openings)}")
    if not len(openings):
        raise ValueError("openings must be at least one position, got none")
    found = []
    for place, one in enumerate(openings):
        try:
            state = game.restore(one)
        except ValueError as error:
            raise ValueError(f"opening {place}: {error}") from None
        if game.over(state).any():
            raise ValueError(f"opening {place} is over: there is nothing to play")
        found.append(state)
    return np.concatenate(found)


def _number_of_games(
    num_games: int | None, match: Match, openings: Sequence[Any] | States | str | None
) -> int:
    """How many games a match has, checked."""
    if match.named is not None and num_games is None:
        return len(match.named.moves) * len(match.seatings)
    if openings is None or match.named is not None:
        return whole_number("num_games", num_games, 1)
    once = len(openings) * len(match.seatings)
    num_games = once if num_games is None else whole_number("num_games", num_games, 1)
    if num_games % once:
        raise ValueError(
            f"num_games must be a multiple of {once}, {len(openings)} openings in "
            f"{len(match.seatings)} orders of seats, got {num_games}"
        )
    return num_games
