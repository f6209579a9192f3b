"""How many Bokeh models each page has, by kind: ``python -m tools.models [QUERY...]``.

The size of a page follows from it: what a visitor takes of the server's memory, the time that
making a page takes, and that of each message, which looks for its models among all of them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from urllib.parse import parse_qs

import panel as pn
from bokeh.document import Document
from panel.io.state import set_curdoc

from ucbpe_app.main import PAGES, laboratory

QUERIES = (
    *("preset=start", "preset=himmelblau", "problem=mackey_glass&T=2&K=2"),
    *(f"page={name}" for name in PAGES if name != "step"),
)


def document_of(query: str) -> Document:
    """The document of the page that an address with this query opens, before it is loaded."""
    asked = {name: [text.encode() for text in texts] for name, texts in parse_qs(query).items()}
    document = Document()
    state = type(pn.state)
    before = state.session_args
    state.session_args = property(lambda _: asked)
    try:
        with set_curdoc(document):
            laboratory().server_doc(document)
    finally:
        state.session_args = before
    return document


def counts(query: str) -> Counter[str]:
    """How many models of each kind a page has."""
    return Counter(type(model).__name__ for model in document_of(query).models)


def table(queries: tuple[str, ...], *, least: int) -> str:
    """Markdown: a column for each page, a row for each kind that some page has so many of."""
    pages = [counts(query) for query in queries]
    kinds = {kind for found in pages for kind, number in found.items() if number >= least}
    rows = sorted(kinds, key=lambda kind: (-max(found[kind] for found in pages), kind))
    lines = [
        ("kind", *queries),
        ("---",) * (len(queries) + 1),
        *((kind, *(str(found[kind]) for found in pages)) for kind in rows),
        ("all kinds", *(str(found.total()) for found in pages)),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", nargs="*", default=QUERIES, help="of addresses")
    parser.add_argument("--least", type=int, default=4, help="of a kind (default: %(default)s)")
    said = parser.parse_args()
    print(table(tuple(said.queries), least=said.least))
    return 0


if __name__ == "__main__":
    sys.exit(main())
