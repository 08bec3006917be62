#!/usr/bin/env bash
# Stable-Baselines3 2.9.2 with PyTorch 2.13.0: the first weights of a model depend on the number of
# PyTorch's threads, by default the number of cores. The orthogonal initialisation uses a QR
# decomposition, which rounds differently with several threads. Training enlarges the difference, even
# if it runs in one thread.
#
# Expected: the same seed, versions and machine give the same first weights of a network on the CPU.
# Seen: PPO on CartPole-v1 with seed 0. The first weights of one and of two threads differ by 3e-7 at
# most; equal numbers of threads give equal weights. After 20,480 steps, all in one thread, the weights
# differ by 0.15.
# The script fails if this changes. It installs pinned packages in a temporary folder. It requires two
# cores.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q stable-baselines3==2.9.2 gymnasium==1.3.0 torch==2.13.0
"$folder/venv/bin/python" - <<'PY'
import stable_baselines3
import torch
from stable_baselines3 import PPO

print("stable-baselines3", stable_baselines3.__version__, "torch", torch.__version__)


def weights(threads, steps):
    """Return the weights of a model that was made with some threads and trained in one thread."""
    torch.set_num_threads(threads)
    model = PPO("MlpPolicy", "CartPole-v1", seed=0, device="cpu")
    torch.set_num_threads(1)
    if steps:
        model.learn(steps)
    return torch.cat([one.detach().flatten() for one in model.policy.parameters()])


for steps in (0, 20_480):
    one = weights(1, steps)
    again, two = (float((weights(n, steps) - one).abs().max()) for n in (1, 2))
    print(f"after {steps:,} steps: one thread again {again:.1g}, two threads {two:.1g}")
    assert again == 0, "the behaviour has changed"
    assert two > (1e-2 if steps else 0), "the behaviour has changed"
PY
