"""Behind a Jupyter server, as on JupyterHub: one who is let in steps, nobody else sees it."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab, running
from ucbpe_app.server import jupyter

pytest.importorskip("jupyter_server_proxy")
_START = 60_000  # ms, of the dashboard, once it is asked for


@pytest.mark.slow
def test_who_has_the_token_steps_and_nobody_else(page: Page, tmp_path: Path) -> None:
    assert Version(version("jupyter-server-proxy")) >= Version("4.4")
    # As the entry point has it, which an editable install of before does not know.
    (tmp_path / "jupyter_server_config.json").write_text(
        json.dumps({"ServerProxy": {"servers": {jupyter.NAME: jupyter.server()}}}),
        encoding="utf-8",
    )
    folders = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {name: str(tmp_path) for name in folders}
    options = ("--no-browser", "--allow-root", "--IdentityProvider.token=secret")
    base, log = "/user/ada/", tmp_path / "log.txt"
    options = (*options, f"--ServerApp.base_url={base}")
    program = ("jupyter_server",)
    with running(log, *options, program=program, environment=environment, path=base) as server:
        address = f"{server.url}{jupyter.NAME}/"
        page.goto(address)
        assert "/login" in page.url
        lab = Lab(page, server.url)
        page.goto(f"{address}?token=secret&preset=start", timeout=_START)
        lab.wait()
        status = page.get_by_role("status").filter(has_text="Batch")
        before = status.inner_text()
        page.keyboard.press("ArrowRight")
        expect(status).not_to_have_text(before)
        assert lab.errors == []
