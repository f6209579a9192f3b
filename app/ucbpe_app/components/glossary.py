"""The words of a page with their meanings, in a list that opens."""

from __future__ import annotations

from html import escape

from ucbpe_app.markup import Markup
from ucbpe_app.run.glossary import GLOSSARY

_CSS = """
:host {
  padding: 8px 16px;
  color: var(--mui-palette-text-primary, #1a1a1a);
  font: 400 0.875rem/1.45 var(--bokeh-base-font, system-ui, sans-serif);
}
summary { font-weight: 600; cursor: pointer; min-height: 32px; }
dl { display: grid; grid-template-columns: fit-content(9rem) 1fr; gap: 4px 12px; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--mui-palette-text-secondary, #5f6368); text-wrap: pretty; }
"""


def glossary() -> Markup:
    """A list of every word, closed at first."""
    words = "".join(
        f"<dt>{escape(one.name)}</dt><dd>{escape(one.meaning)}</dd>" for one in GLOSSARY
    )
    html = f"<details><summary>Words on this page</summary><dl>{words}</dl></details>"
    options = {"stylesheets": [_CSS], "margin": 0, "sizing_mode": "stretch_width"}
    return Markup(html, css_classes=["lab-glossary"], **options)
