"""The words, marks and legends of a live lesson: what its engine needs to label the figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ucbpe_app.components.algorithm import MARKUP
from ucbpe_app.export.lesson.layout import TABLE
from ucbpe_app.export.lesson.tables import COMPUTED, MOST_PICKS, control_tables, kernel_tables
from ucbpe_app.export.words import run_rows
from ucbpe_app.figures import legends
from ucbpe_app.figures.curve import legend as curve
from ucbpe_app.figures.curve.geometry import FAMILIES
from ucbpe_app.figures.field import texts as field
from ucbpe_app.figures.marks import mark_of, pick_entries
from ucbpe_app.figures.plane.view import legend as plane_legend
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.run.glossary import GLOSSARY
from ucbpe_app.run.sentences import role_name
from ucbpe_app.run.sentences.reasons import learns
from ucbpe_app.run.sentences.texts import TEXTS, rule_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ucbpe_app.figures.regret import RegretView
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace

_COMPUTED = (
    "Computed in this browser. Other policies, other ν and the bounds of Theorem 1 need the "
    "full laboratory."
)
_CHIP = f' style="background:{legends.FIELD_CHIP}"'


def lexicon(replay: Replay, regret: RegretView) -> dict[str, Any]:
    """The words that `live/` needs for a run of any policy that it computes."""
    trace = replay.trace
    roles = dict.fromkeys(role for name in COMPUTED for role in POLICIES[name].rules)
    words = words_of(trace)._asdict()
    words.pop("rules")
    return {
        "texts": dict(TEXTS),
        "markup": {**MARKUP, **TABLE},
        "direction": words,
        "rules": {name: _rules(trace, name) for name in COMPUTED},
        "roles": {role: _role(role) for role in roles},
        "glossary": [[word.labels, word.meaning] for word in GLOSSARY],
        "run": run_rows(replay),
        "kernels": kernel_tables(),
        "controls": control_tables(max(MOST_PICKS, trace.policy.batch_size)),
        "inputs": replay.scene.axes[:-1],
        "computed": _COMPUTED,
        "legends": {
            "curve": {
                "posterior": _keyed(curve.POSTERIOR),
                "reserved": curve.RESERVED,
                "std": _keyed(curve.STD),
                "y_dot": "y•, least upper bound" if words["sign"] < 0 else "",
            },
            "plane": _plane(replay),
            "field": _field(),
            "regret": {
                "simple": regret.simple.plain_heading,
                "cumulative": regret.cumulative.plain_heading,
            },
        },
    }


def _rules(trace: Trace, name: str) -> dict[str, str]:
    """The rules of a policy in the direction of the run."""
    policy = POLICIES[name]()
    return {role: rule_of(policy, role, trace.problem.direction) for role in policy.rules}


def _role(role: str) -> dict[str, Any]:
    mark = mark_of(role)
    ((shapes, _),) = pick_entries((role,))
    return {
        "name": role_name(role),
        "learns": learns(role),
        "marker": mark.marker,
        "color": mark.color,
        "family": next(name for name, one in FAMILIES.items() if one == mark),
        "swatch": legends.swatch(shapes, _CHIP),
    }


def _keyed(entries: dict[str, legends.Entry]) -> list[tuple[str, str, str]]:
    return [(key, legends.swatch(shapes), label) for key, (shapes, label) in entries.items()]


def _plane(replay: Replay) -> list[tuple[str, str, str]]:
    """Entries with what they need: picks by upper bound, or a region."""
    scene = replace(replay.scene, roles=("ucb",), uses_region=True)
    first, *others = plane_legend(scene)
    entries = [("ucb", first), *(("region", one) for one in others)]
    return [(when, legends.swatch(shapes), label) for when, (shapes, label) in entries]


def _field() -> dict[str, Any]:
    data, *lines = field.legend((), outlined=True)
    return {"data": _chipped([data])[0], "lines": _chipped(lines)}


def _chipped(entries: Iterable[legends.Entry]) -> list[tuple[str, str]]:
    return [(legends.swatch(shapes, _CHIP), label) for shapes, label in entries]
