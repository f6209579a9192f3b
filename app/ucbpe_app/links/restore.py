"""A moment of a link -> its run, and the moment as it can be shown; a lesson -> its links."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ucbpe_app.lessons import CHANGED, Change, Lesson
from ucbpe_app.links.step import Moment, encode, usual
from ucbpe_app.query import other_digest, query_of_texts, restored_as, setting_texts, texts_of
from ucbpe_app.run.cache import CACHE, RunCache, load
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.tasks.job import Job


def restore(
    moment: Moment, job: Job | None = None, cache: RunCache = CACHE
) -> tuple[Moment, Replay, tuple[InputError, ...]]:
    """The run of a moment, the moment as it can be shown, and where that differs from its link.

    Where no run can be made, one setting is taken as usual, if that is enough.

    Raises
    ------
    UCBPEError
        If it is not enough.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    try:
        replay = load(moment.settings, job, cache, data=moment.data, moved=moment.moved)
    except UCBPEError as error:
        if moment.moved:
            without = replace(moment, moved=(), digest="")
            moment, replay, others = restore(without, job, cache)
            remedy = "every measurement has its own value"
            return moment, replay, (InputError(error.expected, error.got, remedy), *others)
        name, replay, settings = _without_the_invalid_setting(moment, error, job, cache)
        message = restored_as(name, getattr(moment.settings, name), error, settings)
        moment = replace(moment, settings=settings, digest="", data=None)
        return moment, replay, (message, *_differences(moment, replay))
    return moment, replay, _differences(moment, replay)


def _without_the_invalid_setting(
    moment: Moment, error: UCBPEError, job: Job | None, cache: RunCache
) -> tuple[str, Replay, RunSpec]:
    """The setting at fault, and the run with the usual value of it.

    The last settings are tried first: those before them say what the run is about.
    """
    for name, value in reversed(asdict(usual(moment.settings.problem, moment.preset)).items()):
        settings = replace(moment.settings, **{name: value})
        if settings != moment.settings:
            try:
                return name, load(settings, job, cache), settings
            except UCBPEError:
                continue
    raise error


def _differences(moment: Moment, replay: Replay) -> tuple[InputError, ...]:
    """Where the run does not have the event of a link, or is not the run of its digest."""
    errors, event = list[InputError](), moment.event
    if event not in replay.events:
        T, K = len(replay.trace.decisions), replay.trace.policy.batch_size
        expected = f"event to be one of this run, of {T} batches of {K}"
        got = f"{event.kind} {event.k or ''}".strip() + f" of batch {event.t}"
        errors.append(InputError(expected, got, "the nearest event is shown"))
    return (*errors, *other_digest("run", replay.trace.digest, moment.digest))


def query_of(lesson: Lesson, change: Change | None = None, *, known: bool) -> str:
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
