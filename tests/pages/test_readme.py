"""The README's examples work, and its contents agree with the checks and the pages."""

import re
import tomllib
from pathlib import Path

import pytest
from keyboards import pasted

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"

if not README.exists():
    pytest.skip("needs a checkout", allow_module_level=True)


def blocks(language, page=README):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    "page", ["README.md", "boardenvs/QUICK_START.md", "boardenvs/ENVIRONMENTS.md"]
)
def test_the_first_loop_prints_the_result_when_pasted(page, capsys):
    names = pasted(blocks("python", ROOT / page)[0])
    printed = capsys.readouterr()
    assert names["terminated"]
    assert str(names["reward"]) in printed.out
    assert "Error" not in printed.err


def test_the_checks_run_the_second_command_unchanged():
    commands = [line for block in blocks("bash") for line in block.splitlines()]
    setup = [line for line in commands if line.startswith("python3 -m venv")]
    assert [line.split("&& ")[-1] for line in setup] == [
        ".venv/bin/boardenvs demo",
        ".venv/bin/pytest",
    ]
    assert setup[1] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_checks_run_the_tests_that_the_second_command_excludes():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    left_out = re.findall(r"-m 'not (\w+)'", settings["tool"]["pytest"]["ini_options"]["addopts"])
    assert left_out
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for marker in left_out:
        assert f".venv/bin/pytest -m {marker}" in checks


def test_linked_files_exist():
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target


def test_every_game_is_listed():
    import boardenvs

    text = README.read_text(encoding="utf-8")
    for name in boardenvs.GAMES:
        assert f"| `{name}` |" in text
        assert f"boardenvs/{name}/README.md" in text


def test_the_environment_is_activated_before_the_first_command():
    text = README.read_text(encoding="utf-8")
    assert text.index("`source .venv/bin/activate`") < text.index("\nboardenvs ")
    assert text.count("source .venv/bin/activate") == 1


def test_every_row_of_speed_is_on_the_speed_page():
    page = (ROOT / "agents" / "speed" / "README.md").read_text(encoding="utf-8").splitlines()
    section = README.read_text(encoding="utf-8").split("\n## Speed\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(rows) > 5
    assert [row for row in rows if row not in page] == []


def test_each_speed_of_another_library_is_one_number():
    (row,) = re.findall(r"^\| Speed .*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [len(re.findall(r"\d+(?:\.\d+)?", cell)) for cell in row.split("|")[3:6]] == [1, 1, 1]


def test_the_readme_has_at_most_160_lines():
    # Longer tables belong on pages.
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 160


def test_every_page_is_linked():
    text = README.read_text(encoding="utf-8")
    pages = [
        path for name in (".github", "agents", "boardenvs") for path in (ROOT / name).rglob("*.md")
    ]
    assert len(pages) > 10
    for page in pages:
        assert f"]({page.relative_to(ROOT).as_posix()}" in text, page
