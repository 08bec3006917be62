"""Build the documentation as a site: `build.py OUT`.

The site contains the README, the Markdown pages of the packages and the campaign, the notebooks,
and a page for each public name, made from its docstring.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import shutil
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "Games and environments": {
        "boardenvs": "Games, batches and episodes",
        "boardenvs.gekitai_v0": "PettingZoo modules, one for each game",
        "boardenvs.envs.aec": "PettingZoo environments",
        "boardenvs.envs.single": "Gymnasium environments",
        "boardenvs.envs.vector": "Gymnasium vector environments",
        "boardenvs.core.symmetries": "Symmetries of a board",
    },
    "Agents and matches": {"agents": "Agents, matches and the benchmark"},
    "Search": {"agents.search": "Search agents"},
    "Training": {"agents.training": "Training runs and settings"},
    "Arena and benchmark": {
        "agents.arena": "Ratings and reports",
        "agents.curves": "Learning curves",
    },
    "The six games": {},
}
"""Packages whose `__all__` is public, and their titles, by group of the reference."""

SEE_ALSO = {
    "Training": ["agents.from_sb3"],
    "Arena and benchmark": [
        "agents.benchmark",
        "agents.check_learner",
        "agents.exploitability",
        "agents.play_match",
    ],
}
"""Names of other packages that a group of the reference also lists."""

PAGES = {
    "How to": [
        "boardenvs/ENVIRONMENTS",
        "boardenvs/INTEGRATIONS",
        "boardenvs/COLD_START",
        "boardenvs/OWN_GAME",
        "boardenvs/COMING_FROM",
        "boardenvs/QUESTIONS",
        "agents/README",
        "agents/play/README",
        "agents/players/text/README",
        "agents/players/text/OPENENV",
        "agents/players/text/TRL",
    ],
    "Train": [
        "agents/training/README",
        "agents/training/PPO",
        "agents/training/SELF_PLAY_PPO",
        "agents/training/self_play/ALPHAZERO",
        "agents/training/INT8",
        "agents/arena/ARRAYS",
    ],
    "Measure": [
        "agents/benchmark/README",
        "agents/arena/README",
        "agents/curves/README",
        "agents/checking/README",
        "agents/STRENGTH",
        "agents/KNOWN_VALUES",
        "agents/speed/README",
    ],
    "Project": [
        ".github/CONTRIBUTING",
        "boardenvs/CHANGES",
        "boardenvs/SECURITY",
        "tests/campaign/README",
    ],
}
"""Pages in the sidebar, besides games and notebooks, by section."""


def groups() -> dict[str, dict[str, str]]:
    """Return the title of each public package, by group."""
    import boardenvs

    games = {f"boardenvs.{game}": boardenvs.make(game).title for game in boardenvs.GAMES}
    return {**PACKAGES, "The six games": games}


def public() -> dict[str, list[str]]:
    """Return the public names of each package."""
    packages = [package for titles in groups().values() for package in titles]
    return {name: list(importlib.import_module(name).__all__) for name in packages}


def write_reference(folder: Path) -> None:
    """Write a page for each public name and each package, and an index of all names."""
    place = folder / "reference"
    place.mkdir()
    packages = public()
    pages: dict[int, str] = {}
    for package, names in packages.items():
        for name in names:
            pages.setdefault(
                id(getattr(importlib.import_module(package), name)), f"{package}.{name}"
            )
    lines = ["# Reference", "", "Every public name, with its arguments, errors and an example.", ""]
    for group, titles in groups().items():
        lines += [f"## {group}", ""]
        for package, title in titles.items():
            about = first_paragraph(importlib.import_module(package))
            about = about.replace(" See README.md here.", "")
            listed = ["", *(entry(package, name) for name in packages[package])]
            for name in packages[package]:
                page = place / f"{package}.{name}.md"
                page.write_text(reference_page(package, name, pages), encoding="utf-8")
            short = [f"{name} <{package}.{name}>" for name in packages[package]]
            text = [f"# {package}", "", about, *listed, "", *toctree(short)]
            (place / f"{package}.md").write_text("\n".join(text), encoding="utf-8")
            lines += [f"### {title}: [`{package}`]({package}.md)", *listed, ""]
        if also := SEE_ALSO.get(group):
            lines += ["See also:", "", *(entry(*name.rsplit(".", 1)) for name in also), ""]
        lines += toctree([f"{title} <{package}>" for package, title in titles.items()])
    (place / "index.md").write_text("\n".join(lines), encoding="utf-8")


def entry(package: str, name: str) -> str:
    """Return a list entry with a link to the page of a public name."""
    thing = getattr(importlib.import_module(package), name)
    description = first_paragraph(thing) if callable(thing) else "All valid names."
    return f"- [`{name}`]({package}.{name}.md): {description}"


def first_paragraph(thing: object) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def toctree(pages: list[str], caption: str = "") -> list[str]:
    """Return the lines that add pages to the sidebar."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return ["", "```{toctree}", *options, "", *pages, "```", ""]


def reference_page(package: str, name: str, pages: dict[int, str]) -> str:
    """Return the page of one public name.

    Args:
        package: package that exports the name.
        name: the name.
        pages: names of the pages, by the `id` of their objects. Other names of an object get a
            link to its page.
    """
    from sphinx.pycode import ModuleAnalyzer

    thing = getattr(importlib.import_module(package), name)
    lines = [f"# {package}.{name}", "", f"`from {package} import {name}`", ""]
    page = pages[id(thing)]
    if page != f"{package}.{name}":
        return "\n".join([*lines, f"Alias of [`{page}`]({page}.md).", ""])
    if not callable(thing):
        return "\n".join([*lines, *(f"- `{one}`" for one in thing), ""])
    kind = "class" if inspect.isclass(thing) else "function"
    lines += ["```{eval-rst}", f".. auto{kind}:: {package}.{name}"]
    if inspect.isclass(thing):
        bases = thing.__mro__[1:]
        ours = [base for base in bases if base.__module__.startswith(("boardenvs.", "agents."))]
        left = [base.__name__ for base in bases if id(base) in pages or base not in ours]
        lines.append(f"   :inherited-members: {', '.join(left)}")
        above = next((base for base in bases if id(base) in pages), None)
        if above:
            documented = ModuleAnalyzer.for_module(above.__module__).find_attr_docs()
            attributes = {name for _, name in documented} - set(vars(thing))
            lines.append(f"   :exclude-members: {', '.join(sorted(attributes))}")
            link = f"[`{above.__name__}`]({pages[id(above)]}.md)"
            lines += ["```", "", f"Inherits the members of {link}."]
            return "\n".join([*lines, ""])
    return "\n".join([*lines, "```", ""])


def collect(folder: Path) -> None:
    """Copy the pages and their pictures, with the folders of the repository."""
    found = [ROOT / name for name in ("README.md", ".github/CONTRIBUTING.md")]
    found += [*ROOT.glob("notebooks/*.ipynb"), ROOT / "tests/campaign/README.md"]
    for package in ("boardenvs", "agents"):
        for kind in ("md", "svg", "png", "gif"):
            found += ROOT.glob(f"{package}/**/*.{kind}")
    for path in found:
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for name in ("conf.py", "site.css"):
        shutil.copyfile(Path(__file__).with_name(name), folder / name)
    for page in folder.rglob("*.md"):
        page.write_text(linked(page.read_text("utf-8"), page, folder), encoding="utf-8")
    readme = folder / "README.md"
    text = re.sub(r"^!\[.*$", gallery(), readme.read_text("utf-8"), count=1, flags=re.MULTILINE)
    readme.write_text(text + contents(), encoding="utf-8")


def gallery() -> str:
    """Return the pictures of the games, which the first page shows in place of an animation."""
    import boardenvs

    pictures = [
        f"[![]({page.replace('README.md', 'board.svg')}) {boardenvs.make(game).title}]({page})"
        for game in boardenvs.GAMES
        for page in [f"boardenvs/{game}/README.md"]
    ]
    return "\n".join(["```{container} games", *pictures, "```"])


def linked(text: str, page: Path, folder: Path) -> str:
    """Replace links to files outside the site, such as modules, by their words."""

    def replacement(found: re.Match[str]) -> str:
        words, target = found.groups()
        path = target.partition("#")[0]
        if urlsplit(target).scheme or not path or (page.parent / path).exists():
            return found[0]
        return words

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replacement, text)


def contents() -> str:
    """Return the lines of the whole sidebar."""
    import boardenvs

    games = [f"boardenvs/{game}/README" for game in boardenvs.GAMES]
    notebooks = [f"notebooks/{path.stem}" for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    parts = {
        "Learn": ["boardenvs/QUICK_START", *notebooks],
        "Games": games,
        **PAGES,
        "Reference": ["Every public name <reference/index>"],
    }
    return "\n".join(line for title, pages in parts.items() for line in toctree(pages, title))


class Links(HTMLParser):
    """A parser that collects the addresses in a page, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.addresses.append(value)
            if key in ("id", "name") and value:
                self.anchors.add(value)


def broken(out: Path) -> list[str]:
    """Return one line for each broken link within the site."""
    read: dict[Path, Links] = {}
    for page in out.rglob("*.html"):
        read[page] = Links()
        read[page].feed(page.read_text("utf-8"))
    lines = []
    for page, links in read.items():
        for address in links.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchors = read[target].anchors if target in read else set()
            known = not parts.fragment or target not in read or unquote(parts.fragment) in anchors
            if not target.exists() or not known:
                lines.append(f"{page.relative_to(out)}: broken link to {address}")
    return lines


def main() -> int:
    """Build the site and check its links."""
    parser = argparse.ArgumentParser(description="Build the documentation as a site.")
    parser.add_argument("out", type=Path, help="folder to create, or an empty one")
    out = parser.parse_args().out.resolve()
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        print("the site needs the extra [docs]: pip install -e '.[docs]'", file=sys.stderr)
        return 2
    if out.exists() and any(out.iterdir()):
        print(f"OUT must be a new or empty folder, got {out}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.mkdir()
        write_reference(source)
        collect(source)
        doctrees = str(Path(folder, "doctrees"))
        arguments = [
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            "-d",
            doctrees,
            str(source),
            str(out),
        ]
        status = build_main(arguments)
    if status:
        return status
    shutil.copyfile(out / "README.html", out / "index.html")
    (out / "_sources").rmdir()
    for page in (out / "_modules").rglob("*.html"):
        # Sphinx links a module's names to the wrong page if two packages export them.
        text = re.sub('<a class="viewcode-back".*?</a>', "", page.read_text("utf-8"))
        page.write_text(text, encoding="utf-8")
    lines = broken(out)
    print("\n".join(lines[:50]) if lines else f"{out / 'index.html'}: no broken links")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
