"""The picture of the modules: drawn from the imports, and as it is in docs/."""

from __future__ import annotations

import pytest

from tools.structure import PICTURE, direct, picture, rows_of


def test_the_picture_in_docs_is_the_one_of_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), (
        "expected docs/structure.svg as the imports are; run `python -m tools.structure`"
    )


def test_what_others_imply_is_left_out() -> None:
    needs = {"a": set[str](), "b": {"a"}, "c": {"a", "b"}}
    assert direct(needs) == [("b", "a"), ("c", "b")]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="without a circle"):
        rows_of({"a": {"b"}, "b": {"a"}})
