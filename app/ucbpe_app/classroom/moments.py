"""What phones draw: an event with a question over it, or with the answer, as JSON.

A moment is a recording of one event, as a lesson's file has it, without timeline, regret and
algorithm. `recorded.js` builds it, and `phone.js` draws the question.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from bokeh.document import Document
from bokeh.models import ColumnDataSource, LinearColorMapper
from panel.io.state import set_curdoc

from ucbpe_app import theme
from ucbpe_app.files.recording import Values, record
from ucbpe_app.pictures import asked
from ucbpe_app.render.view import PictureView, main_kind
from ucbpe_app.run.events import Kind
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS, number, place, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers

_COLORS = {"palette": theme.FIELD, "low": 0, "high": 1}
_ID = re.compile(r'"p\d+"')  # of a model, as Bokeh gives them


class About(TypedDict, total=False):
    """What is asked where it is no place, or in other words than usual.

    question : the words
    choices : answers to choose from
    scale, setting : the values that a setting can have, ascending, and its name
    """

    question: str
    choices: Sequence[str]
    scale: Sequence[float]
    setting: str


def ask_moment(
    replay: Replay, index: int, layers: Layers, **about: Unpack[About]
) -> dict[str, Any]:
    """Event `index`, and what is asked before the next one, of which nothing is here.

    Where it is a place, the next event is a pick.
    """
    found = {}
    if _kind(about) == "place":
        found = asked.ask(replay, index + 1, main_kind(replay.scene))
    return _moment(replay, index, layers, about, found)


def reveal_moment(
    replay: Replay,
    index: int,
    layers: Layers,
    *,
    right: int | None = None,
    **about: Unpack[About],
) -> dict[str, Any]:
    """Event `index` and the answer: at a pick, what places are held against.

    `right` is the answer of another question: the number of a choice, or of a value of the scale.
    """
    found, rule = {}, ""
    if _kind(about) == "place" and replay.events[index].kind is Kind.PICK:
        found = asked.gap(replay, index, main_kind(replay.scene))
        rule = _rule(replay, found, plain=layers.plain)
    return {**_moment(replay, index, layers, about, found), "rule": rule, "right": right}


def _kind(about: About) -> str:
    return "choice" if about.get("choices") else "set" if about.get("scale") else "place"


def _rule(replay: Replay, gap: Mapping[str, Any], *, plain: bool) -> str:
    """Where the rule measures, and how high its criterion is there."""
    where = place(replay.scene.candidates, gap["pick"], replay.scene.extents)
    facts = {
        "at": f"{gap['label']} = {where}",
        "criterion": gap["name"],
        "largest": number(gap["sign"] * gap["largest"]),
    }
    text = f"class.rule.{gap['plot'] or 'at'}" if len(gap["values"]) else "class.rule"
    return say(text, plain=plain, **facts)


def _words(*, plain: bool) -> dict[str, str]:
    """The texts of questions, for predict.js; a phone has no room for what up is measured from."""
    texts = {**TEXTS, **PLAIN} if plain else TEXTS
    common = {name: text for name, text in texts.items() if name.split(".")[0] == "ask"}
    own = {f"ask{name[5:]}": text for name, text in texts.items() if name.split(".")[0] == "class"}
    return {n: text for n, text in {**common, **own}.items() if n.split(".")[1] != "from"}


def _moment(
    replay: Replay, index: int, layers: Layers, about: About, found: Mapping[str, Any]
) -> dict[str, Any]:
    values, frame = Values(), replay.frame(index)
    # Panel would take the document of another thread's session for ours.
    with set_curdoc(Document()):
        view = PictureView(main_kind(replay.scene).whole)
        view.show(layers)
        view.load(replay.scene)
        view.update(frame)
        picture = view.picture
        assert picture is not None, "it was drawn"
        if frame.inside is None:  # a phone has no room for strips that are still empty
            plots = {name: plot for name, plot in picture.plots.items() if name != "region"}
            view.rendered.draw(replace(picture, plots=plots))
        # What differs between events is apart: a phone fills the figures that it has anew.
        models = view.named.values()
        sources = [one for one in models if isinstance(one, ColumnDataSource)]
        columns = values.encode({source.id: dict(source.data) for source in sources})
        colors = {one.id: _taken(one) for one in models if isinstance(one, LinearColorMapper)}
        recording = record(view.panel, lambda _: None, 1, values=values, computed=sources)
    words, encoded = _words(plain=layers.plain), values.encode({**found})
    if "question" in about and "question" in found:
        words[found["question"]] = about["question"]
    headers, packed = values.pack()
    return {
        **about,
        "kind": _kind(about),
        "asked": encoded,
        "words": words,
        "text": picture.text,
        "tree": recording.tree,
        **_numbered(document=recording.document, columns=columns, colors=colors),
        "arrays": headers,
        "packed": b64encode(packed).decode("ascii"),
    }


def _taken(mapper: LinearColorMapper) -> dict[str, Any]:
    """The colours of a mapper, which then has those of every event."""
    colors = {name: getattr(mapper, name) for name in _COLORS}
    mapper.update(**_COLORS)
    return colors


def _numbered(**figures: dict[str, Any]) -> dict[str, Any]:
    """With models numbered as they come, so that the same figures are the same text."""
    ids: dict[str, str] = {}
    text = _ID.sub(lambda found: ids.setdefault(found[0], f'"m{len(ids)}"'), json.dumps(figures))
    numbered: dict[str, Any] = json.loads(text)
    return numbered
