"""The picture of the modules: drawn from the imports, and as it is in docs/."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tools.imports import imports, module_name, sources
from tools.structure import PICTURE, direct, graph, picture, rows_of


def test_the_picture_in_docs_is_the_one_of_these_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), (
        "expected docs/structure.svg as the imports are; run `python -m tools.structure`"
    )


def test_it_is_svg_with_a_name_in_each_box() -> None:
    root = ET.fromstring(picture())
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"posterior", "run", "figures", "pages.step", "pages.race"} <= texts


@pytest.mark.parametrize("package", ["ucbpe_core", "ucbpe_app"])
def test_every_box_is_below_what_it_imports(package: str) -> None:
    needs = graph(package)
    level = {box: number for number, row in enumerate(rows_of(needs)) for box in row}
    assert level.keys() == needs.keys()
    assert all(level[one] < level[box] for box in needs for one in needs[box])


def test_what_others_imply_is_left_out() -> None:
    needs = {"a": set[str](), "b": {"a"}, "c": {"a", "b"}}
    assert direct(needs) == [("b", "a"), ("c", "b")]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="without a circle"):
        rows_of({"a": {"b"}, "b": {"a"}})


def test_an_import_is_read_with_its_module() -> None:
    path = next(path for path in sources("ucbpe_core") if path.name == "posterior.py")
    assert module_name(path) == "ucbpe_core.posterior"
    assert "ucbpe_core.gp" in {target for target, _ in imports(path)}
