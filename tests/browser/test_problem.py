"""Your problem in a browser: tables good and bad, and an experiment that lasts."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from playwright.sync_api import BrowserContext, Dialog, Download, Frame, Locator, Page, expect

from tests.browser.conftest import PATIENCE, Lab
from tests.browser.layout import overlap, resized
from tests.browser.student import choose
from tests.documents import DOCS, blocks
from ucbpe_app.problem.sheets.data import EXAMPLES
from ucbpe_core import ConstantBeta, GaussianProcess, Matern
from ucbpe_core.policies import Recommended
from ucbpe_core.search.experiment import Experiment, Plan, Table

RUNS = Path(__file__).parents[1] / "data" / "runs"
HOSTILE = "<img src=x onerror=alert(1)>"
A_TABLE = f"{HOSTILE};T;y\nA;1,5;\nB;2,5;3\nC;4;\n"
HOLDS = """async (entries) => {
  const opened = indexedDB.open("ucbpe-experiments", 1)
  await new Promise((done) => { opened.onsuccess = done })
  const all = opened.result.transaction("journals").objectStore("journals").getAll()
  await new Promise((done) => { all.onsuccess = done })
  opened.result.close()
  return all.result.some((record) => record.entries === entries)
}"""

FOCUSED = """(() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) { node = node.shadowRoot.activeElement }
  return node
})()"""


def holds(page: Page | Frame, *, entries: int) -> None:
    """The browser has a copy whose journal has this many entries."""
    page.wait_for_function(HOLDS, arg=entries)


class Person:
    """The page as somebody uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dialogs: list[str] = []
        page.on("dialog", self._leave)

    def _leave(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.type)
        dialog.accept()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True).filter(visible=True)

    def press(self, name: str) -> None:
        self.button(name).click()

    def sees(self, text: str) -> None:
        found = self.page.get_by_text(text).filter(visible=True).first
        expect(found).to_be_visible()

    def step(self, name: str) -> None:
        steps = self.page.get_by_role("navigation", name="Steps")
        steps.get_by_role("button", name=name).click()

    def paste(self, text: str) -> None:
        self.page.get_by_label("or paste a table").fill(text)
        self.press("Read what is pasted")

    def choose(self, name: str, path: Path) -> None:
        self.page.get_by_label(name).set_input_files(path)

    def proposes_four(self) -> None:
        """Begin the example of an experiment, and have its first batch proposed."""
        for name in ("Example: Four measured so far", "Run an experiment", "Propose 4 rows"):
            self.press(name)
        self.sees("4 results outstanding")

    def result(self, k: str) -> Locator:
        return self.page.get_by_label(f"result, pick {k},")

    def candidates(self) -> list[int]:
        """Those proposed, as the table shows them."""
        fields = self.page.get_by_role("region", name="Proposed rows").get_by_role("textbox")
        expect(fields).not_to_have_count(0)
        names = [str(field.get_attribute("aria-label")) for field in fields.all()]
        return [int(name.rpartition("candidate ")[2]) for name in names]

    def saved(self) -> Download:
        with self.page.expect_download() as download:
            self.press("Save experiment")
        return download.value


@pytest.fixture
def person(lab: Lab) -> Person:
    lab.open("?page=problem")
    return Person(lab.page)


def test_tables_good_and_bad(person: Person, tmp_path: Path) -> None:
    page = person.page
    person.paste("a,b\n1,2\n3,4,5\n")
    person.sees("Expected 2 cells in line 3, as in line 1; got 3.")
    large = tmp_path / "large.csv"
    large.write_bytes(b"a,b\n" + b"1,2\n" * 1_300_000)
    person.choose("Choose a CSV or Excel file", large)
    person.sees("Expected at most 5 MB; got 5.2 MB. It was not read.")
    person.paste(A_TABLE)
    person.sees("Decimal comma: 1,5 is read as 1.5.")
    # What somebody wrote is text.
    expect(page.get_by_role("columnheader", name=HOSTILE)).to_be_visible()
    expect(page.locator("img")).to_have_count(0)
    person.sees("1 value known")
    page.get_by_label(f"Use of column {HOSTILE}").select_option("input")
    person.sees(f"line 2, column {HOSTILE}: 'A'")
    expect(person.button("Run an experiment")).to_be_disabled()
    person.press("Example: All values known")
    person.press("Simulate this table")
    expect(page.get_by_role("status")).to_contain_text("Batch 10 of 10")
    page.get_by_label("Batches T").fill("4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Batch 4 of 4")
    page.keyboard.press("Home")
    expect(page.get_by_role("status")).to_contain_text("Batch 1 of 4")
    person.press("Table")
    person.press("Simulation")
    expect(page.get_by_role("status")).to_contain_text("Batch 1 of 4")
    expect(page.get_by_role("region", name="Regret", exact=True)).to_be_visible()


@pytest.mark.slow
def test_an_experiment_lasts(person: Person, lab: Lab, tmp_path: Path) -> None:
    """Told in parts, undone, reloaded, resumed, saved and opened elsewhere: the same proposal."""
    page = person.page
    person.press("Example: Four measured so far")
    person.sees("4 values known")
    person.press("Run an experiment")
    person.press("Propose 4 rows")
    person.sees("4 results outstanding")
    first = person.candidates()

    # Two results, one with two meanings: nothing is told, and what was typed stays.
    person.result("1 · x²").fill("66,5")
    person.result("1 · x⁰").fill("1,500")
    person.press("Record 2 results")
    person.sees("Nothing was recorded: see the fields in red.")
    expect(person.result("1 · x⁰")).to_have_attribute("aria-invalid", "true")
    person.result("1 · x⁰").fill("70.25")
    person.press("Record 2 results")
    person.sees("2 results outstanding; 6 measurements")
    assert person.candidates() == [first[1], first[3]]

    person.press("Undo 2 results")
    person.sees("4 results outstanding")
    person.press("Redo 2 results")
    person.sees("2 results outstanding")

    # A reload asks first; afterwards the browser has it all, also what was typed and not told.
    person.result("1 · x¹").fill("55")
    page.reload()
    lab.wait()
    assert person.dialogs == ["beforeunload"]
    person.sees("2 results outstanding; 6 measurements")
    assert person.candidates() == [first[1], first[3]]
    expect(person.result("1 · x¹")).to_have_value("55")

    # From another step it is not resumed by itself.
    person.step("Table")
    page.reload()
    lab.wait()
    page.get_by_role("button", name="Resume: Extraction").click()
    person.sees("2 results outstanding; 6 measurements")

    # Saved, it is in no danger any more.
    download = person.saved()
    file = tmp_path / download.suggested_filename
    download.save_as(file)
    assert file.name.startswith("Extraction-20")
    person.sees("Saved at")
    experiment = Experiment.load(file)
    known = [(45, 55.5), (130, 65.3), (260, 59.1), (355, 51.4), (first[0], 70.25), (first[2], 66.5)]
    assert sorted((one.index, one.y) for one in experiment.history.data) == sorted(_measured(known))
    person.press("Propose 4 more")
    experiment.ask()
    expected = experiment
    _shows(person, expected)

    # In another browser the file proposes the same.
    _opens_elsewhere(lab, page.context, file, expected)


@pytest.mark.gate
@pytest.mark.slow
def test_a_workbook_off_a_grid_is_read_fitted_and_drawn(person: Person, tmp_path: Path) -> None:
    """Its first sheet: values arrive and are fitted; results come from a second workbook."""
    page, rows = person.page, [(50 + 7 * j % 41, 10 + 11 * j % 46) for j in range(20)]
    values = [round(9 - ((a - 72) / 20) ** 2 - ((b - 30) / 25) ** 2, 2) for a, b in rows]
    told = [(*row, values[j] if j < 8 else None) for j, row in enumerate(rows)]
    file = workbook(tmp_path / "table.xlsx", [("T (°C)", "time (min)", "yield"), *told])
    person.choose("Choose a CSV or Excel file", file)
    person.sees("8 values known")
    for name in ("Yes, optimise yield", "Run an experiment"):
        person.press(name)
    person.sees("Prior fitted to 8 results: lengthscales ")
    person.press("Propose 4 rows")
    person.sees("4 results outstanding; 8 measurements")
    proposed = person.candidates()
    assert len({*proposed}) == 4

    answers = [("candidate", "y"), *((j, values[j]) for j in proposed)]
    person.press("Add results")
    file = workbook(tmp_path / "results.xlsx", answers)
    person.choose("Add results from a CSV or Excel file", file)
    person.press("Record 4 results")
    person.sees("12 measurements")
    assert _saved_values(person) == {j: values[j] for j in (*range(8), *proposed)}

    # The name of the axis is left of the title of the map, whatever was drawn before.
    person.press("Add results")
    person.press("posterior")
    for width in (1280, 1366):
        resized(page, (width, 720))
        names = page.locator("span.axis").filter(has_text="time (min)", visible=True)
        title = page.locator("span.title").filter(has_text="mean", visible=True)
        (left, right) = (one.first.bounding_box() for one in (names, title))
        assert left
        assert right
        assert not overlap(left, right)


def test_a_run_of_another_tool_is_stepped_through(person: Person, tmp_path: Path) -> None:
    """A database of Optuna comes in parts; keys and cells step; it becomes an experiment."""
    page, file = person.page, tmp_path / "runs.db"
    file.write_bytes(gzip.decompress((RUNS / "optuna.db.gz").read_bytes()))
    person.choose("Open a run of another tool", file)
    person.press("gp (25 trials)")
    person.sees("What trial 4 traded")
    person.sees("Rank of their choice among 100 places")
    expect(page.get_by_role("region", name="Function").first).to_be_visible()
    assert page.locator(".cells i").count() == 25
    page.keyboard.press("ArrowRight")
    person.sees("Before trial 5: 5 results known")
    page.locator(".cells i").nth(20).click()
    person.sees("What trial 20 traded")
    expect(page.locator(".cells .now")).to_have_attribute("title", re.compile("^Trial 20: "))
    person.press("Next improvement")
    person.sees("What trial 23 traded")
    person.press("Previous improvement")
    person.sees("What trial 19 traded")
    person.press("Go on from here")
    person.sees("25 measurements. Next: propose batch 1.")
    person.step("Run of another tool")
    person.sees("What trial 19 traded")


def workbook(file: Path, rows: Sequence[Sequence[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(file)
    return file


def _saved_values(person: Person) -> dict[int, float | None]:
    experiment = Experiment.load(io.StringIO(person.saved().path().read_text(encoding="ascii")))
    return {one.index: one.y for one in experiment.history.data}


@pytest.mark.slow
def test_a_batch_shares_the_input_that_is_ticked(person: Person) -> None:
    page = person.page
    person.paste("T (°C),t (min),y\n" + "".join(f"{a},{b},\n" for a, b in ROWS))
    person.press("Yes, optimise y")
    person.press("Run an experiment")
    expect(page.get_by_label("Shared value by")).to_have_count(0)
    page.get_by_label("T (°C)", exact=True).check()
    person.sees("Not applied yet: shared in a batch nothing → T (°C).")
    choose(page, "Shared value by", "The sum of scores")
    person.press("Use from the next batch")
    person.press("Propose the first 4 rows")
    person.sees("4 results outstanding")
    assert len({ROWS[j][0] for j in person.candidates()}) == 1
    # The first rows are spread, and have no scores.
    person.sees("The first 4 rows are spread over rows that share T (°C).")
    expect(page.get_by_text("spread over these rows, as no result is known")).to_have_count(4)
    said = re.compile(
        r"All rows of batch 1 have \d+ °C, as the rule's first pick among all rows has"
    )
    expect(page.get_by_text(said).filter(visible=True)).to_be_visible()


def test_what_proposes_is_said(person: Person) -> None:
    """A table of 20 rows from the first batch to the last row: one line on the rule, and a reason
    for each row."""
    page = person.page
    person.paste("T (°C),t (min),y\n" + "".join(f"{a},{b},\n" for a, b in ROWS))
    person.press("Yes, optimise y")
    person.press("Run an experiment")
    choose(page, "Fit the prior", "Never")  # the first batch is then the policy's
    person.press("Use from the next batch")
    person.press("Propose 4 rows")
    person.sees("Rule: Recommended. It came nearest to the optimum")
    person.sees("Too early to say.")  # how many rows may still be the best, before five results
    expect(page.get_by_text(re.compile("most to gain"))).to_have_count(1)
    expect(page.get_by_text(re.compile("highest mean . 2 std"))).to_have_count(3)

    # One fails, and another waits.
    first, second, third, _ = person.candidates()
    person.result("1 · x⁰").fill("failed: the flask broke")
    for k, j in (("1 · x¹", second), ("1 · x²", third)):
        person.result(k).fill(repr(_height(j)))
    person.press("Record 3 results")
    person.sees("1 result outstanding; 2 measurements")
    person.press("Settings")  # which stand over the right column
    for tab, said in (
        ("inputs", "From the best row"),
        ("next batch", "Propose a batch"),
        ("model", "Too early to say"),
    ):
        person.press(tab)
        person.sees(said)
    person.press("Propose 4 more")
    person.sees("Batch 2 proposed")
    assert first not in person.candidates()

    # By the other rule, to the last row.
    person.press("Settings")
    choose(page, "Policy", "GP-UCB-PE")
    person.sees("Not applied yet: policy Recommended → GP-UCB-PE.")
    person.press("Use from the next batch")
    person.sees("Rule: GP-UCB-PE. It takes the best bet")
    person.press("Settings")
    person.press("all rows")
    rows = page.get_by_role("region", name="All rows")
    for j in range(20):
        field = rows.get_by_label(f"result, candidate {j}", exact=True)
        field.fill(repr(_height(j)))
    person.press("Record 20 results")
    person.sees("22 measurements")


ROWS = [(a, b) for a in (50, 60, 70, 80, 90) for b in (10, 25, 40, 55)]


def _height(j: int) -> float:
    a, b = ROWS[j]
    return round(9 - ((a - 72) / 20) ** 2 - ((b - 30) / 25) ** 2, 2)


def _measured(known: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """With the values that the example has."""
    rows = EXAMPLES[1].text.splitlines()[1:]
    values = {j: row.split(",")[3] for j, row in enumerate(rows)}
    return [(j, float(values[j]) if values[j] else y) for j, y in known]


def _shows(person: Person, experiment: Experiment) -> None:
    picks = list(experiment.pending)
    person.sees(f"Batch 2 proposed, {len(picks)} results outstanding")
    assert person.candidates() == picks


def _opens_elsewhere(lab: Lab, context: BrowserContext, file: Path, expected: Experiment) -> None:
    assert context.browser
    other = context.browser.new_context()
    other.set_default_timeout(PATIENCE)
    try:
        page = other.new_page()
        page.goto(f"{lab.url}/?page=problem")
        page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        person = Person(page)
        damaged = file.with_name("damaged.json")
        damaged.write_text(file.read_text(encoding="ascii").replace("70.25", "70.35"))
        person.choose("Open a saved experiment", damaged)
        person.sees("remove the checksum from the file to open it as it is")
        person.choose("Open a saved experiment", file)
        person.sees("2 results outstanding")
        person.sees("Saved at")
        person.press("Propose 4 more")
        _shows(person, expected)
        # It is in the browser's memory as well: head and journal make the same file. But for the
        # fit and the batch, which each took at its own time.
        content = json.loads(person.saved().path().read_text(encoding="ascii"))
        assert (
            Experiment.load(io.StringIO(json.dumps(content))).journal[:-2] == expected.journal[:-2]
        )
    finally:
        other.close()


def test_by_keys_alone_no_press_is_taken_by_another_button(person: Person) -> None:
    """Where a press takes its button away, the focus goes to a field or the table."""
    page = person.page
    person.press("Example: Four measured so far")

    def enter(name: str) -> None:
        button = person.button(name)
        expect(button).to_be_enabled()
        button.focus()
        page.keyboard.press("Enter")
        button.wait_for(state="hidden")
        page.wait_for_function(f"() => {FOCUSED} !== document.body")
        page.keyboard.press("Enter")

    enter("Run an experiment")
    expect(page.get_by_role("button", name="Experiment", exact=True)).to_be_focused()
    enter("Propose 4 rows")
    person.sees("4 results outstanding")
    expect(page.get_by_text("Withdraw the rest")).to_be_visible()
    first = person.candidates()
    person.result("1 · x⁰").focus()  # the second Enter went on to the next
    for y in "1234":
        page.keyboard.type(y)
        page.keyboard.press("Enter")
    expect(person.button("Record 4 results")).to_be_focused()
    page.keyboard.press("Enter")
    person.sees("8 measurements")
    page.wait_for_function(f"() => {FOCUSED} !== document.body && {FOCUSED}.localName !== 'button'")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+z")  # the fit that followed
    expect(page.get_by_role("button", name="Redo fit")).to_be_visible()
    page.keyboard.press("Control+z")
    person.sees("4 results outstanding")
    assert person.candidates() == first
    page.keyboard.press("Control+Shift+Z")
    person.sees("8 measurements")


@pytest.mark.gate
@pytest.mark.slow
def test_from_csv_to_the_third_batch(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`docs/your-experiment.md` by its buttons, and by its lines of Python: the same rows."""
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "your-experiment.md").read_text(encoding="utf-8")
    lines: dict[str, Any] = {}
    for block in blocks("your-experiment.md")[:6]:  # those of its first five sections
        exec(block, lines)
    experiment: Experiment = lines["experiment"]
    table, measure = experiment.table, lines["measure"]
    batches = [[one.index for one in experiment.history.trials if one.t == t] for t in range(1, 4)]
    assert [len(picks) for picks in batches] == [8, 4, 4]

    def press(name: str) -> None:
        assert f"**{name}**" in page
        person.press(name)

    assert "**Choose a CSV or Excel file**" in page
    person.choose("Choose a CSV or Excel file", tmp_path / "yields.csv")
    for name in ("Yes, optimise yield (%)", "Yes, a category", "Run an experiment"):
        press(name)
    for t, picks in enumerate(batches, start=1):
        press("Propose the first 8 rows" if t == 1 else "Propose 4 more")
        person.sees(f"{len(picks)} results outstanding")
        assert person.candidates() == picks
        for k, (j, setting) in enumerate(zip(picks, table.settings(picks), strict=True)):
            text = "failed: the flask broke" if (t, k) == (2, 2) else repr(measure(setting))
            field = re.compile(rf"^result, pick .* candidate {j}$")
            person.page.get_by_label(field).filter(visible=True).fill(text)
        press(f"Record {len(picks)} results")
    person.sees("15 measurements")
    assert _saved_values(person) == {one.index: one.y for one in experiment.history.data}


def test_a_long_batch_lies_on_nothing(person: Person, tmp_path: Path) -> None:
    """Of twelve rows, which are higher than their column: what follows is below them."""
    X = np.random.default_rng(0).random((60, 2))
    plan = Plan(GaussianProcess(Matern(0.3)), Recommended(12), ConstantBeta(4.0))
    experiment = Experiment(Table(("heat", "time"), X), plan)
    experiment.tell(range(6), X[:6].sum(axis=1))
    experiment.ask()
    experiment.save(tmp_path / "twelve.json")
    person.choose("Open a saved experiment", tmp_path / "twelve.json")
    person.sees("12 results outstanding")
    resized(person.page, (1366, 768))
    record = person.button("Record results").bounding_box()
    tabs = person.button("measurements").bounding_box()
    assert record is not None
    assert tabs is not None
    assert record["y"] + record["height"] < tabs["y"]
    person.press("measurements")
