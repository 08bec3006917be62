"""Dictionaries whose values are computed at the first access."""

import copy
import json
import pickle

import pytest

from boardenvs.envs.lazy_dict import Later, LazyDict


class Maker:
    """A function that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return [self.calls]


@pytest.fixture
def make():
    return Maker()


@pytest.fixture
def lazy(make):
    return LazyDict(ready=0, later=Later(make))


PLAIN = {"ready": 0, "later": [1]}


def test_values_are_made_on_first_access(lazy, make):
    assert isinstance(lazy, dict)
    assert "later" in lazy
    assert len(lazy) == 2
    assert list(lazy) == list(lazy.keys()) == ["ready", "later"]
    assert lazy["ready"] == lazy.get("ready") == 0
    lazy["more"] = 1
    del lazy["more"]
    assert make.calls == 0
    assert lazy["later"] is lazy["later"]
    assert make.calls == 1


@pytest.mark.parametrize(
    "look",
    [
        dict,
        copy.copy,
        copy.deepcopy,
        lambda lazy: {**lazy},
        lambda lazy: dict(**lazy),
        lambda lazy: {} | lazy,
        lambda lazy: lazy | {},
        lambda lazy: lazy | LazyDict(),
        lambda lazy: {}.__class__(lazy.items()),
        lambda lazy: dict(zip(lazy, lazy.values(), strict=True)),
        lambda lazy: {key: lazy[key] for key in lazy},
        lambda lazy: {key: lazy.get(key) for key in lazy},
        lambda lazy: {key: lazy.setdefault(key) for key in lazy},
        lambda lazy: {key: lazy.pop(key) for key in [*lazy]},
        lambda lazy: dict([lazy.popitem(), lazy.popitem()]),
        lambda lazy: lazy.copy(),
        lambda lazy: pickle.loads(pickle.dumps(lazy)),
        lambda lazy: json.loads(json.dumps(lazy)),
        lambda lazy: eval(repr(lazy)),
    ],
)
def test_every_access_returns_the_made_values(lazy, make, look):
    assert dict.__eq__(PLAIN, look(lazy)) is True
    assert make.calls == 1


def test_updates_and_comparisons_work_as_for_dictionaries(lazy, make):
    other = {}
    other.update(lazy)
    assert dict.__eq__(other, PLAIN) is True
    again = LazyDict(ready=0, later=Later(lambda: [1]))
    assert again == PLAIN == lazy
    assert LazyDict(ready=0, later=Later(lambda: [1])) == PLAIN
    assert dict.copy(again) == LazyDict(ready=0, later=Later(lambda: [1]))
    assert LazyDict(later=Later(lambda: 1)) == LazyDict(later=Later(lambda: 1))
    assert LazyDict(later=Later(lambda: 1)) != LazyDict(later=Later(lambda: 2))
    assert LazyDict(later=Later(lambda: 1)) == {"later": 1}
    assert (LazyDict(later=Later(lambda: 1)) != {"later": 1}) is False
    assert make.calls == 1


def test_copies_keep_the_type(lazy):
    assert type(copy.deepcopy(lazy)) is type(pickle.loads(pickle.dumps(lazy))) is LazyDict
    assert type(lazy.copy()) is dict
    assert lazy.pop("nothing", None) is lazy.get("nothing") is lazy.setdefault("new") is None
    with pytest.raises(KeyError):
        lazy["nothing"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(lazy)
