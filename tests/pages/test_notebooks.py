"""The committed notebooks were run in order and contain their outputs."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

if not NOTEBOOKS:
    pytest.skip("needs a checkout", allow_module_level=True)


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def cells(request):
    """Return the code cells."""
    found = json.loads(request.param.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def test_there_are_seven_notebooks():
    assert [path.stem[0] for path in NOTEBOOKS] == list("1234567")


def test_cells_were_run_from_top_to_bottom(cells):
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


def test_notebooks_contain_their_outputs(cells):
    outputs = [output for cell in cells for output in cell["outputs"]]
    kinds = {output["output_type"] for output in outputs}
    assert kinds <= {"stream", "display_data", "execute_result"}  # no error
    assert {output.get("name", "stdout") for output in outputs} == {"stdout"}  # no warning
    assert any("image/" in kind for output in outputs for kind in output.get("data", ()))


def test_outputs_contain_no_paths_of_a_machine(cells):
    text = json.dumps(cells)
    assert not re.search(r"/(?:tmp|home|root|Users|opt)/|site-packages|\x1b", text)


def test_the_measured_connect_four_is_the_game_of_notebook_6():
    cells = json.loads(NOTEBOOKS[5].read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    for name in ("rules.py", "__init__.py", "players/training.toml"):
        head = f"%%writefile connect_four/{name}\n"
        (shown,) = (text for text in texts if text.startswith(head))
        measured = FOLDER.parent / "agents" / "speed" / "connect_four" / name
        assert shown.removeprefix(head).rstrip("\n") + "\n" == measured.read_text(encoding="utf-8")
