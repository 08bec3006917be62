"""A logger of Stable-Baselines3 that writes nothing."""

from __future__ import annotations

from stable_baselines3.common.logger import Logger

__all__ = ["silent"]


def silent() -> Logger:
    """For a model that nobody watches.

    One that was given none makes itself a folder for temporary files, which stays there, every time
    that it learns: `stable_baselines3.common.logger.configure`.
    """
    return Logger(folder=None, output_formats=[])
