"""Each word is explained before it is used: by a lesson's caption or its answer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.lessons.texts import asked
from ucbpe_app.lessons import Lesson, offered, plain
from ucbpe_app.pictures.curve import curve
from ucbpe_app.pictures.picture import Request
from ucbpe_app.run.cache import load
from ucbpe_app.run.criterion import read, rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.event import timeline_items
from ucbpe_app.run.sentences.texts import PLAIN, TEXTS

# A word of the field, and the lesson that explains it. What an explanation stands beside, as in
# "mean: best guess", is explained.
EXPLAINED_BY = {
    r"\bmean\b(?!: best guess)|μ": "why-std-shrinks",
    r"standard deviation|σ": "why-std-shrinks",
    r"\bnois[ey]": "why-std-shrinks",
    r"\bUCB|\bPE\b|[Ee]xplor": "regions",
    r"β|\bbeta\b": "why-std-shrinks",
    r"[Pp]osterior": "why-std-shrinks",
    r"[Oo]bserv": "why-std-shrinks",
    r"GP-BUCB": "why-std-shrinks",
    r"y•|y_dot|lower bound": "regions",
    r"\bR\b|\bR[⁺+]": "regions",
    r"\bX\b|candidate": "regions",
    r"\bprior\b|[Ll]engthscale": "lengthscale-long",
    r"GreedyUCB": "greedy",
    r"[Dd]ecision plane": "himmelblau",
}
SLUGS = [one.slug for one in offered()]


def told(lesson: Lesson) -> str:
    """What a lesson says itself."""
    return "\n".join((lesson.title, plain(lesson.caption), *asked(lesson)))


def shown(lesson: Lesson) -> str:
    """What the page says of the first two batches of its run."""
    replay = load(replace(lesson.spec(), batches=2))
    layers = Layers.of(lesson.layers, plain=lesson.plain)
    texts = [item["label"] for item in timeline_items(replay, 1, plain=lesson.plain)]
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        readout = rows(replay.scene, read(replay, frame, 0), truth=True, plain=lesson.plain)
        texts += [row.name for row in readout]
        words = frame.tell(lesson.plain)
        texts += [words.status, words.heading, words.sentence]
        texts += [f"{line.text} {line.value}" for line in words.lines]
        if replay.scene.dimension == 1:
            plots = curve(replay.scene, frame, Request(layers=layers)).plots.values()
            texts += [label.text for plot in plots for label in plot.labels]
    return "\n".join(texts)


@pytest.mark.parametrize("lesson", offered(), ids=SLUGS)
def test_each_word_is_explained_before_it_is_used(lesson: Lesson) -> None:
    at, said = SLUGS.index(lesson.slug), f"{told(lesson)}\n{shown(lesson)}"
    for word, slug in EXPLAINED_BY.items():
        if at < SLUGS.index(slug):
            lines = [line for line in said.splitlines() if re.search(word, line)]
            assert not lines, (word, lines)
        elif slug == lesson.slug:
            assert re.search(word, f"{plain(lesson.caption)} {' '.join(asked(lesson))}"), word


def test_words_are_plain_until_the_field_s_words_are_explained() -> None:
    first = SLUGS.index("regions")
    assert [lesson.plain for lesson in offered()] == [i < first for i in range(len(SLUGS))]


def test_plain_texts_take_the_place_of_others_in_one_number_and_in_many() -> None:
    own = {name for name in PLAIN if name not in TEXTS}
    assert own == {
        "rule.ucb",
        "rule.pe",
        "line.all",
        "line.both",
        "line.it",
        "tiny",
        "line.posterior_value.one",
        *(name for name in own if name.startswith("ask.")),  # of one kind of gap
    }
    for name in PLAIN:
        assert f"{name}.one" not in TEXTS or f"{name}.one" in PLAIN, name


def test_the_plane_is_shown_from_the_lesson_that_introduces_it() -> None:
    shows = [one.slug for one in offered() if "plane" in one.layers]
    assert shows[0] == "himmelblau"


def test_every_kind_of_event_has_plain_words_and_numbers_of_its_run() -> None:
    lesson = offered()[0]
    replay = load(lesson.spec())
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        words = frame.tell(True)
        lit = [line for line in words.lines if line.active]
        assert len(words.lines) == 5
        assert len(lit) == 1
        assert lit[0].value
        if event.kind is Kind.POSTERIOR:
            half = frame.sqrt_beta * frame.std
            assert f"±\u00a0{half.max():.3g} at x\u00a0=\u00a0" in words.sentence
            x = float(words.sentence.rpartition("x\u00a0=\u00a0")[2].removesuffix("."))
            found = int(abs(replay.scene.candidates[:, 0] - x).argmin())
            assert half[found] == pytest.approx(half.max(), rel=1e-3)
        if event.kind is Kind.REGION:
            assert frame.region_plus is not None
            out = float(lit[0].value.removesuffix(" % out"))
            assert out == pytest.approx(100 * (1 - frame.region_plus.mean()), rel=0.05)


def test_the_first_ten_minutes_quote_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "learn.md").read_text(encoding="utf-8")
    quoted = [line.removeprefix("> ") for line in page.splitlines() if line.startswith("> ")]
    replay = load(offered()[0].spec())
    said = [replay.frame(i).tell(True, True).sentence for i in (0, 1, 2, 3, 6)]
    assert quoted == said
