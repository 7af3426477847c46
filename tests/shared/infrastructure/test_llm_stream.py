"""A stream shows what is certain of an answer that is still written, and ends as the parser does."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import BaseModel, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot, StreamState
from src.shared.infrastructure.parsing.stream.prelude import FINE, PARTS
from tests.streamed import pieces, snapshots


class Row(BaseModel):
    name: str
    score: float


class Review(BaseModel):
    title: Annotated[str, Field(min_length=5)]
    rows: list[Row] = []
    note: str | None = None
    kind: Literal["a", "b"] = "a"


TEXT = '{"title": "Good coffee", "rows": [{"name": "A", "score": 1.5}, {"name": "B", "score": 2}], "note": null}'


def after(text: str, dto_type: AnswerType[Any] = Review) -> StreamSnapshot[Any]:
    """What is certain of a text that is not whole yet."""
    return LLMJsonStream(dto_type).feed(text)


class TestSnapshot:
    def test_string_is_shown_as_it_grows(self) -> None:
        shown = [snapshot.data for snapshot in snapshots('{"title": "Good c', Review)]
        titles = [data["title"] for data in shown if data and "title" in data]
        assert titles == ["G", "Go", "Goo", "Good", "Good", "Good c"]

    def test_string_is_complete_once_the_next_key_confirms_its_end(self) -> None:
        assert after('{"title": "Good coffee", "no').complete == set()
        assert after('{"title": "Good coffee", "note":').complete == {"$.title"}

    def test_number_is_not_shown_before_its_end(self) -> None:
        assert after('{"title": "Good coffee", "rows": [{"score": 1').data == {"title": "Good coffee"}
        assert after('{"title": "Good coffee", "rows": [{"score": 1.5, "name":').data["rows"] == [{"score": 1.5}]

    def test_text_shows_its_first_word_at_once_where_the_type_has_no_object(self) -> None:
        assert after('{"title": "G').data == {"title": "G"}
        assert after('["G', list[str]).data == ["G"]
        assert after('["Good", "c', list[str]).data == ["Good"]

    def test_stream_goes_on_behind_damage_once_enough_text_shows_what_it_is(self) -> None:
        begun, more = '{"title": "The "good" coffee", "note": "', "It is. " * 80
        assert after(begun + more[:99]).state is StreamState.UNSURE
        snapshot = after(begun + more)
        assert (snapshot.state, snapshot.data["title"]) == (StreamState.READING, 'The "good" coffee')
        assert snapshot.data["note"] == more.rstrip()[: len(snapshot.data["note"])] != ""

    def test_element_is_complete_when_the_next_one_begins(self) -> None:
        assert "$.rows[0]" in after('{"title": "Good coffee", "rows": [{"name": "A", "score": 1.5}, {"name":').complete

    def test_changed_names_what_appeared_grew_or_became_whole(self) -> None:
        stream = LLMJsonStream(Review)
        assert stream.feed('{"title": "Good').changed == ("$", "$.title")
        assert stream.feed(" coffee").changed == ("$.title",)
        assert stream.feed("").changed == ()
        assert stream.feed('", "note": null').changed == ("$.title",)
        assert stream.feed("}").changed == ("$.note",)

    def test_states_follow_the_answer(self) -> None:
        stream = LLMJsonStream(Review)
        states = [stream.feed(piece).state for piece in ("<think>…</think>", '{"title": "Good', ' coffee"}', "\n")]
        assert states == [StreamState.WAITING, StreamState.READING, StreamState.DONE, StreamState.DONE]

    def test_value_is_there_once_the_whole_satisfies_the_type(self) -> None:
        assert after(TEXT[:-1]).value is None
        assert after(TEXT).value == parse_llm_json_output(TEXT, Review)

    def test_validators_see_whole_values_only(self) -> None:
        assert {snapshot.value for snapshot in snapshots('{"title": "Goo', Review)} == {None}
        assert after('{"title": "Goo"}').value is None

    def test_snapshot_stays_what_it_was(self) -> None:
        stream, cut = LLMJsonStream(Review), TEXT.index('"A"') + 2
        first = stream.feed(TEXT[:cut])
        kept = json.dumps(first.data)
        stream.feed(TEXT[cut:])
        assert (json.dumps(first.data), len(stream.snapshot.complete)) == (kept, 9)

    def test_snapshots_that_are_looked_at_late_or_backwards_are_the_same(self) -> None:
        early = [(snapshot.data, set(snapshot.complete), snapshot.state) for snapshot in snapshots(TEXT, Review)]
        late = snapshots(TEXT, Review)
        for snapshot, seen in zip(reversed(late), reversed(early), strict=True):
            assert (snapshot.data, set(snapshot.complete), snapshot.state) == seen

    def test_what_is_new_of_a_long_value_is_shown_after_a_small_part_of_it(self) -> None:
        begun, text = '{"title": "', "word " * 2 * FINE
        shown = [len(snapshot.data["title"]) for snapshot in snapshots(begun + text, Review)[FINE:]]
        lengths = [len((begun + text)[: FINE + at + 1].rstrip()) - len(begun) for at in range(len(shown))]
        assert all(0 <= length - seen <= length / PARTS + 1 for seen, length in zip(shown, lengths, strict=True))
        assert len(set(shown)) < len(shown) / 4

    def test_end_of_a_long_value_is_shown_at_once(self) -> None:
        text = f'{{"title": "{"word " * FINE}"}}'
        one_by_one, at_once = snapshots(text, Review)[-1], after(text)
        assert (one_by_one.state, one_by_one.data) == (StreamState.DONE, json.loads(text))
        assert (at_once, after(text + "\n" * FINE)) == (one_by_one, one_by_one)

    def test_snapshots_of_equal_texts_are_equal(self) -> None:
        assert snapshots(TEXT[:40], Review)[-1] == after(TEXT[:40])
        assert after(TEXT[:40]) != after(TEXT[:30])
        assert after(TEXT[:40]) != TEXT[:40]

    def test_snapshot_tells_of_itself(self) -> None:
        told = repr(after('{"title": "Good coffee", "note":'))
        assert told == "StreamSnapshot(state='reading', data={'title': 'Good coffee'}, complete=['$.title'])"


class TestComplete:
    def test_paths_are_a_set(self) -> None:
        complete = after('{"title": "Good coffee", "rows": [], "note":').complete
        assert complete == frozenset({"$.title", "$.rows"})
        assert complete - {"$.rows"} == {"$.title"}
        assert (hash(complete), len(complete)) == (hash(frozenset(complete)), 2)
        assert ("$.note" in complete, 7 in cast("set[object]", complete)) == (False, False)
        assert repr(complete) == "{'$.title', '$.rows'}"

    def test_awkward_keys_are_in_quotes(self) -> None:
        assert after('{"a b": 1, "c": 2}', dict[str, int]).complete == {'$["a b"]', "$.c"}


class TestClose:
    def test_gives_what_the_parser_gives(self) -> None:
        stream = LLMJsonStream(Review)
        for piece in pieces(TEXT, (7,)):
            stream.feed(piece)
        assert stream.close(finished=True) == parse_llm_json_output(TEXT, Review)

    def test_last_snapshot_is_of_the_whole_answer(self) -> None:
        stream = LLMJsonStream(Review)
        stream.feed(TEXT)
        value = stream.close()
        assert (stream.snapshot.value, stream.snapshot.state) == (value, StreamState.DONE)
        assert stream.snapshot.changed == ("$",)
        assert {"$", "$.rows[1].score"} <= set(stream.snapshot.complete)

    def test_refusal_is_the_parsers_and_keeps_what_was_complete(self) -> None:
        cut = TEXT[:60]
        stream = LLMJsonStream(Review)
        stream.feed(cut)
        with pytest.raises(LLMJsonParseError) as streamed:
            stream.close()
        with pytest.raises(LLMJsonParseError) as parsed:
            parse_llm_json_output(cut, Review)
        assert (streamed.value.message, streamed.value.details) == (parsed.value.message, parsed.value.details)
        assert stream.snapshot.complete == {"$.title", "$.rows[0].name"}

    def test_answer_that_the_provider_cut_is_refused_however_whole_it_looks(self) -> None:
        stream = LLMJsonStream(Review)
        stream.feed(TEXT)
        with pytest.raises(LLMJsonParseError) as refused:
            stream.close(finished=False)
        assert refused.value.details["truncated"]

    def test_key_that_stands_twice_is_named_as_changed(self) -> None:
        stream = LLMJsonStream(dict[str, int])
        stream.feed('{"a": 1, "b": 2, "a": 3}')
        assert stream.snapshot.state is StreamState.UNSURE
        assert (stream.close(), stream.snapshot.changed) == ({"a": 3, "b": 2}, ("$", "$.a", "$.b"))

    def test_closed_stream_takes_no_more(self) -> None:
        stream = LLMJsonStream(Review)
        stream.feed(TEXT)
        stream.close()
        with pytest.raises(ValueError, match="closed"):
            stream.feed("x")

    def test_normalizers_run_at_the_end(self) -> None:
        def renamed(data: dict[str, Any]) -> dict[str, Any]:
            return {"title": data["headline"]}

        stream = LLMJsonStream(Review, normalizers=[renamed])
        snapshot = stream.feed('{"headline": "Good coffee"}')
        assert (snapshot.data, snapshot.value) == ({"headline": "Good coffee"}, Review(title="Good coffee"))
        assert stream.close() == Review(title="Good coffee")

    def test_bytes_are_a_mistake_of_the_program(self) -> None:
        with pytest.raises(TypeError, match="decode"):
            LLMJsonStream(Review).feed(b"{}")  # type: ignore[arg-type]

    def test_type_without_json_is_refused_at_the_door(self) -> None:
        with pytest.raises(TypeError, match="the JSON of int is neither"):
            LLMJsonStream(int)


class TestType:
    def test_type_without_a_json_schema_is_streamed_too(self) -> None:
        class Job(BaseModel):
            name: str
            run: Callable[[], None] | None = None

        assert LLMJsonStream(Job).feed('{"name": "Go for it').data == {"name": "Go for it"}


class Table(TypedDict):
    rows: list[Row]


class Nested(BaseModel):
    by_name: dict[str, list[Row]] = {}
    table: Table | None = None
    pairs: Annotated[list[Decimal], Field(alias="Pairs")] = []


class Rows(RootModel[list[Row]]):
    pass


class TestItems:
    def test_elements_are_given_once_each_as_soon_as_they_are_whole(self) -> None:
        stream = LLMJsonStream(Review)
        given = []
        for piece in pieces(TEXT, (5,)):
            stream.feed(piece)
            given += [(len(stream.text), row) for row in stream.items("$.rows")]
        assert [row for _, row in given] == [Row(name="A", score=1.5), Row(name="B", score=2)]
        assert given[0][0] < TEXT.index('"B"')

    @pytest.mark.parametrize(
        ("dto_type", "text", "path", "expected"),
        [
            (list[Row], '[{"name": "A", "score": 1}]', "$", [Row(name="A", score=1)]),
            (Rows, '[{"name": "A", "score": 1}]', "$", [Row(name="A", score=1)]),
            (Nested, '{"table": {"rows": [{"name": "A", "score": 1}]}}', "$.table.rows", [Row(name="A", score=1)]),
            (Nested, '{"by_name": {"x y": [{"name": "A", "score": 1}]}}', '$.by_name["x y"]', [Row(name="A", score=1)]),
            (Nested, '{"Pairs": [1.10, 2]}', "$.Pairs", [Decimal("1.10"), Decimal(2)]),
            (TypeAdapter(list[list[int]]), "[[1, 2], [3]]", "$[0]", [1, 2]),
            (Annotated[list[int], "some"], "[1, 2]", "$", [1, 2]),
        ],
    )
    def test_elements_have_the_type_that_the_list_has(
        self, dto_type: AnswerType[Any], text: str, path: str, expected: list[Any]
    ) -> None:
        stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
        stream.feed(text)
        assert list(map(repr, stream.items(path))) == list(map(repr, expected))

    def test_element_that_is_refused_ends_them_and_close_says_why(self) -> None:
        stream = LLMJsonStream(list[Row])
        stream.feed('[{"name": "A", "score": 1}, {"name": "B", "score": "x"}, {"name": "C", "score": 3}]')
        assert [row.name for row in stream.items("$")] == ["A"]
        with pytest.raises(LLMJsonParseError, match="不符合契约"):
            stream.close()

    def test_elements_that_were_unsure_are_given_after_the_end(self) -> None:
        stream = LLMJsonStream(Review)
        stream.feed('{"title": "The "good" coffee", "rows": [{"name": "A", "score": 1}]}')
        before = list(stream.items("$.rows"))
        stream.close()
        assert (before, [row.name for row in stream.items("$.rows")]) == ([], ["A"])

    @pytest.mark.parametrize("path", ["$.title", "$.nothing", "$.rows[0]", "$.kind.rows"])
    def test_type_without_such_a_list_is_told_at_once(self, path: str) -> None:
        with pytest.raises(TypeError, match="no list"):
            LLMJsonStream(Review).items(path)

    def test_schema_has_no_type_for_elements(self) -> None:
        with pytest.raises(TypeError, match="no list"):
            LLMJsonStream(JsonSchema({"type": "object", "properties": {"a": {"type": "array"}}})).items("$.a")

    @pytest.mark.parametrize("path", ["rows", "$rows", "$.a..b"])
    def test_what_is_no_path_is_told_at_once(self, path: str) -> None:
        with pytest.raises(ValueError, match="not a JSON path"):
            LLMJsonStream(Review).items(path)


def test_stream_is_unsure_behind_very_many_values_in_prose() -> None:
    stream = LLMJsonStream(dict[str, int])
    shown = stream.feed("".join(f"- [{at}]\n" for at in range(2_000)) + 'So:\n{"a": 1}')
    assert (shown.state, shown.value) == (StreamState.UNSURE, None)


@pytest.mark.parametrize("answer", [{"title": "a\nbcdef"}, {"title": "it's a\tb"}])
def test_object_in_a_string_is_shown_at_the_end_decoded(answer: dict[str, str]) -> None:
    text = json.dumps(str(answer))
    stream = LLMJsonStream(Review)
    shown = [stream.feed(char) for char in text]
    assert shown[-1].state is StreamState.UNSURE
    assert (shown[-1].value, stream.close()) == (None, Review(**answer))
