"""Random arguments of the games from their whole ranges."""

from __future__ import annotations

OFTEN = [
    {"num_players": 2},
    {},
    {"num_players": 2, "width": 5, "height": 3},
    {"num_players": 5, "width": 9, "height": 6},
]
"""Frequent sizes of Goat Race, because every other size compiles the rules again."""


def deck(rng):
    tiles = [[low, high] for high in range(7) for low in range(high + 1)]
    return [tiles[k] if rng.random() < 0.5 else tiles[k][::-1] for k in rng.permutation(28)]


def parameters(name, rng):
    """Return random arguments of a game from their whole ranges, mostly small boards."""

    def some(low, high):
        return int(rng.integers(low, high + 1))

    long = bool(rng.random() < 0.6)
    if name == "gekitai":
        size, pieces = some(6, 8), some(6, 12)
        line = some(3, min(size, pieces)) if rng.random() < 0.7 else 3
        made = {"board_size": size, "pieces": pieces, "line_length": line}
        return made if long else {**made, "max_plies": some(2, 60)}
    if name == "gomoku":
        size = some(5, 26) if rng.random() < 0.2 else some(5, 9)
        made = {"board_size": size, "win_length": some(1, min(size, 7) if long else size)}
        made["exact"] = bool(rng.random() < 0.5)
        return made if long else {**made, "max_plies": some(2, size**2 + 3)}
    if name == "game112":
        return {"board_size": some(1, 9), "max_plies": 9 if long else some(2, 12)}
    if name == "dominoes175":
        made = {"deck": deck(rng)} if rng.random() < 0.3 else {}
        return made if long else {**made, "max_plies": some(1, 40)}
    if name == "pizza_order":
        made = {"max_pizzas": some(1, 9)}
        return made if long else {**made, "max_plies": some(1, 60)}
    if rng.random() < 0.03:
        made = {"num_players": some(2, 5), "width": some(3, 26), "height": some(1, 26)}
    else:
        made = {**OFTEN[some(0, len(OFTEN) - 1)]}
    made["memory"] = bool(rng.random() < 0.3)
    made["draw_rule"] = ["forward", "jump"][some(0, 1)]
    if rng.random() < 0.3:
        width, height = made.get("width", 9), made.get("height", 6)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        made["obstacles"] = [(r, letters[some(1, width - 2)]) for r in range(1, height + 1)]
    return made if long else {**made, "max_plies": some(made.get("num_players", 3), 90)}
