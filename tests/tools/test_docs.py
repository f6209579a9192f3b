"""The site's sources: links as the site has them, and every public name on one page.

`make docs` builds the site itself; a warning of Sphinx, or a link that leads nowhere, is an error.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import ucbpe_core
from tools.docs import links, questions, reference, sources
from ucbpe_core import InputError

ROOT = sources.ROOT
PAGE = ROOT / "docs" / "deploy.md"


def rewritten(text: str, path: Path = PAGE) -> str:
    return sources.rewritten(text, path, lambda picture: f"pictures/{picture.name}")


@pytest.mark.parametrize(
    ("link", "there"),
    [
        ("[a](lessons.md)", "[a](lessons.md)"),
        ("[a](lessons.md#fields)", "[a](lessons.md#fields)"),
        ("[a](../SECURITY.md)", "[a](project/security.md)"),
        ("[a](reproduction.md)", "[a](reproduction.md)"),
        ("[a](../README.md)", "[a](index.md)"),
        ("[a](../notebooks/1-the-posterior.ipynb)", "[a](chapters/1-the-posterior.md)"),
        ("[a](../tools/tsunami)", "[a](project/tsunami.md)"),
        ("![a](step.png)", "![a](pictures/step.png)"),
        ("[a `b` c](../ucbpe_core/gp/process.py)", "a `b` c"),
        ("[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("[a](#fields)", "[a](#fields)"),
        ("`[a](nothing.md)`", "`[a](nothing.md)`"),
        ("```md\n[a](nothing.md)\n```\n", "```md\n[a](nothing.md)\n```\n"),
        ("words\n\n    [a](nothing.md)\n", "words\n\n    [a](nothing.md)\n"),
    ],
)
def test_a_link_leads_to_its_page_a_picture_or_becomes_words(link: str, there: str) -> None:
    assert rewritten(link) == there


def test_a_link_that_leads_nowhere_is_an_error() -> None:
    with pytest.raises(InputError, match=r"deploy.md to link to a file; got nothing.md"):
        rewritten("see [a](nothing.md)")


def test_every_public_name_is_on_one_page() -> None:
    """Those of each `__all__`, and of each module that connects with another library."""
    shown = [entry for found in reference.entries().values() for entry in found]
    items = [
        getattr(import_module(entry.module), entry.name)
        for entry in shown
        if ".connect." not in entry.module
    ]
    assert len({id(item) for item in items}) == len(items)
    found = set()
    for module in [
        "ucbpe_core",
        *(one.name for one in walk_packages(ucbpe_core.__path__, "ucbpe_core.")),
    ]:
        if module.startswith("ucbpe_core.connect."):
            continue  # each needs its library
        for name in getattr(import_module(module), "__all__", ()):
            item = getattr(import_module(module), name)
            assert isinstance(item, ModuleType) or any(item is one for one in items), (module, name)
            found.add(name)
    assert len(found) > 100
    connected = {entry.module.rpartition(".")[2] for entry in shown if ".connect." in entry.module}
    here = {path.stem for path in (ROOT / "ucbpe_core" / "connect").glob("*.py")}
    assert connected == here - {"__init__"}


def test_links_of_a_built_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
        '<a href="https://example.org">4</a><a href="#top" id="top"></a>'
        '<img src="//example.org/x.png">',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="there">', encoding="utf-8")
    assert links.broken(tmp_path) == [
        "a.html: loads //example.org/x.png from outside",
        "a.html: nothing at b.html#gone",
        "a.html: nothing at c.html",
    ]


def test_clicks_to_an_answer(tmp_path: Path) -> None:
    """By the links in the texts; the list of all pages, beside them, does not count."""
    pages = {
        "index": '<a href="far.html">all</a><article><section id="top"><h1>1</h1>'
        '<a href="a.html">a</a><a href="b.html#deep">b</a></article>',
        "a": '<article><section id="a"><h1>A</h1><p id="below"></p>'
        '<a href="far.html">far</a></article>',
        "b": '<article><section id="b"><h1>B</h1><p id="deep"></p></article>',
        "far": '<article><section id="far"><h1>F</h1>'
        '<a href="farther.html">more</a><p id="low"></article>',
        "farther": '<article><section id="farther"><h1>F</h1><a href="last.html"></a></article>',
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    counted = [
        questions.clicks(tmp_path, f"{page}.html", name)
        for page, name in [
            ("index", "top"), ("a", "a"), ("a", "below"), ("b", "deep"), ("far", "far"),
            ("far", "low"), ("farther", "farther"), ("last", "last"),
        ]
    ]  # fmt: skip
    assert counted == [0, 1, 2, 1, 2, 3, 99, 99]
