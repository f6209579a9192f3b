"""The state of an experiment as a scene and a frame: the pictures of a run can draw it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame, PickMark, Scene
from ucbpe_app.run.joint import Slices
from ucbpe_core.errors import UCBPEError
from ucbpe_core.gp.fitting import check_model
from ucbpe_core.gp.region import certificate, relevant_region
from ucbpe_core.support.validation import frozen_copy, read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.fitting import ModelCheck
    from ucbpe_core.gp.fitting.check import Verdict
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.search.experiment import Experiment
    from ucbpe_core.search.worth import Worth
    from ucbpe_core.support.validation import Floats

WAITING = "pending"  # role of a pick that an earlier posterior made
STDS = 2.0  # to either side; 95.4 % of normal results are inside
_ALONG = 41  # points along each input
_MOST_CHECKED = 400  # results, the latest: their covariance is inverted


@dataclass(frozen=True, eq=False)
class ExperimentFrame:
    """What the views draw: the posterior from which the next batch is, or was just, decided.

    The truth is unknown: the scene has the mean in its place, and no layer shows it. `known` is the
    posterior given the results alone, in the band of the certificate; its region is R, the rows
    that may still be the best, whatever the policy. `check` tells whether the model fits,
    `certificate` what can still be gained, `slices` what is expected along each input through the
    best row, `worth` what the next batch brings on average, if there is one and the model fits.
    """

    scene: Scene
    frame: Frame
    known: Frame
    check: ModelCheck
    certificate: Certificate
    slices: Slices
    worth: Worth | None


def certifies(verdict: Verdict) -> bool:
    """Whether the model fits well enough to say how far a row can be from the best one."""
    return verdict in ("good", "uninformed")


def picture(experiment: Experiment) -> ExperimentFrame:
    """The current posterior of an experiment.

    While a batch is open and untouched it is shown as it was decided: its y_dot, R, R+ where the
    policy picks inside it, and its picks by their roles, with the std once all of them are counted.
    Afterwards, outstanding picks are counted in the posterior and marked as pending.
    """
    decision, history, plan = experiment.decision, experiment.history, experiment.plan
    sign = sign_of(plan.direction)
    counted = [pick.index for pick in history.outstanding if not decision or pick.t < decision.t]
    start = experiment.posterior.hallucinate(counted)
    now = start.hallucinate(decision.indices) if decision else start
    t = decision.t if decision else history.next_t
    maximised = start.signed(sign)
    beta, beta_next = plan.policy.betas(maximised, t, plan.beta)
    relevant = relevant_region(maximised, beta, beta_next)
    picks = _picks(experiment, start, len(counted))
    inside = [trial for trial in history.data if trial.index >= 0]  # others are at no candidate
    y = [float(trial.y or 0.0) for trial in inside]
    frame = Frame(
        event=Event(t, Kind.PICK, len(picks)) if picks else Event(t, Kind.POSTERIOR),
        std_now=now.std,
        std_before=start.std if decision else None,
        y_dot=sign * relevant.y_dot,
        region=relevant.region,
        region_plus=relevant.region_plus if plan.policy.uses_region else None,
        picks=picks,
        observed=frozen_copy([trial.index for trial in inside], np.intp),
        observed_y=frozen_copy(y),
        beta_next=beta_next,
        done=t - 1,
        **band(start.mean, start.std, beta, y),
    )
    check = check_of(experiment)
    return ExperimentFrame(
        _scene(experiment, frame), frame, _known(experiment, frame), check,
        certificate_of(experiment), slices_of(experiment),
        worth_of(experiment) if certifies(check.verdict) else None,
    )  # fmt: skip


def band(mean: Floats, std: Floats, beta: float, y: Sequence[float]) -> dict[str, Any]:
    """What a frame has of a posterior with its band, and of the measurements y the range."""
    root = float(np.sqrt(beta))
    lower, upper = read_only(mean - root * std), read_only(mean + root * std)
    return {
        "mean": mean,
        "std": std,
        "lower": lower,
        "upper": upper,
        "beta": beta,
        "sqrt_beta": root,
        "values": (min([float(lower.min()), *y]), max([float(upper.max()), *y])),
        "largest_std": float(std.max()),
    }


def _known(experiment: Experiment, frame: Frame) -> Frame:
    """The same by the results alone: rows outside its region cannot be the best inside the band."""
    posterior, (beta, beta_next) = experiment.posterior, _betas(experiment)
    sign = sign_of(experiment.plan.direction)
    relevant = relevant_region(posterior.signed(sign), beta, beta_next)
    return replace(
        frame,
        **band(posterior.mean, posterior.std, beta, frame.observed_y.tolist()),
        std_now=posterior.std,
        std_before=None,
        y_dot=sign * relevant.y_dot,
        region=relevant.region,
        region_plus=None,
        beta_next=beta_next,
    )


def _picks(experiment: Experiment, start: Posterior, waiting: int) -> tuple[PickMark, ...]:
    """The picks of the open batch by their roles, then those outstanding from before it."""
    X, pending = experiment.table.candidates, experiment.history.outstanding
    marks = [(pick, pick.role, float(pick.std or 0.0)) for pick in pending[waiting:]]
    marks += [(pick, WAITING, float(start.std[pick.index])) for pick in pending[:waiting]]
    return tuple(
        PickMark(pick.index, pick.k, role, std, X[pick.index], current=False)
        for pick, role, std in marks
    )


def _scene(experiment: Experiment, frame: Frame) -> Scene:
    table, policy = experiment.table, experiment.plan.policy
    return scene_of(
        frame, table.candidates, sign_of(experiment.plan.direction),
        name=experiment.name,
        axes=(*table.inputs, table.output),
        batches=frame.event.t,
        batch_size=policy.batch_size,
        noise_variance=experiment.plan.gp.noise_variance,
        roles=tuple(dict.fromkeys([*policy.rules, *(pick.role for pick in frame.picks)])),
        uses_region=policy.uses_region,
    )  # fmt: skip


def scene_of(frame: Frame, candidates: Floats, sign: float, **own: Any) -> Scene:
    """A scene on the scales of a frame, the mean in place of the truth, which is unknown."""
    low, high = float(frame.mean.min()), float(frame.mean.max())
    # A flat mean, that of the prior, still needs a scale.
    pad = 0.0 if high > low else frame.sqrt_beta * frame.largest_std or 1.0
    return Scene(
        candidates=candidates,
        truth=frame.mean,
        grid=grid_of(candidates),
        optimum=high if sign > 0 else low,
        optimum_index=int(np.argmax(sign * frame.mean)),
        means=(low - pad, high + pad),
        values=frame.values,
        largest_std=frame.largest_std,
        sign=sign,
        **own,
    )


def check_of(experiment: Experiment) -> ModelCheck:
    """What leaving each of the latest results out says of the prior in force."""
    process = experiment.process
    if len(process.y) > _MOST_CHECKED:
        latest = slice(len(process.y) - _MOST_CHECKED, None)
        noise = list(process.fixed_noise[latest])
        process = process.gp.condition(process.X[latest], process.y[latest], noise)
    return check_model(process)


def slices_of(experiment: Experiment) -> Slices:
    """Mean and std along each input through the row with the best mean."""
    X, index = experiment.table.candidates, experiment.best().index
    return sliced(experiment.process, index, X[index], np.stack([X.min(axis=0), X.max(axis=0)]))


def sliced(process: ConditionedProcess, index: int, x: Floats, ends: Floats) -> Slices:
    """Mean and std along each input through x (d,), candidate `index`, between `ends` (2, d)."""
    along = np.linspace(ends[0], ends[1], _ALONG).T
    points = np.repeat(x[None], along.size, axis=0)
    points[np.arange(along.size), np.repeat(np.arange(len(along)), _ALONG)] = along.ravel()
    found = process.predict(points)
    return Slices(index, along, found.mean.reshape(along.shape), found.std.reshape(along.shape))


def worth_of(experiment: Experiment) -> Worth | None:
    """What the open batch, or else the next, brings on average; None if none can be asked."""
    try:
        return experiment.worth()
    except UCBPEError:
        return None


def certificate_of(experiment: Experiment) -> Certificate:
    """By the band of the batch that is open, or else of the next; only results narrow it."""
    return certificate(experiment.posterior, _betas(experiment)[0], experiment.plan.direction)


def _betas(experiment: Experiment) -> tuple[float, float]:
    """Of the batch that is open, or else of the next, and of the one after."""
    plan, posterior = experiment.plan, experiment.posterior
    maximised = posterior.signed(sign_of(plan.direction))
    return plan.policy.betas(maximised, experiment.history.t, plan.beta)


def grid_of(candidates: Floats) -> tuple[int, ...]:
    """The shape of a regular grid of two inputs in C order; empty for anything else.

    A grid is drawn as a field with outlines, other rows as dots.
    """
    if candidates.shape[1] != 2:
        return ()
    first, second = (np.unique(column) for column in candidates.T)
    if len(first) < 2 or len(second) < 2 or len(first) * len(second) != len(candidates):
        return ()
    mesh = np.stack([x.ravel() for x in np.meshgrid(first, second, indexing="ij")], axis=1)
    steps = [np.diff(levels) for levels in (first, second)]
    regular = all(np.allclose(step, step[0], rtol=1e-6, atol=0) for step in steps)
    if regular and np.array_equal(mesh, candidates):
        return len(first), len(second)
    return ()
