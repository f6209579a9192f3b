"""Lesson files: what can be said in them, and every mistake told by its field."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.lessons.texts import WHOLE, without, written
from ucbpe_app.lessons import (
    LARGEST,
    Choice,
    End,
    Lesson,
    LessonError,
    Question,
    Task,
    check,
    offered,
    read,
)
from ucbpe_app.lessons.lesson import read_file
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.notation import CODES
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.screen import GONE, GROUPS, LAYERS, SECTIONS
from ucbpe_app.run.settings import PROBLEM_NAMES

DOCS = Path(__file__).parents[3] / "docs" / "lessons.md"


def mistakes(text: str) -> list[str]:
    with pytest.raises(LessonError) as refused:
        read(text, "mine.toml")
    assert refused.value.name == "mine.toml"
    return [str(mistake) for mistake in refused.value.mistakes]


def test_a_byte_order_mark_is_not_content(tmp_path: Path) -> None:
    """Notepad writes one."""
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE, encoding="utf-8-sig")
    assert read_file(path) == read(WHOLE, "mine.toml")


def test_all_that_can_be_said() -> None:
    lesson = read(WHOLE, "mine.toml")
    assert (lesson.slug, lesson.title, lesson.problem) == ("mine", "My own", "multimodal")
    assert lesson.event == Event(2, Kind.PICK, 1)
    assert lesson.layers == {"log"}  # true f comes by itself, at the end
    assert lesson.hidden == {"Belief", "batch_size"}
    spec = lesson.spec()
    assert (spec.batch_size, spec.batches, spec.policy) == (3, 4, "GreedyUCB")
    assert (spec.lengthscale, type(spec.lengthscale)) == (1.0, float)
    assert spec.noise_variance == suggested("multimodal")["noise_variance"]


def test_what_may_be_left_out() -> None:
    text = without(WHOLE, "event", "show", "hide").partition("[[questions]]")[0]
    lesson = read(text, "mine.toml")
    plain = Lesson("mine", "My own", "multimodal")
    assert replace(lesson, caption=(), settings=plain.settings) == plain
    assert lesson.spec() == plain.spec()
    events = load(lesson.spec()).events
    assert lesson.last(events) == events[13]


@pytest.mark.parametrize("name", sorted(GONE))
@pytest.mark.parametrize("field", ["show", "hide"])
def test_a_layer_that_is_gone_is_left_out(field: str, name: str) -> None:
    text = written(WHOLE, field, f'["{name}", "log"]')
    with pytest.warns(UserWarning, match=f"^{field}: {name} is no longer offered"):
        lesson = read(text, "mine.toml")
    assert (lesson.layers if field == "show" else lesson.hidden) == {"log"}


@pytest.mark.parametrize("field", ["version", "slug", "title", "problem", "caption"])
def test_what_may_not_be_left_out(field: str) -> None:
    assert mistakes(without(WHOLE, field)) == [
        f"expected {field}; got none; add {field} to the file"
    ]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("version", "2", "version to be 1; got 2; write it as docs/lessons.md says"),
        ("slug", '"a--b"', "got a--b; rename it, as in my-lesson"),
        ("title", "7", 'title to be text of 1 to 60 letters; got 7; write title = "..."'),
        ("problem", '"rosenbrock"', "problem to be one of figure1, "),
        ("show", '"truth"', 'show to be a list of names; got truth; write show = ["truth"]'),
        ("question", '"Why?"', "questions in tables; got question; write [[questions]], then text"),
        ("shelf", '"first"', "shelf to be one of method, rules; got first; choose one of these"),
        ("truth", "true", "truth to be one of at the end, shown; got True"),
        (
            "predict",
            '["1.region"]',
            'predict to name picks; got another event; write predict = ["1',
        ),
        ("predict", '["first"]', "predict as in 3.posterior, 3.pick.0, 3.region or 3.observe; got"),
        ("predict", '"1.pick.0"', "predict to be a list of events; got 1.pick.0; write predict = "),
        ("end", '"1.observe"', "end to be a table; got 1.observe; write [end] and its fields"),
        ("colour", '"red"', "fields among slug, title, problem"),
    ],
)
def test_a_mistake_names_its_field(field: str, value: str, said: str) -> None:
    assert said in mistakes(written(WHOLE, field, value))[0]


def test_texts_may_be_as_long_as_the_documents_say() -> None:
    first, *parts = DOCS.read_text(encoding="utf-8").split("| field of ")
    wholes = {"`[end]`": END, "`[[questions]]`": NUMBER, "`[[tasks]]`": DRAG}
    tables = [("", first), *((wholes[part.partition(" |")[0]], part) for part in parts)]
    found = set[str]()
    for own, table in tables:
        for field, most in re.findall(r"^\| `(\w+)` \|.* at most (\d+) char", table, re.MULTILINE):
            found.add(field)
            for letters in (int(most), int(most) + 1):
                text = written(own or WHOLE, field, f'"{"a" * letters}"')
                text = WHOLE + text if own else text
                if letters == int(most):
                    read(text, "mine.toml")
                    continue
                said = mistakes(text)[0]
                assert f"{field} to be " in said
                assert f"{most} letters" in said
    assert found == {
        "slug", "title", "caption", "remember", "try", "text", "answer", "wrong", "near", "done",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "K = 0",
            "in settings, Batch size K to be an integer from 1 to 250; got K = 0",
        ),
        ("K = true", "got K = True"),
        ('kernel = "cubic"', "Linear, Polynomial; got kernel = cubic"),
        ("problem = 'figure1'", "settings among problem_seed, policy, "),
        ("k = 3", "got k; remove or rename it"),
        ("caption = 'late'", "got caption; write it above [settings]"),
    ],
)
def test_a_mistake_in_a_setting(line: str, said: str) -> None:
    (mistake,) = mistakes(without(WHOLE, "K") + f"\n{line}\n")
    assert said in mistake


def test_every_mistake_is_told_at_once() -> None:
    text = written(written(written(WHOLE, "slug", '"A"'), "event", '"x"'), "show", '["y"]')
    assert len(mistakes(text + "\nT = 0\n".replace("T = 0", "delta = 1"))) == 4


def test_what_is_not_toml_says_where() -> None:
    (mistake,) = mistakes("version = 1\nslug = oops\n")
    assert mistake.startswith("expected TOML; got ")
    assert "line 2" in mistake


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"a = {'[' * 20_000}", "expected TOML; got "),
        (f"version = {'9' * 5000}", "expected TOML; got exceeds the limit"),
        (f"version = 0x{'f' * 5000}", "version to be 1; got a very long number"),
        (f"[settings]\nK = 0x{'f' * 5000}", "got K = a very long number"),
        (f"title = 0x{'f' * 5000}", "title to be text of 1 to 60 letters; got a very long number"),
    ],
    ids=["deep", "long", "hexadecimal", "setting", "title"],
)
def test_a_file_made_to_break_the_reader_is_told_as_well(text: str, said: str) -> None:
    assert any(said in mistake for mistake in mistakes(text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes("title = 'Matérn'".encode("latin-1"))
    (tmp_path / "long.toml").write_bytes(b"#" * 10 * LARGEST)
    (tmp_path / "good.toml").write_text(WHOLE, encoding="utf-8")
    assert read_file(tmp_path / "good.toml") == read(WHOLE, "good.toml")
    for name, said in (
        ("latin.toml", "expected text in UTF-8; got byte 12, which is not"),
        ("long.toml", "at most 64 kB"),
        ("none.toml", "got No such file"),
    ):
        with pytest.raises(LessonError, match=f"{name}: .*{said}"):
            read_file(tmp_path / name)


def test_an_error_goes_from_process_to_process() -> None:
    with pytest.raises(LessonError) as refused:
        read(without(WHOLE, "title", "slug"), "mine.toml")
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value)
    assert str(again).count("mine.toml: expected ") == 2


def test_the_documented_lesson_can_be_given() -> None:
    text = DOCS.read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    lesson = read(example, "docs")
    check(lesson, ())
    assert len(lesson.links) == 3
    settings = [CODES.get(name, name) for rows in SECTIONS.values() for row in rows for name in row]
    for names in (PROBLEM_NAMES, LAYERS, GROUPS, FACTS, settings, GROUPS["Start"], ["fit"]):
        assert not [name for name in names if f"`{name}`" not in text]


# What is asked, and the end.

NUMBER = """[[questions]]
text = "How far?"
answer = "As far as that."
number = 1.5
tolerance = 0.1
wrong = "Look at the axis."
at = "2.pick.0"
again = "start"
"""
DRAG = """[[tasks]]
kind = "drag"
at = "2.pick.0"
text = "Move it."
quantity = "x0"
below = 4
near = "Nearly."
margin = 0.5
done = "It is."
"""
DRAW = """[[tasks]]
kind = "draw"
at = "1.observe"
text = "Draw it."
of = "mean"
"""
END = """[end]
event = "2.observe"
remember = "That."
try = "This."
"""


def test_questions_tasks_and_the_end_are_read() -> None:
    shelf = 'shelf = "rules"\ntruth = "shown"\npredict = ["1.pick.0", "2.pick.1"]\n'
    lesson = read("".join((shelf, WHOLE, NUMBER, DRAG, DRAW, END)), "mine.toml")
    assert (lesson.shelf, lesson.truth_at_end) == ("rules", False)
    assert lesson.predict == (Event(1, Kind.PICK), Event(2, Kind.PICK, 1))
    choices, number = lesson.questions
    assert (choices.text, choices.answer) == ("Why?", "Because of that.")
    right, wrong = Choice("the right one"), Choice("another", "It is not. Look there.")
    assert choices.choices == (right, wrong)
    assert set(choices.shuffled) == {right, wrong}
    where = Event(2, Kind.PICK)
    assert number == Question(
        "How far?", "As far as that.", (), 1.5, 0.1, "Look at the axis.", where, "start"
    )
    drag, draw = lesson.tasks
    assert drag == Task(
        "drag", where, "Move it.", quantity="x0", below=4.0, near="Nearly.", margin=0.5,
        done="It is.",
    )  # fmt: skip
    assert draw == Task("draw", Event(1, Kind.OBSERVE), "Draw it.", of="mean")
    assert lesson.end == End(Event(2, Kind.OBSERVE), "That.", "This.")
    assert lesson.last(()) == Event(2, Kind.OBSERVE)


def test_every_lesson_of_the_laboratory_has_choices() -> None:
    for lesson in offered():
        for one in lesson.questions:
            # By its length alone the right one must not be told.
            lengths = [len(choice.text) for choice in one.choices] or [1]
            assert max(lengths) < 2.5 * min(lengths), (lesson.slug, lengths)


@pytest.mark.parametrize(
    ("text", "before", "after", "said"),
    [
        (NUMBER, "number = 1.5\n", "", "choices or a number; got none"),
        (NUMBER, "tolerance = 0.1\n", "", "in questions 2, a tolerance above 0, and wrong"),
        (NUMBER, "number = 1.5", "number = true", "in questions 2, number to be a number; got"),
        (NUMBER, "again", "back", "in questions 2, fields among text, answer, choices"),
        (NUMBER, "2.pick.0", "soon", "in questions 2, at as in 3.posterior"),
        (WHOLE, '"another"', '"the right one"', "in questions 1, choices to be 2 to 6 different"),
        (WHOLE, ', {text = "another"', ', {text = ""', "in choices 2, text to be text of 1"),
        (WHOLE, ', reason = "It is not. Look there."', "", "in choices 2, reason; got none; add"),
        (WHOLE, 'one"}', 'one", reason = "So."}', "no reason of the right choice; got one"),
        (DRAG, '"drag"', '"push"', "in tasks 1, kind to be one of draw, drag, set; got push"),
        (DRAG, '"x0"', '"luck"', "in tasks 1, quantity to be one of x0, region"),
        (DRAG, "below = 4\n", "", "in tasks 1, quantity, done, and below or above; got not all"),
        (DRAG, "margin = 0.5\n", "", "in tasks 1, near and a margin above 0 together; got one"),
        (DRAW, 'of = "mean"', 'of = "band"\nbelow = 2', "no below of kind draw; got one"),
        (END, "try", "then", "in end, fields among event, remember, try; got then"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_part_names_the_part(text: str, before: str, after: str, said: str) -> None:
    assert before in text
    wrong = text.replace(before, after)
    found = mistakes(wrong if text is WHOLE else WHOLE + wrong)
    assert any(said in mistake for mistake in found), found
