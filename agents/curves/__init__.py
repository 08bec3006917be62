"""Learning curves on the benchmark's ladders: the references, and a run of one's own beside them.

See README.md here.
"""

from boardenvs.doors import named_elsewhere

_PLACES = {
    "Curve": "agents.curves.curve",
    "Point": "agents.curves.curve",
    "draw_curves": "agents.curves.drawing",
    "learn": "agents.curves.learning",
    "own_run": "agents.curves.own_runs",
    "read_curves": "agents.curves.curve",
    "reference_curves": "agents.curves.curve",
    "write_curves": "agents.curves.curve",
}
__all__ = list(_PLACES)
__getattr__ = named_elsewhere(__name__, _PLACES)
