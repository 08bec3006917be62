"""A program for `engine:` that wraps an agent of an older checkout without the protocol.

    git worktree add earlier 86325a1
    boardenvs arena gomoku puct:1s \\
        "engine:1100ms:python tests/agents/games/gomoku/protocol/earlier_agent.py earlier puct:1s"

It uses only `boardenvs.make`, `agents.make` and `act` of the old checkout. The agent's spec sets
its time. The program ignores the manager's time limits.
"""

from __future__ import annotations

import sys

_WARM = 4
"""Plies that compile everything that a move needs."""


def main(folder: str, spec: str) -> None:
    """Answer the commands on standard input until END."""
    sys.path.insert(0, folder)
    import agents
    import boardenvs

    agent = game = None
    size = 0
    cells: list[int] = []

    def move() -> None:
        states = game.new(1, 0)
        for cell in cells:
            game.play(states, [cell])
        cells.append(int(agent.act(states)[0]))
        print(f"{cells[-1] % size},{cells[-1] // size}", flush=True)

    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "START":
            size, cells = int(rest), []
            game = boardenvs.make("gomoku", board_size=size)
            agent = agents.make(spec, game, seed=0)
            states = game.new(1, 0)
            for _ in range(_WARM):
                game.play(states, agent.act(states))
            print("OK", flush=True)
        elif word == "RESTART":
            cells = []
            print("OK", flush=True)
        elif word == "BEGIN":
            move()
        elif word == "TURN":
            cells.append(_cell(rest, size))
            move()
        elif word == "BOARD":
            cells = _board(size)
            move()
        elif word == "END":
            return


def _cell(text: str, size: int) -> int:
    column, row = map(int, text.split(",")[:2])
    return row * size + column


def _board(size: int) -> list[int]:
    """Return the stones of a position in a possible order of placement."""
    stones: dict[int, list[int]] = {1: [], 2: []}
    for line in iter(sys.stdin.readline, ""):
        if line.strip() == "DONE":
            break
        stones[int(line.split(",")[2])].append(_cell(line, size))
    own, other = stones[1], stones[2]
    first, second = (own, other) if len(own) == len(other) else (other, own)
    order = [cell for pair in zip(first, second, strict=False) for cell in pair]
    return order + first[len(second) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
