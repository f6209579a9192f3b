"""Words of sentences that act."""

from __future__ import annotations

import pytest

from ucbpe_app.figures.curve import LineView
from ucbpe_app.figures.field import FieldView
from ucbpe_app.figures.plane import PlaneView
from ucbpe_app.run.glossary import MARKS, Part, explain, parts
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate


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


@pytest.mark.parametrize("kind", [LineView, FieldView, PlaneView])
def test_a_mark_that_was_lit_is_as_it_was(kind: type, replay: Replay) -> None:
    view, run = kind(), replay
    if kind is FieldView:
        run = Replay(simulate(problems.himmelblau(), GPUCBPE(3), batches=1, initial=5, seed=1))
    view.load(run.scene)
    region = next(i for i, event in enumerate(run.events) if event.kind == "region")
    view.update(run.frame(region))
    models = {model for pane in view.panel.select() for model in references(pane)}
    before = {model: model.properties_with_values() for model in models}
    for mark in MARKS:
        view.light(mark)
        view.light("")
    assert {model: model.properties_with_values() for model in models} == before


def test_each_term_of_one_input_has_a_mark(replay: Replay) -> None:
    view = LineView()
    view.load(replay.scene)
    view.update(replay.frame(3))
    models = [model for pane in view.panel.select() for model in references(pane)]
    plain = [model.properties_with_values() for model in models]
    for mark in MARKS:
        view.light(mark)
        assert [model.properties_with_values() for model in models] != plain, mark
    view.light("")


def references(pane: object) -> set:
    plot = getattr(pane, "object", None)
    return plot.references() if hasattr(plot, "references") else set()
