"""What a room sees beside the pictures while a class plays, by the stage of its round."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param
import segno

from ucbpe_app.classroom import taps
from ucbpe_app.classroom.room import MOST_VOTES
from ucbpe_app.private.panel import Component
from ucbpe_app.run.sentences.texts import place, words_of
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.classroom.questions import Ask
    from ucbpe_app.classroom.room import Phone, Room
    from ucbpe_app.classroom.taps import ClassRun
    from ucbpe_app.run.replay import Replay

_HERE = Path(__file__).parent
_TABLE = tomllib.loads((_HERE / "class_stages.toml").read_text(encoding="utf-8"))
_ADDRESSES = 3  # shown at most, the first in large type


class ClassPanel(Component):
    """The teacher's side of a class, right of the pictures of a presented page.

    `on_do` is called with what a button or a key asks for, and about what; see classroom.js.
    """

    presented = param.Boolean(False, doc="Whether the page is: keys and the panel are there then.")
    shown = param.Dict({}, doc="All that is on it, as `Seen.shown` has it; {} without a class.")
    kept = param.Dict({}, doc="Code and owner's key, which the tab keeps; {} before there are any.")

    _esm = script("element.js", "stored.js", "class_chart.js", "classroom.js", folder=_HERE)
    _stylesheets: ClassVar[list[str]] = [script("classroom.css", folder=_HERE)]

    def __init__(self, on_do: Callable[[str, Any], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_do = on_do

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            self._on_do(str(data["do"]), data.get("about"))


@dataclass(frozen=True)
class Seen:
    """What is shown of a class.

    Attributes
    ----------
    room, replay : the class, and the run on screen
    stage : of the round; "waiting" as well once the page has gone on from what was revealed, and
        "rule" where the class is shown as a rule
    addresses : where phones find it, without its code
    offers : what can be asked now
    asked : what the round asks, if there is one
    run : the class as a rule, where that may be shown
    board : the best phones, where they are shown
    """

    room: Room
    replay: Replay
    stage: str
    addresses: Sequence[str]
    offers: Sequence[Ask]
    asked: Ask | None
    run: ClassRun | None
    board: Sequence[Phone] = ()

    def shown(self) -> dict[str, Any]:
        """As `ClassPanel` has it."""
        room, labels = self.room, _TABLE["labels"]
        found = [address.split("://")[-1] for address in self.addresses[:_ADDRESSES]]
        link = f"{self.addresses[0]}/{room.code}" if found else ""
        code = segno.make(link).matrix if found else ()
        return {
            "stage": self.stage,
            "code": room.code,
            "joined": room.joined,
            "answered": room.answered,
            "addresses": found,
            "squares": ["".join(map(str, map(int, row))) for row in code],
            "offers": [one.label for one in self.offers],
            "buttons": [[do, labels[do]] for do in self._own["buttons"] if self._can(do)],
            "sentence": self._text("sentence"),
            "note": self._text("note"),
            "arrow": self._text("arrow"),
            "board": [[phone.animal, phone.colour, phone.points] for phone in self.board],
            **self._answers(),
        }

    def keys(self) -> list[tuple[str, ...]]:
        """Of the foot of the page, as `PresentKeys` has them."""
        return [tuple(_TABLE["keys"][do]) for do in self._own["keys"] if self._can(do)]

    @property
    def _own(self) -> dict[str, Any]:
        """The texts, buttons and keys of the stage."""
        own: dict[str, Any] = _TABLE["stages"][self.stage]
        return own

    def _can(self, do: str) -> bool:
        votes = len(self.room.round.votes) if self.room.round else 0
        able = {"ask": bool(self.offers), "rule": self.run is not None, "again": votes < MOST_VOTES}
        return able.get(do, True)

    def _text(self, name: str) -> str:
        """A text of the stage: that of a kind of question, or after both votes, if there is one."""
        kind = self.asked.kind if self.asked else ""
        names = f"{name}.{kind}", f"{name}.last" if not self._can("again") else "", name
        text: str = next((self._own[one] for one in names if one in self._own), "")
        join = "" if self.room.rounds else _TABLE["join"]
        return text.format(
            join=join if self.addresses else _TABLE["alone"],
            question=self.asked.about["question"] if self.asked else "",
            after=self.asked.after if self.asked else "",
            counts=taps.counts(self.run, self._size) if self.run else "",
        )

    def _answers(self) -> dict[str, Any]:
        """What is told of the answers once the round is closed, or of the class as a rule."""
        asked, round_ = self.asked, self.room.round
        if self.stage == "rule" and self.run is not None:
            return {"told": taps.standing(self.replay, self.run), "chart": self._chart(self.run)}
        if self.stage not in ("closed", "revealed") or asked is None or round_ is None:
            return {}
        told, votes = asked.told(round_, self.replay), len(round_.votes)
        return {"told": told, "votes": votes, "bars": asked.bars(round_), "kind": asked.kind}

    def _chart(self, run: ClassRun) -> dict[str, Any]:
        words, scene = words_of(self.replay.trace), self.replay.scene
        return {
            "lines": [[run.start, *run.regret], [run.start, *run.rule]],
            "names": ["the class", self.replay.trace.policy.name],
            "ends": [taps.plain(run.regret[-1]), taps.plain(run.rule[-1])],
            "title": f"regret: best so far {words.short_of} the {words.top} (log)",
            "places": [
                [[place(scene.candidates, one.candidate, scene.extents), one.taps] for one in found]
                for found in run.places
            ],
            "size": self._size,
        }

    @property
    def _size(self) -> int:
        return self.replay.trace.policy.batch_size
