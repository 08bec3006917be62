"""Pictures as pixels: the SVG of `Game.picture`, rasterised. Requires the extra `[render]`.

Text uses the DejaVu fonts of Matplotlib and not the fonts of the machine, so that pictures are the
same on every machine.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import whole_number
from boardenvs.show.svg import PAPER

__all__ = ["SIZES", "frame_shape", "rasterize", "require_render"]

SIZES = 64, 4096
"""Minimum and maximum number of pixels of a picture's longer side."""

_NEEDED = ("resvg_py", "PIL", "matplotlib")
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")
# The common x264 encoder requires even sides. Other encoders scale sizes that are not multiples
# of 16.
_MULTIPLE = 16
_SIZE = re.compile(r' width="([0-9.]+)" height="([0-9.]+)"')


def require_render(what: str = "a picture as pixels") -> None:
    """Raise `ValueError` if the extra `[render]` is not installed."""
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{what} needs the extra [render]: pip install 'boardenvs[render]' "
                f"(the module {name} is missing)"
            )


def frame_shape(picture: str, size: int) -> tuple[int, int]:
    """Return height and width in pixels of a picture whose longer side has about `size` pixels.

    Both are rounded to multiples of 16, as video encoders require.

    Args:
        picture: picture of `boardenvs.show.svg.svg`.
        size: number of pixels, within `SIZES`.

    Raises:
        ValueError: `size` is not valid, or the picture has no width and height.
    """
    size = whole_number("size", size, *SIZES)
    found = _SIZE.search(picture)
    if found is None:
        raise ValueError(f"picture must be SVG with width and height, got {picture!r:.100}")
    width, height = float(found[1]), float(found[2])
    scale = size / max(width, height) / _MULTIPLE
    return tuple(max(1, round(side * scale)) * _MULTIPLE for side in (height, width))  # type: ignore[return-value]


def rasterize(picture: str, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Return a picture as pixels, on its own background.

    Args:
        picture: picture of `boardenvs.show.svg.svg`.
        shape: height and width.

    Returns:
        uint8 array of shape (height, width, 3).

    Raises:
        ValueError: the extra `[render]` is not installed, or the picture is not SVG.
    """
    require_render()
    import resvg_py
    from PIL import Image

    # The size of the root element sets the size of the canvas. The view box is centred and keeps
    # its proportions.
    height, width = shape
    png = resvg_py.svg_to_bytes(
        svg_string=_SIZE.sub(f' width="{width}" height="{height}"', picture, count=1),
        background=PAPER,
        skip_system_fonts=True,
        font_files=_font_files(),
        sans_serif_family="DejaVu Sans",
        monospace_family="DejaVu Sans Mono",
    )
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"))


@functools.cache
def _font_files() -> list[str]:
    import matplotlib as mpl

    folder = Path(mpl.get_data_path(), "fonts", "ttf")
    return [str(folder / name) for name in _FONTS]
