"""What the search of the site looks through: the texts of its pages, as a script.

A page that is opened from a disk may not fetch others, so the texts are in `search-texts.js`, which
the search page loads; `static/search.js` finds their sections and ranks them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_APART = ("gallery", "runs", "_modules", "_static", "search.html", "genindex.html")
_ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
# Only headings, and what has a name that links use, are kept of the tags.
_LEFT_OUT = re.compile(
    r"""<(script|style|svg|iframe)\b.*?</\1> | <a\ class="headerlink".*?</a>
    | <(?!/?(?:section|h[1-4]|dt)\b|span\ id|/span)[^>]*>""",
    re.DOTALL | re.VERBOSE,
)


def write(folder: Path) -> None:
    """Write the script that the search page of a built site loads."""
    texts = {}
    for path in sorted(folder.rglob("*.html")):
        place = path.relative_to(folder)
        article = _ARTICLE.search(path.read_text(encoding="utf-8"))
        if article and place.parts[0] not in _APART:
            text = " ".join(_LEFT_OUT.sub(" ", article[0]).split())
            texts[place.as_posix()] = re.sub(r" ([.,;:)])", r"\1", text)
    script = folder / "_static" / "search-texts.js"
    made = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    script.write_text(f"window.searchTexts = {made}\n", encoding="utf-8")
