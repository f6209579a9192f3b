"""Texts that a page must show as they are, and what a person opens with them in every field.

Each would be an element with the attribute ``hit``, ask for an address with ``/hit`` in it, or
call the function ``hit``, if it was read as HTML, once or twice, as Markdown, TeX or a script.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import numpy as np
import openpyxl

from ucbpe_core import GPUCBPE, Experiment, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Real

_IMG = "<img hit src=/hit onerror=hit()>"
TEXTS = (
    _IMG,
    "<svg hit onload=hit()></svg>",
    "<script hit>hit()</script>",
    f'">{_IMG}',
    f"'>{_IMG}",
    '" autofocus onfocus="hit()" hit="',
    "<iframe hit srcdoc='<script>parent.hit()</script>'></iframe>",
    "<a hit href=javascript:hit()>x</a>",
    "javascript:hit()",
    "<details hit open ontoggle=hit()>x</details>",
    f"<math hit><mtext><mglyph><style><!--</style>{_IMG}</mtext></math>",
    f"</title></textarea></style></template>{_IMG}",
    f"</script>{_IMG}",
    f"--!>{_IMG}",
    f"]]>{_IMG}",
    "&lt;img hit src=/hit onerror=hit()&gt;",
    "&#60;img hit src=/hit onerror=hit()&#62;",
    "[x](javascript:hit()) ![x](/hit)",
    "${hit()} {{hit()}} {hit}",
    r"$$\href{javascript:hit()}{x}$$",
    "<input hit autofocus onfocus=hit()>",
    "<object hit data=/hit></object><embed hit src=/hit>",
    "<link hit rel=stylesheet href=/hit><style hit>@import '/hit'</style>",
    "<form hit action=/hit><button hit formaction=javascript:hit()>x</button></form>",
    "<video hit><source hit src=/hit onerror=hit()></video>",
)
ALL = " ".join(TEXTS)


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = [value or "" for name, value in attrs if name in ("href", "src", "formaction")]
        if "hit" in dict(attrs) or any(value.startswith("javascript:") for value in values):
            self.found.append(self.get_starttag_text() or tag)


def foreign(html: str) -> list[str]:
    """The elements that some of the texts have become."""
    finder = _Finder()
    finder.feed(html)
    finder.close()
    return finder.found


def experiment() -> Experiment:
    """One whose texts all are such: of names, a category, labels, the output and reasons."""
    kinds = (Real(0.0, 1.0), Category(TEXTS))
    design = Design(TEXTS[:2], kinds, most=4 * len(TEXTS))
    points = Table.of(design).candidates
    labels = tuple(TEXTS[i % len(TEXTS)] for i in range(len(points)))
    table = Table(design.columns, points, ALL, ((TEXTS[2], labels),), design)
    gp = GaussianProcess(Matern(1.0, nu=2.5), noise_variance=0.01)
    made = Experiment(table, Plan(gp, GPUCBPE(batch_size=len(TEXTS) + 2), FiniteBeta()), ALL)
    made.tell([0, 1, 2], [0.1, 0.7, 0.3])
    decision = made.ask()
    for index, reason in zip(decision.indices, TEXTS, strict=False):
        made.fail(int(index), reason)
    return made


def saved() -> bytes:
    """Its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "own.json"
        experiment().save(path)
        return path.read_bytes()


def lesson(number: int) -> str:
    """The file of a lesson with some of the texts; 25 numbers have each of them in every field."""
    own = [TEXTS[(9 * number + i) % len(TEXTS)] for i in range(9)]
    own[0] = own[0][:60]  # as long as a title can be
    title, question, answer, caption, right, *others = map(json.dumps, own)
    wrong = ", ".join(f"{{text = {one}, reason = {answer}}}" for one in others)
    words = caption.replace("(", "{").replace(")", "}")  # parentheses are those of links
    return f"""version = 1
slug = "mine-{number}"
title = {title}
problem = "multimodal"
caption = {words}

[settings]
K = 2
T = 2

[[questions]]
text = {question}
answer = {answer}
choices = [{{text = {right}}}, {wrong}]

[end]
remember = {answer}
try = {question}
"""


def query(page: str, number: int, names: Iterable[str]) -> str:
    """A link to a page in which every field has one of the texts."""
    texts = (TEXTS[(number + i) % len(TEXTS)] for i in count())
    return urlencode([("page", page), *zip(names, texts, strict=False), (ALL, ALL)])


def rows(measured: int = 4) -> list[list[str]]:
    """A table with such names, units, labels and categories; there can be 19 of them."""
    x = np.linspace(0.0, 1.0, len(TEXTS))
    names = [TEXTS[0], f"T ({TEXTS[1]})", TEXTS[3], TEXTS[20]]
    values = [f"{np.sin(3 * one):.3f}" if i < measured else "" for i, one in enumerate(x)]
    categories = [TEXTS[-1 - i % 19] for i in range(len(TEXTS))]
    body = zip(TEXTS, [f"{one:.3f}" for one in x], categories, values, strict=True)
    return [names, *map(list, body)]


def table() -> bytes:
    """As CSV."""
    file = io.StringIO()
    csv.writer(file).writerows(rows())
    return file.getvalue().encode()


def workbook() -> bytes:
    """As a workbook, whose numbers are numbers; the name of a sheet has at most 31 letters."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    sheet.title = "<img hit src=hit onerror=hit()>"
    head, *body = rows()
    sheet.append(head)
    for label, x, category, y in body:
        sheet.append([label, float(x), category, float(y) if y else None])
    book.create_sheet("<svg hit onload=hit()>").append(["x", "y"])
    book.save(file)
    return file.getvalue()
