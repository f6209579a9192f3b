"""What an experiment answers, in words: is the model good, what matters, what comes next."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ucbpe_app.problem.frame import STDS
from ucbpe_app.problem.sentences import (
    counted,
    fitted_words,
    of_unit,
    shared_words,
    trial_words,
)
from ucbpe_app.run.sentences import number, result, spread
from ucbpe_app.run.sentences.texts import percent
from ucbpe_core.gp.fitting.check import contradicts, implausible
from ucbpe_core.gp.kernels.scales import leaves
from ucbpe_core.search.experiment import Experiment

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.problem.frame import ExperimentFrame
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core import GaussianProcess
    from ucbpe_core.gp.fitting import Cause, ModelCheck
    from ucbpe_core.gp.fitting.check import Verdict
    from ucbpe_core.support.validation import Floats

# By the verdict of a check: the answer, the evidence, and what to do.
_MODEL = {
    "few": (
        "Too early to say",
        "{n}. With five or more, each is predicted from all the others.",
        "Keep measuring.",
    ),
    "outlier": (
        "Yes, but for one result",
        "{first} gave {y}; the others predict {predicted}. Without it the model fits.",
        "Measure that row again; correct or clear the value under measurements if it is wrong.",
    ),
    "mean": (
        "No: the mean is wrong",
        "The prior expects results around {mean}, and they are not.",
        "A mean of about {right_mean} explains them best.",
    ),
    "scale": (
        "No: the scale is wrong",
        "Results vary more than the prior variance allows.",
        "A variance of about {variance} explains them best.",
    ),
    "lengthscale": (
        "No: the lengthscale is wrong",
        "Results change over other distances than the lengthscale says.",
        "Lengthscales {stretch} times as long explain them best.",
    ),
    "rough": (
        "No: values jump",
        "Values change faster than the kernel allows, most between {first} and {second}.",
        "The kernel Matérn with ν = 0.5 allows that.",
    ),
    "noisy": (
        "No: results scatter",
        "They lie {factor} times as far from their predictions as the noise variance allows.",
        "A noise variance of about {noise} explains that best.",
    ),
    "wide": (
        "Too cautious",
        "Results lie within {factor} of the predicted std.",
        "The {cause} of the prior is wrong.",
    ),
    "uninformed": (
        "Not yet",
        "Predictions are no better than the mean of the other results.",
        "Measure more, or look for a missing input.",
    ),
    "good": (
        "Yes",
        "From the others, each result is predicted to ± {spread}: {share} of the variance is "
        "explained.",
        "",
    ),
}
_CAUSES: dict[Cause, str] = {
    "mean": "mean",
    "scale": "variance",
    "noise": "noise variance",
    "lengthscale": "lengthscale",
    "kernel": "kernel",
}
_WHY = {
    "GP-UCB-PE": "It takes the best bet, then the rows known least, and has a regret bound. "
    "Recommended came nearer to the optimum in most runs."
}


def model_words(experiment: Experiment, check: ModelCheck) -> tuple[str, str, str]:
    """Whether the model is any good: the answer in a word or two, why, and what to do."""
    loo = check.loo
    data = experiment.history.data[len(experiment.history.data) - len(loo.y) :]
    facts: dict[str, object] = {
        "n": counted(len(loo.y), "result"),
        "factor": number(check.factor),
        "share": percent(max(loo.share, 0.0)),
        "spread": number(STDS * float(np.median(loo.std))) if len(loo.y) else "",
    }
    if check.remedy is not None:
        facts |= _changed(experiment.plan.gp, check.remedy) | {"cause": _CAUSES[check.cause]}
    for name, i in zip(("first", "second"), check.members, strict=False):
        facts[name] = trial_words(experiment.table, data[i])
    if check.verdict == "outlier":
        (i,) = check.members
        half = STDS * float(loo.std[i])
        facts |= {"y": result(float(loo.y[i])), "predicted": spread(float(loo.mean[i]), half)}
    head, seen, remedy = _MODEL[check.verdict]
    return head, seen.format_map(facts), remedy.format_map(facts)


def _changed(gp: GaussianProcess, remedy: GaussianProcess) -> dict[str, object]:
    """The numbers of two priors that the words name."""
    lengths, right = of_unit(gp, "x"), of_unit(remedy, "x")
    return {
        "mean": number(gp.mean),
        "right_mean": number(remedy.mean),
        "noise": number(remedy.noise_variance),
        "variance": number(sum(of_unit(remedy, "y^2"))),
        "stretch": number(right[0] / lengths[0]) if lengths and right else "",
    }


def prior_words(experiment: Experiment) -> str:
    """What is wrong with the prior, while too few results are in to check it; else nothing."""
    process = experiment.process
    reason = implausible(process.gp, process.X, process.y, experiment.table.domain)
    if reason is None:
        return ""
    remedy = "Fit the prior, or set its mean and variance, and use it from the next batch."
    if experiment.plan.fit == "each batch":
        remedy = "It is fitted again when more results are in."
    return f"{reason[0].upper()}{reason[1:]}. {remedy}"


Remedy: TypeAlias = "tuple[str, Callable[[Experiment], object]]"


def remedy(experiment: Experiment, check: ModelCheck) -> Remedy | None:
    """What to do about a model that does not fit: the label of a button, and the step it takes."""
    plan, right = experiment.plan, check.remedy
    if check.verdict in ("good", "uninformed", "few"):
        return None
    if experiment.fit_is_due:
        return "Fit the prior", Experiment.fit_if_due
    if check.verdict == "outlier":
        data = experiment.history.data
        trial = data[len(data) - len(check.loo.y) + check.members[0]]
        label = f"Leave out {result(float(trial.y or 0.0))}"
        return label, lambda experiment: experiment.correct(trial.place, None)
    if right is None:
        return None
    facts = _changed(plan.gp, right)
    label = {
        "mean": f"Use mean {facts['right_mean']}",
        "scale": f"Use variance {facts['variance']}",
        "noise": f"Use noise variance {facts['noise']}",
        "lengthscale": f"Use lengthscales {facts['stretch']} times as long",
        "kernel": "Use Matérn with ν = 0.5",
    }[check.cause]
    # A number that a person sets would be lost at the next fit; a kernel is fitted.
    fit = plan.fit if check.cause == "kernel" else "never"
    changed = replace(plan, gp=right, fit=fit)
    return label, lambda experiment: experiment.replan(changed)


def inside(check: ModelCheck) -> int:
    """How many results are within `STDS` std of their leave-one-out predictions."""
    return int((np.abs(check.loo.residuals) <= STDS).sum())


def relative_lengthscales(experiment: Experiment) -> Floats | None:
    """The lengthscale of each input, as a share of its range, (d,); None without any."""
    lengths = [getattr(leaf, "lengthscale", None) for leaf in leaves(experiment.plan.gp.kernel)]
    extent = np.ptp(experiment.table.candidates, axis=0)
    if len(lengths) != 1 or lengths[0] is None or not extent.all():
        return None
    return np.broadcast_to(lengths[0], extent.shape) / extent


def inputs_words(experiment: Experiment, shown: ExperimentFrame) -> str:
    """What matters: how far the best guess moves along each input, largest first."""
    slices, names = shown.slices, experiment.table.inputs
    reach = np.ptp(slices.mean, axis=1)
    scale, order = relative_lengthscales(experiment), np.argsort(-reach, kind="stable")
    moves = [
        f"{number(float(reach[i]))} along {names[i]}"
        + ("" if scale is None else f" (lengthscale {number(float(scale[i]))} of its range)")
        for i in order
    ]
    text = f"From the best row, the best guess moves by {', '.join(moves)}."
    if scale is not None and len(scale) > 1 and np.ptp(scale) <= 1e-9 * scale.max():
        text += " Equal lengthscales are a guess: fit the prior."
    return text


def spreads(shown: ExperimentFrame) -> tuple[Floats, Floats] | None:
    """Std of the rows that may still be the best, before and after the batch, each sorted from the
    largest.
    """
    frame, rows = shown.frame, shown.known.region
    if frame.std_before is None:
        return None
    return np.sort(frame.std_before[rows])[::-1], np.sort(frame.std_now[rows])[::-1]


def batch_words(shown: ExperimentFrame) -> str:
    """What the next batch will teach: it does not depend on the results."""
    stds = spreads(shown)
    if stds is None:
        return "Propose a batch to see how much it lowers the std, before anything is measured."
    before, after = stds
    return (
        f"Over the {counted(len(before), 'row')} that may still be the best, the std falls from "
        f"{number(float(before.mean()))} to {number(float(after.mean()))} on average, and from "
        f"{number(float(before.max()))} to {number(float(after.max()))} where it is largest, "
        "whatever the results are, if the prior is right."
    )


def where_words(scene: Scene, known: Frame, verdict: Verdict) -> str:
    """What the small picture shows, and how it marks the rows that may still be the best."""
    if contradicts(verdict):
        return "Best guess"
    inside = known.region
    if inside is None or inside.all():
        hint = "every row may still be the best"
    elif scene.dimension == 1:
        hint = "the strip may still be the best"
    elif scene.dimension == 2 and not scene.grid:
        hint = "clear dots may still be the best"
    else:
        hint = "rows inside the line may still be the best"
    return f"Best guess; {hint}"


def rule_words(experiment: Experiment) -> str:
    """The rule that proposes, and why, in one line: the REASON in the rule's module."""
    policy = experiment.plan.policy
    why = _WHY.get(policy.name) or getattr(sys.modules[type(policy).__module__], "REASON", "")
    shared = shared_words(experiment.history, experiment.table)
    rule = f"Rule: {policy.name}. {why}".strip()
    return " ".join(filter(None, (rule, fitted_words(experiment), shared)))
