#!/usr/bin/env bash
# OpenSpiel 2.0.2: the PyTorch DQN raises TypeError if it may learn before its first transition. Its
# replay buffer does not exist until then, so `min_buffer_size_to_learn` has no effect. This happens
# with `learn_every=1`, and with the default 10 to a seat that does not act in its first ten steps.
#
# Expected: `learn` returns None until the buffer has `min_buffer_size_to_learn` transitions.
# Seen: the first step raises "object of type 'NoneType' has no len()".
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q open_spiel==2.0.2 torch==2.13.0 dm-tree==0.1.10
"$folder/venv/bin/python" -W ignore - <<'PY'
from importlib import metadata

from open_spiel.python import rl_environment
from open_spiel.python.pytorch.dqn import DQN

env = rl_environment.Environment("tic_tac_toe")
size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]


def first_step(**settings):
    learner = DQN(player_id=0, state_representation_size=size, num_actions=actions, **settings)
    try:
        learner.step(env.reset())
    except TypeError as error:
        return str(error)
    return "no error"


def ends_of_ten_games():
    """Give the learner only the ends of games that others play."""
    learner = DQN(player_id=1, state_representation_size=size, num_actions=actions)
    for _ in range(10):
        now = env.reset()
        while not now.last():
            legal = now.observations["legal_actions"][now.current_player()]
            now = env.step([legal[0]])
        try:
            learner.step(now)
        except TypeError as error:
            return str(error)
    return "no error"


print("open_spiel", metadata.version("open_spiel"))
seen = first_step(learn_every=1), first_step(learn_every=10), ends_of_ten_games()
print("first step with learn_every=1:", seen[0])
print("first step with learn_every=10:", seen[1])
print("ten games in which the seat does not act, learn_every=10:", seen[2])
error = "object of type 'NoneType' has no len()"
assert seen == (error, "no error", error), "the behaviour has changed"
PY
