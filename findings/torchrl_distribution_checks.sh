#!/usr/bin/env bash
# TorchRL 0.14.1: `import torchrl.envs` changes PyTorch for the whole process. It disables the checks
# of all distributions (`Distribution.set_default_validate_args(False)`).
#
# A categorical distribution over logits of minus infinity, as an action mask without legal actions
# gives it, is an error in PyTorch.
#
# Expected: the same error after the import.
# Seen: no error; the probabilities are NaN, and so is the entropy. A loss becomes NaN without a word.
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torchrl==0.14.1 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import torch
from torch.distributions import Categorical

logits = torch.full((9,), -torch.inf)


def outcome():
    try:
        return f"no error, entropy {Categorical(logits=logits).entropy().item()}"
    except ValueError:
        return "ValueError"


before = outcome()
import torchrl.envs

after = outcome()
print("torch", torch.__version__, "torchrl", torchrl.__version__)
print("before the import:", before)
print("after the import:", after)
assert (before, after) == ("ValueError", "no error, entropy nan"), "the behaviour has changed"
PY
