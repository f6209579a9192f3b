"""Vizier's rule beside that of 2013, line by line, with what it changes marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences.texts import number, pick_label, say, words_of
from ucbpe_core.policies import VizierUCBPE

if TYPE_CHECKING:
    from ucbpe_core import Trace

# The lines, and the kind of event, with whether it is of the first pick, at which each is current.
_LINES = {
    "first": (Kind.PICK, True),
    "threshold": (Kind.REGION, False),
    "region": (Kind.REGION, False),
    "others": (Kind.PICK, False),
}


class RulePair(NamedTuple):
    """A line of the rule of 2013 and the one in its place; what is changed stands between **."""

    usual: str
    other: str
    when: tuple[Kind, bool]

    def current(self, event: Event) -> bool:
        """Whether the event is made by this line."""
        return self.when == (event.kind, event.kind is Kind.PICK and event.k == 0)


def both_rules(trace: Trace) -> tuple[RulePair, ...]:
    """The lines of both rules, with the numbers of the run's policy; none where that is another."""
    policy = trace.policy
    if not isinstance(policy, VizierUCBPE):
        return ()
    words = words_of(trace)
    facts = {
        **words._asdict(),
        "reaches": "≥" if words.sign > 0 else "≤",
        "minus": "−" if words.sign > 0 else "+",
        "pick": pick_label(0),
        "coefficient": number(policy.coefficient),
        "slope": number(policy.region_coefficient),
        "penalty": number(policy.penalty),
        "ucb_share": f"{100 * (1 - policy.pe_probability):.3g} %",
        "other_share": f"{100 * policy.ucb_probability:.3g} %",
    }
    return tuple(
        RulePair(say(f"both.{name}", **facts), say(f"both.{name}.vizier", **facts), when)
        for name, when in _LINES.items()
    )
