"""A second implementation of Dominoes 175, as plain as possible, to test the fast one."""

from __future__ import annotations


class PlainDominoes:
    """One game. Tiles are pairs, smaller end first; on a stack they are (bottom, top)."""

    def __init__(self, deck, max_plies=32):
        self.deck = [tuple(sorted(tile)) for tile in deck]
        self.max_plies = max_plies
        self.gone = set()
        self.hand = None
        self.stacks = [[], [], []]
        self.ply = 0
        self.result = None
        self.truncated = False

    def over(self):
        return self.result is not None or self.truncated

    def ways(self):
        """Return every (stack, bottom, top) in which the tile in hand may be played."""
        found = set()
        for number, stack in enumerate(self.stacks):
            for bottom, top in (self.hand, self.hand[::-1]):
                if not stack or stack[-1][1] == bottom:
                    found.add((number, bottom, top))
        return found

    def legal(self):
        """Return the legal actions as text: `row,column`, or stack and end on top."""
        if self.over():
            return set()
        if self.hand is None:
            return {f"{cell // 7},{cell % 7}" for cell in range(28) if cell not in self.gone}
        return {f"{number} {top}" for number, _, top in self.ways()}

    def play(self, text):
        assert text in self.legal()
        if self.hand is None:
            row, column = map(int, text.split(","))
            self.gone.add(7 * row + column)
            self.hand = self.deck[7 * row + column]
            if not self.ways():
                self.result = -1
        else:
            number, top = map(int, text.split())
            a, b = self.hand
            self.stacks[number].append((b, a) if top == a else (a, b))
            self.hand = None
            if len(self.stacks[number]) == 6:
                self.result = 1
        self.ply += 1
        if self.result is None and self.ply == self.max_plies:
            self.truncated = True

    def seen(self):
        """Return the observation by name."""
        known = {self.deck[cell] for cell in self.gone}
        return {
            "cells": [cell not in self.gone for cell in range(28)],
            "tiles": [(low, high) not in known for high in range(7) for low in range(high + 1)],
            "small": [self.hand is not None and self.hand[0] == n for n in range(7)],
            "large": [self.hand is not None and self.hand[1] == n for n in range(7)],
            "stacks": [
                [bool(stack) and stack[-1][1] == n for n in range(7)]
                + [len(stack) > n for n in range(6)]
                for stack in self.stacks
            ],
        }
