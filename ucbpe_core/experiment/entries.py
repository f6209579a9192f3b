"""One entry of a journal <-> a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.records import (
    Asked,
    Corrected,
    Plan,
    Planned,
    Proposal,
    Redid,
    Told,
    Undid,
    Withdrew,
    checked_time,
)
from ucbpe_core.policies import POLICIES
from ucbpe_core.schedules import SCHEDULES
from ucbpe_core.tables import as_table, from_table, to_table
from ucbpe_core.trace_files.checks import (
    fields,
    flag,
    listing,
    members,
    number,
    numbers,
    text,
    whole,
)
from ucbpe_core.trace_files.problem import prior_table, read_prior
from ucbpe_core.validation import non_negative

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.experiment.records import Entry

_ASKED = ("t", "n", "beta", "beta_next", "y_dot", "picks")
_PICK = ("candidate", "role", "std", "score", "in_region_plus")


def entry_table(entry: Entry) -> dict[str, Any]:
    """All of an entry: its kind, its time, and what that kind has."""
    kind, content = _said(entry)
    return {"kind": kind, "time": entry.time, **content}


def read_entry(value: object, where: str, size: int) -> Entry:
    """The entry that `entry_table` described, over `size` candidates.

    Raises
    ------
    InputError
        For anything else.
    """
    given = as_table(value, where)
    kind = text(given.pop("kind", None), f"{where}.kind")
    time = checked_time(text(given.pop("time", None), f"{where}.time"), f"{where}.time")
    if kind not in _READERS:
        raise InputError(f"{where}.kind among {', '.join(_READERS)}", kind, "mend the journal")
    return _READERS[kind](given, where, time, size)


def _said(entry: Entry) -> tuple[str, dict[str, Any]]:
    match entry:
        case Planned(plan=plan):
            return "plan", {
                "prior": prior_table(plan.gp, "prior"),
                "policy": to_table(POLICIES, plan.policy, "policy"),
                "beta": to_table(SCHEDULES, plan.beta, "beta"),
            }
        case Asked():
            picks = [_pick_table(pick) for pick in entry.picks]
            return "ask", {**{name: getattr(entry, name) for name in _ASKED[:-1]}, "picks": picks}
        case Told():
            return "tell", {"candidates": list(entry.candidates), "y": list(entry.y)}
        case Withdrew():
            return "withdraw", {"candidates": list(entry.candidates)}
        case Corrected():
            return "correct", {"measurement": entry.measurement, "y": entry.y}
        case Undid():
            return "undo", {}
        case Redid():
            return "redo", {}


def _pick_table(pick: Proposal) -> dict[str, Any]:
    # JSON has no NaN: a policy without a criterion has no score.
    score = None if math.isnan(pick.score) else pick.score
    return {**{name: getattr(pick, name) for name in _PICK}, "score": score}


def _plan(value: dict[str, Any], where: str, time: str, size: int) -> Planned:
    given = fields(value, where, ("prior", "policy", "beta"))
    plan = Plan(
        read_prior(given["prior"], f"{where}.prior"),
        from_table(POLICIES, given["policy"], f"{where}.policy", complete=True),
        from_table(SCHEDULES, given["beta"], f"{where}.beta", complete=True),
    )
    return Planned(time, plan)


def _ask(value: dict[str, Any], where: str, time: str, size: int) -> Asked:
    given = fields(value, where, _ASKED)
    rows = enumerate(listing(given["picks"], f"{where}.picks"))
    return Asked(
        time,
        whole(given["t"], f"{where}.t", minimum=1),
        whole(given["n"], f"{where}.n"),
        non_negative(number(given["beta"], f"{where}.beta"), f"{where}.beta"),
        non_negative(number(given["beta_next"], f"{where}.beta_next"), f"{where}.beta_next"),
        number(given["y_dot"], f"{where}.y_dot"),
        tuple(_read_pick(row, f"{where}.picks[{k}]", size) for k, row in rows),
    )


def _read_pick(value: object, where: str, size: int) -> Proposal:
    given = fields(value, where, _PICK)
    score = given["score"]
    return Proposal(
        int(members([given["candidate"]], f"{where}.candidate", size)[0]),
        text(given["role"], f"{where}.role"),
        non_negative(number(given["std"], f"{where}.std"), f"{where}.std"),
        math.nan if score is None else number(score, f"{where}.score"),
        flag(given["in_region_plus"], f"{where}.in_region_plus"),
    )


def _tell(value: dict[str, Any], where: str, time: str, size: int) -> Told:
    given = fields(value, where, ("candidates", "y"))
    candidates = members(given["candidates"], f"{where}.candidates", size).tolist()
    y = numbers(given["y"], f"{where}.y", len(candidates)).tolist()
    return Told(time, tuple(candidates), tuple(y))


def _withdraw(value: dict[str, Any], where: str, time: str, size: int) -> Withdrew:
    given = fields(value, where, ("candidates",))
    return Withdrew(time, tuple(members(given["candidates"], f"{where}.candidates", size).tolist()))


def _correct(value: dict[str, Any], where: str, time: str, size: int) -> Corrected:
    given = fields(value, where, ("measurement", "y"))
    y = given["y"]
    return Corrected(
        time,
        whole(given["measurement"], f"{where}.measurement"),
        None if y is None else number(y, f"{where}.y"),
    )


def _undo(value: dict[str, Any], where: str, time: str, size: int) -> Undid:
    fields(value, where, ())
    return Undid(time)


def _redo(value: dict[str, Any], where: str, time: str, size: int) -> Redid:
    fields(value, where, ())
    return Redid(time)


_READERS: dict[str, Callable[[dict[str, Any], str, str, int], Entry]] = {
    "plan": _plan,
    "ask": _ask,
    "tell": _tell,
    "withdraw": _withdraw,
    "correct": _correct,
    "undo": _undo,
    "redo": _redo,
}
