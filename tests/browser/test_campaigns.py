"""Whole campaigns on real tables: typed in a browser, extended, resumed in Python, and ended.

Each is interrupted by a reload, gets more rows in the middle, and ends by the certificate.

`stackloss.csv` are the 21 days of a plant that oxidises ammonia (Brownlee, Statistical Theory and
Methodology in Science and Engineering, 1965), as statsmodels has them; the other tables are
those of scikit-learn.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.test_problem import Person
from ucbpe_app.problem.frame import certificate_of, picture
from ucbpe_core import ConstantBeta
from ucbpe_core.search.experiment import Experiment

if TYPE_CHECKING:
    from tests.browser.conftest import Lab

STACKLOSS = Path(__file__).parents[1] / "data" / "tables" / "stackloss.csv"
LATER = 3  # rows that are added in the middle
KNOWN = (0, 4, 9, 14)  # measured before


def stackloss() -> tuple[list[str], Any, Any]:
    data = np.loadtxt(STACKLOSS, delimiter=",", skiprows=1)
    return ["airflow", "water", "acid", "stack loss"], data[:, 1:], data[:, 0]


def linnerud() -> tuple[list[str], Any, Any]:
    found = pytest.importorskip("sklearn.datasets").load_linnerud()
    return ["weight", "waist", "pulse", "chins"], found.target, found.data[:, 0]


def diabetes() -> tuple[list[str], Any, Any]:
    found = pytest.importorskip("sklearn.datasets").load_diabetes(scaled=False)
    return [*found.feature_names, "progression"], found.data, found.target


def line(i: int, X: Any, mark: str) -> str:
    return mark.join([f"R{i}", *(repr(float(x)) for x in X[i])])


@pytest.mark.slow
@pytest.mark.parametrize("data", [stackloss, linnerud, diabetes])
def test_a_campaign(lab: Lab, tmp_path: Path, data: Any) -> None:
    names, X, y = data()
    begun = len(y) - LATER
    lab.open("?page=problem")
    person = Person(lab.page)
    rows = [f"{line(i, X, ',')},{y[i] if i in KNOWN else ''}" for i in range(begun)]
    person.paste("\n".join([",".join(["run", *names]), *rows]) + "\n")
    person.sees("4 values known")
    person.press(f"Yes, optimise {names[-1]}")
    person.press("Run an experiment")
    person.press("Propose 4 rows")
    typed(person, y, 4)

    # Interrupted: the browser has it all.
    lab.page.reload()
    lab.wait()
    person.sees("8 measurements")

    # Extended in the middle, with a batch outstanding.
    person.press("Propose 4 more")
    person.sees("4 results outstanding")
    person.press("Change table")
    later = "\n".join(line(i, X, "; ") for i in range(begun, len(y)))
    lab.page.get_by_label("Rows to add").fill(later)
    person.press("Add rows")
    person.sees("Undo change of the table")
    person.press("Change table")
    typed(person, y, 4)

    # Resumed in Python, to the end.
    file = tmp_path / "campaign.ucbpe.json"
    person.saved().save_as(file)
    experiment = Experiment.load(file)
    assert len(experiment.table) == len(y)
    assert [entry.verb for entry in experiment.journal].count("edit") == 1
    limit = resumed(experiment, y)
    experiment.save(file)

    # The page agrees that it is the end.
    lab.open("?page=problem")
    lab.page.get_by_label("Open a saved experiment").set_input_files(file)
    person.sees(f"{len(experiment.history.data)} measurements")
    lab.page.get_by_label("Stop below").fill(repr(limit))
    lab.page.get_by_label("Stop below").press("Enter")
    person.sees("You may stop.")


@pytest.mark.slow
def test_a_campaign_left_to_its_defaults(lab: Lab) -> None:
    """84 rows without a value, default buttons only: the best row is found in the second batch."""
    grid = [(t, h) for t in range(20, 80, 5) for h in range(1, 8)]
    y = [83 * np.exp(-(((t - 55) / 20) ** 2) - ((h - 5) / 3) ** 2) for t, h in grid]
    lab.open("?page=problem")
    person = Person(lab.page)
    lines = [f"{t},{h}," for t, h in grid]
    person.paste("\n".join(["temperature (°C),time (h),yield (%)", *lines]) + "\n")
    person.press("Yes, optimise yield (%)")
    person.press("Run an experiment")
    person.sees("The first 8 rows are spread over the table.")
    person.press("Propose the first 8 rows")
    person.sees("Too early to say.")
    batches = []
    for count, results in ((8, 8), (4, 12), (4, 16), (4, 20)):
        if batches:
            person.press("Propose 4 more")
        batches.append(person.candidates())
        typed(person, y, count)
        person.sees(f"Prior fitted to {results} results: lengthscales ")
        assert lab.page.get_by_text("does not fit").count() == 0
    assert len({tuple(sorted(batch)) for batch in batches}) == 4
    measured = set[int]()
    for batch in batches:
        assert set(batch) - measured
        measured.update(batch)
    assert int(np.argmax(y)) in batches[1]
    person.sees("Best result 83 at 55 °C, 5 h")
    person.press("Undo fit")
    person.sees("Prior fitted to 16 results: lengthscales ")
    person.press("Redo fit")
    person.sees("Prior fitted to 20 results: lengthscales ")


def typed(person: Person, y: Any, count: int) -> None:
    """Type the results of the rows proposed, one of which may be there twice, and record them."""
    fields = person.page.get_by_role("region", name="Proposed rows").get_by_role("textbox")
    for j, field in zip(person.candidates(), fields.all(), strict=True):
        field.fill(repr(float(y[j])))
    person.press(f"Record {count} results")
    expect(person.button("Propose 4 more")).to_be_visible()


def resumed(experiment: Experiment, y: Any) -> float:
    """Go on until the certificate says that less than a third of the spread can be gained.

    The goal and the width of the bands change first, and the prior is fitted.
    """
    rows = [int(text[1:]) for text in experiment.table.labels[0][1]]
    plan = replace(experiment.plan, direction="minimize", beta=ConstantBeta(4.0))
    experiment.replan(plan)
    limit, told = float(np.ptp(y)) / 3, len(experiment.history.data)
    for k in range(60):
        if k < 3:
            experiment.refit(starts=2)
        elif certificate_of(experiment).regret <= limit:
            break
        picks = experiment.ask(min(24, len(y) // 4)).indices
        experiment.tell(picks, y[[rows[j] for j in picks]])
    assert len(experiment.history.data) >= told + 3 * min(24, len(y) // 4)
    found = certificate_of(experiment)
    assert found.regret <= limit
    assert picture(experiment).check.loo.share > -1
    copied = io.StringIO()
    experiment.save(copied)
    assert Experiment.load(io.StringIO(copied.getvalue())).history == experiment.history
    return limit
