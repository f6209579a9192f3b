"""Every word on the screen of the first lesson is in the list of words."""

from __future__ import annotations

import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.criterion import read, rows
from ucbpe_app.run.glossary import GLOSSARY, MARKS, Part, explain, parts
from ucbpe_app.run.replay import Replay
from ucbpe_app.step.page import StepPage
from ucbpe_app.widgets.algorithm import glossary

# What says itself what it is.
PLAIN = {"now", "Settings", "Reset", "Undo", "Redo"}


@pytest.fixture(scope="module")
def step() -> StepPage:
    return in_a_session(lambda: StepPage("preset=start&show=truth,plane"))


def legend_labels(step: StepPage) -> set[str]:
    """Of every legend of the pictures, at every kind of event."""
    found = set[str]()
    for i in range(8):
        step.view.show(i)
        pictures = [one for one in step.view.views if isinstance(one, PictureView)]
        for view in (*pictures, *step.view.regret.shown):
            for plot in view.picture.plots.values():
                labels = (one.text for one in plot.labels if one.role != "start")
                found |= {text for text in labels if "% of X" not in text}
    return found


def test_every_label_of_the_first_lesson_is_explained(step: StepPage) -> None:
    labels = legend_labels(step) | set(step.layers.panel.options)
    labels |= {"Compare", *step.explore.menu.choice.options}
    labels |= {one.label for field in step.strip.fields.values() for one in field.parts[:1]}
    labels |= {"k(r)", "prior", "Decision plane", "Regret of each batch"}
    labels |= {"Cumulative regret", "iteration t", "Candidate", "Batch 1 of 8"}
    labels |= {item["label"] for item in step.view.timeline.items}
    frame = step.session.frame
    table = rows(step.view.replay.scene, read(step.session.replay, frame, 0), truth=True)
    labels |= {row.name for row in table}
    unexplained = {label for label in labels if label and not explain(label)} - PLAIN
    assert not unexplained
    assert len(labels) > 40


def test_the_list_has_each_word_once() -> None:
    names = [word.name for word in GLOSSARY]
    assert len(set(names)) == len(names)
    html = glossary().object
    assert html.count("<dt>") == len(GLOSSARY)
    assert all(len(word.meaning) <= 90 for word in GLOSSARY)


def test_no_word_stands_in_the_place_of_another() -> None:
    for label, word in {
        "R⁺": "R⁺", "R": "R", "in R⁺": "R⁺", "band: mean ± 4.55 std (β = 20.7)": "band",
        "y•: line of equal lower bound": "y•", "line of equal upper bound": "UCB pick x⁰",
        "edge of R⁺": "R⁺", "x²: rightmost dot in R⁺": "PE pick x¹, x² …",
        "β schedule": "β schedule", "β": "β",
        "x⁰": "UCB pick x⁰", "x²": "PE pick x¹, x² …", "x": "candidate",
        "std σ now": "standard deviation σ",
    }.items():  # fmt: skip
        meaning = next(one.meaning for one in GLOSSARY if one.name == word)
        assert explain(label) == meaning, label


def test_the_parts_of_a_sentence_are_the_sentence(any_replay: Replay) -> None:
    for i in range(len(any_replay.events)):
        sentence = any_replay.frame(i).sentence
        assert "".join(part.words for part in parts(sentence)) == sentence
        assert all(explain(part.words) for part in parts(sentence) if part.mark)
        marks = [part.mark for part in parts(sentence) if part.mark]
        assert len(set(marks)) == len(marks)
        assert set(marks) <= set(MARKS)


@pytest.mark.parametrize(
    ("sentence", "acting"),
    [
        ("The band is the mean ± 4.5 standard deviations, where √β = 4.5 (β = 20.7).",
         [Part("band", "band"), Part("mean", "mean"),
          Part("standard deviations", "std")]),
        ("x⁰ has the highest upper bound: 1.2 + 4.55 × 0.3 = 2.56.",
         [Part("upper bound", "upper")]),
        ("max f is at least y• = 1.24, the greatest lower bound. R⁺ keeps R in.",
         [Part("y•", "y_dot"), Part("R⁺", "region_plus"), Part("R", "region")]),
        ("Its best point is 0.3 below the maximum.", []),
        ("Regret is no Region.", []),
    ],
)  # fmt: skip
def test_terms_are_found_once_each(sentence: str, acting: list[Part]) -> None:
    assert [part for part in parts(sentence) if part.mark] == acting


def test_each_term_of_one_input_has_a_mark(replay: Replay) -> None:
    view = PictureView(CURVE)
    view.load(replay.scene)
    view.update(replay.frame(3))
    models = [model for pane in view.panel.select() for model in references(pane)]
    plain = [model.properties_with_values() for model in models]
    for mark in MARKS:
        view.light(mark)
        assert [model.properties_with_values() for model in models] != plain, mark
    view.light("")
    assert [model.properties_with_values() for model in models] == plain


def references(pane: object) -> set:
    plot = getattr(pane, "object", None)
    return plot.references() if hasattr(plot, "references") else set()
