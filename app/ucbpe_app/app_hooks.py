"""What `panel serve app` runs before it listens, so that it is protected like `ucbpe app`."""

from __future__ import annotations

from ucbpe_app.server.gate import guard_every_server

guard_every_server()
