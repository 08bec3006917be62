"""Environment variables that make no sense: one line, before anything reads them."""

import os
import re
import subprocess
import sys

import pytest

from boardenvs.variables import check_variables

ODD = [
    ("OMP_NUM_THREADS", "99999999999"),
    ("OMP_NUM_THREADS", "0"),
    ("OMP_NUM_THREADS", "-2"),
    ("OMP_NUM_THREADS", "many"),
    ("NUMBA_NUM_THREADS", ""),
    ("OMP_NUM_THREADS", "4,"),
    ("OMP_NUM_THREADS", "1.5"),
    ("OMP_NUM_THREADS", "9" * 5000),
    ("OMP_NUM_THREADS", "²"),
    ("NUMBA_NUM_THREADS", "0"),
    ("NUMBA_NUM_THREADS", "1025"),
    ("NUMBA_NUM_THREADS", "2\n3"),
    ("NUMBA_THREADING_LAYER", "fast"),
    ("NUMBA_THREADING_LAYER_PRIORITY", "tbb tbb omp"),
    ("NUMBA_DISABLE_JIT", "yes"),
    ("NUMBA_OPT", "4"),
]


@pytest.mark.parametrize(("name", "value"), ODD)
def test_nonsense(name, value):
    with pytest.raises(ValueError, match=rf"variable {name} must be .*, got ") as caught:
        check_variables({name: value})
    assert re.fullmatch(r"[^\n]{1,200}", str(caught.value))


def test_sense():
    check_variables({})
    check_variables({"OMP_NUM_THREADS": ""})
    check_variables(
        {
            "OMP_NUM_THREADS": " 4 ,2",
            "NUMBA_NUM_THREADS": "1024",
            "NUMBA_THREADING_LAYER": "TBB",
            "NUMBA_THREADING_LAYER_PRIORITY": "omp tbb workqueue",
            "NUMBA_DISABLE_JIT": "1",
            "NUMBA_OPT": "max",
            "NUMBA_SOMETHING_ELSE": "whatever",
        }
    )


def ran(arguments, name, value):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("program", "name", "value"),
    [
        ("agents.command arena gekitai greedy trained", "OMP_NUM_THREADS", "99999999999"),
        ("boardenvs.gekitai", "NUMBA_NUM_THREADS", "0"),
    ],
)
def test_a_program_says_it_in_one_line(program, name, value):
    done = ran(["-m", *program.split()], name, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"boardenvs: error: the environment variable {name} must be "
        f"a whole number from 1 to 1024, got {value!r}\n"
    )


def test_in_python_it_is_an_error_of_one_line():
    done = ran(["-c", "import boardenvs"], "NUMBA_THREADING_LAYER", "fast")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ValueError: the environment variable NUMBA_THREADING_LAYER must be ")
