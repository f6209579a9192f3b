"""Links between pages: they name a page, take the run along, and put nothing of it into HTML."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from ucbpe_app.widgets.address import Navigation

_LABELS = {"step": "Step", "race": "Race", "problem": "Your problem"}


def links(navigation: Navigation) -> dict[str, str]:
    found = re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', navigation.panel.object)
    return {unescape(label): unescape(address) for address, label in found}


def test_each_page_by_its_name_and_the_first_without() -> None:
    navigation = Navigation(_LABELS, "race")
    assert links(navigation) == {"Step": "?", "Race": "?page=race", "Your problem": "?page=problem"}
    assert re.findall(r'<a href="([^"]*)" aria-current="page">', navigation.panel.object) == [
        "?page=race"
    ]


def test_the_run_goes_along_and_another_page_does_not() -> None:
    navigation = Navigation(_LABELS, "step", "?page=race&K=3&event=2.posterior")
    for label, address in links(navigation).items():
        fields = dict(parse_qsl(urlsplit(address).query))
        assert (fields["K"], fields["event"]) == ("3", "2.posterior")
        assert fields.get("page") == {"Race": "race", "Your problem": "problem"}.get(label)
    navigation.update("K=4")
    assert links(navigation)["Step"] == "?K=4"


def test_a_query_cannot_write_html() -> None:
    navigation = Navigation(_LABELS, "step", 'K="><script>alert(1)</script>')
    assert "<script" not in navigation.panel.object
    assert dict(parse_qsl(urlsplit(links(navigation)["Step"]).query))["K"].startswith('"><script>')
