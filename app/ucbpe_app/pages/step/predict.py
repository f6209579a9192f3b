"""Predict, then reveal, on the Step page: guesses by pointing at a candidate, and their score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_app.components.predict import PredictBar
from ucbpe_app.pages.step.guess import Game, prompt, standing, verdict

if TYPE_CHECKING:
    from ucbpe_app.pages.layers import LayerChoice
    from ucbpe_app.pages.session import Session
    from ucbpe_app.run_view import RunView


class Predict:
    """The game, played while its layer is chosen; `bar` is to be laid out."""

    def __init__(self, session: Session, stage: RunView, layers: LayerChoice) -> None:
        self._session, self._stage, self._layers = session, stage, layers
        self.game = Game()
        self.bar = PredictBar(self._do, visible=False)
        stage.readout.param.watch(self._guess, "held")
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
            self._stage.readout.release()
            self._update_text()
        self.bar.visible = self._on

    def update(self) -> None:
        """Take note of the event on screen."""
        if self._on:
            self.game.move(self._session.replay, self._session.index)
            if self.game.outcome is None:  # else the mark of the guess stays, beside the pick
                self._stage.readout.release()
            self._update_text()

    def _guess(self, *_: Any) -> None:
        if self._on:
            self.game.set_guess(self._stage.readout.held)
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
