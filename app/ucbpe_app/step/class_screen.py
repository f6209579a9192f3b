"""What a room sees beside the pictures while a class plays, by the stage of its round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import segno

from ucbpe_app.classroom import taps
from ucbpe_app.classroom.room import MOST_VOTES
from ucbpe_app.classroom.taps import Told
from ucbpe_app.run.sentences.texts import number, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.classroom.questions import Ask
    from ucbpe_app.classroom.room import Room
    from ucbpe_app.classroom.taps import ClassRun
    from ucbpe_app.run.replay import Replay

_JOIN = "Open the address on your phone, or scan the code. No account, no name."
_TAP = "Tap on your phone. You can change your place until the round is closed."
_CLOSED = (
    "Tell your neighbour what you chose, and why. Then vote again.",
    "Both votes are in. Who changed, and why?",
)
_LOCAL = "Phones cannot reach this server. Start it with: ucbpe app --class"
_OTHERS = 2  # addresses below the first one
# By what it does: the key of a button in the foot of the page, its sign, its text, its full name.
_KEYS = {
    "ask": ("a", "A", "ask", "Ask the class"),
    "close": ("c", "C", "close", "Close the round"),
    "again": ("v", "V", "vote again", "Vote again"),
    "reveal": ("ArrowRight", "→", "reveal", "Reveal"),
    "next": ("ArrowRight", "→", "next", "Next event"),
    "board": ("b", "B", "board", "The best five"),
    "rule": ("r", "R", "class as a rule", "The class as a rule"),
    "pictures": ("r", "R", "pictures", "Back to the pictures"),
}


@dataclass(frozen=True)
class Seen:
    """What is shown of a class.

    Attributes
    ----------
    room, replay : the class, and the run on screen
    stage : of the room; "waiting" as well once the page has gone on from what was revealed
    addresses : where phones find it, without its code
    offers : what can be asked now
    asked : what the round asks, if there is one
    run : the class as a rule, where that may be shown
    has_board, is_rule : what was asked for by a key
    """

    room: Room
    replay: Replay
    stage: str
    addresses: Sequence[str]
    offers: Sequence[Ask]
    asked: Ask | None
    run: ClassRun | None = None
    has_board: bool = False
    is_rule: bool = False

    def shown(self) -> dict[str, Any]:
        """As `ClassPanel` has it."""
        is_joining = self.stage in ("waiting", "open") and not (self.has_board or self.is_rule)
        return {
            "code": self.room.code,
            "joined": self.room.joined,
            "join": self._join() if is_joining else None,
            "count": self._count(),
            "told": list(self._told),
            "votes": len(self.room.round.votes) if self._has_answers and self.room.round else 0,
            "bars": self._bars(),
            "kind": self.asked.kind if self.asked else "",
            "board": [
                {"name": phone.animal, "colour": phone.colour, "points": phone.points}
                for phone in self.room.board()
            ] if self.has_board else [],
            "note": self._note(),
            "buttons": self._buttons(),
            "sentence": self._sentence(),
            "arrow": self._arrow(),
            "chart": self._chart() if self.is_rule else None,
        }  # fmt: skip

    def keys(self) -> list[tuple[str, ...]]:
        """Of the foot of the page, as `PresentKeys` has them."""
        if self.is_rule:
            names = ["pictures", "board"]
        elif self.stage == "open":
            names = ["close", "board"]
        elif self.stage == "closed":
            names = [*self._again, "reveal"]
        else:
            asks = ["ask"] if self.offers else []
            rule = ["rule"] if self.run is not None else []
            names = [*(["next"] if self.stage == "revealed" else asks), *rule, "board"]
        return [_KEYS[name] for name in names]

    @property
    def _has_answers(self) -> bool:
        return self.stage in ("closed", "revealed") and not self.is_rule

    @property
    def _again(self) -> list[str]:
        is_there = self.room.round is not None and len(self.room.round.votes) < MOST_VOTES
        return ["again"] if is_there else []

    @property
    def _told(self) -> Told:
        if self.is_rule and self.run is not None:
            return taps.standing(self.replay, self.run)
        if self._has_answers and self.asked and self.room.round:
            return self.asked.told(self.room.round, self.replay)
        return Told("", "")

    def _join(self) -> dict[str, Any]:
        shown = [address.split("://")[-1] for address in self.addresses]
        code = [] if not shown else segno.make(f"{self.addresses[0]}/{self.room.code}").matrix
        return {
            "address": shown[0] if shown else "",
            "others": shown[1 : 1 + _OTHERS] if shown else [_LOCAL],
            "squares": ["".join(str(int(one)) for one in row) for row in code],
        }

    def _count(self) -> dict[str, Any] | None:
        if self.is_rule:
            return None
        joined, answered = self.room.joined, self.room.answered
        if self.stage == "open":
            share = answered / max(joined, 1)
            return {"big": f"{answered} of {joined}", "small": "have answered", "share": share}
        if self.stage == "waiting":
            return {"big": f"{joined} joined", "small": "", "share": None}
        return None

    def _bars(self) -> list[dict[str, Any]]:
        round_ = self.room.round
        return self.asked.bars(round_) if self._has_answers and self.asked and round_ else []

    def _note(self) -> str:
        if self.is_rule or self.stage != "closed" or self.asked is None:
            return ""
        if self.asked.kind != "place":
            return "The answer is still hidden."
        least, most = (reach := taps.reach(self.replay)).min(), reach.max()
        half = f", {number(least / 2)}," if least == most else ""
        return (
            "What the rule does is still hidden. "
            f"Agree: within half a lengthscale{half} of one place."
        )

    def _buttons(self) -> list[dict[str, Any]]:
        if self.is_rule:
            return [_button("rule", "Pictures"), _button("end", "End class", filled=True)]
        if self.stage == "open":
            return [_button("close", "Close", filled=True), _button("cancel", "Cancel")]
        if self.stage == "closed":
            again = [_button("again", "Vote again") for _ in self._again]
            return [*again, _button("reveal", "Reveal", filled=True)]
        if self.stage == "revealed":
            board = "Hide board" if self.has_board else "Show board"
            return [_button("board", board), _button("next", "Next", filled=True)]
        asks = [_button("ask", one.label, i, filled=not i) for i, one in enumerate(self.offers)]
        return [*(asks or [_button("next", "Next", filled=True)]), _button("end", "End class")]

    def _sentence(self) -> str:
        """In the strip below the pictures; "" for the reason of the event."""
        if self.is_rule and self.run is not None:
            return taps.counts(self.run, self.replay.trace.policy.batch_size)
        if self.stage == "waiting" or self.asked is None:
            return "" if self.room.rounds else _JOIN
        if self.stage == "open":
            return _TAP if self.asked.kind == "place" else self.asked.question
        if self.stage == "closed":
            return _CLOSED[len(self._again) == 0]
        return self.asked.after

    def _arrow(self) -> str:
        """What → does in place of a step: of a place, the step reveals it."""
        if self.asked is None or self.asked.kind == "place":
            return ""
        return {"open": "wait", "closed": "reveal"}.get(self.stage, "")

    def _chart(self) -> dict[str, Any] | None:
        if self.run is None:
            return None
        words, ends = words_of(self.replay.trace), (self.run.regret[-1], self.run.rule[-1])
        rows = [taps.listed(self.replay, found) for found in self.run.places]
        return {
            "start": self.run.start,
            "own": list(self.run.regret),
            "rule": list(self.run.rule),
            "name": self.replay.trace.policy.name,
            "title": f"regret: best so far {words.short_of} the {words.top} (log)",
            "texts": ["–" if value is None else taps.plain(value) for value in ends],
            "places": [[list(one) for one in row] for row in rows],
            "most": self.replay.trace.policy.batch_size,
        }


def _button(do: str, label: str, about: Any = None, *, filled: bool = False) -> dict[str, Any]:
    return {"do": do, "label": label, "about": about, "filled": filled}
