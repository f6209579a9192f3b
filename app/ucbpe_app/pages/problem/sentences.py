"""An experiment in words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from ucbpe_app.run.sentences import number, role_name
from ucbpe_app.run.sentences.texts import rule_of
from ucbpe_core.errors import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from ucbpe_core import GaussianProcess
    from ucbpe_core.experiment import Entry, Experiment, Plan, Step, Trial
    from ucbpe_core.validation import Repeats

UTC = "UTC"
_ROLES = {"ucb": "UCB", "pe": "PE"}
_STEPS = {
    "plan": "settings",
    "withdraw": "withdrawal",
    "fail": "failure",
    "allow": "allowance",
    "correct": "correction",
}
_EXHAUSTED: dict[Repeats, str] = {
    "avoid": "No row in R⁺ was left to measure: every value there is known, or its row withdrawn. "
    "These rows are the best of the others.",
    "allow": "Every value in R⁺ is known, or its row withdrawn: these results will tell nothing "
    "new.",
}


def counted(count: int, one: str, many: str = "") -> str:
    """1 result, 3 results."""
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def role_label(role: str) -> str:
    """What a pick of a role is called in a narrow column."""
    return _ROLES.get(role) or role_name(role).removesuffix(" pick")


def entry_words(entry: Entry) -> str:
    """What an entry of the journal says, in a few words."""
    trials = entry.step.trials
    match entry.verb:
        case "plan":
            return "settings applied"
        case "ask":
            return f"batch {trials[0].t} proposed: {counted(len(trials), 'row')}"
        case "tell":
            return f"{counted(len(trials), 'result')} recorded"
        case "withdraw":
            return f"{counted(len(trials), 'pick')} withdrawn"
        case "fail":
            return f"{counted(len(trials), 'run')} failed"
        case "allow":
            return f"{counted(len(trials), 'withdrawn row')} allowed again"
        case "correct":
            y = trials[0].y
            what = "void" if y is None else f"corrected to {number(y)}"
            return f"measurement {trials[0].place} {what}"
    return entry.verb


def step_words(change: Step | None) -> str:
    """What a button to undo or redo a change is about."""
    if change is None:
        return ""
    if change.verb == "ask":
        return f"batch {change.trials[0].t}"
    if change.verb == "tell":
        return counted(len(change.trials), "result")
    return _STEPS[change.verb]


def status(experiment: Experiment) -> str:
    """Where an experiment stands and what comes next, for the live region."""
    decision = experiment.decision
    if decision is not None and decision.exhausted:
        return f"{_step(experiment)} {_EXHAUSTED[experiment.plan.repeats]}"
    return _step(experiment)


def withdrawn(experiment: Experiment) -> str:
    """What the button says that allows withdrawn rows again."""
    return f"Allow {counted(len(experiment.excluded), 'withdrawn row')} again"


def _step(experiment: Experiment) -> str:
    history = experiment.history
    known = counted(len(history.data), "measurement")
    waiting = len(history.pending)
    if not waiting:
        return f"{known}. Next: propose batch {history.next_t}."
    waits = f"{counted(waiting, 'result')} outstanding"
    if history.untouched:
        return f"Batch {history.t} proposed, {waits}; {known}. Measure, then enter the results."
    which = f"Batch {history.t}: {waits}" if history.open_picks else waits
    return f"{which}; {known}. Continue measuring, or propose batch {history.next_t}."


def why(pick: Trial, plan: Plan) -> str:
    """Why a row was proposed, by the plan that chose it, with its numbers."""
    std = number(pick.std or 0.0)
    if pick.role == "ucb" and pick.score is not None:
        if plan.direction == "minimize":  # its score is that of -f
            return f"UCB: lowest lower bound, {number(-pick.score)} (σ = {std})"
        return f"UCB: highest upper bound, {number(pick.score)} (σ = {std})"
    if pick.role == "pe":
        return f"PE: least known {'in R⁺' if pick.in_region_plus else 'on X'} (σ = {std})"
    rule = rule_of(plan.policy, pick.role, plan.direction)
    return f"{role_label(pick.role)}: {rule} (σ = {std})"


def zone(name: str) -> tzinfo:
    """The time zone of a name as browsers tell it; UTC for one that is not known here."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(UTC)


def moment(time: str, where: tzinfo) -> str:
    """A time as 21 Nov, 14:05."""
    return f"{datetime.fromisoformat(time).astimezone(where):%-d %b, %H:%M}"


def prior_changes(
    before: GaussianProcess, after: GaussianProcess, inputs: Sequence[str]
) -> list[tuple[str, str]]:
    """What another prior changes: the name of each number, and the old and new one."""
    olds, news = _numbers(before, inputs), _numbers(after, inputs)
    return [
        (name, f"{olds[name]} → {new}" if name in olds else new)
        for name, new in news.items()
        if olds.get(name) != new
    ]


def _numbers(gp: GaussianProcess, inputs: Sequence[str]) -> dict[str, str]:
    kernel = gp.kernel
    scales = np.broadcast_to(getattr(kernel, "lengthscale", np.nan), len(inputs)).tolist()
    return {
        **{f"lengthscale of {name}": number(x) for name, x in zip(inputs, scales, strict=True)},
        "variance": number(getattr(kernel, "variance", np.nan)),
        "noise variance": number(gp.noise_variance),
        "mean": number(gp.mean),
    }
