"""Frames of pixels as an animated GIF, without dithering and without drifting colours."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["gif"]

_COLOURS = 256  # as many as a GIF has
_END = 3.0  # how many times as long the last frame stays
Frame = npt.NDArray[np.uint8]


def gif(frames: Sequence[Frame], seconds: float) -> bytes:
    """An animation that plays again and again, its last frame three times as long.

    The most frequent colours are exact in every frame; each of the others, which smooth
    the edges, becomes the nearest of those.

    Args:
        frames: uint8 arrays, at least one, all of the same shape (H, W, 3).
        seconds: for which a frame stays. GIF counts hundredths of a second.
    """
    from PIL import Image

    coded = [_coded(frame) for frame in frames]
    counts: Counter[int] = Counter()
    for frame in coded:
        colours, numbers = np.unique(frame, return_counts=True)
        counts.update(dict(zip(colours.tolist(), numbers.tolist(), strict=True)))
    # Colours that are as frequent come in order of their numbers, so that files repeat.
    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))
    palette = _parts(np.array(ranked[:_COLOURS]))
    known = np.array(ranked)
    index = np.zeros(1 << 24, np.uint8)  # of every colour that there could be
    for k in range(0, len(known), 1024):
        apart = _parts(known[k : k + 1024])[:, None] - palette
        index[known[k : k + 1024]] = (apart**2).sum(2).argmin(1)
    images = []
    for frame in coded:
        image = Image.fromarray(index[frame])
        image.putpalette(palette.astype(np.uint8).tobytes())
        images.append(image)
    stay = round(1000 * seconds)
    buffer = io.BytesIO()
    images[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=images[1:],
        duration=[*[stay] * (len(images) - 1), round(_END * stay)],
        loop=0,
        optimize=False,
    )
    return buffer.getvalue()


def _coded(frame: Frame) -> npt.NDArray[np.int32]:
    """Each pixel's colour as one number, shape (H, W)."""
    red, green, blue = np.moveaxis(frame.astype(np.int32), 2, 0)
    return red << 16 | green << 8 | blue


def _parts(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Red, green and blue of such numbers, shape (N, 3)."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1)
