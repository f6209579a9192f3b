"""A lesson opened from a file has its words in the HTML file that is made of it."""

from __future__ import annotations

import pytest

from tests.app.step.test_lesson import MINE, open_file
from tests.app.waiting import run
from ucbpe_app.files import products
from ucbpe_app.files.products import Product
from ucbpe_app.lessons import Lesson
from ucbpe_app.step.page import StepPage


@pytest.mark.slow
def test_the_words_of_an_opened_file_go_into_its_own_export(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, made = StepPage(), list[Product]()
    told = list[Lesson | None]()
    write = products.lesson

    def writing(*args: object, about: Lesson | None, **options: object) -> str:
        told.append(about)
        return write(*args, about=about, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(products, "lesson", writing)
    monkeypatch.setattr(
        page.export_menu.dialog, "deliver", lambda *parts: made.append(Product(*parts))
    )
    open_file(page, MINE)
    assert page.guide.lesson is not None
    assert page.guide.lesson.title == "My own"
    run(page.export_menu.make("html"))
    assert told == [page.guide.lesson]
    assert "<h1>My own</h1>" in made[0].data.decode()
    # With other settings the words would be wrong.
    page.session.settings.accept(lengthscale=2.0)
    run(page.session.refresh())
    run(page.export_menu.make("html"))
    assert told[1] is None
