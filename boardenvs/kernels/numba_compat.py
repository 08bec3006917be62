"""The undocumented parts of Numba that this package uses; see also `intrinsics`.

If a version of Numba lacks one of them, the results stay the same, but code is slower or runs on
one thread. One line is logged.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import types
from collections.abc import Callable
from typing import Any

import numba
import numba.core.errors

__all__ = [
    "COMPILES",
    "HELPER",
    "INNER",
    "LOOP",
    "OPTIMISED_FIRST",
    "EntryPoint",
    "entry_point",
    "is_compiled",
    "is_plain",
    "is_ready",
    "outer_symbols",
    "prepare_to_load",
    "records_are_named",
    "say_lacking",
]


def is_compiled(function: Any) -> bool:
    """Return whether Numba compiles a function. With NUMBA_DISABLE_JIT, it compiles none."""
    return hasattr(function, "py_func")


COMPILES = is_compiled(numba.njit(lambda: None))
"""Whether Numba compiles anything."""


@functools.cache
def say_lacking(feature: str, without: str) -> None:
    """Log once that this version of Numba lacks a feature, and the consequence."""
    logging.getLogger("boardenvs").warning(
        "boardenvs: Numba %s has no %s: %s", numba.__version__, feature, without
    )


# -- The names of records -------------------------------------------------------------------


def _record_name(record: numba.types.Record) -> tuple[str, tuple[str]]:
    return "Record", (hashlib.sha256(str(record).encode()).hexdigest()[:16],)


@functools.cache
def records_are_named() -> bool:
    """Name machine code for records by their layout, and return whether that is possible.

    This changes a class of Numba, so it happens at the first use of a cache, not at import.

    Numba names machine code by a number of the record's type in the process. So two processes could
    cache code of different records under the same name. A process that loads both would link them
    into one, and rules would read the wrong fields.
    """
    if not hasattr(numba.types.Record, "mangling_args"):
        return False
    numba.types.Record.mangling_args = property(_record_name)  # type: ignore[assignment, method-assign]
    return True


# -- Loading machine code -------------------------------------------------------------------


def outer_symbols(library: Any) -> list[str] | None:
    """Return the external symbols of machine code, or `None` if this Numba does not expose them.

    Args:
        library: library of a `CompileResult`.
    """
    module = getattr(library, "_final_module", None)
    if module is None:
        return None
    values = [*module.functions, *module.global_variables]
    return [one.name for one in values if one.is_declaration and not one.name.startswith("llvm.")]


def prepare_to_load(target_context: Any, symbols: list[str] | None) -> None:
    """Prepare Numba to load machine code, since missing symbols would end the process.

    Nearly all loops only need Numba's runtime. Numba itself would import its whole compiler, which
    takes 0.2 s.

    Args:
        target_context: target context of a `CompileResult`.
        symbols: result of `outer_symbols`.
    """
    try:
        from llvmlite.binding import address_of_symbol
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(target_context)
        known = symbols is not None and all(map(address_of_symbol, symbols))
    except (ImportError, AttributeError):
        known = False
    if not known:
        target_context.refresh()


# -- Options --------------------------------------------------------------------------------


def _options() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the options of `numba.njit` for helpers, inner functions and others.

    By default, Numba compiles each helper separately, with wrappers for Python and C, and LLVM may
    not inline it. A call may cost more than the helper, since an array is passed as seven numbers.
    So helpers are always inlined, and are not compiled separately.
    """
    if not COMPILES:
        return {}, {}, {}
    try:
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler
        from numba.core.cpu import CPUTargetOptions

        options = ("forceinline", "no_cpython_wrapper", "no_cfunc_wrapper")
        methods = ("_optimize_final_module", "_finalize_final_module", "_ensure_finalized")
        known = all(hasattr(CPUTargetOptions, one) for one in options)
        known = known and all(hasattr(JITCodeLibrary, one) for one in methods)
    except ImportError:
        known = False
    if not known:
        say_lacking("way to copy code into its callers", "everything is slower")
        return {}, {}, {}

    class NoEnvironment:
        """A placeholder for the environment that calls from Python need."""

        def set_env(self, name: str, env: Any) -> None:
            """Do nothing, since Python never calls the code."""

    class LinkedCode(JITCodeLibrary):
        """Code that is only linked into other code."""

        codegen = NoEnvironment()

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

    class HelperCompiler(Compiler):
        """A compiler whose output is `LinkedCode`."""

        def define_pipelines(self) -> Any:
            codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
            self.state.library = LinkedCode(codegen, name)
            self.state.library.enable_object_caching()
            return super().define_pipelines()

    loop = {"no_cfunc_wrapper": True}
    inner = {**loop, "no_cpython_wrapper": True}
    return {**inner, "forceinline": True, "pipeline_class": HelperCompiler}, inner, loop


HELPER, INNER, LOOP = _options()
"""Options of `numba.njit`.

`HELPER` is for inlined functions, `INNER` for other functions that Python does not call, and `LOOP`
for functions that Python calls."""
OPTIMISED_FIRST = INNER and {**INNER, "forceinline": True}
"""Options for functions that are optimised by themselves and then inlined. Without `forceinline`,
Numba would take its value from the function that is compiled first."""


# -- Calls ----------------------------------------------------------------------------------


def entry_point(kernel: Any, *examples: Any) -> Callable[..., Any]:
    """Return the machine code of a kernel for arguments of the types of `examples`.

    Numba takes longer to check the type of an array of records than to play a ply. The machine code
    does not check types. If the kernel is not compiled yet, the result is equivalent plain Python,
    see `boardenvs.kernels.interpreting`.

    Args:
        kernel: function from `numba.njit`.
        *examples: an example of each argument.
    """
    if not is_compiled(kernel):
        return kernel
    signature = tuple(numba.typeof(one) for one in examples)
    entry: Any = kernel.compile(signature) if hasattr(kernel, "compile") else None
    if callable(entry):
        return entry
    say_lacking("entry point of compiled code", "games one at a time are slower")
    return kernel


def is_plain(function: Any) -> bool:
    """Return whether a function is plain Python, which machine code may replace later."""
    return isinstance(function, types.FunctionType)


def is_ready(kernel: Any) -> bool:
    """Return whether a loop no longer runs as plain Python."""
    return bool(getattr(kernel, "overloads", True))


class EntryPoint:
    """A kernel that is always called with the same argument types, see `entry_point`."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._entry: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        """Call the kernel."""
        entry = self._entry
        if entry is None:
            entry = entry_point(self._kernel, *args)
            if not is_plain(entry):
                self._entry = entry
        return entry(*args)
