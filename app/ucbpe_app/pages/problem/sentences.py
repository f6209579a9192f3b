"""An experiment in words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ucbpe_app.run.sentences import number, role_name
from ucbpe_app.run.sentences.texts import at_least, rule_of
from ucbpe_core.errors import grouped
from ucbpe_core.records.run import named
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from ucbpe_app.run.frames import Frame
    from ucbpe_core.experiment import Entry, Experiment, Plan, Step, Table, Trial
    from ucbpe_core.validation import Repeats

UTC = "UTC"
_FEW = 3  # inputs, in a sentence
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
        return (
            f"Batch {history.t} proposed, {waits}; {known}. Measure, then enter the results: "
            "any order will do, and the rest may come later."
        )
    which = f"Batch {history.t}: {waits}" if history.open_picks else waits
    return f"{which}; {known}. Continue measuring, or propose batch {history.next_t}."


def why(pick: Trial, plan: Plan, output: str) -> str:
    """Why a row was proposed, by the plan that chose it, with its numbers."""
    std = number(pick.std or 0.0)
    if pick.role == "ucb" and pick.score is not None:
        bare = named(output)["long_name"]
        if plan.direction == "minimize":  # its score is that of -f
            return f"lowest possible {bare}: down to {number(-pick.score)}"
        return f"highest possible {bare}: up to {number(pick.score)}"
    if pick.role == "pe":
        return f"least known of {'the rest' if pick.in_region_plus else 'all rows'}: std {std}"
    rule = rule_of(plan.policy, pick.role, plan.direction)
    return f"{role_label(pick.role)}: {rule} (std {std})"


_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def place(experiment: Experiment) -> tuple[str, str]:
    """Which batch it is, and in a few words what to do."""
    history = experiment.history
    waiting = len(history.pending)
    if not waiting:
        which = "next" if history.batches else "first"
        return counted(history.next_t - 1, "batch", "batches"), f"Propose the {which} rows"
    size = history.batches[-1].size
    done = size - len(history.open_picks)
    which = _NUMBERS[waiting] if waiting < len(_NUMBERS) else str(waiting)
    what = "Measure this one" if waiting == 1 else f"Measure these {which}"
    return f"Batch {history.batches[-1].t}: {done} of {size} recorded", what


def recorded(experiment: Experiment) -> str:
    """How many results there are, and how many picks were given up."""
    history = experiment.history
    states = [one.state for one in history.gone]
    void = len(history.measured) - len(history.data)
    counts = {
        "withdrawn": states.count("withdrawn"),
        "failed": states.count("failed"),
        "void": void,
    }
    more = "".join(f", {count} {what}" for what, count in counts.items() if count)
    return f"{experiment.name}: {counted(len(history.data), 'result')}{more}"


def possible(experiment: Experiment, frame: Frame, more: float) -> tuple[str, str]:
    """How much a row can still gain in its band, which the certificate knows, and where we are."""
    sign = sign_of(experiment.plan.direction)
    best, table = experiment.history.best, experiment.table
    edge = float(frame.upper.max() if sign > 0 else frame.lower.min())
    band = f"in a band of ±\u00a0{number(frame.sqrt_beta)}\u00a0std"
    left = "" if frame.region_plus is None else (
        f" {grouped(int(frame.region_plus.sum()))} of {counted(len(table), 'row')} are still worth "
        "trying."
    )  # fmt: skip
    if best is None or best.y is None:
        limit = f"at {'most' if sign > 0 else 'least'} {number(edge)}"
        return f"Nothing is measured yet: {limit}, {band}.", left
    way = "more" if sign > 0 else "less"
    guess = experiment.best()
    told = f"Best {number(best.y)} at {row_words(table, best.index)}."
    mean = f"{number(guess.value)} ± {number(guess.std)}"
    model = f" Best mean {mean} at {row_words(table, guess.index)}."
    return f"Up to {at_least(more, -1.0)} {way} is possible, {band}.", f"{told}{model}{left}"


def row_words(table: Table, j: int) -> str:
    """A row in a sentence: its inputs with their units, where they are few, and its first label."""
    label = table.labels[0][1][j] if table.labels else f"row {j}"
    if len(table.inputs) > _FEW:
        return label
    given = [
        f"{written(x)} {known['units']}"
        if "units" in known
        else f"{known['long_name']} {written(x)}"
        for known, x in zip(map(named, table.inputs), table.candidates[j].tolist(), strict=True)
    ]
    return ", ".join(given) + (f" ({label})" if table.labels else "")


def written(x: float) -> str:
    """An input without needless digits; a true minus sign."""
    short = f"{x:.12g}"
    return (short if float(short) == x else repr(x)).replace("-", "−")


def zone(name: str) -> tzinfo:
    """The time zone of a name as browsers tell it; UTC for one that is not known here."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(UTC)


def moment(time: str, where: tzinfo) -> str:
    """A time as 21 Nov, 14:05."""
    return f"{datetime.fromisoformat(time).astimezone(where):%-d %b, %H:%M}"
