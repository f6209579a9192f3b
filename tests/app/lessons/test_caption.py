"""Captions: words and links, and nothing else."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ucbpe_app.lessons.caption import Change, Span, caption_of, changes_of, plain
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.screen import LAYERS
from ucbpe_core.errors import InputError


def parsed(text: str) -> tuple[Span, ...]:
    """The spans of a caption of one paragraph, without mistakes."""
    errors = list[InputError]()
    (spans,) = caption_of(text, errors)
    assert errors == []
    return spans


def mistakes(text: str) -> list[InputError]:
    errors = list[InputError]()
    caption_of(text, errors)
    return errors


def test_words_and_links_in_order() -> None:
    spans = parsed("σ [shrinks](event=1.pick.1) at [once](K=5&lengthscale=2.5&show=truth,log).")
    assert [span.words for span in spans] == ["σ ", "shrinks", " at ", "once", "."]
    shrinks, once = changes_of((spans,))
    assert shrinks == Change(event=Event(1, Kind.PICK, 1))
    assert once.settings == {"batch_size": 5, "lengthscale": 2.5}
    assert once.layers == {"truth", "log"}
    assert once.event is None


def test_bold_words_and_maths() -> None:
    spans = parsed(r"**Where** $\sqrt{\beta_t}$ is [small](scale=0.1): **not $5** more.")
    assert [span.words for span in spans if span.bold] == ["Where", "not $5"]
    (maths,) = (span for span in spans if span.mathml)
    assert maths.words == r"\sqrt{\beta_t}"
    root = ElementTree.fromstring(maths.mathml)
    tags = [element.tag for element in root.iter()]
    assert tags == ["math", "mrow", "mrow", "mo", "mrow", "mrow", "msub", "mi", "mi"]
    assert "".join(root.itertext()) == "√βt"
    assert plain((spans,)) == r"Where \sqrt{\beta_t} is small: not $5 more."


def test_terms() -> None:
    spans = parsed("The [band](mark=band) at 0.65.")
    assert [(span.words, span.mark) for span in spans if span.mark] == [("band", "band")]
    assert changes_of((spans,)) == ()
    assert plain((spans,)) == "The band at 0.65."


@pytest.mark.parametrize("target", ["mark=line", "mark=", "mark=band&K=4"])
def test_unknown_terms_are_mistakes(target: str) -> None:
    (error,) = mistakes(f"The [band]({target}).")
    assert error.expected.startswith("mark= in the caption's [band] to be one of ")


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<img src=x onerror=alert(1)>}", r"\text{<b>x</b>}", r"\text{<script/>}",
        r"\left( x", r"\unknown{x}", r"\text{<x xmlns='http://www.w3.org/1999/xhtml'/>}",
    ],
)  # fmt: skip
def test_what_is_no_maths_is_refused(tex: str) -> None:
    (error,) = mistakes(f"So ${tex}$.")
    assert error.expected == r"maths in caption to be as $\sqrt{\beta_t}\,\sigma(x)$"


def test_maths_has_no_addresses_and_no_styles() -> None:
    (span,) = parsed(r"$\href{javascript:alert(1)}{x} \class{a}{b} \style{color:red}{c}$")
    root = ElementTree.fromstring(span.mathml)
    assert [element.attrib for element in root.iter() if element.attrib] == []


def test_blank_lines_part_paragraphs_and_other_lines_do_not() -> None:
    errors = list[InputError]()
    caption = caption_of("\n One\n  line.\n\n  \nAnother  [one](T=2).\n", errors)
    assert plain(caption) == "One line.\nAnother one."
    assert errors == []


@pytest.mark.parametrize(
    "text",
    [
        "f on [0, 1] (all of it)", "<b>bold</b> & bold", "a [b] c", "(x)[y]", "no [end", "&lt;",
        "2 ** 3 ** 4", "****", "from $5 to $10", "a $ b $ c", "costs $1 or 2$3",
    ],
)  # fmt: skip
def test_all_else_is_words(text: str) -> None:
    assert parsed(text) == (Span(text),)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("event=1.pick", "event as in 3.posterior, 3.pick.0, 3.region or 3.observe; got 1.pick"),
        ("K=0", "Batch size K to be an integer from 1 to 250; got 0"),
        ("show=truth,all", f"show to name some of {', '.join(LAYERS)}; got all"),
        ("hide=Belief", "some of preset, problem, "),
        ("K=1&K=2", "K once; got 2 times"),
        ("", "fields as in event=1.pick.1&K=5"),
    ],
)
def test_a_mistake_in_a_link_names_the_link(target: str, said: str) -> None:
    (error, *others) = mistakes(f"Go [there]({target}).")
    assert not others
    assert str(error).startswith("expected in the caption's link [there], ")
    assert said in str(error)
    assert error.remedy == "fix the link"


@pytest.mark.parametrize(
    "text", ["[a](event=1.posterior", "[a](event=1.posterior K=2)", "[a](f(x)=1)", "a](K=2)"]
)
def test_what_was_meant_as_a_link_is_no_silent_text(text: str) -> None:
    (error,) = mistakes(f"See {text} there.")
    assert error.expected.startswith("a link in caption to be as [words](event=1.pick.1)")
