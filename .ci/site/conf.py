"""Settings of Sphinx for the site. `build.py` collects the pages.

Sphinx has a search that works from disk, resolves Python names, and reads the Markdown pages with
MyST. The theme furo supports phones and dark mode.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy.typing as npt
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives import ObjectDescription
from sphinx.domains.python import PyAttribute, PyProperty
from sphinx.util.docstrings import prepare_docstring
from sphinx.util.typing import stringify_annotation

import boardenvs

project = "boardenvs"
author = "boardenvs"
version = release = boardenvs.__version__
root_doc = "README"
exclude_patterns = ["conf.py"]
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",
]
default_role = "code"  # docstrings write names in single backticks
autodoc_default_options = {"members": True, "member-order": "bysource"}
autoclass_content = "both"  # the docstrings of constructors describe the arguments
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
maximum_signature_line_length = 76  # longer signatures have one line per argument
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # the signature already has the type
python_use_unqualified_type_names = True
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the notebooks contain their outputs
nb_render_markdown_format = "myst"
html_theme = "furo"
html_title = f"boardenvs {release}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1c62c4", "color-brand-content": "#1c62c4"},
    "dark_css_variables": {"color-brand-primary": "#7fb0ff", "color-brand-content": "#7fb0ff"},
}

_ARRAY_LIKE = stringify_annotation(npt.ArrayLike, "smart")
_ARRAY = re.compile(
    r"~?numpy\.ndarray\[tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[([^\]]*)\]\]"
)

_NUMPY = re.compile(r"~?numpy\.(?:[\w.]+\.)?(\w+)")
_FUNCTION = re.compile(r"<function (\w+)>")


def plain(types: str) -> str:
    """Return types as written in the code; Sphinx expands the aliases of NumPy."""
    types = types.replace(_ARRAY_LIKE, "ArrayLike").replace("<factory>", "...")
    types = _FUNCTION.sub(r"\1", _ARRAY.sub(r"NDArray[\1]", types))
    return _NUMPY.sub(r"np.\1", types)


def plain_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returned: str
) -> tuple[str | None, str | None]:
    """Shorten the types of a function."""
    return signature and plain(signature), returned and plain(returned)


def in_order(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Move examples to the end, and work around problems of Sphinx and napoleon."""
    if what in ("attribute", "property"):
        # Napoleon takes the text before a colon in the first line as a type.
        lines[:0] = ["..", ""]
        return
    rest, example = parted(lines)
    if what == "class" and "__init__" in vars(obj):
        # Sphinx calls this with the docstring of the class and with that of the constructor. The
        # latter may come from the base class and describe other arguments.
        own = prepare_docstring(obj.__doc__ or "")
        if not obj.__init__.__doc__:
            rest = rest if lines[:1] == own[:1] else []
        else:
            example = [] if lines[:1] == own[:1] else parted(own)[1]
    lines[:] = [*rest, "", *example]


def parted(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return a docstring without its example, and the example."""
    if "Example:" not in lines:
        return list(lines), []
    start = lines.index("Example:")
    end = start + 1
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        end += 1
    return [*lines[:start], *lines[end:]], lines[start:end]


def skip_overrides(
    app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any
) -> bool | None:
    """Skip methods and properties without a docstring, which override documented ones."""
    function = inspect.isroutine(obj) or isinstance(obj, property)
    return True if function and not obj.__doc__ else None


class Plain(ObjectDescription[Any]):
    """An object whose type is shown as in the code."""

    def run(self) -> list[Any]:
        for key in ("type", "value"):
            if key in self.options:
                self.options[key] = plain(self.options[key])
        return super().run()


class PlainAttribute(Plain, PyAttribute):
    """An attribute whose type is shown as in the code."""


class PlainProperty(Plain, PyProperty):
    """A property whose type is shown as in the code."""


def with_headings(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Add its column's heading to each cell, which only narrow screens show."""
    for table in doctree.findall(nodes.table):
        (head,) = table.findall(nodes.thead)
        (body,) = table.findall(nodes.tbody)
        for row in body:
            for heading, cell in zip(head[0][1:], row[1:], strict=False):
                if heading.astext() and cell.astext():
                    text = f"{heading.astext()}: "
                    cell[0].insert(0, nodes.inline("", text, classes=["column"]))


def source_of(app: Sphinx, module: str, name: str) -> str | None:
    """Return the module with the source of a name; `None` for the default."""
    # Registration creates modules such as boardenvs.gekitai_v0, which have no file.
    return "boardenvs.envs.aec" if module.endswith("_v0") else None


def setup(app: Sphinx) -> None:
    """Connect the functions of this file to Sphinx."""
    app.connect("doctree-resolved", with_headings)
    app.connect("viewcode-follow-imported", source_of)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("autodoc-process-docstring", in_order, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip_overrides)
    app.add_directive_to_domain("py", "attribute", PlainAttribute, override=True)
    app.add_directive_to_domain("py", "property", PlainProperty, override=True)
