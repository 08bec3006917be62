"""Animated GIFs from frames of pixels, with exact colours and without dithering."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["gif"]

_COLOURS = 256  # maximum of the format
_SAMPLE = 16  # number of frames that the colours are chosen from
_END = 3  # duration of the last frame, in frames
Frame = npt.NDArray[np.uint8]


def gif(num: int, draw: Callable[[int], Frame], seconds: float) -> bytes:
    """Return an animation that repeats without end. Its last frame is three times as long.

    All frames share a palette of the most frequent colours, which stay exact. Other colours, which
    smooth the edges, become the nearest colour of the palette.

    Args:
        num: number of frames, at least 1.
        draw: function that returns a frame by its number, counted from 0: uint8 of shape (H, W, 3),
            the same for all frames. It is called once for each frame.
        seconds: duration of a frame, which GIF stores in hundredths of a second.
    """
    # Include the last frame, since the colour of the winning line appears there first.
    numbers = np.unique(np.linspace(0, num - 1, _SAMPLE).round().astype(int))
    sample = {k: draw(k) for k in numbers.tolist()}
    palette = _frequent(sample.values())
    images = _indexed((sample.pop(k) if k in sample else draw(k) for k in range(num)), palette)
    stay = round(1000 * seconds)
    buffer = io.BytesIO()
    next(images).save(
        buffer,
        "GIF",
        save_all=True,
        append_images=images,
        duration=[*[stay] * (num - 1), _END * stay],
        loop=0,
        optimize=False,
    )
    return buffer.getvalue()


def _frequent(frames: Iterable[Frame]) -> npt.NDArray[np.int32]:
    """Return the most frequent colours, at most 256, shape (N, 3)."""
    counts: Counter[int] = Counter()
    for frame in frames:
        colours, numbers = np.unique(_coded(frame), return_counts=True)
        counts.update(dict(zip(colours.tolist(), numbers.tolist(), strict=True)))
    # Equally frequent colours are sorted by number, so that files are reproducible.
    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))
    return _parts(np.array(ranked[:_COLOURS], np.int32))


def _indexed(frames: Iterable[Frame], palette: npt.NDArray[np.int32]) -> Iterator[Any]:
    """Yield each frame as an image of palette indices."""
    from PIL import Image

    index = np.full(1 << 24, -1, np.int16)  # palette index of each of the 2**24 colours
    for frame in frames:
        coded = _coded(frame)
        colours = np.unique(coded)
        new = colours[index[colours] < 0]
        for some in np.array_split(new, len(new) // 1024 + 1):
            apart = _parts(some)[:, None] - palette
            index[some] = (apart**2).sum(2).argmin(1)
        image = Image.fromarray(index[coded].astype(np.uint8))
        image.putpalette(palette.astype(np.uint8).tobytes())
        yield image


def _coded(frame: Frame) -> npt.NDArray[np.int32]:
    """Return the colour of each pixel as one number, shape (H, W)."""
    red, green, blue = np.moveaxis(frame.astype(np.int32), 2, 0)
    return red << 16 | green << 8 | blue


def _parts(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return red, green and blue of colours given as numbers, shape (N, 3)."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1)
