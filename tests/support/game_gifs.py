"""The animations on the games' pages, written by `python tests/support/game_gifs.py [GAME ...]`.

Each animation is one game of fixed agents with a fixed seed. Frames store only changed pixels and
use few colours, to keep the files small.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import boardenvs

PACKAGE = Path(boardenvs.__file__).parent
GAMES = {
    "gekitai": {"agents": ["trained", "greedy"], "seed": 3},
    "gomoku": {"agents": ["threats:2000", "greedy"], "seed": 5},
    "game112": {"agents": ["greedy", "random"], "seed": 0},
    "goat_race": {
        "agents": ["greedy", "greedy"],
        "seed": 1,
        "params": {"num_players": 2},
        "size": 296,
        "seconds": 0.5,
        "colours": 23,
    },
    "dominoes175": {"agents": ["greedy"], "seed": 124},
    "pizza_order": {"agents": ["greedy"], "seed": 5, "size": 400},
}
"""Agents, seed and picture options of each game's animation."""


def episode(name):
    """Play the game of the animation."""
    game = boardenvs.make(name, **GAMES[name].get("params", {}))
    return boardenvs.Episode.play(game, GAMES[name]["agents"], seed=GAMES[name]["seed"])


def write(name):
    """Write a game's animation into the game's folder."""
    shown = GAMES[name]
    played = episode(name)
    size, colours = shown.get("size", 480), shown.get("colours", 63)
    states = played.states()
    # The final position is also the first frame, as in `Episode.save_gif`.
    frames = [played.game.rgb_array(state, size) for state in (states[-1], *states)]
    sample = [*frames[:: max(1, len(frames) // 16)], frames[-1]]
    palette = Image.fromarray(np.concatenate(sample)).quantize(
        colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    before, images = None, []
    for frame in frames:
        image = Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        pixels = np.asarray(image)
        changed = pixels if before is None else np.where(pixels == before, colours, pixels)
        images.append(Image.fromarray(changed.astype(np.uint8)))
        images[-1].putpalette([*palette.getpalette()[: 3 * colours], 0, 0, 0])
        before = pixels
    stay = round(1000 * shown.get("seconds", 1.0))
    images[0].save(
        PACKAGE / name / "game.gif",
        save_all=True,
        append_images=images[1:],
        duration=[*[stay] * (len(images) - 1), 3 * stay],
        loop=0,
        optimize=False,
        disposal=1,
        transparency=colours,  # marks pixels that did not change
    )


if __name__ == "__main__":
    for game_name in sys.argv[1:] or GAMES:
        write(game_name)
