"""The package by the rules of SCORM 1.2, as far as they can be checked without its schemas."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest

from ucbpe_app.export.site.package import MANIFEST, Activity, package

CP = "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}"
ADL = "{http://www.adlnet.org/xsd/adlcp_rootv1p2}"
NAME = re.compile(r"[A-Za-z_][\w.-]*")  # of XML, without colons, as xs:ID has it
ACTIVITIES = (
    Activity("start", 'One & "two" < 3', {"lessons/start.html": b"a"}, graded=True),
    Activity("3-more", "Zweite Übung", {"lessons/3-more.html": b"b", "x.png": b"c"}, graded=False),
)
# What may stand below an element, in order: IMS Content Packaging 1.1.2, as SCORM 1.2 uses it.
CHILDREN = {
    "manifest": ("metadata", "organizations", "resources"),
    "metadata": ("schema", "schemaversion"),
    "organizations": ("organization",),
    "organization": ("title", "item"),
    "item": ("title", "item"),
    "resources": ("resource",),
    "resource": ("file",),
    "schema": (), "schemaversion": (), "title": (), "file": (),
}  # fmt: skip
ATTRIBUTES = {
    "manifest": {"identifier", "version"},
    "organizations": {"default"},
    "organization": {"identifier"},
    "item": {"identifier", "identifierref"},
    "resource": {"identifier", "type", "href", f"{ADL}scormtype"},
    "file": {"href"},
}


@pytest.fixture(scope="module")
def archive() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(package(ACTIVITIES, "Lessons")))


@pytest.fixture(scope="module")
def root(archive: zipfile.ZipFile) -> ElementTree.Element:
    return ElementTree.fromstring(archive.read(MANIFEST))


def test_each_element_stands_where_it_may(root: ElementTree.Element) -> None:
    assert root.tag == f"{CP}manifest"
    for element in root.iter():
        name = element.tag.removeprefix(CP)
        order = [CHILDREN[name].index(child.tag.removeprefix(CP)) for child in element]
        assert order == sorted(order), name
        assert set(element.attrib) == ATTRIBUTES.get(name, set()), name
    (schema,), (version,) = root.iter(f"{CP}schema"), root.iter(f"{CP}schemaversion")
    assert (schema.text, version.text) == ("ADL SCORM", "1.2")


def test_identifiers_are_names_and_each_is_one_thing_s(root: ElementTree.Element) -> None:
    names = [one.attrib["identifier"] for one in root.iter() if "identifier" in one.attrib]
    assert len(names) == len(set(names)) == 2 + 2 * len(ACTIVITIES)
    assert all(NAME.fullmatch(name) for name in names)


def test_what_is_referred_to_is_there(root: ElementTree.Element, archive: zipfile.ZipFile) -> None:
    (organizations,) = root.iter(f"{CP}organizations")
    (organization,) = root.iter(f"{CP}organization")
    assert organizations.attrib["default"] == organization.attrib["identifier"]
    resources = {one.attrib["identifier"]: one for one in root.iter(f"{CP}resource")}
    items = list(root.iter(f"{CP}item"))
    assert [one.attrib["identifierref"] for one in items] == list(resources)
    assert [one.findtext(f"{CP}title") for one in items] == [one.title for one in ACTIVITIES]
    listed = [one.attrib["href"] for one in root.iter(f"{CP}file")]
    assert sorted([*listed, MANIFEST]) == sorted(archive.namelist())
    for resource in resources.values():
        files = [one.attrib["href"] for one in resource]
        assert resource.attrib["href"] == files[0]
        assert resource.attrib["type"] == "webcontent"
        assert not any(name.startswith("/") or ".." in name for name in files)


def test_only_what_talks_to_the_course_system_is_a_sco(root: ElementTree.Element) -> None:
    kinds = [one.attrib[f"{ADL}scormtype"] for one in root.iter(f"{CP}resource")]
    assert kinds == ["sco", "asset"]
