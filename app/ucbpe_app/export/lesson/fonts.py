"""The dashboard's typeface as style rules that ask for nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import panel_material_ui

_DIST = Path(panel_material_ui.__file__).parent / "dist"
_SHEET = _DIST / "panel-material-ui.bundle.css"
_FACE = re.compile(r"@font-face\{[^}]*?url\(\"\./(?P<file>roboto-[^\"]+\.woff2)\"\)[^}]*\}")
_SOURCE = re.compile(r"src:[^;}]*")
_LICENSE = Path(__file__).with_name("roboto-license.txt")
_ALPHABETS = ("latin", "greek", "math", "symbols")  # all that the pages are written in


def font_faces() -> str:
    """Rules for Roboto, normal and bold, with the fonts in them; empty if the package has none.

    Without them the browser takes its own sans serif, and all is still readable. The license of
    the fonts asks for its text in each copy: it stands before them, as a comment.
    """
    if not _SHEET.is_file():
        return ""
    faces = _FACE.finditer(_SHEET.read_text(encoding="utf-8"))
    used = [_inlined(face[0], face["file"]) for face in faces if _is_used(face["file"])]
    license_text = _LICENSE.read_text(encoding="utf-8")
    return "".join([f"/*!\n{license_text}*/\n", *used]) if used else ""


def _is_used(file: str) -> bool:
    # -400- follows the alphabet at once: "latin-ext-400" is another one.
    used = any(file.startswith(f"roboto-{name}-{weight}-") for name in _ALPHABETS
               for weight in (400, 700))  # fmt: skip
    return used and (_DIST / file).is_file()


def _inlined(face: str, file: str) -> str:
    font = b64encode((_DIST / file).read_bytes()).decode("ascii")
    source = f'src:url("data:font/woff2;base64,{font}") format("woff2")'
    return _SOURCE.sub(lambda _: source, face) + "\n"
