"""What `panel serve app` runs before it listens, so that it is protected like `ucbpe app`."""

from __future__ import annotations

from ucbpe_app.server.downloads import decide_on_downloads
from ucbpe_app.server.gate import guard_every_server

decide_on_downloads()
guard_every_server()
