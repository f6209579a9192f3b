"""A race as the query of an address, and back, one field at a time.

A query reads like ``problem=himmelblau&policy=gp-ucb-pe&K=10&..&b.policy=greedyucb&unit=iterations
&regret=best&at=3``. What all configurations share and the settings of the first are written as in
the link of a run, so that a run's link opens a race. The others have the prefixes b., c. and d.;
what they leave out is as in the first.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl, urlencode

from ucbpe_app.links import DIGEST_DIGITS, Moment, decode, encode
from ucbpe_app.links.fields import digest_of
from ucbpe_app.pages.race.measures import Measure
from ucbpe_app.pages.race.setup import LETTERS, OWN, Configuration, Setup, Unit, race_of
from ucbpe_app.run.events import Kind
from ucbpe_app.run.notation import CODES, NAMES, SETTINGS, opens_with, short, text_of, value_of
from ucbpe_app.run.settings import Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
Fields = dict[str, str]

# What a page without a run in its address opens with.
START = "preset=himmelblau&event=3.observe"
_MOST_FIELDS = 100
_OWN_CODES = tuple(CODES.get(name, name) for name in OWN)
_PREFIXES = tuple(letter.lower() for letter in LETTERS[1:])
_RACE = ("label", "unit", "regret", "at", "race")
_OTHERS = {
    f"{prefix}.{code}": (prefix, code) for prefix in _PREFIXES for code in ("label", *_OWN_CODES)
}


@dataclass(frozen=True)
class RaceMoment:
    """What is on screen.

    Attributes
    ----------
    setup : what is run
    value : number of batches or evaluations, in the setup's unit
    measure : the regret that is drawn
    layers : what is shown, names of fields of `Layers`
    digest : `Course.digest` of the race, or its beginning; empty if not known
    """

    setup: Setup
    value: int = 0
    measure: Measure = Measure.BEST
    layers: frozenset[str] = frozenset({"truth"})
    digest: str = ""


def encode_race(moment: RaceMoment) -> str:
    """The query of a link, without the question mark; `decode_race` gives back the same moment."""
    first, *others = moment.setup.configurations
    run = dict(parse_qsl(encode(Moment(first.settings, layers=moment.layers)), True))
    del run["event"]  # that of a run; a race has a place
    fields = {"page": "race", **run, "label": first.label}
    settings = asdict(first.settings)
    for prefix, one in zip(_PREFIXES, others, strict=False):
        fields[f"{prefix}.label"] = one.label
        for name, value in asdict(one.settings).items():
            if name == "policy" or value != settings[name]:
                fields[f"{prefix}.{CODES.get(name, name)}"] = text_of(value)
    fields |= {"unit": moment.setup.unit, "regret": moment.measure, "at": str(moment.value)}
    fields["race"] = moment.digest[:DIGEST_DIGITS]
    return urlencode({k: text for k, text in fields.items() if text or k == "show"}, safe=",")


def decode_race(query: str) -> tuple[RaceMoment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead.
    The problem is made, to see that it can be and for the prior that it suggests: that may take a
    moment, or a download.
    """
    errors: list[InputError] = []
    fields, rest = _split(query, errors)

    def read(name: str, reader: Callable[[str], T], default: T) -> T:
        try:
            return reader(fields[name]) if name in fields else default
        except InputError as error:
            errors.append(error)
            return default

    moment, others = decode(rest)
    errors.extend(others)
    setup = race_of(moment.settings)
    if any(name in fields for name in _OTHERS):
        setup = _others(fields, setup.configurations[0], errors)
    setup = setup.changing(0, _labelled(setup.configurations[0], fields.get("label"), "", errors))
    unit = read("unit", lambda text: _choice("unit", Unit, text), Unit.ITERATIONS)
    measure = read("regret", lambda text: _choice("regret", Measure, text), Measure.BEST)
    event, digest = moment.event, read("race", digest_of, "")
    value = read("at", _whole, event.t if event.kind is Kind.OBSERVE else event.t - 1)
    setup = _compared(setup, unit, errors)
    return RaceMoment(setup, value, measure, moment.layers, digest), tuple(errors)


def _split(query: str, errors: list[InputError]) -> tuple[Fields, str]:
    """The fields of a race that occur once, and the query of the first run with what is unknown."""
    query = query.removeprefix("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return {}, query  # refused with the run's
    known = {*_RACE, *_OTHERS}
    times = Counter(name for name, _ in pairs if name in known)
    for name, count in times.items():
        if count > 1:
            remedy = "the field is left out; keep one of them"
            errors.append(InputError(f"{name} once", f"{count} times", remedy))
    rest = [(name, text) for name, text in pairs if name not in known and name != "page"]
    if not {name for name, _ in rest} & {*SETTINGS, "preset"}:
        rest += [field for field in parse_qsl(START) if field[0] not in dict(rest)]
    return {name: text for name, text in pairs if times[name] == 1}, urlencode(rest)


def _others(fields: Fields, first: Configuration, errors: list[InputError]) -> Setup:
    """The race of the first configuration and of those that have a field."""
    present = {prefix for name, (prefix, _) in _OTHERS.items() if name in fields}
    others = [_other(prefix, fields, first, errors) for prefix in sorted(present)]
    return Setup((first, *others))


def _other(
    prefix: str, fields: Fields, first: Configuration, errors: list[InputError]
) -> Configuration:
    """The first configuration with the fields of this prefix, each checked by itself and then all
    together.
    """
    texts = {
        NAMES.get(code, code): fields[name]
        for name, (one, code) in _OTHERS.items()
        if one == prefix and name in fields and code != "label"
    }
    refused: dict[str, UCBPEError] = {}
    good = {name: value_of(name, text) for name, text in texts.items()}
    good = {k: v for k, v in good.items() if _try(Settings(), {k: v}, refused)}
    settings = Settings()
    settings.accept(**asdict(first.settings))
    if not _try(settings, good, {}):  # each can be had, and not all of them: the first ones are
        for name, value in good.items():
            _try(settings, {name: value}, refused)
    spec = settings.spec()
    for name, error in refused.items():
        code = f"{prefix}.{CODES.get(name, name)}"
        used = text_of(getattr(spec, name))
        got = f"{code}={short(texts[name])}"
        errors.append(InputError(error.expected, got, opens_with(code, used, error)))
    return _labelled(Configuration(spec), fields.get(f"{prefix}.label"), f"{prefix}.", errors)


def _try(settings: Settings, changes: Mapping[str, object], refused: dict[str, UCBPEError]) -> bool:
    """Whether the settings take the changes; if not, the error is noted for each."""
    try:
        settings.accept(**changes)
    except UCBPEError as error:
        refused.update(dict.fromkeys(changes, error))
        return False
    return True


def _labelled(
    configuration: Configuration, label: str | None, prefix: str, errors: list[InputError]
) -> Configuration:
    try:
        return Configuration(configuration.settings, " ".join((label or "").split()))
    except InputError as error:
        got = f"{prefix}label={short(label)}"
        errors.append(InputError(error.expected, got, "the name is made from the settings"))
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


def _choice(name: str, kind: type[E], text: str) -> E:
    try:
        return kind(text)
    except ValueError:
        expected = f"{name} to be one of {', '.join(kind)}"
        raise InputError(expected, short(text), "it is left out") from None


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text):
        raise InputError("at to be a whole number, at least 0", short(text), "it is left out")
    return int(text)
