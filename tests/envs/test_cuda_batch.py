"""`CudaBatchEnv` plays the games of `BatchEnv` in Numba's simulator, and compiles for a GPU."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boardenvs
from boardenvs.envs import cuda_batch
from boardenvs.envs.game_batch import GameBatch
from boardenvs.kernels.gpu import kernel_for

numba_cuda = pytest.importorskip("numba.cuda")

SUPPORT = Path(__file__).parents[1] / "support"
OWN_GAME = Path(boardenvs.__file__).parent / "OWN_GAME.md"
GAMES = [*boardenvs.GAMES, "nim"]
KERNELS = [cuda_batch._begin, cuda_batch._step, cuda_batch._sample, cuda_batch._play_out]
NUMBA_CUDA = importlib.util.find_spec("numba_cuda")
NVCC = NUMBA_CUDA and importlib.util.find_spec("nvidia.cuda_nvcc")


@pytest.fixture
def nim_path(tmp_path):
    """Return a folder with the module of the game of the page on games of your own."""
    code = re.search(r"```python\n(.*?class Nim.*?)```", OWN_GAME.read_text("utf-8"), re.DOTALL)
    (tmp_path / "nim.py").write_text(code[1], "utf-8")
    return tmp_path


@pytest.mark.parametrize("place", ["simulator", "gpu"])
@pytest.mark.parametrize("name", GAMES)
def test_games_on_a_gpu_agree_with_the_cpu(name, place, nim_path):
    if place == "gpu" and not (NUMBA_CUDA and numba_cuda.is_available()):
        pytest.skip("needs a GPU and the extra [cuda]")
    path = os.pathsep.join([str(SUPPORT), str(nim_path), os.environ.get("PYTHONPATH", "")])
    simulated = str(int(place == "simulator"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "cuda_games", name],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": simulated, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not NVCC, reason="needs numba-cuda[cu12]")
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("loop", KERNELS, ids=lambda loop: loop.function.__name__)
@pytest.mark.usefixtures("temporary_games")
def test_the_games_compile_to_machine_code_for_gpus(name, loop, nim_path, monkeypatch):
    import numba
    from numba.cuda import compile_ptx, dispatcher

    class AnyGpu:
        compute_capability = (8, 0)

    if name == "nim":
        monkeypatch.syspath_prepend(nim_path)
        monkeypatch.delitem(sys.modules, name, raising=False)  # importing it registers the game
        importlib.import_module(name)
    monkeypatch.setattr(dispatcher, "get_current_device", AnyGpu)
    game = boardenvs.make(name)
    types = numba.typeof(GameBatch(game, 1).games), numba.int8[::1], numba.int64[::1]
    code, _ = compile_ptx(kernel_for(loop, game.rules).kernel, types, cc=(8, 0))
    file = nim_path / "kernel.ptx"
    file.write_text(code, "utf-8")
    (nvcc,) = importlib.util.find_spec("nvidia.cuda_nvcc").submodule_search_locations
    # The assembler resolves calls, and reports how much memory a thread needs beside registers.
    done = subprocess.run(
        [Path(nvcc) / "bin" / "ptxas", "-v", "--gpu-name", "sm_80", file, "-o", os.devnull],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    frames = re.findall(r"(\d+) bytes stack frame", done.stderr)
    assert frames
    assert max(map(int, frames)) <= 1024


def test_other_modules_do_not_import_numba_cuda():
    code = """
import sys, boardenvs, agents, agents.speed.measures, agents.command
boardenvs.BatchEnv("gekitai", 2, 0)
agents.make("mcts:2", boardenvs.make("gekitai"), 0)
print("numba.cuda" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr


def test_a_missing_gpu_is_reported_in_one_line():
    if numba_cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(RuntimeError, match=r"^CudaBatchEnv needs .*\Z"):
        boardenvs.CudaBatchEnv("gekitai", 4)
