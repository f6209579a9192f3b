"""The phases of a run, if its policy has any: which batches they are, and their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.run.sentences.texts import percentage, say

if TYPE_CHECKING:
    from ucbpe_core import Trace
    from ucbpe_core.policies import Decision


def phase_starts(trace: Trace) -> tuple[int, ...]:
    """The first batch of each phase of a run; one for a policy without phases."""
    return trace.policy.starts(len(trace.decisions))


def phase_facts(trace: Trace, t: int) -> dict[str, object]:
    """Number, first and last batch of the phase of batch t; nothing for a run of one phase."""
    starts = phase_starts(trace)
    if len(starts) == 1:
        return {}
    number = sum(start <= t for start in starts)
    last = (*starts[1:], len(trace.decisions) + 1)[number - 1] - 1
    which = "batches" if last > starts[number - 1] else "batch"
    return {
        "phase": number,
        "phases": len(starts),
        "phase_batches": f"@phase.{which}",
        "first_batch": starts[number - 1],
        "last_batch": last,
    }


def describe_phase(trace: Trace, decision: Decision, t: int) -> str:
    """What is said of the phase where a batch begins; "" for a run of one phase."""
    facts, region = phase_facts(trace, t), next(iter(decision.explored), None)
    if not facts or region is None:
        return ""
    return " " + say("phase", **facts, explored_share=percentage(region.mask))
