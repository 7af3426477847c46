"""The catalogue of damages: each kind does what its name says, to a text of its own."""

import json
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tools.attack.damaged import damaged_pieces, damaged_text, two_kinds
from tools.attack.damages import BY_NAME, KINDS
from tools.attack.damages.places import Damage, containers
from tools.attack.documents import any_document
from tools.attack.pieces import COMPACT, INDENTED, LAYOUTS, SPACED, Layout, Pieces, Role, any_layout, join, write

WRITTEN = tomllib.loads(Path(__file__).with_name("written.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", WRITTEN["damages"], ids=lambda row: row["kind"])
def test_a_kind_does_what_its_name_says(row: dict[str, str]) -> None:
    changed = BY_NAME[row["kind"]].change(Random(1), write(json.loads(row["document"])))
    assert changed is not None
    assert join(changed) == row["text"]


@pytest.mark.parametrize("row", WRITTEN["forms"], ids=lambda row: row["kind"])
def test_a_kind_with_several_forms_takes_each_of_them(row: dict[str, Any]) -> None:
    kind, document = BY_NAME[row["kind"]], write(json.loads(row["document"]))
    changed = [kind.change(Random(seed), document) for seed in range(60)]
    assert set(row["texts"]) <= {join(pieces) for pieces in changed if pieces is not None}


def test_there_are_at_least_sixty_kinds_each_with_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(KINDS) >= 60


@pytest.fixture(scope="module")
def originals() -> list[Pieces]:
    """Undamaged documents, enough for every kind to find a place in some."""
    rng = Random(1)
    return [write(any_document(rng), any_layout(rng)) for _ in range(200)]


@pytest.mark.parametrize("damage", KINDS, ids=lambda damage: damage.kind)
def test_every_kind_finds_a_place_and_changes_the_text(damage: Damage, originals: list[Pieces]) -> None:
    changed = [(join(pieces), damage.change(Random(1), pieces)) for pieces in originals]
    done = [(before, join(after)) for before, after in changed if after is not None]
    assert done
    assert all(before != after for before, after in done)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_undamaged_document_is_strict_json(layout: Layout) -> None:
    rng = Random(1)
    for _ in range(50):
        document = any_document(rng)
        assert json.loads(join(write(document, layout))) == document


def test_layouts_are_those_models_write() -> None:
    document = {"a": [1, {}], "b": "é"}
    assert join(write(document, COMPACT)) == '{"a":[1,{}],"b":"é"}'
    assert join(write(document, SPACED)) == '{"a": [1, {}], "b": "é"}'
    assert join(write(document, INDENTED)) == '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "é"\n}'


def test_containers_are_found_where_the_pieces_have_lost_their_text() -> None:
    """A bracket that was dropped keeps its role, so that a second damage sees the document's structure."""
    pieces = tuple(piece._replace(text="") if piece.role is Role.CLOSE else piece for piece in write({"a": [1, 2]}))
    inner, outer = containers(pieces)
    assert [join(pieces[start:end]) for start, end in inner.items] == ["1", "2"]
    assert [join(pieces[start:end]) for start, end in outer.items] == ['"a": [1, 2']


# --- damaged texts ----------------------------------------------------------------------------------------


def test_a_damaged_text_has_its_wrapper_around_what_is_inside() -> None:
    for seed in range(40):
        damaged = damaged_text(Random(seed), BY_NAME["trailing comma"])
        assert damaged is not None
        assert damaged.inside in damaged.text


def test_two_damages_are_both_done() -> None:
    steps = damaged_pieces(Random(1), write({"a": 1}), (BY_NAME["bold keys"], BY_NAME["last bracket missing"]))
    assert steps is not None
    assert join(steps[-1][1]) == '{**"a"**: 1'


def test_the_one_that_leaves_strict_json_is_done_first() -> None:
    """So that what it makes of the document is known: `{"a": 5, "a": 1}` says 1."""
    damages = (BY_NAME["bold keys"], BY_NAME["member twice, another value"])
    damaged = next(found for seed in range(99) if (found := damaged_text(Random(seed), *damages)))
    assert damaged.kinds[0] == "member twice, another value"
    assert damaged.plain


def test_the_one_that_leaves_no_structure_is_done_last() -> None:
    damages = (BY_NAME["encoded as a string"], BY_NAME["comma missing"])
    steps = damaged_pieces(Random(1), write({"a": 1, "b": 2}), damages)
    assert steps is not None
    assert join(steps[-1][1]) == r'"{\"a\": 1 \"b\": 2}"'


def test_two_damages_that_find_no_place_give_no_text() -> None:
    assert damaged_pieces(Random(1), write({"a": 1}), (BY_NAME["comma missing"],)) is None
    damages = (BY_NAME["commas missing everywhere"], BY_NAME["comma missing"])
    assert damaged_pieces(Random(1), write({"a": 1, "b": 2}), damages) is None


def test_a_second_kind_is_another_one() -> None:
    first = KINDS[0]
    assert all(two_kinds(Random(seed), first)[1] is not first for seed in range(500))
