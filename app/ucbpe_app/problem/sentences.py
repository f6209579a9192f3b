"""An experiment in words."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from ucbpe_app.problem.frame import certifies
from ucbpe_app.run.sentences import number, result, role_name, spread
from ucbpe_app.run.sentences.texts import at_least, percent, rule_of
from ucbpe_app.run.sentences.texts import counted as in_words
from ucbpe_core.errors import grouped
from ucbpe_core.policies.schedules import FiniteBeta
from ucbpe_core.tables.units import named

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from ucbpe_app.run.frames import Frame
    from ucbpe_core import GaussianProcess
    from ucbpe_core.gp.fitting.check import Verdict
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.history.history import History
    from ucbpe_core.search.experiment import Entry, Experiment, Plan, Step, Table, Trial
    from ucbpe_core.search.worth import Worth
    from ucbpe_core.support.validation import Floats, Repeats

UTC = "UTC"
_FEW_RESULTS = (
    "With five results or more the model can be checked, and this says how much can still be "
    "gained."
)
_FEW = 3  # inputs, in a sentence
_ROLES = {"ucb": "UCB", "upper": "UCB", "pe": "PE"}
# By the verb of a step: its entry in the journal, and its name on the Undo button.
_STEPS = {
    "plan": ("settings applied", "settings"),
    "fit": ("prior fitted to {n} result{s}: {prior}", "fit"),
    "ask": ("batch {t} proposed: {n} row{s}", "batch {t}"),
    "tell": ("{n} result{s} recorded", "{n} result{s}"),
    "withdraw": ("{n} pick{s} withdrawn", "withdrawal"),
    "fail": ("{n} run{s} failed", "failure"),
    "allow": ("{n} row{s} allowed again", "allowance"),
    "correct": ("measurement {place} {value}", "correction"),
    "edit": ("table changed: {added} added, {removed} removed", "change of the table"),
    "range": ("range changed: {added} now", "change of a range"),
}
# By the role of a pick, if its score is an expected improvement, in the units of the output.
_GAINS = {
    "ei": "most to gain on average",
    "believer": "most to gain, given those above",
}
_MEASURE = "Measure, then enter the results: any order will do, and the rest may come later."
_REPEATED = (
    "All of these were measured before: by the model, another result there tells more than one at "
    "a new row."
)
_EXHAUSTED: dict[Repeats, str] = {
    "avoid": "All rows that may be the best are measured or withdrawn. These are the best of the "
    "other rows.",
    "allow": "All rows that may be the best are known or withdrawn: these results will tell "
    "nothing new.",
}


def counted(count: int, noun: str, plural: str = "") -> str:
    """1 result, 3 results."""
    return f"{grouped(count)} {noun if count == 1 else plural or noun + 's'}"


def role_label(role: str) -> str:
    """The name of a role in a narrow column."""
    return _ROLES.get(role) or role_name(role).removesuffix(" pick")


def entry_words(entry: Entry) -> str:
    """An entry of the journal in a few words."""
    return entry.verb if entry.verb in ("undo", "redo") else _step_texts(entry.step)[0]


def step_words(change: Step | None) -> str:
    """The name of a change on the Undo and Redo buttons."""
    return "" if change is None else _step_texts(change)[1]


def _step_texts(step: Step) -> tuple[str, str]:
    """What a step did, and its name on a button."""
    trials = step.trials
    facts: dict[str, object] = {"n": grouped(len(trials)), "s": "" if len(trials) == 1 else "s"}
    if trials:
        first = trials[0]
        value = "void" if first.y is None else f"corrected to {result(first.y)}"
        facts |= {"t": first.t, "place": first.place, "value": value}
    if step.verb == "fit":
        n = step.plans[-1].fitted
        facts |= {
            "n": grouped(n),
            "s": "" if n == 1 else "s",
            "prior": prior_text(step.plans[-1].gp),
        }
    for edit in step.edits:
        facts |= {"added": counted(len(edit.added), "row"), "removed": len(edit.removed)}
        facts["range"] = edit.design is not None
    text, label = _STEPS["range" if facts.get("range") else step.verb]
    return text.format_map(facts), label.format_map(facts)


def prior_text(gp: GaussianProcess) -> str:
    """What a fit found, in a few words: lengthscales 21, 14; noise std 0.3."""
    lengths = of_unit(gp, "x")
    scales = f"lengthscale{'' if len(lengths) == 1 else 's'} {', '.join(map(number, lengths))}; "
    return f"{scales if lengths else ''}noise std {number(gp.noise_variance**0.5)}"


def of_unit(gp: GaussianProcess, unit: str) -> list[float]:
    """The hyperparameters of a kernel with that unit: "x", lengths, or "y^2", variances."""
    pairs = zip(gp.kernel.parameters, gp.kernel.parameter_units, strict=True)
    return [value for value, own in pairs if own == unit]


def fitted_words(experiment: Experiment) -> str:
    """Where the prior comes from, in a sentence."""
    plan = experiment.plan
    if plan.fit == "never":
        return "The prior is not fitted."
    if not plan.fitted:
        return "The prior is fitted before each batch, once there are results."
    return f"Prior fitted to {counted(plan.fitted, 'result')}: {prior_text(plan.gp)}."


def first_words(experiment: Experiment) -> str:
    """What the first batch is, before there is a result."""
    rows, shared = counted(experiment.first, "row"), ", ".join(experiment.plan.shared)
    over = f"rows that share {shared}" if shared else "the table"
    return (
        f"The first {rows} are spread over {over}. Then the prior is fitted to all results "
        "before each batch."
    )


def standing(experiment: Experiment) -> tuple[str, str, str]:
    """The state of an experiment: the batch, what to do next, and the details."""
    history = experiment.history
    measured, waiting = counted(len(history.data), "measurement"), len(history.pending)
    if not waiting:
        which = "next" if history.batches else "first"
        details = f"{measured}. Next: propose batch {history.next_t}."
        return counted(history.next_t - 1, "batch", "batches"), f"Propose the {which} rows", details
    batch, waits = history.batches[-1], f"{counted(waiting, 'result')} outstanding"
    line = f"Batch {batch.t}: {batch.size - len(history.open_picks)} of {batch.size} recorded"
    what = "Measure this one" if waiting == 1 else f"Measure these {in_words(waiting)}"
    if history.untouched:
        details = f"Batch {history.t} proposed, {waits}; {measured}. {_MEASURE}"
    else:
        which = f"Batch {history.t}: {waits}" if history.open_picks else waits
        details = f"{which}; {measured}. Continue measuring, or propose batch {history.next_t}."
    decision = experiment.decision
    if decision is not None and decision.exhausted:
        details = f"{details} {_EXHAUSTED[experiment.plan.repeats]}"
    elif decision is not None and experiment.is_repeated(decision):
        details = f"{details} {_REPEATED}"
    return line, what, details


def why(pick: Trial, plan: Plan, output: str) -> str:
    """Why the plan proposed a row, with numbers."""
    if pick.role == "first":
        over = "these rows" if plan.shared else "the table"
        return f"spread over {over}, as no result is known"
    std = number(pick.std or 0.0)
    if pick.role == "upper" and pick.score is not None:  # not with the band that the page shows
        if plan.direction == "minimize":
            return f"lowest mean − 2 std: {number(-pick.score)}"
        return f"highest mean + 2 std: {number(pick.score)}"
    if pick.role == "ucb" and pick.score is not None:
        bare = named(output)["long_name"]
        if plan.direction == "minimize":  # its score is that of -f
            return f"lowest possible {bare}: down to {number(-pick.score)}"
        return f"highest possible {bare}: up to {number(pick.score)}"
    if pick.role in _GAINS and pick.score is not None:
        return f"{_GAINS[pick.role]}: {number(pick.score)}"
    if pick.role == "pe":
        rest = "these rows" if plan.shared else "all rows"
        return f"least known of {'the rest' if pick.in_region_plus else rest}: std {std}"
    rule = rule_of(plan.policy, pick.role, plan.direction)
    return f"{role_label(pick.role)}: {rule} (std {std})"


def recorded(experiment: Experiment) -> str:
    """The numbers of results and of picks given up."""
    history = experiment.history
    states = Counter[str](pick.state for pick in history.gone)
    states["void"] = len(history.measured) - len(history.data)
    more = "".join(
        f", {states[what]} {what}" for what in ("withdrawn", "failed", "void") if states[what]
    )
    return f"{experiment.name}: {counted(len(history.data), 'result')}{more}"


def probability(experiment: Experiment) -> float | None:
    """The probability that f is in its band at all batch starts; None where none is promised.

    For a draw of the prior, `FiniteBeta` with scale 1 promises 1 - delta for the posteriors at
    batch starts: not while only some results of a batch are in.
    """
    schedule, history = experiment.plan.beta, experiment.history
    between = bool(history.open_picks) and not history.untouched
    if isinstance(schedule, FiniteBeta) and schedule.scale == 1 and not between:
        return 1 - schedule.delta
    return None


def may_stop(
    experiment: Experiment, found: Certificate, limit: float | None, verdict: Verdict = "good"
) -> tuple[str, str]:
    """Whether to stop, for a person who accepts a row within `limit` of the best, and why.

    What can be gained is counted from the best result, or from what one row has for certain if
    there is none; a limit is one on what that row misses. Nothing is claimed of a model that does
    not fit its results, or that has too few.
    """
    if verdict == "few":
        return "Too early to say.", _FEW_RESULTS
    if not certifies(verdict):
        return "Not known: the model does not fit.", ""
    highest, best = experiment.plan.direction == "maximize", experiment.history.best
    below, above, extreme = "below", "above", "maximum"
    if not highest:
        below, above, extreme = above, below, "minimum"
    end, missing = at_least(found.extreme, -1.0 if highest else 1.0), at_least(found.regret, -1.0)
    gain = found.regret if best is None or best.y is None else found.gain(best.y)
    row, chance = row_words(experiment.table, found.index), probability(experiment)
    text = f"no row is {above} {end}, and {row} is at most {missing} {below} the {extreme}"
    if chance is None:
        reason = f"While f is inside its band, {text}. No probability is promised for that."
    else:
        reason = f"With probability {percent(chance)}, {text}, if the prior is right."
    if limit is None:
        return f"At most {at_least(gain, -1.0)} can still be gained.", reason
    if found.regret <= limit:
        return "You may stop.", reason
    return f"Not yet: {row} can be {missing} {below} the {extreme}.", reason


def worth_words(experiment: Experiment, worth: Worth | None) -> str:
    """What the next batch brings on average, and whether that is worth the price of measuring."""
    if worth is None:
        return ""
    plan, batch = experiment.plan, "This batch" if experiment.decision else "The next batch"
    gains = f"{batch} improves the best by {number(worth.improvement)} on average"
    price = at_least(worth.price, 1.0)
    if plan.cost is None:
        unit = f"in units of {experiment.table.output}"
        return f"{gains}: worth measuring if a measurement costs less than {price}, {unit}."
    answer = "worth measuring" if plan.cost < worth.price else "not worth measuring"
    return f"{gains}, {price} a measurement: {answer} at {number(plan.cost)} each."


def best_words(experiment: Experiment, known: Frame, verdict: Verdict) -> str:
    """The best row so far, by results and by the posterior; how many rows may be the best, if the
    model fits.
    """
    best, guess, table = experiment.history.best, experiment.best(), experiment.table
    parts = []
    if best is not None and best.y is not None:
        parts.append(f"Best result {result(best.y)} at {trial_words(table, best)}.")
        mean = spread(guess.value, guess.std)
        parts.append(f"Best mean {mean} at {row_words(table, guess.index)}.")
    if known.region is not None and certifies(verdict):
        rows = f"{grouped(int(known.region.sum()))} of {counted(len(table), 'row')}"
        band = f"±\u00a0{number(known.sqrt_beta)}\u00a0std"
        parts.append(f"{rows} may still be the best, in a band of {band}.")
    return " ".join(parts)


def trial_words(table: Table, trial: Trial) -> str:
    """Where a measurement was made: a row, or a point outside the table."""
    if trial.index >= 0:
        return row_words(table, trial.index)
    return ", ".join(_set(table, np.array(trial.point or ())).values()) + " (not in the table)"


def row_words(table: Table, j: int) -> str:
    """A row in a sentence: its first label, and its inputs with units if they are few, or all if it
    has no label.
    """
    settings = _set(table, table.candidates[j])
    labels = [texts for name, texts in table.labels if name not in settings]
    label = labels[0][j] if labels else ""
    if labels and len(settings) > _FEW:
        return label
    return _inputs(settings) + (f" ({label})" if labels else "")


def _inputs(settings: Mapping[str, str]) -> str:
    """Inputs in a sentence, with units if they have any."""
    return ", ".join(
        f"{text} {axis['units']}" if "units" in axis else f"{axis['long_name']} {text}"
        for axis, text in zip(map(named, settings), settings.values(), strict=True)
    )


def shared_words(history: History, table: Table) -> str:
    """Why the rows of the batch that is open have the values that they share; "" for none."""
    picks = history.open_picks
    plan = history.plan_of(picks[0]) if picks else history.plan
    if not (picks and plan.shared):
        return ""
    settings = _set(table, table.candidates[picks[0].index])
    values = _inputs({name: settings[name] for name in plan.shared})
    why = "the rule's first pick among all rows has"
    if plan.shared_by == "sum" and picks[0].score is not None:
        why = "the rule's batch with the greatest sum of scores has"
    return f"All rows of batch {picks[0].t} have {values}, as {why}: only rows with it compete."


def _set(table: Table, x: Floats) -> dict[str, str]:
    """What to set at a point (d,), by the name of the input."""
    if table.design is None:
        return dict(zip(table.inputs, map(written, x.tolist()), strict=True))
    texts = {name: text for name, (text,) in table.design.labels(x[None])}
    plain = {table.inputs[i]: written(float(x[i])) for i in table.plain}
    return {name: (texts | plain)[name] for name in table.design.names}


def written(x: float) -> str:
    """An input without needless digits; a true minus sign."""
    short = f"{x:.12g}"
    return (short if float(short) == x else repr(x)).replace("-", "−")


def zone(name: str) -> tzinfo:
    """The time zone with a name as browsers give it; UTC for an unknown name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(UTC)


def moment(time: str, where: tzinfo) -> str:
    """A time as 21 Nov, 14:05."""
    return f"{datetime.fromisoformat(time).astimezone(where):%-d %b, %H:%M}"
