"""One rule finds the players of a game, for users' games and for those of the package."""

import json
import subprocess
import sys

import numpy as np
import pytest

import agents
import boardenvs
from agents.agent import Agent
from agents.naming import game_folders
from agents.naming.spec import Spec, make_builtin, names_for
from agents.naming.tables import NAMES
from agents.naming.user_code import allow, is_user_code
from agents.search.decisive import knows_decisive
from agents.training.settings_files import settings_for
from boardenvs.gekitai import Gekitai
from boardenvs.gomoku import Gomoku

MINE = """
from boardenvs.gomoku import Gomoku
import boardenvs

@boardenvs.register
class Mine(Gomoku):
    name = "mine"
"""
RULES = "from boardenvs.gomoku.rules import *\n"
PLAYERS = """
AGENTS = {"greedy": "greedy:First", "hunter:STEPS:PATH": "hunting:Hunter", "broken": "broken:X",
          "shy": "hunting:Shy", "odd:SIZE": "greedy:First"}
"""
FIRST = """
from agents.agent import Agent

class First(Agent):
    def choose(self, states, words):
        return self.game.legal(states).argmax(1)
"""
HUNTING = """
from greedy_of.players.greedy import First

class Hunter(First):
    def __init__(self, game, seed=None, spec="", steps: int | None = 3, path=None, bonus=0):
        super().__init__(game, seed, spec)
        self.steps, self.path, self.bonus = steps, path, bonus

class Shy(First):
    def __init__(self, game, seed=None, spec=""):
        raise RuntimeError("not\\ntoday")
"""


@pytest.fixture
def mine(own_package):
    """Return the function that makes a user's variant of Gomoku in a package of these files."""

    def make(**files):
        return own_package("greedy_of", {"__init__.py": MINE, **files}).Mine(board_size=9)

    return make


@pytest.fixture
def hunted(mine):
    return mine(
        **{
            "players/__init__.py": PLAYERS,
            "players/greedy.py": FIRST,
            "players/hunting.py": HUNTING,
            "players/broken.py": "import no_such_module\n",
        }
    )


# -- Games of this package --------------------------------------------------------------


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_a_game_has_its_own_folder(name):
    game = boardenvs.make(name)
    assert game_folders.folders(game) == [f"agents.games.{name}"]
    assert [path.parent.name for path in game_folders.files(game, "training.toml")] == [name]
    assert game_folders.player_module(game, "no_such_part") is None


def test_the_finder_imports_no_module():
    code = (
        "import sys, boardenvs; from agents.naming import game_folders as f;"
        "g = boardenvs.make('gekitai');"
        "print(f.player_module_name(g, 'decisive'));"
        "print('agents.games.gekitai.decisive' in sys.modules);"
        "print(f.player_module(g, 'decisive').__name__)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name = "agents.games.gekitai.decisive"
    assert ran.stdout.split() == [name, "False", name]


def test_a_helper_module_is_not_an_agent(refused):
    """Gekitai's module `balance` is not an agent of this name."""
    game = boardenvs.make("gekitai")
    assert game_folders.player_module_name(game, "balance") == "agents.games.gekitai.balance"
    with refused("there is no agent 'balance'"):
        agents.make("balance", game)


def test_an_agent_of_one_game_is_known_and_refused_by_the_others(refused):
    assert {"neighbour", "perfect"} <= set(NAMES)
    assert "perfect" in names_for(boardenvs.make("dominoes175"))
    with refused("agent 'perfect' .*gekitai$"):
        agents.make("perfect", "gekitai")
    with refused("agent 'perfect' .*gekitai$"):
        Spec.of("perfect", boardenvs.make("gekitai")).options()


# -- Games derived from games of this package -------------------------------------------


class Variant(Gomoku):
    """A game defined in a module, without its own folder."""

    name = "variant"


@pytest.fixture(params=["module", "package"])
def derived(request, mine):
    """Gomoku under another name with the same rules."""
    return Variant(board_size=9) if request.param == "module" else mine()


def test_unchanged_rules_inherit_the_players_of_the_base(derived):
    original = boardenvs.make("gomoku", board_size=9)
    assert game_folders.folders(derived) == ["agents.games.gomoku"]
    for name in ("greedy", "neighbour"):
        one, other = agents.make(name, derived, 0), agents.make(name, original, 0)
        assert type(one) is type(other)
        assert one.act(derived.new(50, 0)).tolist() == other.act(original.new(50, 0)).tolist()
    assert knows_decisive(derived)
    assert len(derived.symmetries()) == 8
    assert settings_for(derived) == settings_for(original)
    assert names_for(derived) == names_for(original)
    assert agents.make("trained", derived).path == agents.make("trained", original).path


def test_changed_rules_inherit_no_players(mine, refused):
    game = mine(**{"rules.py": RULES})
    assert game.rules.__name__ == "greedy_of.rules"
    assert game_folders.folders(game) == []
    assert type(agents.make("greedy", game, 0)).__module__ == "agents.players.greedy"
    assert not knows_decisive(game)
    assert len(game.symmetries()) == 1
    assert settings_for(game).network == "plain"
    for spec, said in (
        ("neighbour", "agent 'neighbour' .*mine$"),
        ("trained", "no trained agent is shipped for Mine"),
    ):
        with refused(said):
            agents.make(spec, game)
    with refused("agent 'neighbour' .*mine$"):
        from agents.games.gomoku.neighbour import NeighbourAgent

        NeighbourAgent(game)


def test_a_network_plays_a_derived_game_only_if_the_rules_are_the_same(tiny, refused):
    class Same(Gekitai):
        name = "same"

    class Otherwise(Same):
        name = "otherwise"

        def __init__(self, board_size=6, pieces=8, line_length=3, max_plies=200):
            super().__init__(board_size, pieces, line_length, max_plies)
            self.constants["line"] = 4

    assert agents.make(tiny.spec, Same()).act(Same().new(2, 0)).shape == (2,)
    with refused("agent.onnx plays gekitai with .*, not otherwise with "):
        agents.make(tiny.spec, Otherwise())
    with refused("agent.onnx plays gekitai with .*, not same with "):
        agents.make(tiny.spec, Same(pieces=9))


# -- User-defined players ---------------------------------------------------------------


def test_players_beside_the_users_class_are_found(hunted):
    assert game_folders.folders(hunted) == ["greedy_of.players", "agents.games.gomoku"]
    own = agents.make("greedy", hunted, seed=1)
    assert (type(own).__name__, own.spec) == ("First", "greedy")
    assert agents.make("neighbour", hunted).spec == "neighbour"  # of its base
    assert {"hunter", "neighbour"} <= set(names_for(hunted))
    assert {"broken", "shy"}.isdisjoint(names_for(hunted))
    assert Spec.of("hunter", hunted).options() == ["steps", "path", "bonus"]
    scores = agents.play_match(hunted, ["hunter", "greedy"], 4, seed=0)
    assert scores.games == 4


def test_a_users_agent_accepts_its_declared_arguments(hunted, refused):
    agent = agents.make("hunter:7:a b:c", hunted, bonus=2)
    assert (agent.steps, agent.path, agent.bonus) == (7, "a b:c", 2)
    assert agents.make("hunter", hunted, steps=5).steps == 5
    for spec, options, said in (
        ("hunter:x", {}, "STEPS must be .*'x'"),
        ("hunter:3", {"steps": 4}, "agent 'hunter:3' .*steps"),
        ("hunter:3:p", {"path": "q"}, "agent 'hunter:3:p' .*path"),
        ("hunter", {"colour": 1}, "agent 'hunter' has no option 'colour'.*'bonus'"),
        ("hunterr", {}, "there is no agent 'hunterr'; .*hunter:STEPS.*; did you mean hunter"),
        ("greedy:1", {}, "there is no agent 'greedy:1'"),
        ("shy", {}, "agent 'shy' cannot be made: RuntimeError: not today$"),
        ("broken", {}, "agent 'broken' cannot be made: ModuleNotFoundError: .*no_such_module"),
        ("odd:3", {}, "agent 'odd' .*SIZE"),
    ):
        with refused(said):
            agents.make(spec, hunted, **options)
    with refused("there is no agent 'hunter'"):
        agents.make("hunter", "gomoku")


def test_a_file_can_name_the_games_agents_but_no_module(hunted, refused):
    assert make_builtin("hunter:3", hunted).steps == 3
    assert not is_user_code("hunter:3", hunted)
    assert is_user_code("hunter:3")
    with refused("'greedy_of.players.greedy:First' is an agent of your own"):
        make_builtin("greedy_of.players.greedy:First", hunted)
    with refused("spec must be "):
        allow("hunter")


def test_the_version_of_a_users_agent_depends_on_its_file(hunted, tmp_path):
    spec = Spec.of("hunter:3", hunted)
    agent = spec.make()
    before = spec.version(agent)
    assert before.startswith("file ")
    assert spec.entry.module == "greedy_of.players.hunting"
    file = tmp_path / "greedy_of" / "players" / "hunting.py"
    file.write_text(HUNTING + "# changed\n", encoding="utf-8")
    assert spec.version(agent) != before
    ours = Spec.of("neighbour", hunted)
    assert ours.version(ours.make()).startswith("boardenvs ")


def test_a_folder_without_code_is_found(mine, network_file, tmp_path):
    """A folder without code is found, even if created after the import of the game."""
    game = mine()
    assert agents.make("trained", game).path.parent.name == "gomoku"
    folder = tmp_path / "greedy_of" / "players"
    folder.mkdir()
    (folder / "training.toml").write_text("ppo_steps = 7\n", encoding="utf-8")
    assert settings_for(game).ppo_steps == 7
    network = network_file(game)
    for file in (network, network.with_suffix(".json")):
        file.rename(folder / file.name)
    assert agents.make("trained", game).path == folder / network.name
    assert agents.make("puct:2", game).path == folder / network.name
    card = json.loads((folder / "handmade.json").read_text(encoding="utf-8"))
    assert card["game"] == "mine"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("AGENTS = ['greedy']", r"greedy_of.players.AGENTS .*got \['gr"),
        ("AGENTS = {'greedy': 3}", "greedy_of.players.AGENTS .*got {'greedy': 3}"),
        ("raise RuntimeError('no\\nluck')", "greedy_of.players .*RuntimeError: no luck"),
    ],
)
def test_invalid_tables_of_players_are_refused(mine, refused, table, said):
    game = mine(**{"players/__init__.py": table})
    with refused(said):
        agents.make("greedy", game)


def test_a_module_named_players_is_not_a_folder(mine):
    game = mine(**{"players.py": "AGENTS = {'greedy': 'nowhere:X'}"})
    assert game_folders.folders(game) == ["agents.games.gomoku"]
    assert agents.make("greedy", game).spec == "greedy"


def test_a_users_game_can_define_decisive_moves(mine):
    game = mine(**{"players/decisive.py": "from agents.games.gomoku.decisive import *\n"})
    assert game_folders.player_module_name(game, "decisive") == "greedy_of.players.decisive"
    assert game_folders.player_module_name(game, "greedy") == "agents.games.gomoku.greedy"


def test_a_users_greedy_class_becomes_an_agent(hunted):
    assert isinstance(agents.make("greedy", hunted), Agent)
    assert np.array_equal(agents.make("greedy", hunted).act(hunted.new(2, 0)), [0, 0])
