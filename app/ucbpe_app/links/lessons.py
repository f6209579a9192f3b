"""The moments of a lesson as queries of addresses."""

from __future__ import annotations

from urllib.parse import urlencode

from ucbpe_app.lessons import Change, Lesson
from ucbpe_app.links.step import Moment, encode
from ucbpe_app.run.notation import CODES, text_of


def query_of(lesson: Lesson, change: Change | None = None, *, known: bool = True) -> str:
    """The query of the moment that a lesson opens, or a link in its caption.

    Parameters
    ----------
    known : whether servers know the lesson by its slug; if not, the query has every setting, and
        that is an error, as `Lesson.changed`, where the problem's data cannot be had
    """
    change = change or Change()
    if known or change.lesson:
        fields = {"preset": change.lesson or lesson.slug}
        fields |= {CODES.get(name, name): text_of(v) for name, v in change.settings.items()}
        if change.event is not None:
            fields["event"] = change.event.text
        if change.layers is not None:
            fields["show"] = ",".join(sorted(change.layers))
        return urlencode(fields, safe=",")
    layers = lesson.layers if change.layers is None else change.layers
    event = change.event or lesson.event
    return encode(Moment(lesson.changed(change), event, layers, lesson.hidden))
