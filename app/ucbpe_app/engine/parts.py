"""What a lesson's file needs to compute: the engine's code, tables, words, and where results go."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app import theme, widgets
from ucbpe_app.engine.tables import (
    ARGUMENTS,
    COMPUTED,
    MOST_OWN,
    MOST_PICKS,
    control_tables,
    kernel_tables,
    plain,
    problem_tables,
    run_settings,
)
from ucbpe_app.pictures.field import MAPS, MAXIMISED, SLOTS
from ucbpe_app.pictures.looks import LINES
from ucbpe_app.pictures.marks import GEOMETRY, mark_of, sizes_of
from ucbpe_app.pictures.regret import SIMPLE
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.run.criterion import name_of
from ucbpe_app.run.described import TABLE, run_rows
from ucbpe_app.run.glossary import GLOSSARY
from ucbpe_app.run.screen import controls_of
from ucbpe_app.run.sentences import role_name
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import COUNTS, PLAIN, TEXTS, rule_of, words_of
from ucbpe_app.widgets.algorithm import MARKUP
from ucbpe_app.widgets.regret import regret_title
from ucbpe_core.errors import InputError
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ucbpe_app.render.view import View
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers
    from ucbpe_core import Trace


def lexicon(replay: Replay) -> dict[str, Any]:
    """The words that `engine/` needs for a run of any policy that it computes."""
    trace = replay.trace
    roles = dict.fromkeys(role for name in COMPUTED for role in POLICIES[name].rules)
    words = words_of(trace)._asdict()
    words.pop("rules")
    return {
        "texts": dict(TEXTS),
        "titles": [regret_title(SIMPLE, replay.scene, secret=secret) for secret in (False, True)],
        "criteria": {role: name_of(role, trace) for role in roles},
        "plain": dict(PLAIN),
        "markup": {**MARKUP, **TABLE},
        "direction": words,
        "rules": {name: _rules(trace, name) for name in COMPUTED},
        "roles": {role: _role(role) for role in roles},
        "glossary": [[word.labels, word.meaning] for word in GLOSSARY],
        "run": run_rows(replay),
        "kernels": kernel_tables(),
        "controls": control_tables(
            max(MOST_PICKS, trace.policy.batch_size), replay.scene.dimension
        ),
        "inputs": replay.scene.axes[:-1],
        "output": replay.scene.output,
        "lines": [{"role": line.role, "plot": line.plot, "curves": line.curves} for line in LINES],
        "maps": {"order": MAPS, "slots": SLOTS, "maximised": MAXIMISED},
        "geometry": GEOMETRY.table(),
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
        "look": look_of(role),
        "marker": mark.marker,
        "color": mark.color,
        "sizes": sizes_of(mark),
    }


_MOST_INPUTS = 2
_FOLDER = Path(__file__).parent
# As the dashboard copies, and writes numbers.
_SHARED = tuple(Path(widgets.__file__).parent / name for name in ("clipboard.js", "numbers.js"))
_DRAWN = (
    "truth",
    "noisy",
    "log",
    "plane",
    "plain",
    "stop",
    "bounds",
    "secret",
)  # layers that the engine knows


@cache
def modules(*names: str) -> dict[str, str]:
    """The texts of modules by name, of all by default; `engine/loader.js` loads them."""
    known = {file.name: file for file in (*sorted(_FOLDER.glob("*.js")), *_SHARED)}
    return {name: known[name].read_text(encoding="utf-8") for name in names or known}


def require_computed(replay: Replay) -> dict[str, Any]:
    """The settings of a run that a browser can compute.

    Raises
    ------
    InputError
        For a run with something that the engine lacks, such as batches that share an input, on kept
        data, or over three or more inputs.
        What was found reads on after "a run with".
    """
    trace, dimension = replay.trace, replay.scene.dimension
    trace.require_measured("compute it in a file")
    trace.require_batches("compute it in a file")
    if dimension > _MOST_INPUTS:
        wanted = "one or two inputs in a live lesson, to draw them"
        raise InputError(wanted, f"{dimension} inputs", "export it without live")
    settings = run_settings(trace)
    if not isinstance(trace.beta, CompactBeta):  # the cube that it has here
        settings["r"] = float(np.ptp(trace.problem.bounds, axis=1).max())
    return settings


def engine_parts(replay: Replay) -> dict[str, Any]:
    """What the engine needs for runs of other settings, as JSON: its tables and its words."""
    trace, problem = replay.trace, replay.trace.problem
    tables = problem_tables(
        problem,
        initial=trace.initial - len(problem.observed),
        seed=trace.seed,
        batches=len(trace.decisions),
        most_picks=max(MOST_PICKS, trace.policy.batch_size),
        policy_seed=getattr(trace.policy, "seed", 0),
    )
    return {
        "tables": plain({**tables, "grid": list(problem.grid)}),
        "lexicon": lexicon(replay),
    }


def run_parts(replay: Replay, layers: Layers, hidden: Collection[str] = ()) -> dict[str, Any]:
    """The run that a file begins with, and what the engine's run is compared with.

    Errors are those of `require_computed`.
    """
    settings, trace = require_computed(replay), replay.trace
    return {
        "settings": settings,
        "layers": {name: getattr(layers, name) for name in _DRAWN},
        "limits": {
            "mostOwn": MOST_OWN,
            "size": len(trace.problem.candidates),
            "hidden": sorted(ARGUMENTS.get(name, name) for name in controls_of(hidden)),
        },
        "digest": trace.digest,
        "expected": {
            "picks": [decision.indices.tolist() for decision in trace.decisions],
            "beta": [decision.beta for decision in trace.decisions],
            "y": trace.y.tolist(),
        },
    }


def named_parts(views: Iterable[View]) -> dict[str, Any]:
    """All that a run sets in these views, by the names that the engine has for it."""
    named: dict[str, Any] = {}
    for view in views:
        named |= getattr(view, "named", {})
    return named
