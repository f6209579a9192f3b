"""Several processes behind one port: a websocket may reach another worker than its page did."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Lab, running

VISITS = 6  # with two workers, all but one run in 64 has a visit that changes workers


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server") / "log.txt", "--num-procs", "2") as server:
        yield server


@pytest.mark.slow
def test_every_visit_is_drawn_and_stays_on_this_host(browser: Browser, two_workers):
    for _ in range(VISITS):
        with browser.new_page() as page:
            lab = Lab(page, two_workers.url)
            lab.open()
            page.wait_for_load_state("networkidle")  # style sheets come after the drawing
        assert not lab.errors
        assert not lab.requests_that_left()
