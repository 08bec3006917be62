"""Training by self-play: MaskablePPO over the native vector environments. Needs `[train]`.

`train` does what `boardenvs train` does; `settings_for` and `read_settings` give what it is told.
"""

import importlib.util

from boardenvs.doors import named_elsewhere

for _name in ("torch", "stable_baselines3", "sb3_contrib"):
    if importlib.util.find_spec(_name) is None:
        raise ImportError(
            "agents.training needs the extra [train], such as pip install 'boardenvs[train]': "
            f"there is no {_name}",
            name=_name,
        )

_PLACES = {
    "SB3VecEnv": "agents.training.vec_env",
    "Settings": "agents.training.settings",
    "TrainingRun": "agents.training.run",
    "read_settings": "agents.training.settings",
    "settings_for": "agents.training.settings",
    "train": "agents.training.start",
}
__all__ = list(_PLACES)
__getattr__ = named_elsewhere(__name__, _PLACES)
