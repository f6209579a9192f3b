"""A study as the query of an address, and back, one field at a time.

As ``policies=gp-ucb-pe&K=10&..``. What a run has as well is written as in the link of a run: from
there come the settings that a study begins with.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from ucbpe_app.links.step import FIELDS as OF_A_RUN
from ucbpe_app.pages.study.plan import StudySettings, StudySpec
from ucbpe_app.query import Query, accept_texts, query_of_texts, setting_texts
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.run.notation import CODES, short, text_of, value_of
from ucbpe_app.run.own import is_own
from ucbpe_app.run.setting import settings_of
from ucbpe_core.errors import InputError

_SETTINGS = tuple(CODES.get(name, name) for name in settings_of(StudySpec))
_OWN = "policies"  # which a run does not have
_REFERENCE, _UNIT = "minus", "unit"
_ITERATIONS, _TIME = "iterations", "time"  # as in the link of a race


@dataclass(frozen=True)
class StudyMoment:
    """What is on screen.

    Attributes
    ----------
    settings : of the study
    reference : policy from which differences are shown, "" for the first
    over_time : whether regrets are shown against time
    """

    settings: StudySpec
    reference: str = ""
    over_time: bool = False


def encode_study(moment: StudyMoment) -> str:
    """The query of a link, without the question mark; `decode_study` gives back the same."""
    reference = {_REFERENCE: _slug(moment.reference)} if moment.reference else {}
    unit = {_UNIT: _TIME} if moment.over_time else {}
    fields = setting_texts(vars(moment.settings)) | reference | unit
    return query_of_texts({"page": "study", **fields})


def decode_study(query: str) -> tuple[StudyMoment, tuple[InputError, ...]]:
    """The moment of a query, and what was wrong with it.

    A field that cannot be read changes nothing but itself: its error says what is used instead.
    """
    read = Query(query, {"policy", *_SETTINGS, _REFERENCE, _UNIT}, ignored=OF_A_RUN)
    settings = _settings(read)
    reference = _reference(read, tuple(plan.label for plan in settings.plans))
    return StudyMoment(settings, reference, _over_time(read)), tuple(read.errors)


def of_a_run(query: str) -> str:
    """The fields of a query that the other pages understand."""
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    return urlencode([pair for pair in pairs if pair[0] in OF_A_RUN], safe=",")


def _slug(name: str) -> str:
    return text_of(name).replace(",", "")


def _reference(query: Query, policies: tuple[str, ...]) -> str:
    """The policy of the study that the field names."""
    names, text = {_slug(policy): policy for policy in policies}, query.fields.get(_REFERENCE, "")
    if text and _slug(text) not in names:
        expected = f"{_REFERENCE} to be one of {', '.join(names)}"
        query.errors.append(InputError(expected, f"{_REFERENCE}={short(text)}", "it is left out"))
    return names.get(_slug(text), "")


def _over_time(query: Query) -> bool:
    """Whether the field says time."""
    text = query.fields.get(_UNIT, _ITERATIONS)
    if text not in (_ITERATIONS, _TIME):
        expected = f"{_UNIT} to be one of {_ITERATIONS}, {_TIME}"
        query.errors.append(InputError(expected, f"{_UNIT}={short(text)}", "it is left out"))
    return text == _TIME


def _settings(query: Query) -> StudySpec:
    """The settings that the fields give; the policy of a run comes beside the usual ones."""
    settings, texts = StudySettings(), query.settings(_SETTINGS)
    if is_own(texts.get("problem")):  # a study runs in processes of its own, which do not have it
        del texts["problem"], query.fields["problem"]
    if _OWN not in query.fields and "policy" in query.fields:
        of_the_run = value_of(settings.param["policies"], query.fields["policy"])
        policies = (name for name in of_the_run if name in POLICIES)
        texts["policies"] = text_of((*settings.policies, *policies))
    return accept_texts(query, settings, texts)
