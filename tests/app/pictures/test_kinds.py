"""What is the same in all pictures of a kind: a file that is reviewed as pictures are."""

from __future__ import annotations

import pkgutil
from dataclasses import fields
from importlib import import_module

import pytest

from tests.app.pictures import golden
from ucbpe_app import pictures
from ucbpe_app.lessons import find
from ucbpe_app.pictures.picture import Kind, PlotKind, Request
from ucbpe_app.pictures.plane import PLANE, SMALL_PLANE
from ucbpe_app.render.view import main_kind
from ucbpe_app.run import events
from ucbpe_app.run.cache import load
from ucbpe_app.run.screen import Layers


def kinds() -> dict[str, Kind]:
    """Those of all modules, by their names in the code."""
    names = pkgutil.iter_modules(pictures.__path__, f"{pictures.__name__}.")
    parts = (vars(import_module(one.name)).items() for one in names)
    return {name: one for all_ in parts for name, one in all_ if isinstance(one, Kind)}


def told(name: str, plot: PlotKind) -> str:
    """What a plot has otherwise than others, a line."""
    usual = {one.name: one.default for one in fields(PlotKind)}
    own = {one: value for one, value in vars(plot).items() if value != usual[one]}
    rest = ", ".join(
        f"{one} {sorted(value) if isinstance(value, frozenset) else value}"
        for one, value in own.items()
    )
    return f"  {name}: {rest}"


def test_golden() -> None:
    lines = [repr(PlotKind(name="", roles=()))]
    for name, kind in sorted(kinds().items()):
        lines += ["", f"{name}: {kind.name}, shared {sorted(kind.shared)}"]
        lines += [told(plot, one) for plot, one in kind.plots.items()]
    golden.compare("kinds", "\n".join(lines) + "\n")


@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_no_text_tells_a_regret_while_f_is_secret(slug: str) -> None:
    lesson = find(slug)
    assert lesson is not None
    replay = load(lesson.spec())
    index = next(i for i, event in enumerate(replay.events) if event.kind is events.Kind.OBSERVE)
    for kind in (main_kind(replay.scene), PLANE, SMALL_PLANE):
        for secret in (False, True):
            request = Request(layers=Layers(truth=not secret, secret=secret))
            text = kind.draw(replay.scene, replay.frame(index), request).text
            assert ("regret" in text) is not secret, kind.name
