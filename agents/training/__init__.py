"""Training of agents by imitation, MaskablePPO and search-guided self-play; requires `[train]`.

`train` runs a training like `boardenvs train`. `settings_for` and `read_settings` return its
settings.
"""

import importlib
import importlib.util
from typing import Any

for _name in ("torch", "stable_baselines3", "sb3_contrib"):
    if importlib.util.find_spec(_name) is None:
        raise ImportError(
            "agents.training needs the extra [train]: pip install 'boardenvs[train]' "
            f"(cannot import {_name})",
            name=_name,
        )

# Modules are imported on first use, so that one name does not load all of them.
_PLACES = {
    "SB3VecEnv": "agents.training.vec_env",
    "Settings": "agents.training.settings",
    "TrainingRun": "agents.training.run",
    "read_settings": "agents.training.settings_files",
    "settings_for": "agents.training.settings_files",
    "train": "agents.training.start_run",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
