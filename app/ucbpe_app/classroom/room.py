"""A class that plays, as a value: who has joined, what was asked, the answers and the points.

A `Room` changes only by its verbs. Each returns the next room, one version later, or raises
`RoomError`, and then nothing has changed. A room knows neither the time nor who asks: both are
passed. `ucbpe_app.classroom.store` keeps it where every process of a server finds it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Self

from ucbpe_core.errors import InputError

MOST_PHONES, MOST_VOTES = 300, 2
MOST_ANSWERS, WITHIN = 10, 1.0  # of a phone, within so many s
ANIMALS = (
    "badger", "bat", "bear", "beaver", "bee", "camel", "cat", "crab", "crane", "deer", "dolphin",
    "duck", "fox", "frog", "goat", "hare", "heron", "horse", "koala", "lynx", "mole", "newt",
    "otter", "owl", "panda", "robin", "seal", "swan", "tiger", "whale",
)  # fmt: skip
# Words of plain English that are also colours of CSS.
COLOURS = ("teal", "orange", "purple", "green", "red", "blue", "gold", "pink", "brown", "grey")


class RoomError(InputError):
    """What a room refuses: an answer to a round that is closed, a phone too many, and the like."""


@dataclass(frozen=True)
class Phone:
    """One phone of a class.

    Attributes
    ----------
    number
        From 1, in the order in which they joined.
    animal, colour
        What it is called. Both are words, and no two phones of a room share both.
    points
        Won in all rounds that were revealed.
    recent
        Times of its last answers, s: at most `MOST_ANSWERS` lie within one second.
    """

    number: int
    animal: str
    colour: str
    points: int = 0
    recent: tuple[float, ...] = ()

    def answering(self, now: float) -> Phone:
        """The phone with one more answer at `now`."""
        # Also those of the future: the machine's clock may have been set back.
        recent = tuple(time for time in self.recent if abs(now - time) < WITHIN)
        if len(recent) >= MOST_ANSWERS:
            raise RoomError(f"at most {MOST_ANSWERS} answers a second", "more", "wait a moment")
        return replace(self, recent=(*recent, now))


@dataclass(frozen=True)
class Round:
    """One question to the class.

    Attributes
    ----------
    event
        The event asked, as links write it, or the key of a lesson's task or question.
    kind
        "place", "choice" or "set".
    count
        Answers are whole numbers from 0 to below `count`: a candidate, a choice, or a place on
        the scale of what is set.
    run
        Digest of the run.
    asked
        Id of the moment that phones draw.
    votes
        One or two votes, each from a phone's number to its answer. The last one counts.
    stage
        "open", "closed", "revealed", or "cancelled".
    answer
        Id of the moment of the reveal; "" before.
    points
        Of each possible answer, 0 to 100, from the reveal until the next round is asked.
    sentence
        What phones are told of the class, once revealed.
    """

    event: str
    kind: str
    count: int
    run: str
    asked: str
    votes: tuple[Mapping[int, int], ...] = field(default_factory=lambda: ({},))
    stage: str = "open"
    answer: str = ""
    points: tuple[int, ...] = ()
    sentence: str = ""


_NO_ROUND = Round("", "", 0, "", "")


@dataclass(frozen=True)
class Room:
    """A class: its phones by the hash of their keys, and its rounds, the last of which is on.

    `owner` is the hash of the key of who opened it. `version` counts the changes, and `used` is the
    time of the last one, s.
    """

    code: str
    owner: str = ""
    phones: Mapping[str, Phone] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    version: int = 1
    used: float = 0.0

    @property
    def round(self) -> Round | None:
        """The round that is on, or that was revealed last; None while the class waits."""
        last = self.rounds[-1] if self.rounds else None
        return last if last and last.stage != "cancelled" else None

    @property
    def stage(self) -> str:
        """Either "waiting", or that of the round: "open", "closed" or "revealed"."""
        return self.round.stage if self.round else "waiting"

    @property
    def joined(self) -> int:
        """How many phones."""
        return len(self.phones)

    @property
    def answered(self) -> int:
        """How many of them have answered in the vote that is on."""
        return len((self.round or _NO_ROUND).votes[-1])

    def join(self, key: str, now: float) -> Self:
        """With the phone of this key; the same room if it is there already."""
        if hashed(key) in self.phones:
            return self
        if not 16 <= len(key) <= 64:
            wanted = "a key of 16 to 64 letters"
            raise RoomError(wanted, str(len(key)), "open the page of the class again")
        if self.joined >= MOST_PHONES:
            raise RoomError(f"at most {MOST_PHONES} phones in a class", "one more", "share a phone")
        turn, animal = divmod(self.joined, len(ANIMALS))
        colour = COLOURS[(turn + animal) % len(COLOURS)]
        phone = Phone(self.joined + 1, ANIMALS[animal], colour)
        return self._next(now, phones={**self.phones, hashed(key): phone})

    def ask(self, asked: Round, now: float) -> Self:
        """With this round open. One that is not yet revealed is cancelled."""
        rounds = self.cancel(now).rounds if self.stage in ("open", "closed") else self.rounds
        # Nobody needs the points of single answers any more: a map has 10,201.
        before = tuple(replace(one, points=()) for one in rounds)
        return self._next(now, rounds=(*before, asked))

    def answer(self, key: str, number: int, vote: int, value: int, now: float) -> Self:
        """With a phone's answer, in place of its last one in this vote of this round.

        Parameters
        ----------
        number, vote
            Of the round and the vote that the phone shows, both from 1.
        value
            From 0 to below the round's count.
        """
        phone, asked = self._phone(key), self.round or _NO_ROUND
        is_shown = (number, vote) == (len(self.rounds), len(asked.votes))
        if self.stage != "open" or not is_shown:
            raise RoomError("a round that is open", "one that is not", "wait for the next one")
        if not 0 <= value < asked.count:
            wanted = f"an answer from 0 to {asked.count - 1}"
            raise RoomError(wanted, str(value), "choose one of those shown")
        last = asked.votes[-1]
        if last.get(phone.number) == value:
            return self
        votes = (*asked.votes[:-1], {**last, phone.number: value})
        phones = {**self.phones, hashed(key): phone.answering(now)}
        return self._with(now, phones=phones, votes=votes)

    def close(self, now: float) -> Self:
        """With the round closed: no more answers."""
        self._in("open")
        return self._with(now, stage="closed")

    def vote_again(self, now: float) -> Self:
        """With the round open for a second vote, in which everybody answers anew."""
        asked = self._in("closed")
        if len(asked.votes) >= MOST_VOTES:
            raise RoomError(f"at most {MOST_VOTES} votes", "one more", "reveal the answer")
        return self._with(now, stage="open", votes=(*asked.votes, {}))

    def reveal(self, moment: str, points: tuple[int, ...], sentence: str, now: float) -> Self:
        """With the answer shown, and the points of each possible answer added to those who gave it.

        Parameters
        ----------
        moment
            Id of what phones draw then.
        points
            One for each possible answer, 0 to 100.
        sentence
            What phones are told of the class.
        """
        last = self._in("closed").votes[-1]
        won = {number: points[value] for number, value in last.items()}
        phones = {
            key: replace(phone, points=phone.points + won.get(phone.number, 0))
            for key, phone in self.phones.items()
        }
        return self._with(
            now, phones=phones, stage="revealed", answer=moment, points=points, sentence=sentence
        )

    def cancel(self, now: float) -> Self:
        """Without the round that is open or closed. Its number is not given again."""
        self._in("open", "closed")
        return self._with(now, stage="cancelled", votes=({},))

    def view(self, key: str) -> dict[str, Any]:
        """What the phone of this key is shown, as JSON; nothing of a reveal before it."""
        phone, asked = self._phone(key), self.round or _NO_ROUND
        yours = asked.votes[-1].get(phone.number)
        return {
            "version": self.version,
            "stage": self.stage,
            "round": len(self.rounds) if self.round else 0,
            "vote": len(asked.votes),
            "kind": asked.kind,
            "count": asked.count,
            "moment": asked.answer or asked.asked,
            "joined": self.joined,
            "answered": self.answered,
            "yours": yours,
            "points": phone.points,
            "won": asked.points[yours] if asked.points and yours is not None else None,
            "sentence": asked.sentence,
            "phone": {"number": phone.number, "animal": phone.animal, "colour": phone.colour},
        }

    def board(self, n: int = 5) -> tuple[Phone, ...]:
        """The best `n` phones by points; of equal ones, those who joined first."""
        ranked = sorted(self.phones.values(), key=lambda phone: (-phone.points, phone.number))
        return tuple(ranked[:n])

    def to_json(self) -> str:
        """All of it, for `from_json`."""
        return json.dumps(vars(self), default=vars, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The room that `to_json` has written."""
        from cattrs import structure  # makes what reads these classes, once

        return structure(json.loads(text), cls)

    def _phone(self, key: str) -> Phone:
        phone = self.phones.get(hashed(key))
        if phone is None:
            raise RoomError("a phone of this class", "another", "join the class")
        return phone

    def _in(self, *stages: str) -> Round:
        """The round that is on, in one of these stages."""
        if self.round is None or self.stage not in stages:
            wanted = f"a round that is {' or '.join(stages)}"
            raise RoomError(wanted, f"a class that is {self.stage}", "look where the class is")
        return self.round

    def _next(self, now: float, **changes: Any) -> Self:
        return replace(self, version=self.version + 1, used=now, **changes)

    def _with(self, now: float, phones: Mapping[str, Phone] | None = None, **changes: Any) -> Self:
        """With changes of the last round."""
        rounds = (*self.rounds[:-1], replace(self.rounds[-1], **changes))
        return self._next(now, rounds=rounds, phones=self.phones if phones is None else phones)


def hashed(key: str) -> str:
    """What is kept of a key: whoever reads the file cannot answer or open a class with it."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
