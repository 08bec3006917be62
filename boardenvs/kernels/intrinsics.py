"""Array operations that Numba lacks, written as LLVM code; see `numba_compat`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numba.extending

from boardenvs.kernels.numba_compat import COMPILES, say_lacking
from boardenvs.kernels.plain import PLAIN

__all__ = ["HAS_BITS", "read_bits", "uncounted", "write_bits"]


def _has_intrinsics() -> bool:
    """Return whether this version of Numba supports the operations."""
    from numba.core import base, cgutils

    return (
        COMPILES
        and hasattr(numba.extending, "intrinsic")
        and hasattr(base.BaseContext, "make_array")
        and hasattr(cgutils, "get_null_value")
        and hasattr(cgutils, "unpack_tuple")
    )


HAS_BITS = _has_intrinsics()
"""Whether `read_bits` and `write_bits` are available. Otherwise they are `None`."""

if not HAS_BITS:
    if COMPILES:
        say_lacking("way into arrays", "games step more slowly")

    @numba.njit
    def uncounted(array: Any) -> Any:
        """Return the array itself."""
        return array

    read_bits: Any = None
    write_bits: Any = None

else:
    from llvmlite import ir
    from numba.core import cgutils

    intrinsic: Any = numba.extending.intrinsic

    @intrinsic
    def uncounted(typing_context: Any, array: Any) -> Any:
        """Return a view of an array without reference counting.

        Numba counts a reference for each row that is passed to a function. These instructions wait
        for all earlier stores, and may take longer than the rules of a small game.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(array)(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            return view._getvalue()  # noqa: SLF001

        return array(array), generate

    def entry_finder(context: Any, builder: Any, kind: Any, array: Any) -> Callable[[Any], Any]:
        """Return a function from an index to the address of an entry in an array of bytes."""
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
        """Generate code for a number of entries that is known only at run time.

        The code processes two blocks that may overlap, which is much faster than a loop over the
        entries.

        Args:
            builder: builder of the code.
            size: number of entries.
            width: width of the largest blocks. Smaller sizes use half the width, down to 8.
            blocks: generates code for two blocks, from their width and the start of the second.
            single: generates code for one entry, for fewer than 8 entries.
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

    @intrinsic
    def write_bits(typing_context: Any, out: Any, first: Any, bits: Any, size: Any) -> Any:
        """Do the same as `boardenvs.core.bits.show_bits`. Numba passes the first argument.

        Numba would compile a function again for every constant size, but not an intrinsic.
        """
        if out.dtype not in (numba.types.int8, numba.types.uint8, numba.types.boolean):
            raise numba.TypingError(f"out must be an array of int8, uint8 or bool, got {out}")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, first, word, size = arguments
            entry_at = entry_finder(context, builder, out, array)
            number = functools.partial(ir.Constant, size.type)

            def write(begin: Any, bits: Any, width: int) -> None:
                marks = builder.trunc(bits, ir.IntType(width))
                marks = builder.bitcast(marks, ir.VectorType(ir.IntType(1), width))
                entries = builder.zext(marks, ir.VectorType(ir.IntType(8), width))
                if out.layout == "C":
                    place = builder.bitcast(entry_at(begin), entries.type.as_pointer())
                    builder.store(entries, place, align=1)
                    return
                for k in range(width):
                    entry = builder.extract_element(entries, ir.Constant(ir.IntType(32), k))
                    builder.store(entry, entry_at(builder.add(begin, number(k))))

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
    def read_bits(typing_context: Any, entries: Any, first: Any, size: Any) -> Any:
        """Do the same as `boardenvs.core.bits.bits_of`, see `write_bits`."""
        if entries.dtype != numba.types.boolean:
            raise numba.TypingError(f"entries must be an array of bool, got {entries}")

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


def _same(array: Any) -> Any:
    return array


PLAIN[uncounted] = _same
