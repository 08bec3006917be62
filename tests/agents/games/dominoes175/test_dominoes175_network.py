"""The shipped network for Dominoes 175."""

import agents


def test_the_score_of_the_card_is_of_many_games():
    entries = {e["against"]: e for e in agents.make("trained", "dominoes175").card["scores"]}
    assert entries["alone"]["games"] >= 100_000
