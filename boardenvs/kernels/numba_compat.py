"""The parts of Numba that this package uses and Numba does not document; see also `intrinsics`.

Another version of Numba may lack any of them. Then everything still runs, with the same results,
but slower or on one thread, and one line says so.
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
    "EntryPoint",
    "entry_point",
    "ignore_constants",
    "is_compiled",
    "is_plain",
    "outer_symbols",
    "prepare_to_load",
    "records_are_named",
    "say_lacking",
]


def is_compiled(function: Any) -> bool:
    """Return whether Numba compiles a function; with NUMBA_DISABLE_JIT all are plain Python."""
    return hasattr(function, "py_func")


COMPILES = is_compiled(numba.njit(lambda: None))
"""Whether Numba compiles anything."""


@functools.cache
def say_lacking(feature: str, without: str) -> None:
    """Log once that this Numba lacks a feature, and what follows from that."""
    logging.getLogger("boardenvs").warning(
        "boardenvs: Numba %s has no %s: %s", numba.__version__, feature, without
    )


# -- The names of records -------------------------------------------------------------------


def _record_name(record: numba.types.Record) -> tuple[str, tuple[str]]:
    return "Record", (hashlib.sha256(str(record).encode()).hexdigest()[:16],)


@functools.cache
def records_are_named() -> bool:
    """Name machine code for records after their layout, and return whether that is possible.

    This changes a class of Numba's. So it happens when the first function gets a cache, not at
    import.

    Numba names machine code after a number that the record's type gets in the process. Code that
    two processes cached for different records could have the same name. A third process that loads
    both would link them into one, so that rules would read the wrong fields.
    """
    if not hasattr(numba.types.Record, "mangling_args"):
        return False
    numba.types.Record.mangling_args = property(_record_name)  # type: ignore[assignment, method-assign]
    return True


# -- Loading machine code -------------------------------------------------------------------


def outer_symbols(library: Any) -> list[str] | None:
    """Return the names that machine code needs from outside, `None` if this Numba keeps them.

    Args:
        library: that of a `CompileResult`.
    """
    module = getattr(library, "_final_module", None)
    if module is None:
        return None
    values = [*module.functions, *module.global_variables]
    return [one.name for one in values if one.is_declaration and not one.name.startswith("llvm.")]


def prepare_to_load(target_context: Any, symbols: list[str] | None) -> None:
    """Prepare Numba to load machine code, whose missing symbols would end the process.

    Numba itself imports all that its compiler knows, which takes 0.2 s. The code of nearly all
    loops needs only Numba's runtime.

    Args:
        target_context: from a `CompileResult`.
        symbols: from `outer_symbols`.
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

    Numba makes machine code of a helper by itself, wraps it for calls from Python and from C, and
    calls it wherever LLVM finds it too long to copy. A call costs more than many helpers do: an
    array is passed as seven numbers. So helpers are always copied into their callers, and no other
    code is made of them: each is optimised once, where it runs.
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
        """Where Numba leaves what Python needs to call the code."""

        def set_env(self, name: str, env: Any) -> None:
            """Nobody calls it."""

    class LinkedCode(JITCodeLibrary):
        """Code that exists only to be linked into other code."""

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

`HELPER` is for functions that are copied into their callers, `INNER` for other functions that
Python does not call, and `LOOP` for functions that Python calls."""


def ignore_constants(compiled: Any) -> None:
    """Have callers share one form of a compiled function, whichever constants they pass to it.

    Numba would compile one for each constant. LLVM optimises the shared form for a constant where
    it copies the form into a caller.
    """
    original = getattr(compiled, "get_call_template", None)
    if original is None:
        return

    def get_call_template(args: Any, kws: Any) -> Any:
        unliteral = numba.types.unliteral
        try:
            return original(
                tuple(unliteral(one) for one in args),
                {name: unliteral(one) for name, one in kws.items()},
            )
        except numba.core.errors.TypingError:  # it may index a tuple of several types
            return original(args, kws)

    compiled.get_call_template = get_call_template


# -- Calls ----------------------------------------------------------------------------------


def entry_point(kernel: Any, *examples: Any) -> Callable[..., Any]:
    """Return the machine code of a kernel for arguments of the types that `examples` have.

    Numba takes longer to recognise an array of records than to play a ply. The machine code does
    not look at the types of its arguments. If the kernel is not compiled yet, plain Python is
    returned that does the same, see `boardenvs.kernels.interpreting`.

    Args:
        kernel: from `numba.njit`.
        *examples: one for each argument.
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
    """Return whether a function is plain Python, so that machine code may replace it later."""
    return isinstance(function, types.FunctionType)


class EntryPoint:
    """A kernel that is called with arguments of the same types each time; see `entry_point`."""

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
