"""The page Your problem without a browser: its steps, its notices, and what it hands to views."""

from __future__ import annotations

import base64
import math
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

from tests.app.problem.tables import keys, told
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.links import decode
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.problem.sheets.data import EXAMPLES
from ucbpe_app.problem.sheets.table import problem_of
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.own import OWN
from ucbpe_app.widgets.address import Navigation
from ucbpe_app.widgets.parts import Parts
from ucbpe_core import InputError, simulate

HOSTILE = "<img src=x onerror=alert(1)>"


def with_table(text: str = EXAMPLES[1].text) -> ProblemPage:
    page = ProblemPage()

    in_a_session(lambda: page.table.upload._handle_msg(message("cake.csv", text.encode())))
    click(page.table.question.buttons[0])
    return page


def message(name: str, content: bytes, **changes: Any) -> dict[str, Any]:
    """A file as a browser sends it."""
    data = base64.b64encode(content).decode()
    return {"id": "a", "name": name, "part": 0, "parts": 1, "data": data, **changes}


def measuring() -> ProblemPage:
    page = with_table()
    click(page.table.experiment)
    return page


def propose(page: ProblemPage) -> None:
    """Press the button that proposes the next batch."""
    say(page.measuring.rows.proposed, {"action": "ask"})


def say(view: Any, data: dict[str, Any]) -> None:
    in_a_session(lambda: view._handle_msg(data))


def opened(page: ProblemPage, name: str = "race") -> dict[str, str]:
    """The fields of its link to another page."""
    (address,) = re.findall(rf'href="\?(page={name}[^"]*)"', page._navigation.panel.object)
    return dict(parse_qsl(unescape(address)))


def with_links(example: int, *, confirmed: bool = True) -> ProblemPage:
    """A page that was come to from a run, with an example pasted."""
    navigation = Navigation({"step": "Step", "race": "Race", "problem": "Yours"}, "problem", "K=3")
    page = ProblemPage("K=3", navigation)
    assert opened(page) == {"page": "race", "K": "3"}
    text = EXAMPLES[example].text.encode()
    in_a_session(lambda: page.table.upload._handle_msg(message("cake.csv", text)))
    if confirmed:
        click(page.table.question.buttons[0])
    return page


@pytest.mark.parametrize("what", ["table", "experiment", "unconfirmed"])
def test_the_other_pages_are_told_of_a_table_of_which_values_are_missing(what: str) -> None:
    """The run that they had before is kept."""
    page = with_links(0 if what == "unconfirmed" else 1, confirmed=what != "unconfirmed")
    if what == "experiment":
        click(page.table.experiment)
    assert opened(page) == {"page": "race", "K": "3", "own": "1"}


def test_the_other_pages_open_the_function_on_screen() -> None:
    """The table with its goal and noise; the run is that of the core."""
    page = with_links(0)
    table = opened(page)
    assert page._navigation.kept.kept["name"] == table["problem"]
    assert OWN.find(table["problem"]).name == "cake"
    assert float(table["lengthscale"]) == pytest.approx(0.2 * math.sqrt(40 * 18))
    query = urlencode({"page": "race"}) + "&" + page.table.simulate.href.removeprefix("?")
    assert dict(parse_qsl(query)) == table
    change(page.table.goal, "value", "Minimise")
    change(page.table.noise, "value", 0.04)
    moment, errors = decode(page.table.simulate.href)
    assert errors == ()
    mine = problem_of(page.data.draft.choice, "cake", "minimize", 0.04)
    spec = moment.settings
    expected = simulate(
        mine, spec.build_policy(), mine.gp, spec.build_schedule(), batches=spec.batches,
        initial=spec.initial, seed=spec.seed,
    )  # fmt: skip
    assert load(spec, cache=RunCache()).trace.digest == expected.digest
    np.testing.assert_array_equal(expected.problem.values, page.data.draft.choice.y)
    assert expected.problem.optimum == page.data.draft.choice.y.min()
    change(page.data, "title", "Pie")
    assert OWN.find(opened(page)["problem"]).name == "Pie"


def test_results_from_a_file_are_shown_before_they_are_told() -> None:
    page = measuring()
    propose(page)
    candidate = page.experiment.current.pending[0]
    results = page.measuring.results
    text = f"candidate;y\n{candidate};950\n3;1.050\n8;\n"
    say(results.upload, message("today.csv", text.encode()))
    assert "1.050 in line 3, column y" in results.question.text.object
    assert not results.choices.visible
    click(results.question.buttons[1])
    assert not results.question.visible
    assert "2 new results. 1 answers a proposed row; 1 is of another row;" in results.message.object
    assert "Thousands are grouped: 1.050 is read as 1050." in results.message.object
    assert len(page.experiment.current.history.measured) == 4
    click(results.agree)
    assert {(candidate, 950.0), (3, 1050.0)} <= set(told(page.experiment.current))
    assert not results.agree.visible
    say(results.upload, message("other.csv", b"q,z\n1,2\n"))
    assert "a column y" in results.message.object


def test_a_saved_experiment_is_opened_and_a_bad_file_is_not() -> None:
    page = measuring()
    propose(page)
    content = (page.experiment.head + page.experiment.journal).encode()
    before = page.experiment.current
    say(page.table.saved, message("cakes.csv", b"oven,y\n180,2\n"))
    assert "got a table, or other text. Choose" in page.table.fault.object
    assert page.experiment.current is before
    other = ProblemPage()
    say(other.table.saved, message("cake.ucbpe.json", content))
    assert other.steps.active == "experiment"
    assert keys(other.experiment) == keys(page.experiment)
    assert (other.autosave.opened, other.autosave.identity) == (1, page.autosave.identity)
    resumed = ProblemPage()
    say(resumed.saved, message("cake", content))
    assert keys(resumed.experiment) == keys(page.experiment)
    assert resumed.autosave.opened == 0  # it is in no file that we know of


def test_an_experiment_that_is_nowhere_else_is_not_replaced_at_once() -> None:
    page = measuring()
    before = page.experiment.current
    page.autosave.safe = False  # as a browser that keeps nothing says
    click(page.table.experiment)
    assert page.experiment.current is before
    assert "neither in a file nor kept" in page.table.fault.object
    click(page.table.experiment)
    assert page.experiment.current.id != before.id


def test_export_and_time_zone() -> None:
    page = measuring()
    say(page.autosave, {"csv": True})
    assert page.autosave.download["text"] == page.experiment.csv()
    assert page.autosave.download["name"] == "cake, 4 measurements.csv"
    say(page.autosave, {"zone": "Asia/Tokyo"})
    assert str(page.experiment.zone) == "Asia/Tokyo"


def test_files_come_in_parts_and_over_the_limit_they_are_refused() -> None:
    """By its length, before anything of a part is decoded."""
    parts = Parts(limit=10)
    content = b"0123456789"
    pieces = [message("x", content[i : i + 4], part=k, parts=3) for k, i in enumerate((0, 4, 8))]
    assert [parts.add(piece) for piece in pieces] == [None, None, content]
    assert parts.add(pieces[0]) is None
    assert parts.add(pieces[2]) is None  # one is missing: nothing comes of it
    assert [parts.add(piece) for piece in pieces] == [None, None, content]
    parts.add(message("y", b"x" * 8, id="b", parts=2))
    with pytest.raises(InputError, match="at most 1e-05 MB"):
        parts.add(message("y", b"", id="b", part=1, parts=2) | {"data": "?" * 8})
    with pytest.raises(InputError, match="a damaged part"):
        parts.add({**message("z", b"", id="c"), "data": "?"})


@pytest.mark.parametrize("message", [{}, {"id": "a", "part": 0, "parts": 1, "data": "\ud800"}])
def test_a_message_that_no_page_sends_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a whole file; got a damaged part"):
        Parts(limit=10).add(message)
