"""A function of a visitor's own: its text, its name, where it is kept, and runs on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from tests.app.problem.tables import chosen
from tests.app.waiting import run
from ucbpe_app.lessons import offered
from ucbpe_app.links import Moment, decode, encode
from ucbpe_app.problem.sheets.table import problem_of
from ucbpe_app.race.link import decode_race
from ucbpe_app.run import own
from ucbpe_app.run.own import OWN, OwnProblems, packed, tied, unpacked
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_app.study.plan import decode_study
from ucbpe_app.widgets.session import Session
from ucbpe_core import GaussianProcess, InputError, Matern
from ucbpe_core.problems import Problem, from_table


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Other tests find no functions of this one."""
    yield
    OWN._problems.clear()


def table(rows: int = 24, units: tuple[float, ...] = (1.0, 1000.0)) -> Problem:
    """A table whose inputs have units of their own."""
    made = problem_of(chosen(len(units), rows, known=rows), "Mine")
    return from_table(made.candidates * units, made.values, name=made.name, axes=made.axes)


def carried(problem: Problem) -> RunSpec:
    """The settings of the run that the links of the page Your problem open."""
    return RunSpec(**{**suggested(OWN.keep(packed(problem))), "batches": 3})


def same(one: Problem, other: Problem) -> bool:
    fields = ("name", "axes", "noise_variance", "direction", "grid", "gp", "unique")
    arrays = ("candidates", "values")
    return all(getattr(one, name) == getattr(other, name) for name in fields) and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays
    )


@pytest.mark.parametrize(
    "problem", [table(), replace(table(), direction="minimize"), replace(table(), grid=(4, 6))]
)
def test_a_function_reads_back_bit_by_bit(problem: Problem) -> None:
    assert same(unpacked(packed(problem)), problem)
    assert packed(unpacked(packed(problem))) == packed(problem)


def damaged(**changes: Any) -> str:
    return json.dumps({**json.loads(packed(table())), **changes})


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, packed(table())[:-9], damaged(inputs=7), damaged(values="\u00e9"),
        damaged(axes=["a"]), damaged(grid=[5, 5]), damaged(name="\ud800"), damaged(direction="up"),
        damaged(noise_variance=float("nan")), damaged(values=own._bits(np.full(24, np.nan))),
        damaged(lengthscales=own._bits(np.zeros(2))), "x" * (own.MOST_BYTES + 1),
    ],
)  # fmt: skip
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        unpacked(text)
    with pytest.raises(InputError):
        OwnProblems().keep(text)


def test_a_name_is_that_of_the_content() -> None:
    problems = OwnProblems()
    names = {
        problems.keep(packed(one))
        for one in (table(), table(), replace(table(), name="Other"), table(units=(1.0, 2.0)))
    }
    assert len(names) == 3
    assert all(own.is_own(name) and name in problems for name in names)
    assert own.own_in(f"?page=race&problem={min(names)}&K=3") == min(names)
    assert own.own_in("problem=himmelblau&note=own-00") == ""
    assert not own.is_own("own-" + "g" * 32)


def test_those_used_longest_ago_go() -> None:
    each = own._nbytes(table())
    for problems in (OwnProblems(size=2), OwnProblems(limit=2 * each + 8)):
        first, second, third = (packed(replace(table(), name=name)) for name in "abc")
        names = [problems.keep(first), problems.keep(second)]
        assert problems.find(names[0]).name == "a"
        names.append(problems.keep(third))
        assert [name in problems for name in names] == [True, False, True]
        with pytest.raises(InputError, match="load it again on the page Your problem"):
            problems.find(names[1])
    large = OwnProblems(limit=1)
    assert large.keep(packed(table())) in large  # what was opened last is there


def test_a_fit_elsewhere_does_not_depend_on_units() -> None:
    """It has one lengthscale, in the proportions of the problem's prior."""
    found = []
    for units in ((1.0, 1.0), (1.0, 1000.0)):
        spec = carried(table(units=units))
        session = opened(spec)
        session.go(10**6)
        fit = run(session.fit())
        X = session.replay.trace.problem.candidates[session.frame.observed]
        gp = session.settings.spec().build_gp()
        assert isinstance(gp.kernel.lengthscale, tuple)
        # The prior in force has the likelihood that the fit says: log N(y; mean, C).
        C, y = gp.noisy_gram(X), session.frame.observed_y - gp.mean
        sign, logdet = np.linalg.slogdet(2 * np.pi * C)
        assert sign > 0
        likelihood = -(y @ np.linalg.solve(C, y) + logdet) / 2
        assert likelihood == pytest.approx(fit.log_marginal_likelihood, abs=1e-4)
        found.append(np.array(gp.kernel.lengthscale) / units)
    np.testing.assert_allclose(*found, rtol=1e-3)


def opened(spec: RunSpec) -> Session:
    session = Session(offered()[0])
    visited = run(session.visit(encode(Moment(spec))))
    assert visited is not None
    assert visited[1] == ()
    return session


def test_one_lengthscale_is_the_geometric_mean() -> None:
    gp = GaussianProcess(Matern(nu=2.5, lengthscale=(2.0, 8.0)))
    one, ratios = tied(gp)
    assert one.kernel == Matern(nu=2.5, lengthscale=one.kernel.lengthscale)
    assert one.kernel.lengthscale == pytest.approx(4.0)
    np.testing.assert_allclose(ratios, [0.5, 2.0])
    equal, ratios = tied(GaussianProcess(Matern(nu=2.5, lengthscale=(0.3, 0.3, 0.3))))
    assert equal.kernel == Matern(nu=2.5, lengthscale=0.3)
    np.testing.assert_array_equal(ratios, np.ones(3))


def test_a_function_that_is_not_here_is_said_and_not_replaced_silently() -> None:
    query = encode(Moment(carried(table())))
    OWN._problems.clear()
    moment, (error,) = decode(query)
    assert moment.settings.problem == "multimodal"
    assert moment.digest == ""
    assert error.expected == ("the table of this link, which is kept in the browser that made it")
    assert error.remedy == (
        "load it again on the page Your problem, and open the other pages there; "
        "the link opens with problem=multimodal"
    )
    race, errors = decode_race(query)
    assert race.setup.common["problem"] == "multimodal"
    assert [str(one) for one in errors] == [str(error)]


def test_settings_refuse_a_function_that_is_not_here_or_a_run_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec, settings = carried(table()), Settings()
    settings.accept(**asdict(spec))
    before = settings.spec()
    monkeypatch.setattr(own, "MOST_NUMBERS", 24 * (3 + 3 * 4 + 5 * 3))
    settings.accept(batch_size=4)
    with pytest.raises(InputError, match="numbers kept for stepping back"):
        settings.accept(batch_size=5)
    OWN._problems.clear()
    with pytest.raises(InputError, match="kept in the browser"):
        settings.accept(lengthscale=2.0)
    assert settings.spec() == before
    for wrong in ("own-", "own-123", "unknown", f"own-{'0' * 31}G"):
        with pytest.raises(InputError, match="Problem to be one of"):
            settings.check("problem", wrong)


def test_a_study_leaves_it_out() -> None:
    query = encode(Moment(carried(table())))
    without = encode(Moment(RunSpec()))
    moment, errors = decode_study(f"page=study&{query}&policies=gp-ucb-pe")
    usual, _ = decode_study(f"page=study&{without}&policies=gp-ucb-pe&problem=")
    assert errors == ()
    assert moment.settings.problem == usual.settings.problem == "gaussian_mixture"
