"""What an export says of a run: its settings, its events, and the names of files."""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.html import Html
from ucbpe_app.run.changes import WORDS
from ucbpe_app.run.choices import KERNELS, class_label, takes
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import only, say
from ucbpe_app.run.settings import names_of
from ucbpe_core import ConstantBeta, FiniteBeta
from ucbpe_core.errors import grouped
from ucbpe_core.gp.kernels import Product, Sum
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import BetaSchedule, Kernel

_SHOWN_DIGITS = 8  # of the digest, as in the dashboard

# Of the run; the browser's engine fills the same.
TABLE = MappingProxyType(
    {
        "row": Html('<tr><th scope="row">{name}</th><td>{value}</td></tr>'),
        "run": Html(
            '<section aria-label="This run"><h2>This run</h2><table>{rows}</table></section>'
        ),
    }
)


def run_rows(replay: Replay) -> tuple[tuple[str, str], ...]:
    """What was run, as names and values to tabulate."""
    trace = replay.trace
    gp, problem = trace.gp, trace.problem
    noise = {"noise": number(gp.noise_variance), "truth": number(problem.noise_variance)}
    return (
        (say("run.problem"), problem.name),
        ("Candidates", grouped(len(problem.candidates))),
        (say("run.policy"), trace.policy.name),
        (say("run.length"), say("run.batches", T=len(trace.decisions), K=trace.policy.batch_size)),
        (say("run.initial"), f"{trace.initial}"),
        (say("run.kernel"), kernel_words(gp.kernel)),
        (say("run.mean"), number(gp.mean)),
        (say("run.noise_variance"), say("run.noise", **noise)),
        (say("run.beta"), schedule_words(trace.beta)),
        (say("run.seed"), f"{trace.seed}"),
        *([("Measurements", f"those of run {_measured(replay)}")] if trace.hold_data else []),
        (say("run.digest"), trace.digest[:_SHOWN_DIGITS]),
    )


def run_line(replay: Replay) -> str:
    """What was run, in one line."""
    trace = replay.trace
    K, T = trace.policy.batch_size, len(trace.decisions)
    return (
        f"{kernel_words(trace.gp.kernel)}; noise variance {number(trace.gp.noise_variance)}; "
        f"β: {schedule_words(trace.beta)}; K = {K}, T = {T}, {trace.initial} initial points; "
        f"run\u00a0{trace.digest[:_SHOWN_DIGITS]}"
        + (f" on the measurements of run\u00a0{_measured(replay)}" if trace.hold_data else "")
    )


def _measured(replay: Replay) -> str:
    return replay.measured.trace.digest[:_SHOWN_DIGITS]


def kernel_words(kernel: Kernel) -> str:
    """A kernel's family and hyperparameters; for one that is not listed, its definition."""
    if isinstance(kernel, Sum | Product):
        sign = "+" if isinstance(kernel, Sum) else "×"
        return f"({kernel_words(kernel.left)}) {sign} ({kernel_words(kernel.right)})"
    if type(kernel) not in KERNELS.values():
        return repr(kernel)
    label, words = class_label(KERNELS, type(kernel)), list[str]()
    for argument, name in names_of("kernel", label).items():
        if takes(type(kernel), argument):
            several = ", ".join(number(one) for one in np.ravel(getattr(kernel, argument)).tolist())
            word = WORDS[name]
            words.append(f"{word}{' =' if len(word) == 1 else ''} {several}")
    return ", ".join([label, *words])


def schedule_words(schedule: BetaSchedule) -> str:
    """How beta_t grows, and by what it is multiplied."""
    times = only("times", schedule.scale != 1)
    facts: dict[str, object] = {"times": times, "scale": number(schedule.scale)}
    match schedule:
        case FiniteBeta() | CompactBeta():
            kind = "finite" if isinstance(schedule, FiniteBeta) else "compact"
            return say(f"schedule.{kind}", delta=number(schedule.delta), **facts)
        case ConstantBeta():
            return say("schedule.constant", beta=number(schedule.beta), **facts)
        case _:
            return repr(schedule)


def file_name(replay: Replay, ending: str, *parts: str) -> str:
    """A name that says the problem, the policy, the run and what of it.

    For example ``himmelblau-tilted_gp-ucb-pe_run-4c904df9_batch-3-pick-2.png``.
    """
    trace = replay.trace
    run = f"run-{trace.digest[:_SHOWN_DIGITS]}"
    names = (trace.problem.name, trace.policy.name, run, *parts)
    return "_".join(filter(None, map(_slug, names))) + f".{ending}"


def moment_name(event: Event) -> str:
    """An event as a part of a file's name."""
    pick = f"-{event.k}" if event.kind is Kind.PICK else ""
    return f"batch-{event.t}-{event.kind}{pick}"


def _slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
