"""A study as the query of an address, and back, one field at a time.

``study=section5&on=himmelblau`` is one that came with this package, ``policies=gp-ucb-pe&K=10&..``
one of the visitor's own. What a run has as well is written as in the link of a run: from there come
the settings that a visitor's own study begins with.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from ucbpe_app.links.fields import FIELDS as OF_A_RUN
from ucbpe_app.pages.study.evidence import shipped
from ucbpe_app.pages.study.picture import Axis
from ucbpe_app.pages.study.plan import StudySettings, StudySpec
from ucbpe_app.run.choices import POLICIES, PROBLEM_NAMES
from ucbpe_app.run.notation import CODES, NAMES, opens_with, short, text_of
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MOST_FIELDS = 100
_SETTINGS = tuple(CODES.get(name, name) for name in StudySpec.__annotations__)
# Either says which study it is; what else there is may come from a run.
_SHIPPED, _OWN = "study", "policies"
_KNOWN = {_SHIPPED, "on", "axis", "minus", "policy", *_SETTINGS}
# What the server, or the page as a whole, takes from an address for itself.
_FOREIGN = re.compile(r"page|present|theme|bokeh-.*")


@dataclass(frozen=True)
class StudyMoment:
    """What is on screen.

    Attributes
    ----------
    settings : of the visitor's own study
    name, problem : of a shipped study, "" for the visitor's own
    axis : how regrets are scaled
    reference : policy from which differences are shown, "" for means
    """

    settings: StudySpec
    name: str = ""
    problem: str = ""
    axis: Axis = Axis.AUTOMATIC
    reference: str = ""


def encode_study(moment: StudyMoment) -> str:
    """The query of a link, without the question mark; `decode_study` gives back the same."""
    if moment.name:
        fields = {_SHIPPED: moment.name, "on": _slug(moment.problem)}
    else:
        settings = asdict(moment.settings)
        fields = {CODES.get(name, name): _text(value) for name, value in settings.items()}
    shown = {"axis": moment.axis, "minus": _slug(moment.reference)}
    usual = {"axis": Axis.AUTOMATIC, "minus": ""}
    fields |= {name: text for name, text in shown.items() if text != usual[name]}
    return urlencode({"page": "study", **fields}, safe=",")


def decode_study(query: str) -> tuple[StudyMoment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead. A
    query that names no study opens the first that came with this package, on the problem of the
    query's run if it has that one.
    """
    errors: list[InputError] = []
    fields = _fields(query, errors)
    settings = _settings(fields, errors)
    axis = Axis(_named("axis", fields, list(Axis), errors) or Axis.AUTOMATIC)
    name, problem, policies = "", "", settings.policies
    available = shipped()
    if _SHIPPED in fields or _OWN not in fields:
        name = _named(_SHIPPED, fields, list(available), errors) or next(iter(available), "")
    if name:
        study = available[name]
        labels = [plan.label for plan in study.problems]
        same = [plan.label for plan in study.problems if plan.problem == settings.problem]
        problem = _named("on", fields, labels, errors)
        if not problem:
            problem = same[0] if same and "problem" in fields else labels[0]
        policies = (study.policies[0].label,)
    reference = _named("minus", fields, policies, errors)
    return StudyMoment(settings, name, problem, axis, reference), tuple(errors)


def of_a_run(query: str) -> str:
    """The fields of a query that the other pages understand."""
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    return urlencode([pair for pair in pairs if pair[0] in OF_A_RUN], safe=",")


def _fields(query: str, errors: list[InputError]) -> dict[str, str]:
    """The fields of a study that occur once. Those that only a run has say nothing of a study."""
    query = query.removeprefix("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        remedy = "the link is not opened"
        errors.append(InputError(f"at most {_MOST_FIELDS} fields", "more", remedy))
        return {}
    times = Counter(name for name, _ in pairs)
    for name, count in times.items():
        if name not in _KNOWN and name not in OF_A_RUN and not _FOREIGN.fullmatch(name):
            remedy = "it is left out; see if it is misspelt, or the link of a later version"
            errors.append(InputError("a field that links have", short(name), remedy))
        elif name in _KNOWN and count > 1:
            remedy = "the field is left out; keep one of them"
            errors.append(InputError(f"{name} once", f"{count} times", remedy))
    return {name: text for name, text in pairs if name in _KNOWN and times[name] == 1}


def _settings(fields: Mapping[str, str], errors: list[InputError]) -> StudySpec:
    """The settings that the fields give, all together or as many as can be had one by one."""
    settings, refused = StudySettings(), dict[str, InputError]()
    texts = {NAMES.get(code, code): fields[code] for code in _SETTINGS if code in fields}
    given = {name: _value(name, text) for name, text in texts.items()}
    if _OWN not in fields and "policy" in fields:
        known = [name for name in POLICIES if _slug(name) == _slug(fields["policy"])]
        given["policies"] = (*settings.policies, *known)
    for name, value in list(given.items()):
        if not _try(partial(settings.check, name, value), name, refused):
            del given[name]
    if not _try(partial(settings.accept, **given), "", {}):
        for name, value in given.items():
            _try(partial(settings.accept, **{name: value}), name, refused)
    for name, error in refused.items():
        code, used = CODES.get(name, name), _text(getattr(settings, name))
        got = f"{code}={short(texts.get(name, ''))}"
        errors.append(InputError(error.expected, got, opens_with(code, used, error)))
    return settings.spec()


def _try(act: Callable[[], None], name: str, refused: dict[str, InputError]) -> bool:
    """Whether that goes without an error; if not, it is noted under `name`."""
    try:
        act()
    except InputError as error:
        refused[name] = error
        return False
    return True


def _text(value: Any) -> str:
    return ",".join(map(text_of, value)) if isinstance(value, tuple) else text_of(value)


def _value(name: str, text: str) -> Any:
    """The value of a setting, or the text itself where it is none: the settings refuse that."""
    if name == "policies":
        known = {text_of(policy): policy for policy in POLICIES}
        return tuple(known.get(_slug(one), one) for one in text.split(",") if one)
    if name == "problem":
        return {text_of(one): one for one in PROBLEM_NAMES}.get(_slug(text), text)
    try:
        return float(text) if name == "scale" else int(text)
    except ValueError:
        return text


def _named(
    field: str, fields: Mapping[str, str], known: Sequence[str], errors: list[InputError]
) -> str:
    """The member of `known` that a field names, or "" if it names none."""
    if field not in fields or not fields[field]:
        return ""
    names = {_slug(one): one for one in known}
    found = names.get(_slug(fields[field]))
    if found is None:
        what = f"{field} to be one of {', '.join(names) or 'none: there is none here'}"
        errors.append(InputError(what, f"{field}={short(fields[field])}", "it is left out"))
    return found or ""


def _slug(name: str) -> str:
    return text_of(name).replace(",", "")
