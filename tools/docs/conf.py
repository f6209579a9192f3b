"""How Sphinx makes the site; `python -m tools.docs` calls it. Nothing is fetched from a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.search.en import SearchEnglish

import ucbpe_core
from tools.docs import docstrings

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "GP-UCB-PE laboratory"
author = "the ucbpe authors"
project_copyright = f"2026, {author}"
release = ucbpe_core.__version__
root_doc = "index"
extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode",
]  # fmt: skip

myst_enable_extensions = ["attrs_inline", "dollarmath"]
myst_heading_anchors = 3
highlight_language = "none"  # of indented blocks, which are commands

autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
# Words are no types to link, and a field is described once, in its class.
napoleon_use_param = napoleon_attr_annotations = False
napoleon_custom_sections = [("Attributes", "params_style")]
default_role = "py:obj"

html_theme = "furo"
html_title = f"{project} {release}"
html_search_scorer = str(HERE / "search.js")
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_math_renderer = "mathml"
pygments_style, pygments_dark_style = "default", "github-dark"


def as_math(writer: Any, node: nodes.Node) -> None:
    """A formula as MathML, which needs no script."""
    writer.body.append(str(convert(node.astext(), display="inline")))
    raise nodes.SkipNode


def as_display(writer: Any, node: nodes.Node) -> None:
    """A formula in a line of its own; where it is too wide it scrolls."""
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def plain(
    _app: Sphinx, _what: str, _name: str, _item: Any, _options: Any, lines: list[str]
) -> None:
    """Docstrings as Sphinx reads them."""
    lines[:] = docstrings.escaped(docstrings.described(lines))


def foreign(
    _app: Sphinx, _what: str, _name: str, item: Any, _skip: bool, _options: Any
) -> bool | None:
    """Whether a member is another library's, such as what scikit-learn adds to an estimator."""
    module = getattr(item, "__module__", None) or ucbpe_core.__name__
    return None if module.startswith(ucbpe_core.__name__) else True


class Words(SearchEnglish):  # type: ignore[misc]  # of a class that mypy does not see
    """What the search takes for a word; `search.js` does the same to what people type."""

    def split(self, text: str) -> list[str]:
        """R⁺ too, which has a sign that is in no word."""
        return re.findall(r"R⁺|\w+", text)


def setup(app: Sphinx) -> None:
    """Register what is not in an extension."""
    app.add_search_language(Words)
    app.add_html_math_renderer("mathml", (as_math, None), (as_display, None))
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", foreign)
