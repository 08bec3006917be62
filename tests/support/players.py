"""Players that several test files let sit down."""


class First:
    """The first legal action; remembers what it was shown."""

    def __init__(self, game):
        self.game = game
        self.shown = []

    def act(self, states):
        self.shown.append(states.copy())
        return self.game.legal(states).argmax(1)


class Last(First):
    """The last legal action; remembers what it was shown."""

    def act(self, states):
        self.shown.append(states.copy())
        return self.game.num_actions - 1 - self.game.legal(states)[:, ::-1].argmax(1)
