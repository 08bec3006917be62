"""A function that Numba compiles, with everything that this package changes about it.

Other compiled functions call Numba's object, a dispatcher, without Python. So `Kernel` does not
wrap the dispatcher, but replaces some of its methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numba.core.errors

from boardenvs.kernels.cache import DiskCache, file_prefix
from boardenvs.kernels.digest import digest
from boardenvs.kernels.faults import rules_error
from boardenvs.kernels.interpreting import interpret_until_compiled
from boardenvs.kernels.numba_compat import is_compiled, records_are_named, say_lacking
from boardenvs.kernels.waits import Waits, waits_for

__all__ = ["Kernel", "cached_njit"]


class Kernel:
    """The changes of one dispatcher, which are made in a fixed order.

    1. `ignore_constants` replaces `get_call_template`, which other compiled functions use.
    2. `keep_on_disk` replaces `_cache`.
    3. `report_faults` replaces `compile`, so that faults of rules are clear errors.
    4. `explain_waits` replaces `compile`, so that a long wait is explained.
    5. `interpret_until_compiled` replaces `compile` and `_compile_for_args`. A call runs as plain
       Python or compiles by the earlier `compile`.

    The last two require a cache. The last one explains waits itself.
    """

    def __init__(self, dispatcher: Any) -> None:
        """Prepare the changes of a function from `numba.njit`, which need not compile it."""
        self.dispatcher = dispatcher

    def ignore_constants(self) -> None:
        """Compile one form of the function for all constant arguments.

        Numba would compile one form for each constant. LLVM optimises the shared form for a
        constant when it inlines the form.
        """
        original = getattr(self.dispatcher, "get_call_template", None)
        if original is None:
            return

        def get_call_template(args: Any, kws: Any) -> Any:
            unliteral = numba.types.unliteral
            try:
                return original(
                    tuple(unliteral(one) for one in args),
                    {name: unliteral(one) for name, one in kws.items()},
                )
            except numba.core.errors.TypingError:  # such as a constant index of a mixed tuple
                return original(args, kws)

        self.dispatcher.get_call_template = get_call_template

    @property
    def is_kept(self) -> bool:
        """Whether the function has a cache of `keep_on_disk`."""
        return isinstance(getattr(self.dispatcher, "_cache", None), DiskCache)

    def keep_on_disk(self, name: str, made_from: Callable[[], str]) -> bool:
        """Add a cache, and return whether that is possible.

        Args:
            name: prefix of the names of the files, see `file_prefix`.
            made_from: function that returns a digest of the code's sources. It is called once, on
                first use.
        """
        if not is_compiled(self.dispatcher):
            return False
        # Without names of their own, Numba may confuse the cached code of two records.
        if records_are_named() and hasattr(self.dispatcher, "_cache"):
            self.dispatcher._cache = DiskCache(name, made_from)  # noqa: SLF001
            return True
        say_lacking("cache of compiled code to replace", "every process compiles again")
        return False

    def report_faults(self) -> None:
        """Raise `RulesError` if Numba cannot compile the function or its callees."""
        compile_ = getattr(self.dispatcher, "compile", None)
        if compile_ is None:
            return

        def compile_or_report(signature: Any) -> Any:
            try:
                return compile_(signature)
            except Exception as error:  # noqa: BLE001 Numba raises many types
                raise rules_error(error, self.dispatcher.py_func) from None

        self.dispatcher.compile = compile_or_report

    def explain_waits(self, waits: Waits) -> None:
        """Explain a long compilation."""
        compile_ = self.dispatcher.compile

        def compile_and_explain(signature: Any) -> Any:
            with waits.compiling():
                return compile_(signature)

        self.dispatcher.compile = compile_and_explain

    def interpret_until_compiled(
        self,
        plain: Callable[[], Callable[..., Any]],
        request: Any,
        waits: Waits,
        *,
        plies: int,
        may_fail: bool,
    ) -> None:
        """Run calls as plain Python until the machine code is ready, see `interpreting`."""
        interpret_until_compiled(
            self.dispatcher, plain, request, waits, plies=plies, may_fail=may_fail
        )


def cached_njit(what: str, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like `numba.njit(**options)`, with this package's cache.

    Unlike Numba's own cache, it detects changes in other files that the function depends on.

    Args:
        what: name of the function in the line "Compiling ..." on standard error.
        **options: options of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = Kernel(numba.njit(**options)(function))
        prefix = file_prefix(function.__qualname__, function)
        if kernel.keep_on_disk(prefix, lambda: digest(kernel.dispatcher)):
            kernel.explain_waits(waits_for(what))
        return kernel.dispatcher

    return decorate
