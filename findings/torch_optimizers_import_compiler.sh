#!/usr/bin/env bash
# PyTorch 2.13.0: making any optimiser of `torch.optim` imports the compiler `torch._dynamo` and
# SymPy, though nothing is compiled.
#
# Expected: `torch.optim.SGD(parameters)` imports what SGD needs.
# Seen: some 800 modules are imported, which take about 70 MB of memory, and stay.
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import torch

print("torch", torch.__version__)
layer = torch.nn.Linear(4, 4)
layer(torch.ones(1, 4)).sum().backward()
before = set(sys.modules)
compiler = {"torch._dynamo", "sympy"}
assert not compiler & before, "the behaviour has changed"
torch.optim.SGD(layer.parameters(), lr=0.1)
new = set(sys.modules) - before
print(f"modules imported by SGD: {len(new):,}, among them {sorted(compiler & new)}")
assert compiler <= new, "the behaviour has changed"
assert len(new) > 500, "the behaviour has changed"
PY
