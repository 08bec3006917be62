"""The random stream of records: SplitMix64 compared with published values and plain integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs.core.chance import (
    below,
    draw,
    make_streams,
    mixed,
    next_bits,
    seed_word,
    stepped,
)

# Outputs of the algorithm's reference implementations for two seeds.
PUBLISHED = {
    0: [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
        0xF88BB8A8724C81EC,
        0x1B39896A51A8749B,
    ],
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
}
WORD = 2**64
words = st.integers(0, WORD - 1)


def plain_splitmix64(word):
    """Return the next state and its 64 random bits, in unbounded integers."""
    word = (word + 0x9E3779B97F4A7C15) % WORD
    z = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
    return word, z ^ z >> 31


@pytest.mark.parametrize("seed", PUBLISHED)
def test_streams_agree_with_published_sequences(seed):
    word, plain, array = np.uint64(seed), seed, np.array([seed], np.uint64)
    for expected in PUBLISHED[seed]:
        word = np.uint64(stepped(word))
        plain, bits = plain_splitmix64(plain)
        assert int(mixed(word)) == bits == expected
        assert int(word) == plain
        assert next_bits(array).tolist() == [expected]
        assert array.tolist() == [plain]


@given(st.lists(words, max_size=20))
def test_arrays_agree_with_single_words(start):
    array = np.array(start, np.uint64)
    bits = next_bits(array)
    assert bits.dtype == array.dtype == np.uint64
    assert list(zip(array.tolist(), bits.tolist(), strict=True)) == [
        plain_splitmix64(word) for word in start
    ]


@given(words)
def test_single_words_agree_with_plain_integers(word):
    after, bits = plain_splitmix64(word)
    assert int(stepped(np.uint64(word))) == after
    assert int(mixed(np.uint64(after))) == bits


@given(words, st.integers(0, 50))
def test_streams_are_the_sequence_of_their_seed(word, num):
    streams = make_streams(np.uint64(word), num)
    expected = []
    for _ in range(num):
        word, bits = plain_splitmix64(word)
        expected.append(bits)
    assert streams.dtype == np.uint64
    assert streams.tolist() == expected


# -- Numbers below a bound ------------------------------------------------------------


@given(words, st.integers(1, 2**31))
def test_below_is_within_range(bits, bound):
    assert int(below(np.uint64(bits), bound)) == (bits >> 32) * bound >> 32 < bound


@pytest.mark.parametrize("bound", [1, 2, 6, 7, 64, 81, 225])
def test_below_reaches_both_ends(bound):
    assert below(np.uint64(0), bound) == 0
    assert below(np.uint64(WORD - 1), bound) == bound - 1


@pytest.mark.parametrize("bound", [2, 6, 7, 36])
def test_below_is_uniform(bound):
    num = 40_000
    stream = np.array([bound], np.uint64)
    drawn = [int(below(next_bits(stream)[0], bound)) for _ in range(num)]
    counts = np.bincount(drawn, minlength=bound)
    assert len(counts) == bound
    spread = (num / bound * (1 - 1 / bound)) ** 0.5
    assert np.abs(counts - num / bound).max() < 4.5 * spread


def test_drawing_from_a_record_changes_only_its_stream():
    states = boardenvs.make("game112").new(2, 0)
    before = states.copy()
    word, bits = plain_splitmix64(int(before["rng"][1]))
    assert draw(states[1], 6) == (bits >> 32) * 6 >> 32
    assert int(states["rng"][1]) == word
    states["rng"] = before["rng"]
    assert np.array_equal(states, before)


# -- Seeds ----------------------------------------------------------------------------


def test_equal_numbers_are_equal_seeds():
    assert seed_word(5) == seed_word(np.int64(5)) == seed_word(np.uint8(5))
    assert seed_word(5).dtype == np.uint64


def test_different_seeds_give_different_words():
    seeds = [*range(1000), 2**32, 2**64, 2**64 + 1, 2**200]
    assert len({int(seed_word(seed)) for seed in seeds}) == len(seeds)
    assert seed_word(None) != seed_word(None)


def test_streams_of_neighbouring_seeds_do_not_overlap():
    streams = np.concatenate([make_streams(seed_word(seed), 1000) for seed in range(20)])
    assert len(np.unique(streams)) == len(streams)


@pytest.mark.parametrize(
    "seed", [-1, np.int64(-1), 0.0, 1.5, np.float64(2), "1", b"1", True, np.True_, [1], ()]
)
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match=r"^seed "):
        seed_word(seed)
