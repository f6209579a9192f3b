"""What an experiment answers, in words: is the model good, what matters, what comes next."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.problem.frame import STDS
from ucbpe_app.pages.problem.sentences import counted, trial_words
from ucbpe_app.run.sentences import number, result, spread
from ucbpe_app.run.sentences.texts import percent
from ucbpe_core.kernels.scales import leaves
from ucbpe_core.plausibility import implausible

if TYPE_CHECKING:
    from ucbpe_app.pages.problem.frame import ExperimentFrame
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.experiment import Experiment
    from ucbpe_core.fitting import ModelCheck
    from ucbpe_core.validation import Floats

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
    "rough": (
        "No: values jump",
        "Values change faster than the kernel allows, most between {first} and {second}.",
        "Fit the prior; if values still jump, choose the kernel Matérn with ν = 0.5 and fit again.",
    ),
    "noisy": (
        "No: results scatter",
        "They lie {factor} times as far from their predictions as the noise variance allows.",
        "Fit the prior, or set a noise variance of about {noise}.",
    ),
    "wide": (
        "Too cautious",
        "Results lie within {factor} of the predicted std.",
        "Fit the prior: its noise variance or its variance is too large.",
    ),
    "uninformed": (
        "Not yet",
        "Predictions are no better than the mean of the other results.",
        "Fit the prior; if that does not help, measure more, or look for a missing input.",
    ),
    "good": (
        "Yes",
        "From the others, each result is predicted to ± {spread}: {share} of the variance is "
        "explained.",
        "",
    ),
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
        "noise": number(check.noise_variance),
        "share": percent(max(loo.share, 0.0)),
        "spread": number(STDS * float(np.median(loo.std))) if len(loo.y) else "",
    }
    for name, i in zip(("first", "second"), check.members, strict=False):
        facts[name] = trial_words(experiment.table, data[i])
    if check.verdict == "outlier":
        (i,) = check.members
        half = STDS * float(loo.std[i])
        facts |= {"y": result(float(loo.y[i])), "predicted": spread(float(loo.mean[i]), half)}
    head, seen, remedy = _MODEL[check.verdict]
    return head, seen.format_map(facts), remedy.format_map(facts)


def prior_words(experiment: Experiment) -> str:
    """What is wrong with the prior, while too few results are in to check it; else nothing."""
    process = experiment.process
    reason = implausible(process.gp, process.X, process.y, experiment.table.domain)
    if reason is None:
        return ""
    return (
        f"{reason[0].upper()}{reason[1:]}. Fit the prior, or set its mean and variance, and use it "
        "from the next batch."
    )


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


def where_words(scene: Scene, known: Frame) -> str:
    """What the small picture shows, and how it marks the rows that may still be the best."""
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
    return f"Rule: {policy.name}. {why}".strip()
