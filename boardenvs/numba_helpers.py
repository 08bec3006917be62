"""How loops and the functions that only they call are compiled; with doors as in `numba_doors`.

Numba makes machine code of each such helper by itself, which nobody runs, and calls it for a
caller whenever LLVM finds it too long to be copied. To call one costs more than many do: an
array is passed as seven numbers, a tree of `agents.search.tree` as fifty-six. Here helpers are
copied into their callers always, and nothing else is made of them, so that each is optimised once,
where it runs.

Some are called all the same, with all that they call copied: a long loop runs faster by itself than
amid other code that wants the same registers.

A function that is plainly `numba.njit`, as those of rules are, is compiled as its first caller is.
So loops have what they call copied as well: else the code of a game would be faster or slower, by
what a process happened to compile first.
"""

from __future__ import annotations

import functools
from typing import Any

from boardenvs.code_stamp import code_stamp
from boardenvs.numba_doors import COMPILES, say_closed, without_wrappers

__all__ = ["called_options", "helper_options", "how_compiled", "loop_options"]


def _pipelines() -> tuple[Any, Any] | None:
    """The compilers of what is copied and of what is not; `None` where the door is closed."""
    from numba.core import codegen, compiler, compiler_machinery, typed_passes

    needed = {"_optimize_final_module", "_finalize_final_module", "_ensure_finalized", "codegen"}
    library = getattr(codegen, "JITCodeLibrary", None)
    if library is None or not all(hasattr(library, name) for name in needed):
        return None

    class NoEnvironment:
        """Where Numba leaves what Python needs to call the code."""

        def set_env(self, name: str, env: Any) -> None:
            """Nobody calls it."""

    class Part(library):  # type: ignore[misc, valid-type]
        """Code that is there to be linked into other code."""

        codegen = NoEnvironment()

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

    @compiler_machinery.register_pass(mutates_CFG=False, analysis_only=True)
    class MakePart(compiler_machinery.AnalysisPass):
        """Has the code that is to come be a `Part`."""

        _name = "boardenvs_make_part"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return False

    @compiler_machinery.register_pass(mutates_CFG=False, analysis_only=True)
    class StayWhole(compiler_machinery.AnalysisPass):
        """Has what a function calls be copied, but not the function."""

        _name = "boardenvs_stay_whole"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.flags.forceinline = False  # all that it calls is compiled
            return False

    def with_pass(made: Any) -> Any:
        """A compiler that does this, too, before it makes any code."""

        class WithPass(compiler.CompilerBase):
            def define_pipelines(self) -> list[Any]:
                passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
                passes.add_pass_after(made, typed_passes.IRLegalization)
                passes.finalize()
                return [passes]

        return WithPass

    return with_pass(MakePart), with_pass(StayWhole)


def _options() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """For helpers, for those that are called, and for loops."""
    helper, loop = (without_wrappers(helper=helper) for helper in (True, False))
    if not COMPILES:
        return helper, helper, loop
    try:
        from numba.core.cpu import CPUTargetOptions

        if not helper or not hasattr(CPUTargetOptions, "forceinline"):
            return helper, helper, loop
        compilers = _pipelines()
    except (ImportError, AttributeError):
        compilers = None
    if compilers is None:
        say_closed(
            "way to copy code into its callers", "searches and vector environments are slower"
        )
        return helper, helper, loop
    copied, whole = ({"forceinline": True, "pipeline_class": one} for one in compilers)
    return {**helper, **copied}, {**helper, **whole}, {**loop, **whole}


helper_options, called_options, loop_options = _options()
"""Of `numba.njit`, for functions that Python never calls, those of them that are called and not
copied, and functions that Python calls."""


@functools.cache
def how_compiled() -> str:
    """A stamp that changes with what these options make of a function."""
    return f"{code_stamp(_options)} {sorted(loop_options)}"
