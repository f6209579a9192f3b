"""The moments of a lesson as queries of addresses."""

from __future__ import annotations

from ucbpe_app.lessons import CHANGED, Change, Lesson
from ucbpe_app.links.step import Moment, encode
from ucbpe_app.query import query_of_texts, setting_texts, texts_of


def query_of(lesson: Lesson, change: Change | None = None, *, known: bool = True) -> str:
    """The query of the moment that a lesson opens, or a link in its caption.

    Parameters
    ----------
    known : whether servers know the lesson by its slug; if not, the query has every setting, and
        that is an error, as `Lesson.changed`, where the problem's data cannot be had
    """
    change = change or Change()
    if known or change.lesson:
        texts = {"preset": change.lesson or lesson.slug, **setting_texts(change.settings)}
        return query_of_texts(texts | texts_of(change, CHANGED))
    layers = lesson.layers if change.layers is None else change.layers
    event = change.event or lesson.event
    return encode(Moment(lesson.changed(change), event, layers, lesson.hidden))
