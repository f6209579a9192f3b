"""Security headers of every response."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from tornado.web import OutputTransform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tornado.httputil import HTTPHeaders, HTTPServerRequest
    from tornado.web import Application

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# Panel's components are modules that the page makes itself (blob:), with styles in shadow roots.
# Bokeh compiles its callbacks by eval, which only a script that is let in can call.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-eval' blob: {scripts}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob: {sockets}",
        "worker-src 'self' blob:",
        "frame-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
        "frame-ancestors {frames}",
    )
)
_SCRIPT = re.compile(rb"<script(?=[\s>])", re.IGNORECASE)


def protect(application: Application, frames: Iterable[str] = ()) -> None:
    """Have every answer of a server, not yet started, sent with these headers.

    Parameters
    ----------
    application
        Of the server.
    frames
        Origins, as ``https://course.example.org``, besides its own whose pages may frame it.
    """
    ancestors = " ".join(("'self'", *frames))

    class Transform(_Headers):
        allowed = ancestors

    application.add_transform(Transform)


class _Headers(OutputTransform):
    allowed = "'self'"

    def __init__(self, request: HTTPServerRequest) -> None:
        self._host = request.host

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        for name, value in _ALWAYS.items():
            headers[name] = value
        scripts = ""
        if headers.get("Content-Type", "").startswith("text/html"):
            # A page's own scripts have a nonce that no other script can know.
            nonce = secrets.token_urlsafe(16)
            scripts = f"'nonce-{nonce}'"
            chunk = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode("ascii"), chunk)
            if "Content-Length" in headers:
                headers["Content-Length"] = str(len(chunk))
        headers["Content-Security-Policy"] = _POLICY.format(
            scripts=scripts,
            sockets=f"ws://{self._host} wss://{self._host}",
            frames=self.allowed,
        )
        return status_code, headers, chunk
