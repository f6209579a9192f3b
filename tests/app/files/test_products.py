"""Every product is a file under a telling name, and holds the run that is on screen."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import asdict, replace
from xml.etree import ElementTree

import pytest

from ucbpe_app.cli import main
from ucbpe_app.commands import lesson as command
from ucbpe_app.files import products
from ucbpe_app.files.products import KINDS, Source, make
from ucbpe_app.lessons import find
from ucbpe_app.lessons.inventory import FORMS, items
from ucbpe_app.links import Moment
from ucbpe_app.run.cache import load
from ucbpe_app.run.described import run_line, run_rows
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_app.tasks.job import Job, Superseded
from ucbpe_core import Trace
from ucbpe_core.errors import InputError

SPEC = RunSpec(**{**asdict(Settings().spec()), "batches": 1, "batch_size": 2})
EVENT = Event(1, Kind.PICK, 1)
MAGIC = {
    "png": b"\x89PNG", "svg": b"<?xml", "json": b'{"format":"ucbpe-history"',
    "csv": b"state,measurement,", "html": b"<!DOCTYPE html>",
    "live": b"<!DOCTYPE html>",
}  # fmt: skip


@pytest.fixture(scope="module")
def source() -> Source:
    replay = load(SPEC)
    return Source(Moment(SPEC, EVENT, digest=replay.trace.digest), replay)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_that_kind_of_file(kind: str, source: Source) -> None:
    product = make(kind, source)
    assert product.data.startswith(MAGIC[kind])
    stem = f"multimodal-curve_gp-ucb-pe_run-{source.replay.trace.digest[:8]}"
    of_what = {
        "png": "_batch-1-pick-1_curve", "svg": "_batch-1-pick-1_curve",
        "html": "_lesson", "live": "_live-lesson",
    }  # fmt: skip
    ending = "html" if kind == "live" else kind
    assert product.name == f"{stem}{of_what.get(kind, '')}.{ending}"
    assert "/" in product.media


def test_the_run_is_read_back(source: Source) -> None:
    text = make("json", source).data.decode("ascii")
    assert Trace.load(io.StringIO(text)).digest == source.replay.trace.digest
    rows = list(csv.DictReader(io.StringIO(make("csv", source).data.decode())))
    assert len(rows) == source.replay.trace.initial + 2


def test_a_view_is_chosen_and_an_unknown_one_refused(source: Source) -> None:
    assert make("svg", source, "regret").name.endswith("_batch-1-pick-1_regret.svg")
    with pytest.raises(InputError, match="curve, plane, regret"):
        make("png", source, "field")
    with pytest.raises(InputError, match="png, svg"):
        make("exe", source)


@pytest.mark.parametrize("kind", ["png", "html"])
def test_decisions_on_held_data_are_exported_and_say_so(kind: str, source: Source) -> None:
    spec = replace(SPEC, lengthscale=0.3)
    held = Source(Moment(spec, EVENT, data=SPEC), load(spec, data=SPEC))
    assert len(make(kind, held).data) > 1000
    digest = source.replay.trace.digest[:8]
    assert run_line(held.replay).endswith(f"on the measurements of run\u00a0{digest}")
    assert ("Measurements", f"those of run {digest}") in run_rows(held.replay)


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_they_are_not_saved_as_a_run_that_was_measured(kind: str) -> None:
    spec = replace(SPEC, lengthscale=0.3)
    held = Source(Moment(spec, EVENT, data=SPEC), load(spec, data=SPEC))
    with pytest.raises(InputError, match="measured at its own picks"):
        make(kind, held)


def test_the_lesson_on_screen_comes_along_while_it_is_its_run(source: Source) -> None:
    lesson = find("start")
    moment = Moment(lesson.spec(), EVENT, preset="start")
    assert replace(source, moment=moment).about is lesson
    other = replace(moment, settings=replace(moment.settings, batch_size=7))
    assert replace(source, moment=other).about is None
    assert replace(source, moment=replace(moment, preset="")).about is None


def test_a_job_that_is_stopped_ends(source: Source) -> None:
    job = Job()
    job.stop()
    with pytest.raises(Superseded):
        make("html", source, job=job)


def test_the_command_writes_the_lesson_of_a_link(tmp_path, capsys) -> None:
    out = tmp_path / "lesson.html"
    link = "http://lab.example/?preset=figure-2&event=2.observe"
    assert main(["lesson", "--link", link, "--out", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    assert "<h1>Figure 2 of the paper</h1>" in html
    assert "30 events" in capsys.readouterr().out


def test_the_command_says_what_of_a_link_it_could_not_keep(tmp_path, capsys, monkeypatch) -> None:
    out = tmp_path / "lesson.html"
    monkeypatch.setattr(products, "lesson", lambda *_, **__: "<!DOCTYPE html>")
    assert command.__doc__
    assert main(["lesson", "--link", "preset=figure-2&K=0", "--out", str(out)]) == 1
    assert "K=0" in capsys.readouterr().err
    missing = tmp_path / "no" / "lesson.html"
    assert main(["lesson", "--link", "preset=figure-2", "--out", str(missing)]) == 2
    assert capsys.readouterr().err.startswith("ucbpe lesson: ")


# Elements of a multichoice question, as docs.moodle.org/en/Moodle_XML_format has them, how often.
MULTICHOICE = {
    "name": 1, "questiontext": 1, "defaultgrade": 1, "penalty": 1, "hidden": 1, "idnumber": 1,
    "single": 1, "shuffleanswers": 1, "answernumbering": 1, "answer": 3,
}  # fmt: skip


def test_the_inventory_for_moodle_is_in_its_format(tmp_path) -> None:
    out = tmp_path / "inventory.xml"
    assert main(["playground", "--inventory", str(out)]) == 0
    assert out.read_bytes().startswith(b"<?xml")  # Moodle takes no blank line before it
    quiz = ElementTree.parse(out).getroot()
    assert quiz.tag == "quiz"
    found = {form: list[ElementTree.Element]() for form in FORMS}
    for question in quiz:
        if question.get("type") == "category":
            path = question.findtext("category/text", "")
            assert path.startswith("$course$/top/")
            under = found[path.rpartition(" ")[2]]
        else:
            under.append(question)
    for form, questions in found.items():
        for question, item in zip(questions, items(form), strict=True):
            assert question.get("type") == "multichoice"
            assert Counter(part.tag for part in question) == MULTICHOICE
            assert question.findtext("name/text") == item.slug
            assert question.findtext("questiontext/text") == item.question.text
            assert question.findtext("single") == question.findtext("shuffleanswers") == "true"
            shown = {
                (one.get("fraction"), one.findtext("text"), one.findtext("feedback/text"))
                for one in question.findall("answer")
            }
            wanted = zip(("100", "0", "0"), item.question.choices, strict=True)
            assert shown == {(points, one.text, one.reason) for points, one in wanted}
            formats = {part.get("format") for part in question.iter() if part.get("format")}
            assert formats == {"plain_text"}  # < and & are themselves
    names = [one.text for one in quiz.iter("idnumber")]
    assert len({*names}) == len(names) == 24
