"""A table and an experiment in cards: lists of plain texts, and notices."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app.markup import Markup
from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_core import UCBPEError

_CSS = """
:host {
  color: var(--mui-palette-text-primary, #1a1a1a);
  font: 400 0.875rem/1.45 var(--bokeh-base-font, system-ui, sans-serif);
  overflow-wrap: anywhere;
}
h2 { margin: 0 0 4px; font-size: 0.9375rem; font-weight: 600; }
p { margin: 0 0 4px; }
ul { margin: 0; padding-left: 1.1em; }
dl {
  display: grid;
  grid-template-columns: fit-content(60%) minmax(0, 1fr);  /* a long name leaves room for values */
  gap: 2px 12px;
  margin: 0;
}
dt { color: var(--mui-palette-text-secondary, #5f6368); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
ol { margin: 0; padding: 0; list-style: none; }
ol li { display: flex; gap: 10px; justify-content: space-between; padding: 1px 0; }
time, .quiet { color: var(--mui-palette-text-secondary, #5f6368); }
time { flex: none; }
del { color: var(--mui-palette-text-secondary, #5f6368); }
.fault {
  padding: 8px 12px;
  border-left: 4px solid var(--mui-palette-error-main, #d32f2f);
  background: color-mix(in srgb, var(--mui-palette-error-main, #d32f2f) 10%, transparent);
}
.note {
  padding: 8px 12px;
  border-left: 4px solid var(--mui-palette-warning-main, #ed6c02);
  background: color-mix(in srgb, var(--mui-palette-warning-main, #ed6c02) 10%, transparent);
}
"""


def card(*names: str, text: str = "") -> Markup:
    """A pane for the texts below."""
    return Markup(
        text, css_classes=["lab-texts", *names], stylesheets=[_CSS], margin=0,
        sizing_mode="stretch_width",
    )  # fmt: skip


def paragraphs(title: str, lines: Iterable[str]) -> str:
    """A heading and paragraphs."""
    return _heading(title) + "".join(f"<p>{escape(line)}</p>" for line in lines)


def facts(title: str, rows: Iterable[tuple[str, str]], remarks: Sequence[str] = ()) -> str:
    """A heading, names with values, and remarks."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    noted = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return f"{_heading(title)}<dl>{told}</dl>" + (f"<ul>{noted}</ul>" if noted else "")


def journal(title: str, rows: Iterable[tuple[str, str, bool]]) -> str:
    """A heading and entries: what, when, and whether it was taken back."""
    items = []
    for what, when, gone in rows:
        text = f"<del>{escape(what)}</del>" if gone else escape(what)
        items.append(f"<li><span>{text}</span><time>{escape(when)}</time></li>")
    return f"{_heading(title)}<ol>{''.join(items)}</ol>"


def fault(error: UCBPEError | None) -> str:
    """What was expected, what was got and what to do; nothing without an error."""
    if error is None:
        return ""
    return f'<p class="fault" role="alert">{escape(sentences(error))}</p>'


def note(text: str) -> str:
    """A notice that is no error."""
    return f'<p class="note" role="status">{escape(text)}</p>' if text else ""


def _heading(title: str) -> str:
    return f"<h2>{escape(title)}</h2>" if title else ""
