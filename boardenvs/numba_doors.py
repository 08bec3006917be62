"""The doors: what this package uses of Numba and Numba does not document.

One more, to how functions are compiled that only others call, is `boardenvs.numba_helpers`.

Another Numba may lack any of them. Then everything runs as well: on one thread, with nothing
kept on disk, or more slowly; and one line says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib
import importlib.metadata
import os
from collections.abc import Callable
from typing import Any, Protocol

import numba
import numba.extending

from boardenvs.say_once import say_once

__all__ = [
    "COMPILES",
    "HAS_BITS",
    "Files",
    "Threads",
    "entry_point",
    "give_cache",
    "is_compiled",
    "pickled",
    "read_bits",
    "say_closed",
    "uncounted",
    "without_wrappers",
    "write_bits",
    "write_pairs",
]


def is_compiled(function: Any) -> bool:
    """Whether Numba compiles a function; with NUMBA_DISABLE_JIT all are plain Python."""
    return hasattr(function, "py_func")


COMPILES = is_compiled(numba.njit(lambda: None))
"""Whether it compiles anything."""


def say_closed(door: str, without: str) -> None:
    """Say once that this Numba lacks something, and what comes of it."""
    say_once(f"door {door}", f"Numba {numba.__version__} has no {door}: {without}")


# -- The names of records -------------------------------------------------------------------


def _record_name(record: numba.types.Record) -> tuple[str, tuple[str]]:
    """What compiled code for a record type is called after: the layout of the record."""
    return "Record", (hashlib.sha256(str(record).encode()).hexdigest()[:16],)


def _name_records() -> bool:
    """Have compiled code for records called after their layout; returns whether it is.

    Numba itself calls it after a number that the type happens to get in the process. Code
    cached by two processes for different records could so bear one name, and a third process
    that loads both would link them into one: rules would read the wrong fields.
    """
    if not hasattr(numba.types.Record, "mangling_args"):
        return False
    numba.types.Record.mangling_args = property(_record_name)  # type: ignore[assignment, method-assign]
    return True


_RECORDS_ARE_NAMED = _name_records()


# -- The cache on disk ----------------------------------------------------------------------


class Files(Protocol):
    """The files of one function: stands in for Numba's index, which is not safe (see there).

    What goes in and comes out is whatever Numba makes of a signature and of machine code.
    """

    def load(self, key: Any) -> Any:
        """What was saved for a key, or `None`."""

    def save(self, key: Any, payload: Any) -> None:
        """Keep it.

        Raises:
            OSError: it cannot be kept.
        """

    def discard(self, key: Any) -> None:
        """Forget it: it is broken."""

    def flush(self) -> None:
        """Forget all."""


def give_cache(
    dispatcher: Any,
    files: Callable[[str, str, str], Files],
    missed: Callable[[], None],
    uncached: Callable[[object], None],
) -> None:
    """Give a compiled function a cache of our own.

    Args:
        dispatcher: from `numba.njit`, without a cache.
        files: called with the folder that Numba finds for them, what their names begin with,
            and what changes with the file that the function stands in.
        missed: called before anything is compiled.
        uncached: called with the reason where there is no place to keep it.
    """
    cache: Any = None
    # Of records whose code has no names of its own, what is kept may be taken for another's.
    if _RECORDS_ARE_NAMED and hasattr(dispatcher, "_cache"):
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            with_files, without = _caches()
            try:
                cache = with_files(dispatcher.py_func, files, missed, uncached)
            except RuntimeError as error:
                if "no locator available" not in str(error):
                    raise
                uncached("neither the package nor the home folder can be written to")
                cache = without(missed)
    if cache is None:
        say_closed("cache of compiled code to extend", "every process compiles anew")
    else:
        dispatcher._cache = cache  # noqa: SLF001 there is no other way to it


@functools.cache
def _caches() -> tuple[Any, Any]:
    """Numba's cache of a function's machine code, with other files; and one that keeps nothing."""
    from numba.core.caching import FunctionCache, NullCache

    class FileCache(FunctionCache):
        def __init__(
            self,
            function: Callable[..., Any],
            files: Callable[[str, str, str], Files],
            missed: Callable[[], None],
            uncached: Callable[[object], None],
        ) -> None:
            super().__init__(function)
            own = repr(self._impl.locator.get_source_stamp())
            _ = self._cache_file, self._index_key  # which it is known to use
            self._cache_file: Any = files(self._cache_path, self._impl.filename_base, own)
            self._missed = missed
            self._uncached = uncached

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """The machine code for a signature, or `None` where it has to be compiled."""
            found = None
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # noqa: BLE001 a broken entry must not stop anybody: it is made again
                target_context.refresh()
                self._cache_file.discard(self._index_key(sig, target_context.codegen()))
            if found is None:
                self._missed()
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keep it; where that fails, as on a full disk, say so and go on."""
            try:
                super().save_overload(sig, data)
            except Exception as error:  # noqa: BLE001 what was compiled runs all the same
                self._uncached(error)

    class NoCache(NullCache):
        def __init__(self, missed: Callable[[], None]) -> None:
            self._missed = missed

        def load_overload(self, sig: Any, target_context: Any) -> None:
            self._missed()

    return FileCache, NoCache


def pickled(value: object) -> bytes:
    """Bytes of what the cache keeps."""
    from numba.core.serialize import dumps

    return bytes(dumps(value))


# -- Calls ----------------------------------------------------------------------------------


def entry_point(kernel: Any, *examples: Any) -> Callable[..., Any]:
    """The machine code for arguments of the types that `examples` have; it looks at none of them.

    To see what an array of records is costs Numba more than it costs to play a ply. Where the
    door is closed, it is the kernel itself.

    Args:
        kernel: from `numba.njit`.
        *examples: one for each argument.
    """
    if not is_compiled(kernel):
        return kernel
    types = tuple(numba.typeof(one) for one in examples)
    entry: Any = kernel.compile(types) if hasattr(kernel, "compile") else None
    if callable(entry):
        return entry
    say_closed("entry point of compiled code", "games one at a time are slower")
    return kernel


def without_wrappers(*, helper: bool) -> dict[str, Any]:
    """Options of `numba.njit` for a function that is called from fewer places than Numba thinks.

    By default code is wrapped twice, for calls from Python and from C. Every wrapper holds the
    function's code once more, which LLVM optimises once more.

    Args:
        helper: whether Python never calls it, either.
    """
    if not COMPILES:
        return {}
    wanted = {"no_cpython_wrapper": helper, "no_cfunc_wrapper": True}
    with contextlib.suppress(ImportError):
        from numba.core.cpu import CPUTargetOptions

        if all(hasattr(CPUTargetOptions, name) for name in wanted):
            return wanted
    say_closed("option to leave wrappers out", "compiling takes longer")
    return {}


# -- Arrays in compiled code ----------------------------------------------------------------


def _has_intrinsics() -> bool:
    """Whether machine code can be given for what arrays are made of."""
    from numba.core import base, cgutils

    return (
        COMPILES
        and hasattr(numba.extending, "intrinsic")
        and hasattr(base.BaseContext, "make_array")
        and hasattr(cgutils, "get_null_value")
        and hasattr(cgutils, "unpack_tuple")
    )


HAS_BITS = _has_intrinsics()
"""Whether there are `read_bits`, `write_bits` and `write_pairs`."""

if not HAS_BITS:
    if COMPILES:
        say_closed("way into arrays", "games step more slowly")

    @numba.njit
    def uncounted(array: Any) -> Any:
        """The array itself; see below."""
        return array

    read_bits: Any = None
    write_bits: Any = None
    write_pairs: Any = None

else:
    from llvmlite import ir
    from numba.core import cgutils

    intrinsic: Any = numba.extending.intrinsic

    @intrinsic
    def uncounted(typing_context: Any, array: Any) -> Any:
        """A view of an array that does not count as a reference to it.

        Where rows of an array are passed on, they count as references. The instructions for
        that wait for all stores before them and may cost more than a small game's rules.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(array)(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            return view._getvalue()  # noqa: SLF001

        return array(array), generate

    def entry_finder(context: Any, builder: Any, kind: Any, array: Any) -> Callable[[Any], Any]:
        """The function that gives the place of an entry, by its index, of an array of bytes."""
        view = context.make_array(kind)(context, builder, array)
        (stride,) = cgutils.unpack_tuple(builder, view.strides, 1)

        def entry_at(index: Any) -> Any:
            offset = index if kind.layout == "C" else builder.mul(index, stride)
            return builder.gep(view.data, [offset])

        return entry_at

    def in_blocks(
        builder: Any,
        size: Any,
        width: int,
        blocks: Callable[[int, Any], None],
        single: Callable[[int], None],
    ) -> None:
        """Code for so many entries, a number known when it runs.

        Two blocks, which overlap where need be, take two instructions whatever the size; to go
        entry by entry takes many times as long.

        Args:
            builder: of the code.
            size: how many.
            width: of the largest blocks; smaller ones have a half of it and so on, down to 8.
            blocks: told the width of both and where the second begins, makes the code for both.
            single: makes the code for one entry, where there are fewer than 8.
        """
        number = functools.partial(ir.Constant, size.type)
        with builder.if_else(builder.icmp_signed(">=", size, number(width))) as branches:
            with branches[0]:
                blocks(width, builder.sub(size, number(width)))
            with branches[1]:
                if width > 8:
                    in_blocks(builder, size, width // 2, blocks, single)
                else:
                    for k in range(7):
                        with builder.if_then(builder.icmp_signed(">", size, number(k))):
                            single(k)

    def require_bytes(out: Any) -> None:
        """Refuse arrays in which bits cannot be shown."""
        if out.dtype not in (numba.types.int8, numba.types.uint8, numba.types.boolean):
            raise numba.TypingError(f"bits are shown in arrays of bytes, got {out}")

    def as_bytes(builder: Any, word: Any, width: int) -> Any:
        """The lowest bits of a word as a vector of bytes."""
        marks = builder.trunc(word, ir.IntType(width))
        marks = builder.bitcast(marks, ir.VectorType(ir.IntType(1), width))
        return builder.zext(marks, ir.VectorType(ir.IntType(8), width))

    def store_entries(
        builder: Any, kind: Any, entry_at: Callable[[Any], Any], begin: Any, entries: Any
    ) -> None:
        """Code that writes a vector of bytes into an array from an index on."""
        if kind.layout == "C":
            place = builder.bitcast(entry_at(begin), entries.type.as_pointer())
            builder.store(entries, place, align=1)
            return
        for k in range(entries.type.count):
            entry = builder.extract_element(entries, ir.Constant(ir.IntType(32), k))
            builder.store(entry, entry_at(builder.add(begin, ir.Constant(begin.type, k))))

    @intrinsic
    def write_bits(typing_context: Any, out: Any, first: Any, bits: Any, size: Any) -> Any:
        """As `boardenvs.bits.show_bits`; Numba itself passes the first argument.

        It is no function in Numba's eyes: it would compile one anew for every size.
        """
        require_bytes(out)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, first, word, size = arguments
            entry_at = entry_finder(context, builder, out, array)
            number = functools.partial(ir.Constant, size.type)

            def write(begin: Any, bits: Any, width: int) -> None:
                store_entries(builder, out, entry_at, begin, as_bytes(builder, bits, width))

            def blocks(width: int, second: Any) -> None:
                write(first, word, width)
                write(builder.add(first, second), builder.lshr(word, second), width)

            def single(k: int) -> None:
                bit = builder.and_(builder.lshr(word, number(k)), number(1))
                entry = builder.trunc(bit, ir.IntType(8))
                builder.store(entry, entry_at(builder.add(first, number(k))))

            in_blocks(builder, size, 32, blocks, single)
            return context.get_dummy_value()

        types = numba.types
        return types.void(out, types.int64, types.uint64, types.int64), generate

    @intrinsic
    def write_pairs(
        typing_context: Any, out: Any, first: Any, ones: Any, others: Any, size: Any
    ) -> Any:
        """As `boardenvs.bits.show_pairs`; as `write_bits`."""
        require_bytes(out)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, first, ones, others, size = arguments
            entry_at = entry_finder(context, builder, out, array)
            number = functools.partial(ir.Constant, size.type)

            def write(begin: Any, width: int) -> None:
                order = [k // 2 + k % 2 * width for k in range(2 * width)]
                pairs = builder.shuffle_vector(
                    as_bytes(builder, builder.lshr(ones, begin), width),
                    as_bytes(builder, builder.lshr(others, begin), width),
                    ir.Constant(ir.VectorType(ir.IntType(32), 2 * width), order),
                )
                place = builder.add(first, builder.add(begin, begin))
                store_entries(builder, out, entry_at, place, pairs)

            def blocks(width: int, second: Any) -> None:
                write(number(0), width)
                write(second, width)

            def single(k: int) -> None:
                for j, word in enumerate((ones, others)):
                    bit = builder.and_(builder.lshr(word, number(k)), number(1))
                    entry = builder.trunc(bit, ir.IntType(8))
                    builder.store(entry, entry_at(builder.add(first, number(2 * k + j))))

            in_blocks(builder, size, 32, blocks, single)
            return context.get_dummy_value()

        types = numba.types
        signature = types.void(out, types.int64, types.uint64, types.uint64, types.int64)
        return signature, generate

    @intrinsic
    def read_bits(typing_context: Any, entries: Any, first: Any, size: Any) -> Any:
        """As `boardenvs.bits.bits_of`; as `write_bits`, the other way."""
        if entries.dtype != numba.types.boolean:
            raise numba.TypingError(f"bits are read from arrays of truth values, got {entries}")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, first, size = arguments
            entry_at = entry_finder(context, builder, entries, array)
            number = functools.partial(ir.Constant, size.type)
            found = cgutils.alloca_once_value(builder, number(0))

            def read(begin: Any, width: int) -> Any:
                vector = ir.VectorType(ir.IntType(8), width)
                nothing = ir.Constant(vector, None)
                if entries.layout == "C":
                    place = builder.bitcast(entry_at(begin), vector.as_pointer())
                    marks = builder.load(place, align=1)
                else:
                    marks = nothing
                    for k in range(width):
                        entry = builder.load(entry_at(builder.add(begin, number(k))))
                        place = ir.Constant(ir.IntType(32), k)
                        marks = builder.insert_element(marks, entry, place)
                marks = builder.icmp_unsigned("!=", marks, nothing)
                word = builder.bitcast(marks, ir.IntType(width))
                return builder.zext(word, size.type) if width < size.type.width else word

            def blocks(width: int, second: Any) -> None:
                high = builder.shl(read(builder.add(first, second), width), second)
                builder.store(builder.or_(read(first, width), high), found)

            def single(k: int) -> None:
                entry = builder.load(entry_at(builder.add(first, number(k))))
                mark = builder.icmp_unsigned("!=", entry, entry.type(0))
                bit = builder.shl(builder.zext(mark, size.type), number(k))
                builder.store(builder.or_(builder.load(found), bit), found)

            in_blocks(builder, size, 64, blocks, single)
            return builder.load(found)

        types = numba.types
        return types.uint64(entries, types.int64, types.int64), generate


# -- Threads --------------------------------------------------------------------------------


def _load_tbb() -> bool:
    """Load the library that Numba's TBB layer links to, if it is installed as a Python package.

    Such a package puts it where the dynamic linker does not look; Numba finds it once it is
    loaded. Work stealing pays where other programs want the same cores: a call does not wait
    for a thread that has not come to run yet.

    Returns:
        Whether it is there.
    """
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, OSError):
        for file in importlib.metadata.files("tbb") or []:
            if file.name == "libtbb.so.12":  # the only ABI that Numba knows
                ctypes.CDLL(str(file.locate()))
                return True
    return False


_config: Any = getattr(numba, "config", None)


def _choose_layer() -> bool:
    """Choose Numba's threading layer; returns whether it lets us.

    TBB and GNU OpenMP allow kernels from several Python threads at once; Numba's "workqueue"
    layer ends the process on that. A user's own choice is respected.
    """
    if not hasattr(_config, "THREADING_LAYER") or not hasattr(_config, "NUMBA_NUM_THREADS"):
        return False
    if _config.THREADING_LAYER == "default":
        _config.THREADING_LAYER = "threadsafe"
    return True


_LAYER_IS_CHOSEN = _choose_layer()
# Here and now: whatever asks Numba how many threads there are, our code or a user's, makes it
# choose its layer for good, and it takes TBB only if it finds the library then.
_HAS_TBB = _load_tbb()


def _start_threads() -> None:
    """Have Numba start its threads.

    Numba starts TBB's by an empty task, for which it waits as the process leaves. Where no thread
    has taken it, since there is one core or others want them all, and the process has forked or
    another of its threads leaves, that wait has no end (github.com/numba/numba/issues/10556). So it
    is waited for here and now, by the thread that may do the task itself.

    Raises:
        ImportError: no threading layer is there.
        ValueError: none of the kind that was asked for.
    """
    from numba.np.ufunc import parallel

    started = getattr(parallel, "_is_initialized", True)
    numba.get_num_threads()
    if not started and parallel.threading_layer() == "tbb":
        pool = importlib.import_module("numba.np.ufunc.tbbpool")
        wait = getattr(pool, "synchronize", None)  # the address of a function in C
        if isinstance(wait, int):
            ctypes.CFUNCTYPE(None)(wait)()


class Threads:
    """Whether this process may use Numba's threads, and how many.

    It may not where no threading layer is installed that stands several Python threads, and
    not in the child of a fork whose parent had started them: GNU OpenMP ends such a process.
    Then everything runs on one thread, with the same results.
    """

    def __init__(self) -> None:
        self._usable: bool | None = None if _LAYER_IS_CHOSEN else False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        if self._usable:
            self._usable = False

    def usable(self) -> bool:
        """Whether it may; starts them where it may."""
        if self._usable is None:
            # By default the threads of GNU OpenMP spin while they wait. On a core that another
            # program wants, that made two threads fifty times slower than one. It is read when
            # they start; a user's own choice is respected.
            if not _HAS_TBB:
                os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            try:
                _start_threads()
            except (ImportError, ValueError):
                self._usable = False
            else:
                self._usable = True
        elif not self._usable:
            self._say_if_closed()
        return self._usable

    def most(self) -> int:
        """How many there are, unless this process may not use them: then 1."""
        if self._usable is False:
            self._say_if_closed()
            return 1
        if _config.NUMBA_NUM_THREADS == 1:
            return 1
        # Before Numba has started them nobody can have asked it for fewer.
        return int(numba.get_num_threads() if self._usable else _config.NUMBA_NUM_THREADS)

    def _say_if_closed(self) -> None:
        if not _LAYER_IS_CHOSEN:
            say_closed("choice of its threading layer", "everything runs on one thread")
