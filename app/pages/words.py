"""Short texts of the Step page that depend on a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.events import Event, Kind
from app.narrative import number, pick_label

if TYPE_CHECKING:
    from app.replay import Replay
    from ucbpe_core.hyperparameters import Fit


def chips(replay: Replay, t: int) -> list[dict[str, Any]]:
    """The events of batch t for the timeline."""
    return [
        {"label": _label(event), "index": i, "role": _role(replay, event)}
        for i, event in enumerate(replay.batch(t), replay.batch_start(t))
    ]


def words_of_fit(fit: Fit, n: int) -> str:
    """What a fit to n measurements found."""
    if fit.winner == "unchanged":
        return f"{n} measurements: no search of {len(fit.starts)} improved on these values."
    start = "the present values" if fit.winner == "given" else fit.winner.replace(" ", " start ")
    return (
        f"{n} measurements: log likelihood {number(fit.given)} → "
        f"{number(fit.log_marginal_likelihood)}, found from {start} ({len(fit.starts)} tried)."
    )


def _label(event: Event) -> str:
    if event.kind is Kind.PICK:
        return pick_label(event.k)
    return {Kind.FIT: "fit", Kind.REGION: "R⁺", Kind.OBSERVE: "observe"}[event.kind]


def _role(replay: Replay, event: Event) -> str:
    if event.kind is not Kind.PICK:
        return event.kind.value
    return replay.trace.iterations[event.t - 1].decision.roles[event.k]
