#!/usr/bin/env bash
# Stable-Baselines3 2.9.2: with a schedule that falls linearly to 0, as its guide shows, the last
# update has a negative learning rate. Whole rollouts exceed `total_timesteps`, so the progress left,
# which the schedule receives, is below 0.
#
# Expected: the schedule receives values from 1 to 0, and the learning rate is at least 0.
# Seen: PPO on CartPole-v1 (2,048 steps for each rollout) with `learn(100)` has a learning rate of
# -0.019 in its only update, where the schedule starts at 0.001. With 10,000 steps the last of five
# updates has -0.000024. Stable-Baselines3's own `LinearSchedule` returns its end value.
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q stable-baselines3==2.9.2 gymnasium==1.3.0 torch==2.13.0
"$folder/venv/bin/python" - <<'PY'
import stable_baselines3
from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule

print("stable-baselines3", stable_baselines3.__version__)


def linear(left):
    return 1e-3 * left


def last_rate(schedule, steps):
    """Return the learning rate of the last update."""
    model = PPO("MlpPolicy", "CartPole-v1", learning_rate=schedule, seed=0, device="cpu")
    model.learn(steps)
    return model.policy.optimizer.param_groups[0]["lr"]


seen = {steps: last_rate(linear, steps) for steps in (100, 10_000)}
print("last learning rate by total_timesteps:", seen)
assert -0.02 < seen[100] < -0.019, "the behaviour has changed"
assert -2.5e-5 < seen[10_000] < -2.3e-5, "the behaviour has changed"
guarded = last_rate(LinearSchedule(1e-3, 0.0, 1.0), 100)
print("with LinearSchedule:", guarded)
assert guarded == 0, "the behaviour has changed"
PY
