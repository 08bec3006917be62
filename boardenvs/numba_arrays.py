"""Ways into the arrays of compiled code that Numba has not; with doors as in `numba_doors`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numba.extending

from boardenvs.numba_doors import COMPILES, say_closed

__all__ = ["HAS_BITS", "read_bits", "uncounted", "write_bits"]


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
"""Whether there are `read_bits` and `write_bits`."""

if not HAS_BITS:
    if COMPILES:
        say_closed("way into arrays", "games step more slowly")

    @numba.njit
    def uncounted(array: Any) -> Any:
        """The array itself; see below."""
        return array

    read_bits: Any = None
    write_bits: Any = None

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
