"""Pictures as pixels: the SVG that `Game.picture` draws, rasterised.

Lettering comes from the DejaVu fonts inside of Matplotlib, never from the fonts of the
machine, so that a picture has the same words in the same places everywhere. What this
needs beyond the core is the extra `[render]`.
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
"""The least and the most pixels that the longer side of a picture may have."""

_NEEDED = ("resvg_py", "PIL", "matplotlib")
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")
# The x264 encoder of most videos takes only even sides. Other encoders want multiples of 16, and
# scale other sizes.
_MULTIPLE = 16
_SIZE = re.compile(r' width="([0-9.]+)" height="([0-9.]+)"')


def require_render(what: str = "a picture as pixels") -> None:
    """Raise `ValueError`, in one line, where the extra `[render]` is not installed."""
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{what} needs the extra [render], such as pip install 'boardenvs[render]': "
                f"there is no {name}"
            )


def frame_shape(picture: str, size: int) -> tuple[int, int]:
    """Return height and width in pixels of a picture whose longer side has `size` pixels.

    Both are rounded to multiples of 16, as video encoders want them.

    Args:
        picture: as `boardenvs.show.svg.svg` makes it.
        size: within `SIZES`.

    Raises:
        ValueError: `size` is no such number, or the picture does not say how large it is.
    """
    size = whole_number("size", size, *SIZES)
    found = _SIZE.search(picture)
    if found is None:
        raise ValueError(f"a picture must be SVG with a width and a height, got {picture!r:.100}")
    width, height = float(found[1]), float(found[2])
    scale = size / max(width, height) / _MULTIPLE
    return tuple(max(1, round(side * scale)) * _MULTIPLE for side in (height, width))  # type: ignore[return-value]


def rasterize(picture: str, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Return a picture as pixels, on its own background.

    Args:
        picture: as `boardenvs.show.svg.svg` makes it.
        shape: height and width.

    Returns:
        uint8 array of shape (height, width, 3).

    Raises:
        ValueError: the extra `[render]` is not installed, or the picture is no SVG.
    """
    require_render()
    import resvg_py
    from PIL import Image

    # By the root's own size the canvas is as large as asked for; its view box keeps the
    # proportions and stays in the middle.
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
