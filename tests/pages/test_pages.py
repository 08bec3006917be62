"""Every game has a page, its code runs, and its pictures show what the code draws."""

import re
from pathlib import Path

import boardenvs

PACKAGE = Path(boardenvs.__file__).parent
HEADINGS = [
    "Rules",
    "Arguments",
    "Observation",
    "Actions",
    "Rewards",
    "Start and end",
    "Info and mask",
    "Hidden and random",
    "Deviations",
    "Agents",
    "Version history",
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name):
    return (PACKAGE / name / "README.md").read_text(encoding="utf-8")


def blocks(name, language):
    """The line number and the text of every block of code in a language."""
    text = page(name)
    return [
        (text.count("\n", 0, found.start(2)) + 1, found[2])
        for found in FENCE.finditer(text)
        if found[1] == language
    ]


def run(name, code, namespace):
    """Run a block so that an error points at its line of the page."""
    line, text = code
    path = str(PACKAGE / name / "README.md")
    exec(compile("\n" * (line - 1) + text, path, "exec"), namespace)


def pictured(name):
    """The game and the position of the page's picture: `game` and `state` of its first block."""
    namespace = {}
    run(name, blocks(name, "python")[0], namespace)
    return namespace["game"], namespace["state"]


def test_no_page_is_without_a_game():
    assert {path.parent.name for path in PACKAGE.glob("*/README.md")} <= set(boardenvs.GAMES)


def test_headings(name):
    prose = FENCE.sub("", page(name))
    assert re.findall(r"^(#+) (.*)$", prose, re.MULTILINE)[1:] == [("##", h) for h in HEADINGS]
    assert prose.startswith("# ")
    for body in re.split(r"^## .*$", prose, flags=re.MULTILINE)[1:]:
        assert body.strip()


def test_code(name):
    namespace = {}
    codes = blocks(name, "python")
    for code in codes:
        run(name, code, namespace)
    text = "".join(text for _, text in codes)
    for expected in ("boardenvs.make(", f"{name}_v0", "gym.make(", "from_dict(", "assert "):
        assert expected in text


def test_picture(name):
    alt, path = re.findall(r"^!\[(.+)\]\((.+)\)$", page(name), re.MULTILINE)[0]
    assert alt
    assert page(name).index(path) < page(name).index("\n## ")
    game, state = pictured(name)
    assert game.name == name
    file = PACKAGE / name / path
    assert file.read_text(encoding="utf-8") == game.picture(state), (
        f"{file} is out of date: write game.picture(state) of the page's first block to it"
    )


def test_text(name):
    game, state = pictured(name)
    assert blocks(name, "text")[0][1] == game.to_text(state)


def test_arguments(name):
    section = page(name).split("## Arguments\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.MULTILINE)
    assert dict(rows) == {key: str(v) for key, v in boardenvs.make(name).params.items()}
