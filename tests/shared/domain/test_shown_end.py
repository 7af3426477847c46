"""Where a text shows that its object is over although brackets are missing."""

import pytest

from src.shared.domain.shown_end import LOOK_BACK, shows_end

SHOWN = {
    "a closing fence": '```json\n{"a": [1, 2«\n```',
    "a closing fence, prose after it": '```json\n{"a": [1, 2«\n```\nThat is all.',
    "a closing fence that is indented": '> ```json\n> {"a": [1, 2«\n> ```\n',
    "a fence of four": '````\n{"a": [1, 2«\n````',
    "a fence at the end of its line": '~~~\n{"a": [1, 2« ~~~\nThat is all.',
    "a fence on one line": '```json {"a": [1, 2« ```',
    "a fence that the request opened": '{"a": [1, 2«\n```\n',
    "a fence and a tag": '<answer>\n```json\n{"a": [1, 2«\n```\n</answer>',
    "a tag on the line": '<answer>{"a": [1, 2«</answer> done',
    "a tag in other letters": '<Answer>{"a": [1, 2«</answer>',
    "a tag with an attribute": '<answer id="1">{"a": [1, 2«</answer>',
    "a tag in brackets": '[ANSWER]{"a": [1, 2«[/ANSWER] done',
    "a tag of a chat": '<|answer|>{"a": [1, 2«<|/answer|> done',
    "a Chinese tag": '<答案>{"a": [1, 2«</答案>',
    "the end of a turn": '{"a": [1, 2«<|im_end|>\n<|im_start|>user\nNext?',
    "the end of a sequence": '{"a": [1, 2«</s>',
    "another mark of a chat": '{"a": [1, 2«<|return|>',
    "the end of the text": '{"a": [1, 2«',
}
NOT_SHOWN = {
    "tildes in the line": '{"a": [1, 2« ~~~ 3, 4',
    "backticks in the line": '{"a": [1, 2« ``` 3, 4',
    "a fence in the line that is opened": '```json\n{"a": [1, 2« ``` and more\n```',
    "a fence on its line that was never opened": '{"a": [1, 2«\n~~~\nThat is all.',
    "a fence on its line that was closed before": '```\nx\n```\n{"a": [1, 2«\n```\nThat is all.',
    "a fence that opens": '```json\n{"a": [1, 2«\n```json\n3]}',
    "elements after the fence": '```json\n{"a": [1, 2«\n```\n3, 4\n```',
    "a list after the fence": '```json\n{"a": [[1, 2«\n```\n[3, 4]',
    "a literal after the fence": '```json\n{"a": [1, 2«\n```\ntrue',
    "a bracket after the fence": '```json\n{"a": [1, 2«\n```\n]}',
    "a key after the fence": '```json\n{"a": [1, 2«\n```\n"b": 3',
    "a tag that was never opened": '{"a": [1, 2« </b>',
    "a tag that was closed before": '<b>A</b> {"a": [1, 2« </b>',
    "the end of another tag": '<bold>{"a": [1, 2« </b>',
    "elements after the tag": '<b>{"a": [1, 2« </b> 3, 4',
    "a string after the tag": '<b>{"a": [1, 2« </b> "c" 3',
    "a bare key after the tag": '<b>{"a": [1, 2« </b> c: 3',
    "a mark of a chat that ends no turn": '{"a": [1, 2« <|sep|> more',
    "a mark that is not whole": '{"a": [1, 2« </b',
    "something else": '{"a": [1, 2« 3',
}


def shown(marked: str, *, finished: bool = False) -> bool:
    text = marked.replace("«", "")
    at = marked.index("«")
    while text[at : at + 1].isspace() or text[at : at + 2] == "> ":
        at += 1
    return shows_end(text, text.index("{"), at, finished=finished)


@pytest.mark.parametrize("marked", SHOWN.values(), ids=SHOWN.keys())
def test_end_of_the_wrapping_shows_the_end_of_the_object(marked: str) -> None:
    assert shown(marked)


@pytest.mark.parametrize("marked", NOT_SHOWN.values(), ids=NOT_SHOWN.keys())
def test_mark_inside_the_object_shows_nothing(marked: str) -> None:
    assert not shown(marked)


@pytest.mark.parametrize("mark", ["~~~", " ```", "</b>", " <|sep|>", "[/x]", "~~~\n</b>"])
def test_any_mark_at_the_very_end_is_enough_where_the_model_has_stopped(mark: str) -> None:
    assert shown('{"a": [1, 2« ' + mark, finished=True)
    assert not shown('{"a": [1, 2« ' + mark)


@pytest.mark.parametrize(("more", "is_shown"), [(0, True), (1, False)])
def test_wrapping_is_looked_for_as_far_back_as_the_bound(more: int, *, is_shown: bool) -> None:
    blanks = " " * (LOOK_BACK - len("<answer>") + more)
    assert shown(f'<answer>{blanks}{{"a": 1«</answer>') is is_shown
