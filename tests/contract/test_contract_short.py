"""Texts for terminals: short rules, input prompts and examples."""

import re

from boardenvs.show.presentation import LOOKS


def test_the_short_rules_are_a_few_lines(variant):
    rules = variant.presentation.rules_in_short()
    assert len(rules) <= 5
    assert rules or not variant.about
    for rule in rules:
        assert rule.isprintable()
        assert 10 < len(rule) <= 300
        assert rule[-1] in ".:,"


def test_the_example_of_input_is_a_legal_move(variant, variant_positions):
    for state in variant_positions[::7]:
        if variant.over(state)[0]:
            continue
        example = variant.presentation.example_move(state)
        action = variant.action_from_text(example, state)
        assert variant.legal(variant.arrays.batch(state))[0, action]
        asked = variant.presentation.what_to_type(state)
        assert asked.isprintable()
        found = re.search(r"such as ([^()]+?)(, or .*)?$", asked)
        told = found[1] if found else asked.split()[0]
        action = variant.action_from_text(told, state)
        assert variant.legal(variant.arrays.batch(state))[0, action], asked


def test_a_finished_game_has_no_example_of_input(variant, variant_positions, attempt):
    over = variant_positions[variant.over(variant_positions)][0]
    assert attempt(variant.presentation.example_move, over) is None


def test_spans_are_within_the_text(variant, variant_positions):
    for state in variant_positions[::7]:
        lines = variant.to_text(state).splitlines()
        for line, start, end, look in variant.presentation.spans(state):
            assert look in LOOKS
            assert 0 <= start < end <= len(lines[line])
            if look != "last":
                assert lines[line][start:end].strip(" -") == lines[line][start:end]


def test_new_and_forfeited_games_mark_no_last_move(variant, variant_positions):
    for state in variant_positions[::7]:
        if state["last_action"] < 0 or state["offender"] >= 0:
            assert "last" not in {span.look for span in variant.presentation.spans(state)}
