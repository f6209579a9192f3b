"""A text becomes HTML in one place: what shows HTML takes `Html`, and nothing else writes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import ucbpe_app
from ucbpe_app.html import Html, escape, joined, table
from ucbpe_app.render.markup import Markup
from ucbpe_app.widgets.tabs import titled

_APP = Path(ucbpe_app.__file__).parent
_PYTHON, _SCRIPTS = (
    {str(path.relative_to(_APP)): path.read_text("utf-8") for path in sorted(_APP.rglob(pattern))}
    for pattern in ("*.py", "*.js")
)
# What is HTML and no literal, with the reason.
_MADE = {
    "lessons/caption.py": "ElementTree writes it, of elements and attributes that are listed there",
    "render/markup.py": "was escaped when it was set",
    "notebook/stepping.py": "files of the package",
    "serve/building.py": "a file of the package",
    "files/inventory.py": "a script of the package",
}
# What else shows HTML or Markdown: components of Panel, of panel-material-ui and of Bokeh.
_OTHERS = re.compile(  # and Python's own way to escape, whose result is a plain text
    r"\b(?:pn\.pane\.(?:HTML|Markdown|Str|Alert|JSON|LaTeX)|pn\.widgets\.StaticText"
    r"|pmui\.(?:Typography|StaticText|Accordion|Card|Details|Tabs)|Div|Paragraph|PreText|Tooltip)\("
    r"|from html import|^import html"
)
# A tag in an f-string, into which a text comes as it is.
_TAG = re.compile(r"<(?:/|!|[a-z])|=\"$")
_WHOLE_FILES = {
    "notebook/link.py": "a script of the package, and a number of this process",
    "serve/content.py": "the head of a response",
}


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Where HTML is marked as such."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Html" and node.args:
            yield node


def test_a_text_is_escaped_wherever_it_comes_in() -> None:
    text, html = "<b>&\"'", Html("<i>{}</i>")
    safe = "&lt;b&gt;&amp;&#34;&#39;"
    assert html.format(text) == html.format(escape(text)) == f"<i>{safe}</i>"
    assert Html("<i>%s</i>") % text == html.format(text)
    assert joined([Html("<p>"), text]) == Html("<p>") + text == f"<p>{safe}"
    assert titled(text, text) == f"<h2>{safe}</h2><p>{safe}</p>"


def test_what_shows_html_takes_a_plain_text_as_text() -> None:
    """Whatever a type checker has let pass."""
    made = Markup("<b>")  # type: ignore[arg-type]
    assert made.object == "&lt;b&gt;"
    made.object = f"<i>{Html('<b>')}</i>"  # type: ignore[assignment]
    assert made.object == "&lt;i&gt;&lt;b&gt;&lt;/i&gt;"
    made.object = Html("<i>")
    assert made.object == "<i>"


def test_a_table_has_headings_of_columns_and_rows_and_escapes_texts() -> None:
    made = table([("a<b", Html("<b>1</b>")), ("c", "&")], ("name", "value"), "Two")
    assert made == (
        '<table><caption>Two</caption><thead><tr><th scope="col">name</th>'
        '<th scope="col">value</th></tr></thead><tbody>'
        '<tr><th scope="row">a&lt;b</th><td><b>1</b></td></tr>'
        '<tr><th scope="row">c</th><td>&amp;</td></tr></tbody></table>'
    )
    assert table([]) == "<table><tbody></tbody></table>"


def test_no_table_is_written_by_hand() -> None:
    """That of a lesson file is a template, which its scripts fill, too."""
    found = {name for name, text in _PYTHON.items() if "<td>" in text}
    assert found == {"html.py", "run/described.py"}


def test_html_is_literal_or_named_here() -> None:
    places = {
        name
        for name, text in _PYTHON.items()
        for call in calls(ast.parse(text))
        if not isinstance(call.args[0], ast.Constant)
    }
    assert places == _MADE.keys()


def test_no_python_shows_html_in_another_way() -> None:
    found = [name for name, text in _PYTHON.items() if _OTHERS.search(text)]
    assert not found


def test_no_python_writes_html_in_another_way() -> None:
    places = {
        name
        for name, text in _PYTHON.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.JoinedStr)
        for part in node.values
        if isinstance(part, ast.Constant) and _TAG.search(str(part.value))
    }
    assert places == _WHOLE_FILES.keys()


# Scripts: literals with constants in them, by their names; and where HTML of Python's comes in.
_WRITES = re.compile(
    r"(?:(?:inner|outer)HTML\s*=|insertAdjacentHTML\(|createContextualFragment\(|srcdoc\s*="
    r"|document\.write\(|parseFromString\()\s*(?P<what>`[^`]*`|\"[^\"]*\"|'[^']*'|[^\n]*)"
)
_FROM_PYTHON = {
    "widgets/fragment.js": ["html"],
    "render/markup.js": ["model._html"],
    "files/recorded.js": ["html },"],
    "notebook/cell.js": ['page.replace("<body>", `<body data-theme="${theme}">`)'],
}


def test_no_script_makes_html_of_a_text() -> None:
    found: dict[str, list[str]] = {}
    for name, script in _SCRIPTS.items():
        for match in _WRITES.finditer(script):
            literal = match["what"][0] in "`\"'"
            places = re.findall(r"\$\{([^}]*)\}", match["what"])
            if not literal or not all(
                re.fullmatch(r"[A-Z]+(\.\w+|\[[^\]]*\])?", one) for one in places
            ):
                found.setdefault(name, []).append(match["what"])
    assert found == _FROM_PYTHON
