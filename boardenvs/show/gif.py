"""Frames of pixels as an animated GIF, without dithering and without drifting colours."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["gif"]

_COLOURS = 256  # as many as a GIF has
_SAMPLE = 16  # frames that the colours are chosen from
_END = 3  # how many times as long the last frame stays
Frame = npt.NDArray[np.uint8]


def gif(num: int, draw: Callable[[int], Frame], seconds: float) -> bytes:
    """Return an animation that plays again and again, its last frame three times as long.

    All frames have one palette: the most frequent colours, which stay exact. Each of the
    others, which smooth the edges, becomes the nearest of those.

    Args:
        num: of frames, at least one.
        draw: gives the frame of a number from 0: a uint8 array, all of the same shape
            (H, W, 3). It is called once for each.
        seconds: for which a frame stays. GIF counts hundredths of a second.
    """
    # The first and the last are among them: what has won has a colour that comes late.
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
    """Return the most frequent colours, shape (256 or fewer, 3)."""
    counts: Counter[int] = Counter()
    for frame in frames:
        colours, numbers = np.unique(_coded(frame), return_counts=True)
        counts.update(dict(zip(colours.tolist(), numbers.tolist(), strict=True)))
    # Colours that are as frequent come in order of their numbers, so that files repeat.
    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))
    return _parts(np.array(ranked[:_COLOURS], np.int32))


def _indexed(frames: Iterable[Frame], palette: npt.NDArray[np.int32]) -> Iterator[Any]:
    """Yield each frame as an image of places in the palette."""
    from PIL import Image

    index = np.full(1 << 24, -1, np.int16)  # by every colour that there could be
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
    """Return each pixel's colour as one number, shape (H, W)."""
    red, green, blue = np.moveaxis(frame.astype(np.int32), 2, 0)
    return red << 16 | green << 8 | blue


def _parts(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return red, green and blue of such numbers, shape (N, 3)."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1)
