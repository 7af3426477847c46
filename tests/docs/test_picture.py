"""The picture of the pipeline shows the stages there are."""

from xml.etree import ElementTree as ET

from src.shared.infrastructure.parsing.inspection import STAGES
from tests.docs.markdown import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def test_picture_shows_the_stages_in_the_order_of_the_pipeline() -> None:
    picture = ET.parse(ROOT / "docs/pipeline.svg")  # noqa: S314 - our own file
    drawn = [
        (group.get("id"), group.findtext(f"{SVG}text[@class='name']"))
        for group in picture.iterfind(f".//{SVG}g[@class='stage']")
    ]
    assert drawn == [(stage.__name__, stage.__name__) for stage in STAGES]
