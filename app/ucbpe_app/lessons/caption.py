r"""Captions: words, some of which lead to a moment, as in ``[it shrinks](event=1.pick.1)``.

Pointing at ``[the band](mark=band)`` has the band stand out. ``**Words**`` are bold and
``$\beta_t$`` is maths; a dollar sign beside a space is not. Otherwise, the parentheses have the
fields of a link that differ from the lesson: settings, ``event``, ``show``, and ``preset`` for
another lesson. Blank lines separate paragraphs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from latex2mathml.converter import convert

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.run.glossary import MARKS
from ucbpe_app.run.notation import SETTING_CODES, event_of, short, value_of
from ucbpe_app.run.query import LinkField, Query, names_field
from ucbpe_app.run.screen import LAYERS
from ucbpe_app.run.settings import Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.run.events import Event

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = (
    "math mrow mi mn mo mtext mspace msup msub msubsup mover munder munderover mfrac msqrt "
    "mstyle mpadded mphantom mtable mtr mtd"
)
_ATTRIBUTES = (
    "width height depth stretchy fence separator movablelimits accent mathvariant displaystyle "
    "scriptlevel minsize maxsize linethickness columnalign lspace rspace"
)


def mathml(tex: str) -> Html:
    r"""MathML of TeX, as of ``\sqrt{\beta_t}\,\sigma``: elements of maths alone, no addresses.

    Raises
    ------
    InputError
        For TeX that cannot be set, or that would be more than maths.
    """
    try:
        root = ElementTree.fromstring(convert(tex))
    except Exception as error:  # the converter has its own for each mistake, the parser another
        raise _unset(tex) from error
    for element in root.iter():
        namespace, _, name = element.tag.removeprefix("{").partition("}")
        unknown = (element.text or "").startswith("\\")
        if namespace != _NAMESPACE or name not in _ELEMENTS.split() or unknown:
            raise _unset(tex)
        element.tag = name
        kept = {key: value for key, value in element.items() if key in _ATTRIBUTES.split()}
        element.attrib.clear()
        element.attrib.update(kept)
    for radical in [*root.iter("msqrt")]:
        _draw_radical(radical)
    return Html(ElementTree.tostring(root, encoding="unicode"))


def _draw_radical(element: ElementTree.Element) -> None:
    """Make it a sign and what stands under its bar, the class "radicand".

    Without a font made for maths, browsers leave the radical out: the formula would be another.
    """
    under = ElementTree.Element("mrow", {"class": "radicand"})
    under.extend(list(element))
    sign = ElementTree.Element("mo", {"stretchy": "false"})
    sign.text = "√"
    element.tag = "mrow"
    element[:] = [sign, under]


def _unset(tex: str) -> InputError:
    expected = r"maths in caption to be as $\sqrt{\beta_t}\,\sigma(x)$"
    return InputError(expected, short(tex), "correct the TeX")


_LOOK = re.compile(
    r"\*\*(?P<bold>[^*\s](?:[^*]*[^*\s])?)\*\*|\$(?P<tex>[^$\s](?:[^$]*[^$\s])?)\$(?!\d)"
)
_LINK = re.compile(r"\[(?P<words>[^\[\]]+)\]\((?P<target>[^()\s]*)\)")
# What a link in a caption can change beside settings: attributes of `Change`.
CHANGED: tuple[LinkField[Any], ...] = (
    LinkField("event", "event", event_of, lambda event: event.text, None),
    names_field("show", "layers", LAYERS, None),
)
_FIELDS = ("preset", *SETTING_CODES, *(field.name for field in CHANGED))


@dataclass(frozen=True)
class Change:
    """What a link in a caption changes of its lesson; what is None or empty is as in the lesson.

    `lesson` is the slug of another lesson, of which the rest then is a change.
    """

    lesson: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    event: Event | None = None
    layers: frozenset[str] | None = None


@dataclass(frozen=True)
class Span:
    """Words of a caption, where they lead if they are a link, and how they look.

    The words of maths are its TeX; `mark` is one of `MARKS`.
    """

    words: str
    change: Change | None = None
    bold: bool = False
    mathml: Html = EMPTY
    mark: str = ""


Caption = tuple[tuple[Span, ...], ...]


def caption_of(text: str, errors: list[InputError]) -> Caption:
    """The paragraphs of a caption; links that lead nowhere become errors."""
    # A space that does not break, as \u00a0 in TOML, stays one.
    parts = re.split(r"\n[ \t\r\n]*\n", text)
    paragraphs = (re.sub(r"[ \t\r\n]+", " ", part).strip(" ") for part in parts)
    return tuple(_spans(paragraph, errors) for paragraph in paragraphs if paragraph)


def plain(caption: Caption) -> str:
    """The words alone, a paragraph a line."""
    return "\n".join("".join(span.words for span in spans) for spans in caption)


def letters_of(caption: Caption) -> int:
    """How many letters a reader sees."""
    texts = (
        "".join(ElementTree.fromstring(span.mathml).itertext()) if span.mathml else span.words
        for spans in caption
        for span in spans
    )
    return sum(map(len, texts)) + max(len(caption) - 1, 0)


def changes_of(caption: Caption) -> tuple[Change, ...]:
    """Where the links of a caption lead, in order."""
    return tuple(span.change for spans in caption for span in spans if span.change is not None)


def _spans(paragraph: str, errors: list[InputError]) -> tuple[Span, ...]:
    spans, end = list[Span](), 0
    for match in _LINK.finditer(paragraph):
        spans += _looks(paragraph[end : match.start()], errors)
        spans.append(_span(match["words"], match["target"], errors))
        end = match.end()
    spans += _looks(paragraph[end:], errors)
    for span in spans:
        if span.change is None and "](" in span.words:
            expected = "a link in caption to be as [words](event=1.pick.1), without spaces in ()"
            errors.append(InputError(expected, short(span.words), "fix the link"))
    return tuple(span for span in spans if span.words)


def _looks(text: str, errors: list[InputError]) -> list[Span]:
    """Words between links: plain, bold, or maths."""
    spans, end = list[Span](), 0
    for match in _LOOK.finditer(text):
        spans.append(Span(text[end : match.start()]))
        if match["bold"]:
            spans.append(Span(match["bold"], bold=True))
        else:
            try:
                spans.append(Span(match["tex"], mathml=mathml(match["tex"])))
            except InputError as error:
                errors.append(error)
        end = match.end()
    return [*spans, Span(text[end:])]


def _span(words: str, target: str, errors: list[InputError]) -> Span:
    """What stands in brackets: a link or a term."""
    name, _, value = target.partition("=")
    if name != "mark":
        return Span(words, _change(words, target, errors))
    if value not in MARKS:
        expected = f"mark= in the caption's [{short(words)}] to be one of {', '.join(MARKS)}"
        errors.append(InputError(expected, short(value), "write one of them"))
        return Span(words)
    return Span(words, mark=value)


def _change(words: str, target: str, errors: list[InputError]) -> Change:
    """Where a link leads; each mistake names the link that it is in."""
    query = Query(target, _FIELDS, whole=False)
    own = query.errors
    if not query.fields and not own:
        own.append(InputError("fields as in event=1.pick.1&K=5", "none", "fix it"))
    texts = query.settings(SETTING_CODES)
    settings = {name: value_of(Settings.param[name], text) for name, text in texts.items()}
    for name, value in settings.items():
        try:
            Settings().accept(**{name: value})
        except UCBPEError as error:
            own.append(InputError(error.expected, short(value), error.remedy))
    shown = query.values(CHANGED)
    where = f"in the caption's link [{short(words)}], "
    errors.extend(InputError(where + error.expected, error.got, "fix the link") for error in own)
    return Change(query.fields.get("preset", ""), MappingProxyType(settings), **shown)
