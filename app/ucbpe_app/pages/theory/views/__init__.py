"""What the Theory page shows, and the style of its texts."""

from pathlib import Path

TEXTS = (Path(__file__).parents[1] / "page.css").read_text(encoding="utf-8")
