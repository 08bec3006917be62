"""Words derived from a match's seed: all different, and useless to predict others."""

import numpy as np

from agents import seeds
from agents.arena import play_match
from boardenvs.core.chance import make_streams, seed_word


def test_each_agent_has_its_own_seed(gekitai, own_module):
    own_module("mine", "import agents\nseeds = []\ndef make(game, seed):\n"
               "    seeds.append(seed)\n    return agents.make('random', game)\n")  # fmt: skip
    for seed in (0, 1):
        play_match(gekitai, ["mine:make", "mine:make"], 2, seed)
    import mine

    assert len({0, 1, *mine.seeds}) == 6
    assert mine.seeds == [seeds.agent_seed(seed, place) for seed in (0, 1) for place in (0, 1)]
    assert all(0 <= seed < 2**31 for seed in mine.seeds)


def test_words_depend_only_on_seed_label_and_number():
    numbers = np.array([5, 0, 1000, 5])
    words = seeds.one_way_words(7, "a", numbers)
    assert words.dtype == np.uint64
    np.testing.assert_array_equal(words, seeds.one_way_words(7, "a", np.arange(2000))[numbers])
    assert len(seeds.one_way_words(7, "a", numbers[:0])) == 0
    many = [seeds.one_way_words(s, label, np.arange(500)) for s in (7, 8) for label in "ab"]
    assert len(np.unique(many)) == 2000


def test_words_are_not_steps_of_one_stream():
    # Unmixed words of a SplitMix64 stream differ by a known constant.
    words = [int(w) for w in seeds.one_way_words(7, "words 0", np.arange(50))]
    games = [int(w) for w in make_streams(seed_word(7), 50)]
    gamma = 0x9E3779B97F4A7C15
    roots = [unmixed(word) for word in words]
    steps = {gamma * k % 2**64 for k in range(-50, 51)}
    assert (unmixed(games[1]) - unmixed(games[0])) % 2**64 == gamma  # would be detected
    known = {*roots, *map(unmixed, games)}
    for k, root in enumerate(roots):
        others = known - {root}
        assert not any((root - other) % 2**64 in steps for other in others), k


def unmixed(word):
    """Return the SplitMix64 state whose output is `word`."""

    def undone(z, shift):
        found = z
        for _ in range(64 // shift + 1):
            found = z ^ (found >> shift)
        return found

    z = undone(word, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    z = undone(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return undone(z, 30)


def test_a_bad_seed_is_refused(refused):
    for seed in (-1, "0", 0.5):
        with refused("seed must be "):
            seeds.agent_seed(seed, 0)


def test_fresh_seeds_differ():
    assert len({seeds.fresh_seed() for _ in range(100)}) == 100


def test_the_random_bits_of_an_agent_do_not_reveal_those_of_its_opponents(gekitai):
    class Notes:
        def __init__(self):
            self.words = []

        def choose(self, states, words):
            self.words += words.tolist()
            return gekitai.legal(states).argmax(1)

        act = None

    both = [Notes(), Notes()]
    play_match(gekitai, both, 20, 3)
    told = [{unmixed(word) for word in notes.words} for notes in both]
    gamma = 0x9E3779B97F4A7C15
    near = {(root + gamma * k) % 2**64 for root in told[0] for k in range(-20, 21)}
    assert not near & told[1]
