"""The README as a package index shows it, where a relative link would lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?://)[^)]*\)\n*")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)[^)]*\)")


def on_an_index(text: str) -> str:
    """Without the pictures that stand beside it; of each relative link its words."""
    return _LINK.sub(r"\1", _PICTURE.sub("", text))


class ReadmeHook(MetadataHookInterface):
    """Gives the field `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": on_an_index(text)}
