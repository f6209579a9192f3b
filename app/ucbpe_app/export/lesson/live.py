"""What a lesson's file needs to compute: the engine's code, its tables, and where results go."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bokeh.model import Model

from ucbpe_app.export.lesson.lexicon import lexicon
from ucbpe_app.export.lesson.tables import engine_settings, plain, problem_tables

if TYPE_CHECKING:
    from ucbpe_app.export.lesson.layout import LessonPage
    from ucbpe_app.export.lesson.recording import Recording
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers

_FOLDER = Path(__file__).parent / "live"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@lru_cache(maxsize=4)
def script(name: str) -> str:
    """A module of `live/` and all that it imports as one script: their names are apart."""
    order: dict[str, str] = {}

    def add(file: str) -> None:
        text = (_FOLDER / file).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            if imported not in order:
                add(imported)
        own = _EXPORT.sub("", _IMPORT.sub("", text))
        # A block keeps what a module does not export to itself.
        names = ", ".join(re.findall(r"^export (?:async )?(?:const|function\*?|class) (\w+)", text, re.M))
        order[file] = f"const {{{names}}} = (() => {{\n{own}\nreturn {{{names}}}\n}})()\n"

    add(name)
    return "".join(order.values())


def live_parts(
    replay: Replay, page: LessonPage, recording: Recording, layers: Layers
) -> dict[str, Any]:
    """What a file holds beside the recording, as JSON.

    Raises
    ------
    InputError
        For a run of what the engine does not have, decided on held data, or over three inputs and
        more.
    """
    trace = replay.trace
    trace.require_measured("compute it in a file")
    problem, batches = trace.problem, len(trace.iterations)
    observed = len(problem.observed)
    tables = problem_tables(
        problem, initial=trace.initial - observed, seed=trace.seed, batches=batches
    )
    return {
        "tables": plain({**tables, "grid": list(problem.grid)}),
        "settings": engine_settings(trace.gp, trace.policy, trace.schedule, batches),
        "lexicon": lexicon(replay, page),
        "layers": {"truth": layers.truth, "noisy": layers.noisy, "log": layers.log},
        "targets": targets(page, recording),
        "digest": trace.digest,
    }


def targets(page: LessonPage, recording: Recording) -> dict[str, Any]:
    """Where what the engine names is on the page: a model's id, or a component's number."""
    numbers = {id(node): number for number, node in enumerate(recording.nodes)}
    named: dict[str, Any] = {"run": page.run}
    for view in page.views:
        named |= getattr(view, "named", {})
    return {
        name: one.id if isinstance(one, Model) else numbers[id(one)] for name, one in named.items()
    }
