"""The numbers in the texts are those of their sources; a wrong one, or a missing one, is found."""

from __future__ import annotations

import pytest

from tools import facts


def test_the_texts_do_not_contradict_their_sources() -> None:
    assert facts.contradictions() == []


def test_a_wrong_number_and_a_missing_sentence_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """On any page, and a page that no longer says what it has to say."""
    read = facts.texts()
    read["docs/errata.md"] += " It needs Python 3.4 or newer. "
    read["docs/index.md"] = read["docs/index.md"].replace("20 other policies", "other policies")
    monkeypatch.setattr(facts, "texts", lambda: read)
    wrong, missing = facts.contradictions()
    assert wrong.startswith("docs/errata.md: 'Python 3.4 or newer' should say 3.1")
    assert missing.startswith("docs/index.md says nothing like")
