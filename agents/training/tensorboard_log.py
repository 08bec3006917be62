"""TensorBoard files of a run, with an error that names the folder if a file cannot be written.

TensorBoard writes in a thread, where Python would print a failure with its traceback. The next call
also raises the failure, so the output of the thread is suppressed.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

__all__ = ["tensorboard_log"]


@contextlib.contextmanager
def tensorboard_log(folder: Path) -> Iterator[Logger]:
    """Return a logger that writes TensorBoard files to a folder; it is closed if no error occurs.

    Raises:
        OSError: a file cannot be written; the error names the folder.
    """
    before = threading.excepthook

    def hook(args: Any) -> None:
        theirs = type(args.thread).__module__.startswith("tensorboard.")
        if not (theirs and isinstance(args.exc_value, OSError)):
            before(args)

    threading.excepthook = hook
    try:
        logger = Logger(str(folder), [_Output(folder)])
        yield logger
        logger.close()
    finally:
        threading.excepthook = before


class _Output(TensorBoardOutputFormat):
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._named():
            super().__init__(str(folder))

    def write(self, *args: Any, **kwargs: Any) -> None:
        with self._named():
            super().write(*args, **kwargs)

    def close(self) -> None:
        with self._named():
            super().close()

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno is None:
                raise
            raise OSError(error.errno, error.strerror, str(self._folder)) from error
