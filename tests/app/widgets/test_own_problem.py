"""A function of one's own among the problems of a page, and in what a page writes."""

from __future__ import annotations

import pytest

from tests.app.waiting import change, run
from ucbpe_app.lessons import offered
from ucbpe_app.links import Moment, encode
from ucbpe_app.run import own
from ucbpe_app.run.own import OWN, OwnProblems, packed
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.widgets.controls import Controls
from ucbpe_app.widgets.session import Session
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_core.problems import from_table


def spec_of(name: str = "Mine") -> RunSpec:
    """A short run on a table with two inputs, of units of their own."""
    X = [[i % 6, 500.0 * (i // 6)] for i in range(36)]
    problem = from_table(X, [(x - 2) ** 2 - y / 400 for x, y in X], name=name)
    mine = OWN.keep(packed(problem))
    return RunSpec(**{**suggested(mine), "batches": 2, "batch_size": 2, "initial": 2})


def test_the_list_of_problems_has_the_last_one_that_was_opened() -> None:
    spec, session = spec_of(), Session(offered()[0])
    strip = SettingsStrip(session.settings)
    control = Controls(session, offered()[0], strip).fields["problem"].control
    listed = dict(control.options)
    assert spec.problem not in listed.values()
    run(session.visit(encode(Moment(spec))))
    assert control.value == spec.problem
    assert control.options == {"Yours: Mine": spec.problem, **listed}
    change(control, "value", "himmelblau")
    assert session.settings.problem == "himmelblau"
    change(control, "value", spec.problem)
    assert session.settings.problem == spec.problem
    other = spec_of("Other")
    run(session.visit(encode(Moment(other))))
    assert (control.value, next(iter(control.options))) == (other.problem, "Yours: Other")
    assert spec.problem not in control.options.values()


def test_one_that_is_gone_is_refused_at_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    spec, session = spec_of(), Session(offered()[0])
    strip = SettingsStrip(session.settings)
    control = Controls(session, offered()[0], strip).fields["problem"].control
    run(session.visit(encode(Moment(spec))))
    change(control, "value", "himmelblau")
    for module in (own, __import__("ucbpe_app.run.settings", fromlist=["OWN"])):
        monkeypatch.setattr(module, "OWN", OwnProblems())
    change(control, "value", spec.problem)
    assert session.settings.problem == control.value == "himmelblau"
    assert "load it again" in control.helper_text.lower()
