from types import SimpleNamespace

import pytest

from src.shared.infrastructure.finish_fields import end_of, finished_by


@pytest.mark.parametrize(
    ("replies", "finished"),
    [
        (({"finish_reason": "stop"},), True),
        ((SimpleNamespace(stop_reason="end_turn"),), True),
        (({"finish_reason": "stop"}, {"stop_reason": "max_tokens"}), False),
        (({"finish_reason": "tool_calls"}, {}, None), None),
        ((), None),
    ],
    ids=str,
)
def test_what_a_provider_said_tells_whether_it_finished(replies: tuple[object, ...], finished: bool | None) -> None:  # noqa: FBT001 - the expected value
    assert finished_by(*replies) is finished


@pytest.mark.parametrize(
    ("ends", "end"), [([True, None], True), ([True, False], False), ([None], None), ([], None)], ids=str
)
def test_pieces_of_an_answer_are_whole_together_if_none_says_otherwise(
    ends: list[bool | None],
    end: bool | None,  # noqa: FBT001 - the expected value
) -> None:
    assert end_of(ends) is end
