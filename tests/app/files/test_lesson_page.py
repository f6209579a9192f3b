"""The file of a lesson: whole, small, and silent towards the network."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from ucbpe_app.engine.parts import require_computed
from ucbpe_app.files import lesson, page
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.lessons import Change, End, Question, Span, find
from ucbpe_app.lessons.caption import caption_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, Matern, problems, simulate
from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import Periodic
from ucbpe_core.policies import PIMS
from ucbpe_core.policies.schedules import InformationGainBeta

MEGABYTE = 1e6
STYLE_URL = re.compile(r"url\(\s*[\"']?(?!data:)[a-z./]")


@pytest.fixture(scope="module")
def html(curve: Replay) -> str:
    return lesson(curve, start=4)


def markup(html: str) -> str:
    """The page without its scripts."""
    return re.sub(r"<script[^>]*>.*?</script>", "", html, flags=re.DOTALL)


@pytest.mark.slow
def test_ten_batches_of_ten_on_a_grid_of_101_by_101_stay_under_8_megabytes() -> None:
    trace = simulate(problems.himmelblau(), GPUCBPE(batch_size=10), batches=10, initial=10, seed=0)
    replay = Replay(trace)
    assert (replay.scene.grid, len(replay.events)) == ((101, 101), 130)
    written = lesson(replay).encode()
    assert len(written) < 8 * MEGABYTE
    assert len(written) > 1.3 * MEGABYTE  # BokehJS alone


class Rough(Matern):
    """A kernel of somebody else's."""

    def profile(self, r: np.ndarray) -> np.ndarray:
        return np.exp(-np.sqrt(r))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"gp": GaussianProcess(Periodic((1.0, 2.0)), 0.1)},
            "a kernel with a lengthscale for each",
        ),
        ({"gp": GaussianProcess(Rough(0.3), 0.1)}, "the kernel Rough."),
        ({"gp": GaussianProcess(RBF(0.3) + Matern(0.3), 0.1)}, "the kernel Sum."),
        ({"beta": InformationGainBeta()}, "the schedule Information gain."),
        ({"policy": PIMS(2)}, "the policy PIMS."),
    ],
)
def test_what_no_browser_computes_is_refused(changes: dict[str, Any], why: str) -> None:
    settings = {"policy": GPUCBPE(2), "batches": 1, "initial": 3, "seed": 0, **changes}
    with pytest.raises(InputError) as refused:
        require_computed(Replay(simulate(problems.himmelblau(), **settings)))
    assert why in f"{refused.value.got}."


def test_a_run_that_is_played_back_says_so_to_its_readers() -> None:
    """What they can do, and no advice for authors."""
    trace = simulate(problems.multimodal(), PIMS(2), batches=1, initial=3, seed=0)
    html = lesson(Replay(trace), live=True)
    (note,) = re.findall(r'<p class="note">(.*?)</p>', html)
    assert note.startswith("This run is played back: you can step through it, but not change")
    assert "cannot compute a run with the policy PIMS." in note
    assert "live" not in note
    (size, packed), *_ = re.findall(r'data-text="(\d+)">([^<]+)<', html)
    assert "live" not in json.loads(zlib.decompress(b64decode(packed))[: int(size)])


def test_words_of_a_lesson_are_text_and_no_markup(curve: Replay) -> None:
    about = replace(
        find("start"),
        title="<b>Bold</b> & $100",
        caption=((Span("a <script> "),),),
        questions=(Question("2 < 3?", "yes & no"),),
    )
    html = lesson(curve, about=about)
    assert "<h1>&lt;b&gt;Bold&lt;/b&gt; &amp; $100</h1>" in html
    assert "<b>Bold" not in html


def test_bold_words_and_maths_of_a_caption_are_drawn(curve: Replay) -> None:
    errors = list[InputError]()
    caption = caption_of(r"**a < b** and $\sqrt{x} < 1$", errors)
    words = LessonPage(curve, Layers(), replace(find("start"), caption=caption), None)
    (bold, between, maths) = words.card.paragraphs[0]
    assert not errors
    assert bold == {"words": "a < b", "bold": "true"}
    assert between == {"words": " and "}
    assert '<mo stretchy="false">√</mo><mrow class="radicand">' in maths["mathml"]


def test_links_of_a_caption_stay_where_they_lead_within_this_run(curve: Replay) -> None:
    there, elsewhere = Event(2, Kind.PICK, 1), Event(9, Kind.POSTERIOR)
    caption = (
        (
            Span("see "),
            Span("here", Change(event=there)),
            Span("late", Change(event=elsewhere)),
            Span("another run", Change(settings={"batch_size": 2}, event=there)),
            Span("another lesson", Change(lesson="noise", event=there)),
        ),
    )
    words = LessonPage(curve, Layers(), replace(find("start"), caption=caption), None)
    (said,) = words.card.paragraphs
    assert [one for one in said if "href" in one] == [{"words": "here", "href": "#2.pick.1"}]
    assert {"words": "late"} in said
    assert {"words": "another lesson"} in said


def test_the_last_card_is_in_the_place_of_the_reason_at_its_event_alone(curve: Replay) -> None:
    about = replace(find("start"), end=End(Event(2, Kind.OBSERVE), "Remember this.", "Try that."))
    page = LessonPage(curve, Layers(), about, None)
    last = curve.events.index(Event(2, Kind.OBSERVE))
    for i in (0, last - 1, last, last + 1):
        page.show(i)
        assert (page.end.visible, page.algorithm.reason.visible) == (i == last, i != last)
        assert page.main.request.found == (i == last)
    assert (page.end.remember, page.end.attempt) == ("Remember this.", "Try that.")
    assert f"with {len(curve.frame(last).observed)} measurements" in page.end.how
    assert (page.end.next, page.end.others) == ("", False), "there is no other lesson in a file"


def test_progress_is_told_and_a_run_too_long_is_refused(
    curve: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    lesson(curve, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]
    monkeypatch.setattr(page, "MOST_EVENTS", len(curve.events) - 1)
    with pytest.raises(InputError, match="lower the number of batches or K"):
        lesson(curve)


def test_without_the_fonts_of_the_dashboard_it_is_still_written(
    curve: Replay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_fonts = page.font_faces()
    assert with_fonts.count("@font-face") == 8  # four alphabets, normal and bold
    assert "url(" in with_fonts
    assert not STYLE_URL.search(with_fonts)
    monkeypatch.setattr(page, "_SHEET", tmp_path / "none.css")
    assert page.font_faces() == ""
    assert "@font-face" not in markup(lesson(curve))


def test_what_the_file_embeds_comes_with_its_license(html: str) -> None:
    """The license in the fonts themselves is the one that stands before them."""
    license_text = page._LICENSE.read_text(encoding="utf-8")
    assert f"/*!\n{license_text}*/\n@font-face" in html
    # The same fonts in the older format, which needs no other library to be read.
    alphabets = [
        one for name in page._ALPHABETS for one in page._DIST.glob(f"roboto-{name}-[47]*.woff")
    ]
    assert len(alphabets) == 8
    for file in alphabets:
        names = TTFont(file)["name"]
        assert names.getDebugName(0) in license_text, file.name  # the copyright
        assert names.getDebugName(14) in license_text, file.name  # the address of the license
    assert "Copyright (c) Anaconda" in html  # BokehJS


@pytest.mark.parametrize("live", [False, True])
def test_what_is_brought_about_is_asked_in_a_live_file_alone(live: bool) -> None:
    about = find("noise")
    assert about is not None
    assert [task.kind for task in about.tasks] == ["set"]
    file = LessonPage(load(about.spec()), Layers(), about, None, live=live)
    kinds = [mark.get("kind", "place") for mark in file.timeline.asked["marks"]]
    assert kinds == ["place", "set"][: 1 + live]
    assert len(file.asking["tasks"]) == int(live)
