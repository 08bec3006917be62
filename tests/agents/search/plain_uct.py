"""A second implementation of UCT and its solver, with objects, dictionaries and `Game` methods.

It uses the same random streams as `agents.search.rollouts`, so both give equal visits.
"""

import numpy as np

from boardenvs.core import chance
from boardenvs.core.chance import below
from boardenvs.core.choice import tried_action


def stepped(word):
    return np.uint64(chance.stepped(word))


def mixed(word):
    return np.uint64(chance.mixed(word))


class Node:
    def __init__(self, game, state, drawn):
        self.visits = 0
        self.edges = None
        self.tried = 0
        self.mover = int(state["to_move"][0])
        self.drawn = drawn
        over = bool(state["terminated"][0] or state["truncated"][0])
        self.value = None  # value for the player to move, if proven
        self.plies = 0  # plies to the end, if proven
        if over and game.num_players <= 2 and not game.has_hidden:
            self.value = float(state["returns"][0, self.mover])


class Edge:
    def __init__(self, action):
        self.action = action
        self.children = {}
        self.visits = 0
        self.total = np.float32(0)
        self.value = None  # value for the node's mover, if proven
        self.plies = 0
        self.lost = False

    def bound(self, scale):
        if self.lost:
            return -np.inf
        mean = self.total / np.float32(self.visits)
        if self.value is not None:
            mean = np.float32(self.value)
        return mean + scale * (np.float32(1) / np.sqrt(np.float32(self.visits)))


class PlainUct:
    """A search of one state, like `MctsAgent` with the same arguments."""

    def __init__(self, game, simulations, exploration, rollout_depth=None, decisive=None):
        """Store the options; `decisive(board)` returns a decisive action or -1."""
        self.game = game
        self.simulations = simulations
        self.exploration = exploration
        self.decisive = decisive
        self.depth = game.max_plies if rollout_depth is None else rollout_depth

    def search(self, state, word):
        """Return visits of actions, values of seats, whether proven, and the action to play."""
        game = self.game
        root = Node(game, state, False)
        sums = np.zeros(game.num_players)
        while root.visits < self.simulations and root.value is None:
            word = stepped(word)
            own = mixed(word)
            board = game.arrays.conceal(state, state["to_move"], np.array([mixed(own)]))
            sums += self.simulate(root, board, own)
        visits = np.zeros(game.num_actions, np.int64)
        for edge in root.edges:
            visits[edge.action] = edge.visits
        best = max(root.edges[: root.tried], key=lambda e: self.rank(root, e))
        visits[best.action] += self.simulations - visits.sum()
        values = sums / root.visits
        if root.value is not None:
            values = np.array([root.value] if game.num_players == 1 else [root.value, -root.value])
            values = np.roll(values, root.mover)
        return visits, values, root.value is not None, best.action

    @staticmethod
    def rank(root, edge):
        if root.value is not None and root.value >= 1 and edge.value is not None:
            return 2 if edge.value >= 1 else 0, 0, edge.visits
        return (0, edge.plies, edge.visits) if edge.lost else (1, 0, edge.visits)

    def simulate(self, root, board, word):
        path, node, word = self.descend(root, board, word)
        game = self.game
        if node.value is not None:
            result = np.roll([node.value, -node.value][: game.num_players], node.mover)
        else:
            ply = board["ply"][0]
            self.roll_out(board, word)
            result = board["returns"][0]
            if self.decisive and board["ply"][0] == ply + 1 and result[node.mover] == 1:
                node.value = 1.0
                node.plies = 1
        node.visits += 1
        for above, edge in path:
            above.visits += 1
            edge.visits += 1
            edge.total += np.float32(result[above.mover])
        self.prove(path, node)
        return result

    def descend(self, node, board, word):
        game = self.game
        path = []
        while node.value is None and not (board["terminated"][0] or board["truncated"][0]):
            if node.edges is None:
                if node.visits == 0 and path:
                    break
                node.edges = [Edge(a) for a in np.flatnonzero(game.legal(board)[0])]
            first = self.decisive(board) if self.decisive and not path and not node.tried else -1
            word = stepped(word)
            edge = self.select(node, mixed(word), first)
            path.append((node, edge))
            stream = board["rng"][0]
            game.play(board, [edge.action])
            drawn = game.has_hidden or board["rng"][0] != stream
            seat = board["to_move"]
            key = (int(seat[0]), game.observe(board, seat).tobytes()) if drawn else None
            if key not in edge.children:
                edge.children[key] = Node(game, board, drawn)
            node = edge.children[key]
        return path, node, word

    def select(self, node, bits, first):
        if node.tried < len(node.edges):
            k = node.tried
            other = k + below(bits, len(node.edges) - k)
            if first >= 0:
                other = [edge.action for edge in node.edges].index(first)
            node.edges[k], node.edges[other] = node.edges[other], node.edges[k]
            node.tried += 1
            return node.edges[k]
        scale = np.float32(self.exploration * np.sqrt(np.log(node.visits)))
        return max(node.edges, key=lambda edge: edge.bound(scale))

    def roll_out(self, board, word):
        for _ in range(self.depth):
            if board["terminated"][0] or board["truncated"][0]:
                return
            word = stepped(word)
            action = self.decisive(board) if self.decisive else -1
            if action < 0:
                action = tried_action(self.game.legal(board)[0], mixed(word))
            self.game.play(board, [action])

    def prove(self, path, node):
        for above, edge in reversed(path):
            if node.value is None or node.drawn or edge.value is not None:
                return
            edge.value = node.value if node.mover == above.mover else -node.value
            edge.plies = node.plies + 1
            edge.lost = edge.value < (0 if self.game.num_players == 2 else 1e-9)
            known = [e.value for e in above.edges if e.value is not None]
            if max(known) >= 1 or len(known) == len(above.edges):
                above.value = max(known)
                above.plies = edge.plies if above.value >= 1 else max(e.plies for e in above.edges)
            node = above
