"""A text that somebody else has written is shown as text, on pages, in files and in reports.

Without a browser: in all HTML that is shown, a parser finds no element that such a text has become.
tests/browser/test_hostile.py looks at the pages themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.app import hostile
from tests.app.hostile import ALL, TEXTS, foreign
from tests.app.problem.test_page import message, propose, say
from tests.app.step.test_lesson import open_file
from tests.app.study.conftest import kept_results
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.files import lesson as lesson_file
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.site_index import Card, index, summary
from ucbpe_app.lessons import read
from ucbpe_app.links import FIELDS
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.race.page import RacePage
from ucbpe_app.race.setup import LONGEST_LABEL
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.cache import load
from ucbpe_app.run.screen import Layers
from ucbpe_app.step.page import StepPage
from ucbpe_app.study.page import StudyPage
from ucbpe_app.study.views import RankingView
from ucbpe_app.theory.page import TheoryPage

NUMBERS = range(len(TEXTS))


def shown(*parts: Any) -> str:
    """All HTML of these parts, in which no text is an element."""
    html = "".join(one.object for part in parts for one in part.select(Markup))
    assert not foreign(html)
    return html


def test_a_parser_finds_what_they_would_become() -> None:
    """Of the 25, three are of languages other than HTML, and four need something before them."""
    assert len(TEXTS) == len(set(TEXTS)) == 25
    assert sum(bool(foreign(f"<p>{text}</p>")) for text in TEXTS) == 18
    assert foreign(f'<p title="{TEXTS[5]}">')
    assert foreign(f'<a href="{TEXTS[8]}">')


@pytest.fixture(scope="module")
def opened() -> ProblemPage:
    """With an experiment from a file."""
    page = ProblemPage()
    say(page.table.saved, message("own.json", hostile.saved()))
    assert page.experiment.current is not None
    return page


def test_an_experiment(opened: ProblemPage) -> None:
    page, part = opened, opened.measuring
    for choice in (part.rows.choice, part.answers.choice):
        for name in choice.options:
            change(choice, "value", name)
            assert "hit" in shown(page.panel)
    click(part.undo)
    assert "hit" in shown(page.panel)
    assert ALL in part.rows.proposed.output  # text, which the component writes


@pytest.mark.parametrize("name", ["table.csv", "table.xlsx"])
def test_a_table(name: str) -> None:
    page = ProblemPage()
    content = hostile.table() if name.endswith("csv") else hostile.workbook()
    say(page.table.upload, message(name, content))
    asked = page.table.questions.asked  # whether that is what to optimise, and the use of a text
    assert asked
    for question in asked:
        click(question.buttons[0])
    page.data.title = ALL
    shown(page.panel)
    names = [one["name"] for one in page.table.sheet.columns]
    for i, role in ((0, "input"), (0, "label"), (2, "input"), (2, "category")):
        say(page.table.sheet, {"column": names[i], "role": role, "request": 1})
        shown(page.panel)
    click(page.table.experiment)
    assert page.experiment.current is not None
    propose(page)
    assert "hit" in shown(page.panel)


def visited(page: Any, query: str) -> Any:
    in_a_session(lambda: page.visit(query))
    return page


@pytest.mark.parametrize("number", NUMBERS)
def test_a_link(number: int) -> None:
    """Each of the texts in every field."""
    page = visited(StepPage("preset=start"), hostile.query("step", number, FIELDS))
    assert "hit" in shown(page.links.notice.panel, page.panel)


@pytest.mark.parametrize("kind", [RacePage, StudyPage, TheoryPage])
def test_a_link_to_another_page(kind: type[RacePage | StudyPage | TheoryPage]) -> None:
    names = [*FIELDS, "label", "b.label", "c.policy", "policies", "reference", "regret"]
    page = visited(kind(), hostile.query(kind.__name__, 3, names))
    assert "hit" in shown(page.panel)


def test_the_names_of_a_race() -> None:
    """As long as a name can be."""
    some = [TEXTS[i][:LONGEST_LABEL] for i in (0, 2, 3, 5, 15, 16, 18, 19)]
    prefixes = ("", *(f"{letter}." for letter in "bcdefgh"))
    fields = [(f"{prefix}label", text) for prefix, text in zip(prefixes, some, strict=True)]
    others = [(f"{prefix}policy", "greedyucb") for prefix in prefixes[1:]]
    page = visited(RacePage(), urlencode([("preset", "start"), ("T", 2), *fields, *others]))
    assert [one.label for one in page.state.setup.configurations] == some
    assert "hit" in shown(page.panel)
    assert not foreign("".join(card["name"] for card in page.form.cards.cards))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_lesson(number: int) -> None:
    """Each of the texts in every field, on its card and in the file that is made of it."""
    about = read(hostile.lesson(number), "mine.toml")
    replay = load(about.spec())
    made = LessonPage(replay, Layers(), about, None)
    assert not foreign(shown(made.panel))
    assert "hit" in f"{made.card.paragraphs} {made.card.questions}", "as text"
    card = Card(
        about.title, summary(about.caption), "a.html", "a.png", about.questions[0].answer, 1
    )
    html = index({about.title: [card]}, about.title)
    assert not foreign(html)
    if number == 0:
        assert not foreign(lesson_file(replay, about=about, live=True).replace("<script", "<x"))


def test_an_opened_lesson_and_why_another_is_not() -> None:
    page = StepPage("preset=start")
    open_file(page, hostile.lesson(0))
    assert page.guide.card.title == TEXTS[0]
    open_file(page, hostile.lesson(1).replace("multimodal", TEXTS[1]).replace("T = 2", "T = 0"))
    assert "hit" in shown(page.panel)


def test_the_results_of_a_study() -> None:
    results = kept_results("section5", "Himmelblau")
    names = dict(zip(results.policies, TEXTS, strict=False))
    renamed = replace(
        results,
        study=ALL,
        problem=ALL,
        policies=tuple(map(names.__getitem__, results.policies)),
        references=(names[results.references[0]],),
        curves=results.curves.replace(names),
        statistics=results.statistics.replace(names),
        differences=results.differences.replace(names),
        failures=TEXTS,
    )
    view = RankingView()
    view.load(renamed, 20)
    assert "hit" in shown(view.panel)
