"""`LazyDict`: a dictionary that makes some of its values when they are first read.

Many training loops never read `final_obs` and `final_info`, and making them slows down a step.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, ValuesView
from typing import Any

__all__ = ["Later", "LazyDict"]


class Later:
    """A placeholder in a `LazyDict` for a value that is not made yet."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        """Store the function that makes the value; a dictionary calls it at most once."""
        self.make = make


class LazyDict(dict[str, Any]):  # noqa: PLW1641 a dictionary is not hashable
    """A dictionary that replaces `Later` placeholders by their values when they are first read.

    A reader never sees a `Later`. A method that returns several values, or a copy, makes all
    values. `copy.copy` and `pickle` return a `LazyDict`, other copies are a `dict`.
    """

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        value = dict.__getitem__(self, key)
        if type(value) is Later:
            value = self[key] = value.make()
        return value

    def get(self, key: str, default: Any = None) -> Any:
        value = super().get(key, default)
        return self[key] if type(value) is Later else value

    # `dict(self)` and `{**self}` call `__getitem__` only if the class overrides `__iter__`.
    # Otherwise they copy the `Later` objects.
    def __iter__(self) -> Iterator[str]:
        return super().__iter__()

    def _made(self) -> LazyDict:
        """Return this dictionary after making all values."""
        for key in self:
            self[key]
        return self

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return dict.items(self._made())

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return dict.values(self._made())

    def pop(self, key: str, *default: Any) -> Any:
        if key in self:
            self[key]
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        self._made()
        return super().popitem()

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key in self:
            return self[key]
        return super().setdefault(key, default)

    def copy(self) -> dict[str, Any]:
        return dict.copy(self._made())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyDict):
            other._made()
        return dict.__eq__(self._made(), other)

    def __ne__(self, other: object) -> bool:
        if isinstance(other, LazyDict):
            other._made()
        return dict.__ne__(self._made(), other)

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __repr__(self) -> str:
        return dict.__repr__(self._made())

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyDict, (dict(self),)
