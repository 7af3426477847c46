"""A stream shows what is certain of an answer that is still written, and ends as the parser does.

What it shows of a text is in `tests/tables/streams.toml`; that pieces make no difference, in `tests/properties`.
"""

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
from src.shared.domain.reading.openings import BLANK_LIMIT
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream, Pieces, StreamSnapshot, StreamState
from src.shared.infrastructure.parsing.stream.prelude import FINE, LEAD_LIMIT, PARTS
from src.shared.infrastructure.parsing.stream.tree import MAX_DEPTH
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


def fed(text: str, dto_type: AnswerType[Any] = Review) -> LLMJsonStream[Any]:
    stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
    stream.feed(text)
    return stream


def after(text: str, dto_type: AnswerType[Any] = Review) -> StreamSnapshot[Any]:
    """What is certain of a text that is not whole yet."""
    return fed(text, dto_type).snapshot


class TestSnapshot:
    def test_string_is_shown_as_it_grows(self) -> None:
        shown = [snapshot.data for snapshot in snapshots('{"title": "Good c', Review)]
        titles = [data["title"] for data in shown if data and "title" in data]
        assert titles == ["G", "Go", "Goo", "Good", "Good", "Good c"]

    @pytest.mark.parametrize(
        ("text", "complete"),
        [
            ('{"title": "Good coffee", "no', set()),
            ('{"title": "Good coffee", "note":', {"$.title"}),
            (TEXT[: TEXT.index(' "B"')], {"$.title", "$.rows[0]", "$.rows[0].name", "$.rows[0].score"}),
        ],
    )
    def test_value_is_complete_once_what_follows_confirms_its_end(self, text: str, complete: set[str]) -> None:
        assert after(text).complete == complete

    def test_paths_of_what_is_complete_are_a_set(self) -> None:
        complete = after('{"title": "Good coffee", "rows": [], "note":').complete
        assert complete - {"$.rows"} == {"$.title"}
        assert (hash(complete), len(complete)) == (hash(frozenset({"$.title", "$.rows"})), 2)
        assert ("$.note" in complete, 7 in cast("set[object]", complete)) == (False, False)
        assert repr(complete) == "{'$.title', '$.rows'}"
        assert after('{"a b": 1, "c": 2}', dict[str, int]).complete == {'$["a b"]', "$.c"}

    def test_stream_goes_on_behind_damage_once_enough_text_shows_what_it_is(self) -> None:
        begun, more = '{"title": "The "good" coffee", "note": "', "It is. " * 80
        assert after(begun + more[:99]).state is StreamState.UNSURE
        snapshot = after(begun + more)
        assert (snapshot.state, snapshot.data["title"]) == (StreamState.READING, 'The "good" coffee')
        assert snapshot.data["note"] == more.rstrip()[: len(snapshot.data["note"])] != ""

    @pytest.mark.parametrize(
        ("text", "changed"),
        [
            (
                ('{"title": "Good', " coffee", "", '", "note": null', "}"),
                (("$", "$.title"), ("$.title",), (), ("$.title",), ("$.note",)),
            ),
            (('{"rows": ',), ((),)),
            (('{"a": {"b": [1, 2]}, "rows": []',), (("$", "$.a", "$.a.b", "$.a.b[0]", "$.a.b[1]", "$.rows"),)),
        ],
        ids=["as it grows", "a key without its value", "what was not known to be the type's, outermost first"],
    )
    def test_changed_names_what_appeared_grew_or_became_whole(
        self, text: tuple[str, ...], changed: tuple[tuple[str, ...], ...]
    ) -> None:
        stream = LLMJsonStream(Review)
        told = [[path for char in piece for path in stream.feed(char).changed] for piece in text]
        assert tuple(tuple(dict.fromkeys(paths)) for paths in told) == changed

    def test_states_follow_the_answer_and_text_behind_it_changes_nothing(self) -> None:
        stream = LLMJsonStream(Review)
        shown = [
            stream.feed(piece) for piece in ("<think>…</think>", '{"title": "Good', ' coffee"}', "\n```\nI hope so.")
        ]
        waiting, reading, done = StreamState.WAITING, StreamState.READING, StreamState.DONE
        assert [one.state for one in shown] == [waiting, reading, done, done]
        assert (shown[2] == shown[3], shown[3].changed) == (True, ())

    def test_value_is_there_once_the_whole_satisfies_the_type(self) -> None:
        assert {snapshot.value for snapshot in snapshots(TEXT[:-1], Review)} == {None}
        assert after('{"title": "Goo"}').value is None
        assert after(TEXT).value == parse_llm_json_output(TEXT, Review)

    @pytest.mark.parametrize("every", [1, 3, 100])
    def test_snapshot_tells_late_and_backwards_what_was_certain_then(self, every: int) -> None:
        text = TEXT[:-5] + '"more words ' + "and more " * 60 + '"}'
        early = [(json.dumps(one.data), set(one.complete), one.state, one.changed) for one in snapshots(text, Review)]
        late = [*zip(snapshots(text, Review), early, strict=True)][::-every]
        assert [(json.dumps(one.data), set(one.complete), one.state) for one, _ in late] == [
            seen[:3] for _, seen in late
        ]
        assert (late[0][0].changed, after("").data) == (early[-1][3], None)

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

    def test_snapshot_equals_one_that_tells_the_same(self) -> None:
        assert snapshots(TEXT[:40], Review)[-1] == after(TEXT[:40])
        assert after(TEXT[:40]) not in (after(TEXT[:30]), TEXT[:40])

    def test_snapshot_tells_of_itself(self) -> None:
        told = repr(after('{"title": "Good coffee", "note":'))
        assert told == "StreamSnapshot(state='reading', data={'title': 'Good coffee'}, complete=['$.title'])"

    @pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
    def test_text_between_two_offsets_is_that_of_the_pieces(self, count: int) -> None:
        texts, kept = [str(number) * (number % 3) for number in range(count)], Pieces(dict[str, int], ())
        for text in texts:
            kept.append(text)
        whole = "".join(texts)
        offsets = [(start, end) for start in range(0, len(whole) + 1, 7) for end in range(start, len(whole) + 1, 13)]
        assert [kept.between(*one) for one in offsets] == [whole[start:end] for start, end in offsets]


class TestBounds:
    def test_answer_is_shown_behind_long_reasoning(self) -> None:
        reasoning = f"<think>{'Now, let me see. ' * 400}</think>"
        shown = snapshots(reasoning + TEXT[:19], Review)
        assert (shown[-1].data, {one.state for one in shown[: len(reasoning)]}) == (
            {"title": "Good cof"},
            {StreamState.WAITING},
        )

    @pytest.mark.parametrize("lead", [f"```{' ' * (BLANK_LIMIT + 1)}\n", f"{'word ' * (LEAD_LIMIT // 5)} so it is:\n"])
    def test_nothing_is_shown_behind_many_blanks_or_long_prose(self, lead: str) -> None:
        assert {repr(snapshot.data) for snapshot in snapshots(lead + TEXT, Review)} == {"None"}

    @pytest.mark.parametrize(
        ("text", "state"),
        [
            *((f'{{{sign * BLANK_LIMIT}"title": "x"\n}}', StreamState.DONE) for sign in " \t\n"),
            *((f'{{{sign * (BLANK_LIMIT + 1)}"title": "x"\n}}', StreamState.UNSURE) for sign in " \t\n"),
            ('{"title":' * (MAX_DEPTH - 1) + '{"a": 1}' + "}" * (MAX_DEPTH - 1), StreamState.DONE),
            ('{"title":' * MAX_DEPTH + '{"a": 1}' + "}" * MAX_DEPTH, StreamState.UNSURE),
        ],
    )
    def test_white_space_behind_a_bracket_and_depth_are_bounded(self, text: str, state: StreamState) -> None:
        wanted = dict[str, Any]
        assert {one[-1].state for one in (snapshots(text, wanted), snapshots(text, wanted, (2_000,)))} == {state}

    def test_stream_is_unsure_behind_very_many_values_in_prose(self) -> None:
        shown = after("".join(f"- [{at}]\n" for at in range(2_000)) + 'So:\n{"a": 1}', dict[str, int])
        assert (shown.state, shown.value) == (StreamState.UNSURE, None)


class TestClose:
    def test_last_snapshot_is_of_the_whole_answer(self) -> None:
        stream = fed(TEXT)
        value = stream.close()
        assert (stream.snapshot.value, stream.snapshot.state) == (value, StreamState.DONE)
        assert stream.snapshot.changed == ("$",)
        assert {"$", "$.rows[1].score"} <= set(stream.snapshot.complete)

    def test_closing_names_what_was_not_whole_in_the_order_of_the_answer(self) -> None:
        stream = fed("Much is said first. " * 30 + '{"title": "Words", "rows": [{"name": "a", "score": 1}]}')
        assert stream.snapshot.data is None
        stream.close()
        row = ("$.rows[0]", "$.rows[0].name", "$.rows[0].score")
        assert stream.snapshot.changed == ("$", "$.title", "$.rows", *row)

    def test_refusal_is_the_parsers_and_keeps_what_was_complete(self) -> None:
        stream = fed(TEXT[:60])
        with pytest.raises(LLMJsonParseError) as streamed:
            stream.close()
        with pytest.raises(LLMJsonParseError) as parsed:
            parse_llm_json_output(TEXT[:60], Review)
        assert (streamed.value.message, streamed.value.details) == (parsed.value.message, parsed.value.details)
        assert stream.snapshot.complete == {"$.title", "$.rows[0].name"}

    def test_key_that_stands_twice_is_named_as_changed(self) -> None:
        stream = fed('{"a": 1, "b": 2, "a": 3}', dict[str, int])
        assert stream.snapshot.state is StreamState.UNSURE
        assert (stream.close(), stream.snapshot.changed) == ({"a": 3, "b": 2}, ("$", "$.a", "$.b"))

    def test_closed_stream_takes_no_more(self) -> None:
        stream = fed(TEXT)
        stream.close()
        with pytest.raises(ValueError, match="closed"):
            stream.feed("x")

    def test_normalizers_run_at_the_end(self) -> None:
        stream = LLMJsonStream(Review, normalizers=[lambda data: {"title": data["headline"]}])
        snapshot = stream.feed('{"headline": "Good coffee"}')
        assert (snapshot.data, snapshot.value) == ({"headline": "Good coffee"}, Review(title="Good coffee"))
        assert stream.close() == Review(title="Good coffee")

    @pytest.mark.parametrize("answer", [{"title": "a\nbcdef"}, {"title": "it's a\tb"}])
    def test_object_in_a_string_is_shown_at_the_end_decoded(self, answer: dict[str, str]) -> None:
        stream = LLMJsonStream(Review)
        shown = [stream.feed(char) for char in json.dumps(str(answer))][-1]
        assert (shown.state, shown.value, stream.close()) == (StreamState.UNSURE, None, Review(**answer))

    def test_bytes_are_a_mistake_of_the_program(self) -> None:
        with pytest.raises(TypeError, match="decode"):
            LLMJsonStream(Review).feed(b"{}")  # type: ignore[arg-type]

    def test_type_without_json_is_refused_at_the_door(self) -> None:
        with pytest.raises(TypeError, match="the JSON of int is neither"):
            LLMJsonStream(int)

    def test_type_without_a_json_schema_is_streamed_too(self) -> None:
        class Job(BaseModel):
            name: str
            run: Callable[[], None] | None = None

        assert after('{"name": "Go for it', Job).data == {"name": "Go for it"}


class Table(TypedDict):
    rows: list[Row]


class Nested(BaseModel):
    by_name: dict[str, list[Row]] = {}
    table: Table | None = None
    pairs: Annotated[list[Decimal], Field(alias="Pairs")] = []
    either: list[Row] | dict[str, list[int]] | list[int] = []
    नाम: list[int] = []  # noqa: PLC2401 - what is tested


class Rows(RootModel[list[Row]]):
    pass


ROW, ROW_TEXT = Row(name="A", score=1), '{"name": "A", "score": 1}'


class TestItems:
    def test_elements_are_given_once_each_as_soon_as_they_are_whole(self) -> None:
        stream, given = LLMJsonStream(Review), []
        for piece in pieces(TEXT, (5,)):
            stream.feed(piece)
            given += [(len(stream.text), row) for row in stream.items("$.rows")]
        assert [row for _, row in given] == [Row(name="A", score=1.5), Row(name="B", score=2)]
        assert given[0][0] < TEXT.index('"B"')

    @pytest.mark.parametrize(
        ("dto_type", "text", "path", "expected"),
        [
            (list[Row], f"[{ROW_TEXT}]", "$", [ROW]),
            (Rows, f"[{ROW_TEXT}]", "$", [ROW]),
            (Nested, f'{{"table": {{"rows": [{ROW_TEXT}]}}}}', "$.table.rows", [ROW]),
            (Nested, f'{{"table": {{"rows": [{ROW_TEXT}]}}}}', '$["table"].rows', [ROW]),
            (Nested, f'{{"by_name": {{"x y": [{ROW_TEXT}]}}}}', '$.by_name["x y"]', [ROW]),
            (Nested, '{"Pairs": [1.10, 2]}', "$.Pairs", [Decimal("1.10"), Decimal(2)]),
            (Nested, f'{{"either": [{ROW_TEXT}]}}', "$.either", [ROW]),
            (Nested, '{"either": [7]}', "$.either", [7]),
            (Nested, '{"either": {"a": [7]}}', "$.either.a", [7]),
            (Nested, '{"नाम": [1, 2]}', "$.नाम", [1, 2]),
            (TypeAdapter(list[list[int]]), "[[1, 2], [3]]", "$[0]", [1, 2]),
            (list[list[int]], "[[1, 2], [3]]", "$[1]", [3]),
            (Annotated[list[int], "some"], "[1, 2]", "$", [1, 2]),
        ],
    )
    def test_elements_have_the_type_that_the_list_has(
        self, dto_type: AnswerType[Any], text: str, path: str, expected: list[Any]
    ) -> None:
        assert list(map(repr, fed(text, dto_type).items(path))) == list(map(repr, expected))

    def test_element_that_is_refused_ends_them_and_close_says_why(self) -> None:
        stream = fed('[{"name": "A", "score": 1}, {"name": "B", "score": "x"}, {"name": "C", "score": 3}]', list[Row])
        assert [row.name for row in stream.items("$")] == ["A"]
        with pytest.raises(LLMJsonParseError, match="不符合契约"):
            stream.close()

    def test_elements_that_were_unsure_are_given_after_the_end(self) -> None:
        stream = fed(f'{{"title": "The "good" coffee", "rows": [{ROW_TEXT}]}}')
        before = list(stream.items("$.rows"))
        stream.close()
        assert (before, [*stream.items("$.rows")]) == ([], [ROW])

    @pytest.mark.parametrize("path", ["$.title", "$.nothing", "$.rows[0]", "$.kind.rows", "$.rows[1000000000]"])
    def test_type_without_such_a_list_is_told_at_once(self, path: str) -> None:
        with pytest.raises(TypeError, match="no list"):
            LLMJsonStream(Review).items(path)

    def test_schema_has_no_type_for_elements(self) -> None:
        with pytest.raises(TypeError, match="no list"):
            LLMJsonStream(JsonSchema({"type": "object", "properties": {"a": {"type": "array"}}})).items("$.a")


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "value"), [("$.table.rows[0]", {"name": "a"}), ('$["table"].rows[1].name', "bc"), ("$.नाम", [1, 2])]
    )
    def test_snapshot_gives_the_value_at_a_path(self, path: str, value: object) -> None:
        shown = after('{"नाम": [1, 2], "table": {"rows": [{"name": "a"}, {"name": "bc', Nested)
        assert shown.at(path) == value

    @pytest.mark.parametrize("path", ["$.rows[1]", "$.rows.name", "$.rows[0].name[0]", "$.row"])
    def test_what_is_not_there_is_a_lookup_error(self, path: str) -> None:
        with pytest.raises(LookupError, match=r"index out of range|row"):
            after('{"rows": [{"name": "a"}]}').at(path)

    @pytest.mark.parametrize("path", ["rows", "$.", "$rows", "$.rows[x]", "$.rows[0", "$.a..b"])
    def test_what_is_no_path_is_told(self, path: str) -> None:
        for ask in (fed(TEXT).items, fed(TEXT).snapshot.at):
            with pytest.raises(ValueError, match="not a JSON path"):
                ask(path)
