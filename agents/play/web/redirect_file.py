"""A file that redirects a browser to a secret address.

Other users can read the browser's arguments, so the address must not be one of them.
"""

from __future__ import annotations

import contextlib
import html
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["redirect_file"]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>boardenvs</title>
</head>
<body><a href="{address}">To the game</a></body>
</html>
"""


@contextlib.contextmanager
def redirect_file(address: str) -> Iterator[str]:
    """Yield the URL of a file that redirects to an address and that only this user can read.

    The file is deleted at the end of the context.

    Args:
        address: address of the page, such as `http://127.0.0.1:8000/TOKEN/`.

    Raises:
        OSError: the file cannot be written.
    """
    # Other users cannot enter a folder made by `mkdtemp`.
    with tempfile.TemporaryDirectory(prefix="boardenvs-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "play.html")
        page = _PAGE.format(address=html.escape(address))
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(page)
        yield path.as_uri()
