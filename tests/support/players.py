"""Players that several test files use."""


class First:
    """A player of the first legal action that records the states it receives."""

    def __init__(self, game):
        self.game = game
        self.shown = []

    def act(self, states):
        self.shown.append(states.copy())
        return self.game.legal(states).argmax(1)


class Last(First):
    """A player of the last legal action that records the states it receives."""

    def act(self, states):
        self.shown.append(states.copy())
        return self.game.num_actions - 1 - self.game.legal(states)[:, ::-1].argmax(1)


def other_seats(game, opponent):
    """Return the argument `opponent` of an environment: "random" for a game for one player."""
    return opponent if game.num_players > 1 else "random"
