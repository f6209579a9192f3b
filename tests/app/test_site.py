"""``ucbpe site``: a folder with an index; only what changed is made again; errors help."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from ucbpe_app.cli import main
from ucbpe_app.files import site as write
from ucbpe_app.files.site_index import LessonPage
from ucbpe_app.lessons import Lesson, library

LESSON = '''version = 1
slug = "{slug}"
title = "Lesson {slug}"
problem = "multimodal"
caption = """First sentence of {slug}. Second."""

[settings]
K = 3
T = 2
initial = 3
'''
CHAPTER = """<html><body><p>no</p>
<h1 id="x">1. The <em>posterior</em><a class="anchor-link">¶</a></h1>
<p><em>Eight minutes &amp; more.</em></p><p>Other</p>
<iframe src="runs/1.html"></iframe><iframe src="https://elsewhere.example/x.html"></iframe>
<img alt="A band" src="data:image/png;base64,aGVsbG8="></body></html>"""


@pytest.fixture(autouse=True)
def _own_lessons(tmp_path: Path) -> None:
    """Two small lessons in a folder."""
    (tmp_path / "mine").mkdir()
    for slug in ("one", "two"):
        text = LESSON.format(slug=slug)
        (tmp_path / "mine" / f"{slug}.toml").write_text(text, encoding="utf-8")


def options(folder: Path, *more: str, only: tuple[str, ...] = ("one", "two")) -> list[str]:
    chosen = [word for slug in only for word in ("--only", slug)]
    return ["site", str(folder / "site"), "--lessons", str(folder / "mine"), *chosen, *more]


def run(words: list[str]) -> int:
    """As in a process of its own, whose library has no lessons from folders yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library.LIBRARY, "_lessons", library.LIBRARY.lessons)
        return main(words)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lessons whose files were made, in order; the files are as good as any."""
    slugs = list[str]()

    def page(lesson: Lesson, _: object) -> LessonPage:
        if lesson.title == "Stop":
            raise KeyboardInterrupt
        slugs.append(lesson.slug)
        return LessonPage(f"page of {lesson.slug}".encode(), b"png", "words")

    monkeypatch.setattr(write, "lesson_page", page)
    return slugs


class Addresses(HTMLParser):
    """Whatever a page refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("src", "href") and value]


def test_a_site_has_what_its_index_names_and_asks_for_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chapters = tmp_path / "chapters"
    (chapters / "runs").mkdir(parents=True)
    (chapters / "1-the-posterior.html").write_text(CHAPTER, encoding="utf-8")
    (chapters / "runs/1.html").write_text("run", encoding="utf-8")
    assert run(options(tmp_path, "--chapters", str(chapters), only=("one",))) == 0
    site = tmp_path / "site"
    (said,) = capsys.readouterr().out.splitlines()
    assert said == f"{site}/index.html: 1 lessons, 1 chapters; 6 files written, 0 up to date"
    index = (site / "index.html").read_text(encoding="utf-8")
    named = Addresses(index).found
    assert named == [
        "data:,", "lessons/one.html", "pictures/one.png", "chapters/1-the-posterior.html",
        "chapters/1-the-posterior.png",
    ]  # fmt: skip
    assert all((site / name).stat().st_size for name in named[1:])
    assert "<p>First sentence of one.</p>" in index
    assert '<a href="chapters/1-the-posterior.html">1. The posterior</a>' in index
    assert "<p>Eight minutes &amp; more.</p>" in index
    assert (site / "chapters/runs/1.html").read_text(encoding="utf-8") == "run"
    assert (site / "chapters/1-the-posterior.png").read_bytes() == b"hello"
    assert (site / "pictures/one.png").read_bytes().startswith(b"\x89PNG")
    size = (site / "lessons/one.html").stat().st_size / 1e6
    assert f'<p class="size">{size:.1f} MB</p>' in index


def test_again_only_what_changed_is_made_and_other_files_stay(
    tmp_path: Path, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert run(options(tmp_path, only=("one",))) == 0
    (site / "own.txt").write_text("mine", encoding="utf-8")
    times = {path: path.stat().st_mtime_ns for path in site.rglob("*.*")}
    capsys.readouterr()
    assert run(options(tmp_path, only=("one",))) == 0
    assert made == ["one"]
    assert "0 files written, 3 up to date" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*.*")} == times
    assert run(options(tmp_path)) == 0  # one more lesson
    assert made == ["one", "two"]
    # A lesson that was edited, and a page that was: both are made again.
    source = tmp_path / "mine" / "one.toml"
    edited = source.read_text(encoding="utf-8").replace("First", "Other")
    source.write_text(edited, encoding="utf-8")
    (site / "lessons/two.html").write_text("spoiled", encoding="utf-8")
    assert run(options(tmp_path)) == 0
    assert made == ["one", "two", "one", "two"]
    assert (site / "lessons/two.html").read_text(encoding="utf-8") == "page of two"
    assert "Other sentence of one." in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "own.txt").read_text(encoding="utf-8") == "mine"


def test_the_playground_is_first_on_the_index_and_made_once(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[int]()

    def playground() -> str:
        calls.append(1)
        return "the playground"

    monkeypatch.setattr(write, "playground", playground)
    for _ in range(2):
        assert run(options(tmp_path, "--playground", only=("one",))) == 0
    site = tmp_path / "site"
    assert len(calls) == 1
    page = site / "playground.html"
    page.write_text("spoiled", encoding="utf-8")
    assert run(options(tmp_path, "--playground", only=("one",))) == 0
    assert len(calls) == 2
    assert page.read_text(encoding="utf-8") == "the playground"
    index = (site / "index.html").read_text(encoding="utf-8")
    assert Addresses(index).found[1:3] == ["playground.html", "inventory.html"]
    assert (site / "inventory.html").is_file()


def test_what_was_interrupted_goes_on_after_the_lessons_that_are_done(
    tmp_path: Path, made: list[str]
) -> None:
    source = tmp_path / "mine" / "two.toml"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("Lesson two", "Stop"), encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        run(options(tmp_path))
    assert made == ["one"]
    assert not (tmp_path / "site/index.html").exists()  # it would name what is not there
    source.write_text(text, encoding="utf-8")
    assert run(options(tmp_path)) == 0
    assert made == ["one", "two"]


def test_errors_say_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> str:
        assert main(["site", *words]) == 2
        return capsys.readouterr().err

    assert "a lesson among start, band, " in said(str(tmp_path), "--only", "strat")
    empty = tmp_path / "empty"
    empty.mkdir()
    words = said(str(tmp_path), "--chapters", str(empty))
    assert "pages of the chapters in" in words
    assert "make pages" in words
    assert "No such file" in said(str(tmp_path), "--chapters", str(tmp_path / "none"))
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("mine", "empty")] == []


def test_a_lesson_that_is_too_long_for_a_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = LESSON.format(slug="long").replace("T = 2", "T = 50").replace("K = 3", "K = 20")
    (tmp_path / "mine" / "long.toml").write_text(text, encoding="utf-8")
    assert run(options(tmp_path, only=("long",))) == 2
    said = capsys.readouterr().err
    assert "expected a lesson long that fits a file: at most 600 events" in said
