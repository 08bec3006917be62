"""How functions are compiled that only compiled functions call; with doors as in `numba_doors`.

Numba makes machine code of each such helper by itself, which nobody runs, and calls it for a
caller whenever LLVM finds it too long to be copied. To call one costs more than many do: an
array is passed as seven numbers, a tree of `agents.search.tree` as fifty-six. Here helpers are
copied into their callers always, and nothing else is made of them, so that each is optimised once,
where it runs.
"""

from __future__ import annotations

from typing import Any

from boardenvs.numba_doors import COMPILES, say_closed, without_wrappers

__all__ = ["helper_options"]


def _pipeline() -> Any:
    """The compiler of helpers; `None` where the door is closed."""
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

    class HelperCompiler(compiler.CompilerBase):
        def define_pipelines(self) -> list[Any]:
            passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.add_pass_after(MakePart, typed_passes.IRLegalization)
            passes.finalize()
            return [passes]

    return HelperCompiler


def _options() -> dict[str, Any]:
    if not COMPILES:
        return {}
    options = without_wrappers(helper=True)
    try:
        from numba.core.cpu import CPUTargetOptions

        if not options or not hasattr(CPUTargetOptions, "forceinline"):
            return options
        compiler = _pipeline()
    except (ImportError, AttributeError):
        compiler = None
    if compiler is None:
        say_closed(
            "way to copy code into its callers", "searches and vector environments are slower"
        )
        return options
    return {**options, "forceinline": True, "pipeline_class": compiler}


helper_options = _options()
"""Of `numba.njit`, for functions that Python never calls."""
