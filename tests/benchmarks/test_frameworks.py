"""The command writes the page of the frameworks' own parsers, with whatever frameworks and texts are there."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.event_loops import closed_loop
from tools.benchmarks import accuracy, environment
from tools.benchmarks.accuracy import Group
from tools.benchmarks.conditions import REFUSE
from tools.benchmarks.framework_peers import FRAMEWORKS
from tools.benchmarks.frameworks import main, page
from tools.benchmarks.peers import Peer
from tools.benchmarks.verdict import Refused, Verdict, judge


@pytest.fixture(autouse=True)
def _closed_loop() -> Iterator[None]:
    """pydantic-ai's `run_sync` leaves the loop open that it makes."""
    with closed_loop():
        yield


HERE = [peer for peer in FRAMEWORKS if environment.version(peer)]
HIGH = Group("real outputs, one object, confidence high", (("{}", {}), ("[]", {})))
MEDIUM = Group("real outputs, one object, confidence medium", (("{}", {}),))
CUT = Group("real outputs, cut off", (("{", REFUSE),))


@pytest.mark.parametrize("peer", HERE, ids=lambda peer: peer.name)
def test_each_framework_reads_a_clean_object(peer: Peer) -> None:
    _, value = peer.load().once('{"title": "Phones", "score": 8}', typed=False)

    assert judge(value, {"title": "Phones", "score": 8}) is Verdict.RIGHT


@pytest.mark.parametrize("peer", HERE, ids=lambda peer: peer.name)
def test_each_framework_refuses_what_is_no_json(peer: Peer) -> None:
    _, value = peer.load().once("I cannot do that.", typed=False)

    assert isinstance(value, Refused)


def test_page_adds_the_groups_of_one_object_up() -> None:
    peer = FRAMEWORKS[0]
    counts = {
        (HIGH.name, peer.name): Counter({Verdict.RIGHT: 1, Verdict.WRONG: 1}),
        (MEDIUM.name, peer.name): Counter({Verdict.RIGHT: 1}),
        (CUT.name, peer.name): Counter({Verdict.ACCEPTED: 1}),
    }

    written = page((peer,), (HIGH, MEDIUM, CUT), counts)

    assert "The first 2 columns are of 3 texts with one object." in written
    head = "| framework | right | wrong | cut off: accepted of 1 |\n| --- | ---: | ---: | ---: |\n"
    assert f"{head}| {peer.name} | 2 | 1 | 1 |\n" in written


def test_absent_texts_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(accuracy, "CORPUS", tmp_path / "absent")

    assert main(["--output", str(tmp_path)]) == 1
    assert "the texts are kept beside the project" in capsys.readouterr().err
