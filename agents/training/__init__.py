"""Training by self-play: MaskablePPO over the native vector environments. Needs `[train]`."""

import importlib.util

for _name in ("torch", "stable_baselines3", "sb3_contrib"):
    if importlib.util.find_spec(_name) is None:
        raise ImportError(
            "agents.training needs the extra [train], such as pip install 'boardenvs[train]': "
            f"there is no {_name}",
            name=_name,
        )
