"""After `boardenvs compile`, no first use compiles anything."""

import os
import subprocess
import sys

import pytest

USED_LATER = """
import gymnasium
import numpy as np

import agents
import boardenvs
from boardenvs import game112_v0

game = boardenvs.make("game112", board_size=4)
print(agents.play_match(game, ["greedy", "random"], 40, seed=0).games)
print(agents.play_match(game, ["mcts:20", "exact"], 4, seed=0).games)
batch = boardenvs.BatchEnv(game, 2048, 0)
for _ in range(40):
    batch.step(batch.action_mask.argmax(1))
env = game112_v0.env(board_size=4)
env.reset(seed=0)
for agent in env.agent_iter():
    seen, _, terminated, truncated, _ = env.last()
    env.step(None if terminated or truncated else int(seen["action_mask"].argmax()))
env = gymnasium.make("boardenvs/Game112-v0", board_size=4)
seen, info = env.reset(seed=0, options={"state": game.to_dict(game.new(1, 0)[0])})
env.step(info["action_mask"].argmax())
envs = gymnasium.make_vec("boardenvs/Game112-v0", 1024, board_size=4,
                          vectorization_mode="vector_entry_point")
seen, infos = envs.reset(seed=0)
envs.step(infos["action_mask"].argmax(1))
boardenvs.Episode.play(game, ["random", "random"], 0).to_html()
"""


@pytest.mark.slow
def test_later_programs_compile_nothing(tmp_path, script):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(*command):
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        return {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("*.nbc")}

    compiled = run(str(script), "compile", "game112", "-p", "board_size=4")
    assert len(compiled) > 10
    assert run(sys.executable, "-c", USED_LATER) == compiled


def test_parameters_require_one_game(fails):
    fails("--param", "compile", "-p", "board_size=4")
    fails("got 'chess'", "compile", "chess")
