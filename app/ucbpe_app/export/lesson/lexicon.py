"""The words and marks of a live lesson: what its engine needs to label the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_app import theme
from ucbpe_app.components.algorithm import MARKUP
from ucbpe_app.export.lesson.layout import TABLE
from ucbpe_app.export.lesson.tables import COMPUTED, MOST_PICKS, control_tables, kernel_tables
from ucbpe_app.export.words import run_rows
from ucbpe_app.pictures.field import MAPS, MAXIMISED, SLOTS
from ucbpe_app.pictures.marks import mark_of, sizes_of
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.run.glossary import GLOSSARY
from ucbpe_app.run.sentences import role_name
from ucbpe_app.run.sentences.reasons import learns
from ucbpe_app.run.sentences.texts import COUNTS, PLAIN, TEXTS, rule_of, words_of

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace


def lexicon(replay: Replay) -> dict[str, Any]:
    """The words that `live/` needs for a run of any policy that it computes."""
    trace = replay.trace
    roles = dict.fromkeys(role for name in COMPUTED for role in POLICIES[name].rules)
    words = words_of(trace)._asdict()
    words.pop("rules")
    return {
        "texts": dict(TEXTS),
        "plain": dict(PLAIN),
        "markup": {**MARKUP, **TABLE},
        "direction": words,
        "rules": {name: _rules(trace, name) for name in COMPUTED},
        "roles": {role: _role(role) for role in roles},
        "glossary": [[word.labels, word.meaning] for word in GLOSSARY],
        "run": run_rows(replay),
        "kernels": kernel_tables(),
        "controls": control_tables(max(MOST_PICKS, trace.policy.batch_size)),
        "inputs": replay.scene.axes[:-1],
        "output": replay.scene.output,
        "maps": {"order": MAPS, "slots": SLOTS, "maximised": MAXIMISED},
        "palettes": theme.PALETTES,
        "counts": COUNTS,
    }


def _rules(trace: Trace, name: str) -> dict[str, str]:
    """The rules of a policy in the direction of the run."""
    policy = POLICIES[name]()
    return {role: rule_of(policy, role, trace.problem.direction) for role in policy.rules}


def _role(role: str) -> dict[str, Any]:
    mark = mark_of(role)
    return {
        "name": role_name(role),
        "learns": learns(role),
        "marker": mark.marker,
        "color": mark.color,
        "sizes": sizes_of(mark),
    }
