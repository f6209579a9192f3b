"""Lesson files: what can be said in them, and every mistake told by its field."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from tests.app.lessons.texts import WHOLE, without, written
from ucbpe_app.lessons import LARGEST, Lesson, LessonError, check, offered, read
from ucbpe_app.lessons.lesson import read_file
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import CODES
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.screen import GONE, GROUPS, LAYERS, SECTIONS
from ucbpe_app.run.settings import PROBLEM_NAMES

CHOICES = '["the right one", "another", "a third"]'
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
    assert lesson.layers == {"truth", "log"}
    assert lesson.hidden == {"Belief", "batch_size"}
    assert (lesson.question, lesson.answer) == ("Why?", "Because of that.")
    spec = lesson.spec()
    assert (spec.batch_size, spec.batches, spec.policy) == (3, 4, "GreedyUCB")
    assert (spec.lengthscale, type(spec.lengthscale)) == (1.0, float)
    assert spec.noise_variance == suggested("multimodal")["noise_variance"]


def test_what_may_be_left_out() -> None:
    text = without(WHOLE, "event", "show", "hide", "question", "answer").partition("[settings]")[0]
    lesson = read(text, "mine.toml")
    plain = Lesson("mine", "My own", "multimodal")
    assert (lesson.event, lesson.layers, lesson.hidden) == (plain.event, plain.layers, plain.hidden)
    assert lesson.spec() == plain.spec()


@pytest.mark.parametrize("name", sorted(GONE))
@pytest.mark.parametrize("field", ["show", "hide"])
def test_a_layer_that_is_gone_is_left_out(field: str, name: str) -> None:
    text = without(WHOLE, field).replace("[settings]", f'{field} = ["{name}", "log"]\n[settings]')
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
        ("answer", '""', "answer to be text of 1 to 1000 letters; got nothing"),
        ("colour", '"red"', "fields among version, slug, title, "),
    ],
)
def test_a_mistake_names_its_field(field: str, value: str, said: str) -> None:
    assert said in mistakes(written(WHOLE, field, value))[0]


def test_texts_may_be_as_long_as_the_documents_say() -> None:
    text, limits = DOCS.read_text(encoding="utf-8"), dict[str, int]()
    for names, most in re.findall(r"^\| (.*?) \|.* at most ([\d and]+) char", text, re.MULTILINE):
        limits |= zip(re.findall(r"\w+", names), map(int, most.split(" and ")), strict=True)
    assert set(limits) == {"slug", "title", "caption", "question", "answer"}
    for field, most in limits.items():
        read(written(WHOLE, field, f'"{"a" * most}"'), "mine.toml")
        said = mistakes(written(WHOLE, field, f'"{"a" * (most + 1)}"'))[0]
        assert said.startswith(f"expected {field} to be ")
        assert f"{most} letters" in said


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


@pytest.mark.parametrize("field", ["question", "answer"])
def test_no_question_without_an_answer(field: str) -> None:
    (mistake,) = mistakes(without(WHOLE, field))
    other = {"question": "answer", "answer": "question"}[field]
    assert mistake.startswith(f"expected question and answer together; got the {other} alone")


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
    for names in (PROBLEM_NAMES, LAYERS, GROUPS, settings, GROUPS["Start"], ["fit"]):
        assert not [name for name in names if f"`{name}`" not in text]


# How a question is marked.


def test_choices_are_read() -> None:
    chosen = read(written(WHOLE, "choices", CHOICES), "mine.toml")
    assert chosen.choices == ("the right one", "another", "a third")


@pytest.mark.parametrize("field", ["number", "tolerance"])
def test_a_field_that_is_gone_is_left_out(field: str) -> None:
    with pytest.warns(UserWarning, match=f"^{field} is no longer used"):
        assert read(written(WHOLE, field, "3"), "mine.toml") == read(WHOLE, "mine.toml")


def test_every_lesson_of_the_laboratory_has_choices() -> None:
    for lesson in offered():
        assert len(lesson.choices) == 3, lesson.slug
        # By its length alone the right one must not be told.
        lengths = [len(one) for one in lesson.choices]
        assert max(lengths) < 2.5 * min(lengths), (lesson.slug, lengths)


@pytest.mark.parametrize(
    "choices",
    ['["one"]', '["a", "a"]', '["a", 1]', '"a"'],
)
def test_choices_that_are_none_are_refused(choices: str) -> None:
    (mistake,) = mistakes(written(WHOLE, "choices", choices))
    assert "choices to be 2 to 6 different texts" in mistake
    assert 'write choices = ["the right one", "another"]' in mistake


def test_no_choices_without_a_question() -> None:
    alone = without(WHOLE, "question", "answer")
    (mistake,) = mistakes(written(alone, "choices", CHOICES))
    assert "expected a question for choices; got none" in mistake
