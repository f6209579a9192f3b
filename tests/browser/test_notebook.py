"""The picture that a saved notebook keeps: seen without scripts, and gone where the stepper is."""

from __future__ import annotations

import re

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from ucbpe_app import stepper
from ucbpe_core import GPUCBPE, problems, simulate


def test_the_picture_gives_way_to_the_stepper(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pn.extension, "_loaded", True)
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=2), batches=1, initial=3, seed=0)
    shown = stepper(trace, 2)
    saved = shown._repr_mimebundle_()[0]["text/html"]
    # As on a site that runs no script of a notebook.
    page.set_content(f"<main>{re.sub(r'<script.*?</script>', '', saved, flags=re.DOTALL)}</main>")
    picture = page.get_by_role("img", name=shown.frame.status)
    expect(picture).to_be_visible()
    assert page.evaluate("document.images[0].naturalWidth") > 900
    page.evaluate("document.querySelector('[data-root-id]').append(document.createElement('p'))")
    expect(picture).to_be_hidden()
