"""The contents of the report: every section is named, can be reached, and nothing else is linked to."""

import re
from collections import Counter

import pytest

from examples.committee.reports.html_report import html_report
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("down", [(), ("裁决",), ("技术分析师", "多头辩护人"), ("冲突消解",)])
async def test_contents_name_the_sections_of_the_page_in_their_order(down: tuple[str, ...]) -> None:
    document = html_report(DOSSIER, await sat(**dict.fromkeys(down, DOWN)))
    contents = re.findall(r'<li><a href="#([\w-]+)">(.+?)</a></li>', document.split("</nav>")[0])
    assert contents == re.findall(r'<section[^>]* id="([\w-]+)">\s*<h2>(.+?)</h2>', document)
    assert len(contents) > 4


async def test_every_link_leads_to_one_place_of_the_page() -> None:
    document = html_report(DOSSIER, await sat())
    places = Counter(re.findall(r' id="([^"]*)"', document))
    assert set(places.values()) == {1}
    links = re.findall(r' href="([^"]*)"', document)
    assert links
    assert {link for link in links if link[0] != "#" or link[1:] not in places} == set()
