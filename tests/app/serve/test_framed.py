"""What a notebook's cell says of the dashboard that its kernel starts.

In JupyterLab it is opened by tests/browser/test_jupyter.py.
"""

from __future__ import annotations

import multiprocessing

import pytest

from ucbpe_app.html import escape
from ucbpe_app.main import page
from ucbpe_app.serve import framed
from ucbpe_app.serve.serve import CannotListenError
from ucbpe_core.support.optional import install


def test_a_dashboard_that_does_not_start_is_an_error_and_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(framed, "_START_SECONDS", 0)
    before = set(multiprocessing.active_children())
    with pytest.raises(CannotListenError, match=r"got no answer; .*`ucbpe app` in a terminal"):
        framed.framed(page)
    for process in set(multiprocessing.active_children()) - before:
        process.join(60)
        assert process.exitcode is not None


def test_a_cell_says_what_to_do_where_the_frame_stays_empty() -> None:
    shown = framed.Framed("http://127.0.0.1:5006")
    assert shown.servable() is shown
    cell = shown._repr_html_()
    assert cell.count("http://127.0.0.1:5006") == 3
    assert f"<code>{escape(install('jupyterhub'))}</code>" in cell
