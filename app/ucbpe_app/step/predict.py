"""Predict, then reveal: a guess of the next pick, and how it compares with the rule's.

A guess is judged by the criterion of the rule. The score lasts as long as the game.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ucbpe_app.run.criterion import Criterion, criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import pick_label, place, role_name
from ucbpe_app.run.sentences.texts import percent
from ucbpe_app.run.sentences.texts import rule as rule_text
from ucbpe_app.widgets.bar_buttons import PredictBar

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.widgets.link_bar import LayerChoice
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session


@dataclass(frozen=True, eq=False)
class Outcome:
    """A guess beside the pick.

    Attributes
    ----------
    guess, pick : the two candidates
    criterion : what the pick maximised
    counted : whether it counts; not if the pick had been on screen before
    exact : whether it is as good as the pick: the same candidate, or a tie
    share : how far up from the least to the greatest value, 0 to 1; None without values
    """

    guess: int
    pick: int
    criterion: Criterion = field(repr=False)
    counted: bool

    @property
    def exact(self) -> bool:
        rank = self.criterion.rank(self.guess)
        return self.guess == self.pick or (rank is not None and rank[0] == 1)

    @property
    def share(self) -> float | None:
        return self.criterion.share(self.guess)


@dataclass(frozen=True)
class Score:
    """Guesses so far, how many were exact, and the sum of the shares of those that have one."""

    guesses: int = 0
    exact: int = 0
    valued: int = 0
    shares: float = 0.0

    def plus(self, outcome: Outcome) -> Score:
        """The score with one more guess."""
        fraction = outcome.share
        return Score(
            self.guesses + 1,
            self.exact + outcome.exact,
            self.valued + (fraction is not None),
            self.shares + (fraction or 0.0),
        )


class Game:
    """One person's guesses.

    Attributes
    ----------
    guess : the candidate guessed for the next pick, or None
    outcome : of the guess revealed last, as long as its pick is on screen
    score : of all that count
    """

    def __init__(self) -> None:
        self.guess: int | None = None
        self.outcome: Outcome | None = None
        self.score = Score()
        self._place: tuple[Replay, int] | None = None
        self._seen: dict[str, int] = {}  # the last event seen of each run, by its digest

    def target(self) -> Event | None:
        """The pick to guess: the next event, if it is one."""
        if self._place is None:
            return None
        replay, index = self._place
        following = replay.events[index + 1 : index + 2]
        return following[0] if following and following[0].kind is Kind.PICK else None

    def move(self, replay: Replay, index: int) -> None:
        """Take note of the event on screen; elsewhere than before, a guess is taken back."""
        if self._place == (replay, index):
            return
        self._place = (replay, index)
        self.guess = self.outcome = None
        self._see()

    def set_guess(self, candidate: int | None) -> None:
        """Guess a candidate, or none after all."""
        self.guess = candidate if self.target() is not None else None

    def reveal(self) -> Outcome | None:
        """Go to the pick and judge the guess; None if there is none."""
        if self.guess is None or self._place is None or self.target() is None:
            return None
        replay, index = self._place[0], self._place[1] + 1
        rule = criterion(replay, replay.frame(index))
        assert rule is not None, "a pick has a criterion"
        decision = replay.trace.decisions[replay.events[index].t - 1]
        new = index > self._seen[replay.trace.digest]
        outcome = Outcome(self.guess, int(decision.indices[rule.k]), rule, new)
        self.move(replay, index)
        self.outcome = outcome
        if outcome.counted:
            self.score = self.score.plus(outcome)
        return outcome

    def reset(self) -> None:
        """Start again at the event on screen: what was seen before is forgotten."""
        self.score, self._seen = Score(), {}
        if self._place is not None:
            self._see()

    def _see(self) -> None:
        assert self._place is not None
        replay, index = self._place
        digest = replay.trace.digest
        self._seen[digest] = max(index, self._seen.get(digest, -1))


def prompt(replay: Replay, target: Event | None, guess: int | None) -> str:
    """What to do: guess, reveal, or go on."""
    if target is None:
        return "The next event is not a pick: continue with Next."
    decision = replay.trace.decisions[target.t - 1]
    label, role = pick_label(target.k), decision.roles[target.k]
    if guess is None:
        rule = rule_text(replay.trace, role)
        return (
            f"Where is {label}, the next {role_name(role)}? Its rule: {rule}. "
            "Click a candidate, or enter its number."
        )
    where = place(replay.trace.problem.candidates, guess)
    return f"Your guess for {label}: {where}."


def verdict(replay: Replay, outcome: Outcome) -> str:
    """The guess and the pick by the criterion, in words."""
    rule = outcome.criterion
    X, label = replay.trace.problem.candidates, pick_label(rule.k)
    rank = rule.rank(outcome.guess)
    where = f"{label} is at {place(X, outcome.pick)}"
    if rule.values is None:
        hit = "You guessed it." if outcome.exact else f"You guessed {_place(replay, outcome)}."
        return f"{where}. {hit} The rule uses {rule.name}: candidates have no value to compare."
    yours, best = (rule.in_words(v) for v in (float(rule.values[outcome.guess]), rule.largest))
    extreme = f"the {rule.extreme}"
    if outcome.exact:
        return f"Exact: {where}, {rule.name} {best}, {extreme}{rule.where}."
    if rank is None:
        return (
            f"Your point is not{rule.where}, and the rule looks nowhere else "
            f"({rule.name} {yours}). "
            f"{where}: {best}, {extreme}{rule.where}."
        )
    return (
        f"Your point: {rule.name} {yours}{rule.where}, rank {rank[0]} of {rank[1]}. "
        f"The pick: {best}, {extreme}; {where}."
    )


def standing(score: Score) -> str:
    """The score in words; nothing before the first guess."""
    if not score.guesses:
        return "No score yet. f is hidden for now."
    exact = f"{score.exact} of {score.guesses} exact"
    if not score.valued:
        return f"{exact}."
    return f"{exact}, {percent(score.shares / score.valued)} of the way to the maximum on average."


def _place(replay: Replay, outcome: Outcome) -> str:
    return place(replay.trace.problem.candidates, outcome.guess)


class Predict:
    """The game, played while its layer is chosen; `bar` is to be laid out."""

    def __init__(self, session: Session, view: RunView, layers: LayerChoice) -> None:
        self._session, self._view, self._layers = session, view, layers
        self.game = Game()
        self.bar = PredictBar(self._do, visible=False)
        view.readout.param.watch(self._guess, "pinned_candidate")
        self.switch()

    @property
    def _on(self) -> bool:
        return self._layers.layers.predict

    def switch(self) -> None:
        """Begin when the layer is chosen: picks seen before then count."""
        if self.bar.visible == self._on:
            return
        if self._on:
            self.game.move(self._session.replay, self._session.index)
            self.game.reset()
            self._view.readout.release()
            self._update_text()
        self.bar.visible = self._on

    def update(self) -> None:
        """Take note of the event on screen."""
        if self._on:
            self.game.move(self._session.replay, self._session.index)
            if self.game.outcome is None:  # else the mark of the guess stays, beside the pick
                self._view.readout.release()
            self._update_text()

    def _guess(self, *_: Any) -> None:
        if self._on:
            self.game.set_guess(self._view.readout.pinned_candidate)
            self._update_text()

    def _do(self, what: str) -> None:
        if what == "reset":
            self.game.reset()
        elif self.game.reveal() is not None:
            self._session.go(self._session.index + 1)
        self._update_text()

    def _update_text(self) -> None:
        game, replay = self.game, self._session.replay
        self.bar.param.update(
            prompt=prompt(replay, game.target(), game.guess),
            verdict="" if game.outcome is None else verdict(replay, game.outcome),
            score=standing(game.score),
            ready=game.guess is not None,
        )
