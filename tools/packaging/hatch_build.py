"""What an index shows: the README without relative links, and the project's addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?://)[^)]*\)\n*")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)[^)]*\)")


def on_an_index(text: str) -> str:
    """Without the pictures that stand beside it; of each relative link its words."""
    return _LINK.sub(r"\1", _PICTURE.sub("", text))


def addresses(text: str) -> dict[str, str]:
    """The addresses of ``urls.toml`` that are filled in."""
    return {name: url for name, url in tomllib.loads(text).items() if url}


class IndexHook(MetadataHookInterface):
    """Gives the fields `readme` and `urls`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": on_an_index(text)}
        metadata["urls"] = addresses(
            Path(__file__).with_name("urls.toml").read_text(encoding="utf-8")
        )
