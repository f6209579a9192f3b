"""Which lessons are offered: shipped ones, then those of a folder, or none of that folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.lessons.texts import WHOLE, without, written
from ucbpe_app.cli import main
from ucbpe_app.lessons import Change, Lesson, LessonError, check, find, offered, read
from ucbpe_app.lessons.library import LIBRARY, Library
from ucbpe_app.serve.serve import CannotListenError

SHIPPED = Path(__file__).parents[3] / "app" / "ucbpe_app" / "lessons" / "data"
# Slugs that people have in their links.
OLD = (
    "start",
    "figure-1",
    "figure-2",
    "thin-peak",
    "himmelblau",
    "mixture",
    "noise",
    "mackey-glass",
)
MINE = without(WHOLE, "event")  # GreedyUCB makes no pick in R+, and so has no region event
MINE = written(MINE, "caption", '"Press [Next](event=1.pick.0)."')
END = "[end]\nevent = "
ASKED = """[[questions]]
text = "How far?"
answer = "That far."
number = 1
tolerance = 0.1
wrong = "Look."
at = "2.posterior"
again = "start"
"""
# The picks of a batch are then as many as workers are free.
WORKERS = 'results = "one-by-one"\ndurations = "exponential"\n'

GOAL = """[[tasks]]
kind = "set"
at = "2.posterior"
text = "Do it."
quantity = "region"
below = 1
done = "It is."
"""
DRAW = '[[tasks]]\nkind = "draw"\nat = "1.observe"\ntext = "Draw it."\nof = "mean"\n'


def other(slug: str, text: str = MINE) -> str:
    return written(written(text, "slug", f'"{slug}"'), "title", f'"About {slug}"')


@pytest.fixture
def library() -> Library:
    return Library(SHIPPED)


def refusal(library: Library, folder: Path) -> str:
    before = library.lessons
    with pytest.raises(LessonError) as refused:
        library.add(folder)
    assert library.lessons == before
    return str(refused.value)


def test_the_shipped_ones_are_offered_and_links_of_old_still_name_theirs() -> None:
    assert offered() == Library(SHIPPED).lessons
    assert offered()[0].slug == "start"
    assert {one.slug for one in offered()} >= set(OLD)
    assert [find(one.slug) for one in offered()] == list(offered())
    assert find("none") is None
    assert len(list(SHIPPED.iterdir())) == len(offered())


def test_a_folder_comes_after_them_in_the_order_of_its_files(
    library: Library, tmp_path: Path
) -> None:
    shipped = library.lessons
    for name, slug in (("2.toml", "second"), ("1.toml", "first"), ("notes.txt", "none")):
        (tmp_path / name).write_text(other(slug), encoding="utf-8")
    library.add(tmp_path)
    assert library.lessons[: len(shipped)] == shipped
    assert [one.slug for one in library.lessons[len(shipped) :]] == ["first", "second"]
    assert library.find("second") == read(other("second"), "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (written(MINE, "slug", '"start"'), "bad.toml: expected a slug that no other lesson has"),
        (MINE + "colour = 1\n", "bad.toml: expected settings among"),
        (MINE + "initial = 500\n", "bad.toml: expected at most 481 initial points; got 500"),
        (
            written(MINE, "event", '"5.posterior"'),
            "of 4 batches of 3 by GreedyUCB; got 5.posterior",
        ),
        (written(MINE, "event", '"1.region"'), "got 1.region"),
        (
            written(MINE, "caption", '"See [that](preset=elsewhere)."'),
            "in the caption's link [that], preset to be one of start, ",
        ),
        (
            written(MINE, "caption", '"See [that](T=2&event=3.posterior)."'),
            "in the caption's link [that], event to be one of a run of 2 batches",
        ),
        (
            written(MINE, "predict", '["5.pick.0"]'),
            "in predict, event to be one from 1.posterior to",
        ),
        (
            written(MINE, "predict", '["1.pick.3"]'),
            "in predict, event to be one from 1.posterior to",
        ),
        (
            f'{MINE}{END}"1.region"',
            "in end, event to be one from 1.posterior to 2.observe; got 1.region",
        ),
        (f'{MINE}{END}"4.observe"', "in end, event to be one from 1.posterior to 3.pick.2; got 4"),
        (
            f'{MINE}{END}"1.observe"\n{ASKED}',
            "in questions 2, event to be one from 1.posterior to 1",
        ),
        (f"{MINE}{ASKED}".replace("start", "none"), "in questions 2, again to be one of start, "),
        (
            written(f"{MINE}{WORKERS}", "predict", '["2.pick.1"]'),
            "in predict, event to be one from 1.posterior to 4.observe; got 2.pick.1; name one of",
        ),
        (
            f"{MINE}{DRAW.replace('1.obs', '5.obs')}",
            "in tasks 1, event to be one from 1.posterior to",
        ),
        (
            f"{MINE.replace('multimodal', 'himmelblau')}{DRAW}",
            "in tasks 1, a function of one input, to draw in its picture; got 2 inputs; ask to set",
        ),
        (
            written(f"{MINE}{GOAL}", "predict", '["2.pick.0"]'),
            "in tasks 1, an event before which predict asks for no place; got 2.pick.0",
        ),
    ],
)
def test_a_folder_with_a_bad_file_is_refused_whole(
    library: Library, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "a.toml").write_text(other("good"), encoding="utf-8")
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    assert said in refusal(library, tmp_path)


def test_links_between_the_lessons_of_a_folder(library: Library, tmp_path: Path) -> None:
    for slug, to in (("one", "two"), ("two", "one")):
        text = other(slug, written(MINE, "caption", f'"See [the other](preset={to})."'))
        (tmp_path / f"{slug}.toml").write_text(text, encoding="utf-8")
    library.add(tmp_path)
    assert library.slugs[-2:] == ("one", "two")


def test_a_problem_without_its_data_is_told(tmp_path: Path, without_abalone: Path) -> None:
    lesson = read(written(MINE, "problem", '"abalone"'), "mine.toml")
    with pytest.raises(LessonError, match=rf"expected abalone\.data at {without_abalone}"):
        check(lesson, ())


def test_a_lesson_knows_the_settings_that_it_tells_of() -> None:
    lesson = find("lengthscale-long")
    assert lesson is not None
    right = lesson.links[-1]
    assert lesson.leads(right, lesson.changed(right))
    assert not lesson.leads(right, lesson.spec())
    assert not lesson.leads(Change("beta-small"), lesson.spec())
    plain = Lesson("", "", "multimodal")
    assert not lesson.leads(right, plain.spec())


def test_a_server_has_them_before_it_has_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers are forked by `serve`, and so each of them offers what there is when it is called."""
    (tmp_path / "mine.toml").write_text(MINE, encoding="utf-8")
    found = list[Lesson | None]()

    def serve(page: object, **options: object) -> None:
        assert options["num_procs"] == 2
        found.append(find("mine"))
        raise CannotListenError("enough")

    monkeypatch.setattr("ucbpe_app.serve.serve.serve", serve)
    monkeypatch.setattr(LIBRARY, "_lessons", LIBRARY.lessons)
    assert main(["app", "--lessons", str(tmp_path), "--num-procs", "2"]) == 2
    assert found == [read(MINE, "mine.toml")]


def test_the_server_does_not_start_with_a_bad_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = LIBRARY.lessons
    (tmp_path / "bad.toml").write_text(without(MINE, "title", "problem"), encoding="utf-8")
    assert main(["app", "--lessons", str(tmp_path)]) == 2
    assert main(["app", "--lessons", str(tmp_path / "none")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        "ucbpe app: bad.toml: expected title; got none; add title to the file",
        "ucbpe app: bad.toml: expected problem; got none; add problem to the file",
    ]
    assert lines[2].startswith(
        f"ucbpe app: {tmp_path / 'none'}: expected a folder of lessons; got No"
    )
    assert LIBRARY.lessons == before
