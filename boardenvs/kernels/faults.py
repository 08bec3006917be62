"""One-line errors for rules that Numba cannot compile, with the place and the reason."""

from __future__ import annotations

import re
from pathlib import Path
from types import FunctionType, TracebackType

from boardenvs.kernels.digest import names_in

__all__ = ["RulesError", "rules_error"]

_LONGEST = 300
"""Maximum number of characters of a reason."""


class RulesError(ValueError):
    """A function of a game's rules cannot be compiled. Its caller is not the cause."""


def rules_error(error: Exception, function: FunctionType) -> RulesError:
    """Return the one-line error for an error of Numba while it compiled a function."""
    place = _place(error, function)
    return RulesError(f"{place}: {_reason(error)}" if place else _reason(error))


def _reason(error: Exception) -> str:
    """Return the reason from Numba's message of several thousand characters."""
    if isinstance(error, KeyError):
        return f"the record has no field {error}"
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    specific = [line for line in lines if re.match(r"\w*(Error|Exception): (?!Failed in)", line)]
    if specific:
        reason = specific[0].partition(": ")[2]
    else:
        reason = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    return reason if len(reason) <= _LONGEST else f"{reason[: _LONGEST - 4]} ..."


def _place(error: Exception, function: FunctionType) -> str:
    """Return the place of the fault, such as `nim/rules.py:78 in observe`, empty if unknown.

    Args:
        error: Numba's error.
        function: function that Numba could not compile.
    """
    # Numba names the innermost function first, with its line if known.
    text = str(error)
    files = re.finditer(r'^File "(.+)", line (\d+):\n(?:@.*\n)*def (\w+)', text, re.MULTILINE)
    named = next((one for one in files if "/numba/" not in one[1]), None)
    called = re.search(r"^During: resolving callee .*<function (\w+) at", text, re.MULTILINE)
    if named and not (called and called.start() < named.start()):
        return f"{_short(named[1])}:{named[2]} in {named[3]}"
    found, line = _called(function, called[1]) if called else _last_compiled(error.__traceback__)
    if found is None:
        return ""
    code = found.__code__
    name = re.sub("_[0-9a-f]{16}$", "", found.__name__)  # copies for a game have a digest
    return f"{_short(code.co_filename)}:{line or code.co_firstlineno} in {name}"


def _short(path: str) -> str:
    """Return the name of a file and of its folder."""
    return "/".join(Path(path).parts[-2:])


def _called(function: FunctionType, name: str) -> tuple[FunctionType | None, int | None]:
    """Return the function of a name that `function` calls, directly or indirectly; no line."""
    todo, seen = [function], {function}
    while todo:
        one = todo.pop()
        if one.__name__ == name and one is not function:
            return one, None
        for used in names_in(one.__code__):
            value = one.__globals__.get(used)
            value = getattr(value, "py_func", value)
            if isinstance(value, FunctionType) and value not in seen:
                seen.add(value)
                todo.append(value)
    return None, None


def _last_compiled(traceback: TracebackType | None) -> tuple[FunctionType | None, int | None]:
    """Return the function that Numba was compiling, and the line if known."""
    function, line = None, None
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_name == "compile_extra" and "func" in frame.f_locals:
            function, line = frame.f_locals["func"], None
        line = getattr(getattr(frame.f_locals.get("self"), "loc", None), "line", line)
        traceback = traceback.tb_next
    return (function, line) if isinstance(function, FunctionType) else (None, None)
