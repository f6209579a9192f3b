"""A race as the query of an address, and back, one field at a time.

A query reads like ``problem=himmelblau&policy=gp-ucb-pe&K=10&..&b.policy=greedyucb&unit=iterations
&regret=best&at=3``. What all configurations share and the settings of the first are written as in
the link of a run, so that a run's link opens a race. The others have the prefixes b. to h.; what
they leave out is as in the first.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ucbpe_app.links import FIELDS, Moment, other_settings, read_moment, restore, write
from ucbpe_app.race.race import MultiRunJob, run_race
from ucbpe_app.race.setup import COMMON, FEWEST, LETTERS, OWN, Configuration, Setup, Unit, race_of
from ucbpe_app.run.events import Kind
from ucbpe_app.run.notation import CODES, SETTING_CODES, short, text_of
from ucbpe_app.run.query import (
    LinkField,
    Query,
    choice,
    digest_field,
    other_digest,
    query_of_texts,
    texts_of,
)
from ucbpe_app.widgets.comparing import Measure
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from ucbpe_app.race.race import Race
    from ucbpe_app.run.events import Event
    from ucbpe_app.tasks.job import Job

# What a page without a run in its address opens with.
START = "preset=himmelblau&event=3.observe"
_PREFIXES = tuple(f"{letter.lower()}." for letter in LETTERS[1:])
_OWN_CODES = tuple(CODES.get(name, name) for name in OWN)
_OTHERS = {f"{prefix}{code}": prefix for prefix in _PREFIXES for code in ("label", *_OWN_CODES)}


@dataclass(frozen=True)
class RaceMoment:
    """What is on screen.

    Attributes
    ----------
    setup : what is run
    value : number of batches or evaluations, in the setup's unit
    measure : the regret that is drawn
    layers : what is shown, names of fields of `Layers`
    digest : `Race.digest`, or its beginning; empty if not known
    """

    setup: Setup
    value: int = 0
    measure: Measure = Measure.BEST
    layers: frozenset[str] = frozenset({"truth"})
    digest: str = ""


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text):
        raise InputError("at to be an integer, at least 0", short(text), "it is left out")
    return int(text)


# A further field of a race's link is one more entry here, and its attribute of `RaceMoment`.
RACE: tuple[LinkField[Any], ...] = (
    LinkField("unit", "setup.unit", choice("unit", Unit), str, Unit.ITERATIONS),
    LinkField("regret", "measure", choice("regret", Measure), str, Measure.BEST),
    LinkField("at", "value", _number, str, 0),
    digest_field("race"),
)
_KNOWN = frozenset({*FIELDS, "label", *(field.name for field in RACE), *_OTHERS})


def encode_race(moment: RaceMoment) -> str:
    """The query of a link, without the question mark; `decode_race` gives back the same moment."""
    first, *others = moment.setup.configurations
    texts = {"page": "race", **write(Moment(first.settings, layers=moment.layers))}
    # A race has a place instead of an event, and hides nothing.
    texts = {name: text for name, text in texts.items() if name not in ("event", "hide")}
    texts["label"], settings = first.label, asdict(first.settings)
    for prefix, configuration in zip(_PREFIXES, others, strict=False):
        texts[f"{prefix}label"] = configuration.label
        texts |= {
            f"{prefix}{CODES.get(name, name)}": text_of(value)
            for name, value in asdict(configuration.settings).items()
            if name == "policy" or value != settings[name]
        }
    named = {name: text for name, text in texts.items() if text or not name.endswith("label")}
    return query_of_texts(named | texts_of(moment, RACE))


def decode_race(query: str) -> tuple[RaceMoment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it, as `links.decode`."""
    read = Query(query, _KNOWN)
    if not read.fields.keys() & {*SETTING_CODES, "preset"}:
        read.fields = dict(parse_qsl(START)) | read.fields
    moment = read_moment(read)
    setup = race_of(moment.settings)
    if read.fields.keys() & _OTHERS.keys():
        setup = _others(read, setup.configurations[0])
    setup = setup.changing(0, _labelled(setup.configurations[0], read, ""))
    shown = read.values(RACE, {"value": _batches_at(moment.event)})
    setup = _compared(setup, shown.pop("setup.unit"), read.errors)
    return RaceMoment(setup, layers=moment.layers, **shown), tuple(read.errors)


def _batches_at(event: Event) -> int:
    """Batches measured at an event of a run, one at least: before it all runs are alike."""
    return event.t if event.kind is Kind.OBSERVE else max(event.t - 1, 1)


def _others(query: Query, first: Configuration) -> Setup:
    """The race of the first configuration and of each that has a field."""
    present = {prefix for name, prefix in _OTHERS.items() if name in query.fields}
    return Setup((first, *(_other(prefix, query, first) for prefix in sorted(present))))


def _other(prefix: str, query: Query, first: Configuration) -> Configuration:
    """The first configuration with the fields of this prefix."""
    spec = other_settings(query, first.settings, _OWN_CODES, prefix)
    return _labelled(Configuration(spec), query, prefix)


def _labelled(configuration: Configuration, query: Query, prefix: str) -> Configuration:
    label = query.fields.get(f"{prefix}label", "")
    try:
        return Configuration(configuration.settings, " ".join(label.split()))
    except InputError as error:
        got = f"{prefix}label={short(label)}"
        remedy = "the name is made from the settings"
        query.errors.append(InputError(error.expected, got, remedy))
        return configuration


def _compared(setup: Setup, unit: Unit, errors: list[InputError]) -> Setup:
    """The race in this unit, or at equal iterations where it would be too long."""
    wanted = Setup(setup.configurations, unit)
    try:
        wanted.runs()
    except InputError as error:
        if unit is Unit.ITERATIONS:
            raise
        remedy = f"the link opens with unit={Unit.ITERATIONS}"
        errors.append(InputError(error.expected, error.got, remedy))
        return setup
    return wanted


def restore_race(
    moment: RaceMoment, job: MultiRunJob | None = None
) -> tuple[RaceMoment, Race, tuple[InputError, ...]]:
    """The race of a moment, the moment as it can be shown, and where that differs from its link.

    Where a run cannot be made, one of its settings is taken as usual, if that is enough; if it is
    not, the configuration is left out.

    Raises
    ------
    UCBPEError
        If no race remains.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    job, errors = job or MultiRunJob(), list[InputError]()
    try:
        race = run_race(moment.setup, job)
    except UCBPEError:
        moment = replace(moment, setup=_corrected(moment.setup, job, errors), digest="")
        race = run_race(moment.setup, job)
    return moment, race, (*errors, *_differences(moment, race))


def _corrected(setup: Setup, job: Job, errors: list[InputError]) -> Setup:
    """The race with usual settings for those at fault; what the first run needs, all have."""
    kept, common = list[Configuration](), setup.common
    for letter, configuration in zip(LETTERS, setup.configurations, strict=False):
        # GP-UCB has K = 1 whatever is set: a K that no run could have must not be refused.
        wanted = configuration.taking(**common, batch_size=configuration.batch_size).settings
        try:
            made, _, notices = restore(Moment(wanted), job)
        except UCBPEError as error:
            refused, notices = error, (_of(letter, error, f"configuration {letter} is left out"),)
        else:
            if not kept:
                common = {name: getattr(made.settings, name) for name in COMMON}
            kept.append(Configuration(made.settings, configuration.label).taking(**common))
            notices = tuple(_of(letter, error, error.remedy) for error in notices)
        errors.extend(notices)
    if len(kept) < FEWEST:
        raise refused
    return Setup(tuple(kept), setup.unit)


def _of(letter: str, error: UCBPEError, remedy: str) -> InputError:
    return InputError(error.expected, f"{error.got} of configuration {letter}", remedy)


def _differences(moment: RaceMoment, race: Race) -> tuple[InputError, ...]:
    """Where the race does not have the place of a link, or is not the race of its digest."""
    errors = list[InputError]()
    if moment.value > race.places[-1]:
        expected = f"at to be at most {race.places[-1]}, where this race ends"
        errors.append(InputError(expected, str(moment.value), "the end is shown"))
    return (*errors, *other_digest("race", race.digest, moment.digest))
