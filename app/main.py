"""What `panel serve app` runs: one page of the laboratory for each visitor."""

from __future__ import annotations

from ucbpe_app.main import serve_page

serve_page()
