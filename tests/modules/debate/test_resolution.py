"""The conflict resolver: nothing is normalized."""

from tests.modules.agent_contract import removed, replaced
from tests.modules.debate.contracts.resolution import CONTRACT as AGENT


def test_risk_rated_in_numbers_keeps_them_as_written() -> None:
    answer = replaced(AGENT.answer, ("risk_matrix", 0, "probability"), 0.6)
    answer = replaced(answer, ("risk_matrix", 0, "impact"), 4)
    row = AGENT.read(answer).model_dump()["risk_matrix"][0]
    assert (row["probability"], row["impact"]) == ("0.6", "4")


def test_incomplete_row_is_an_error_beside_good_ones() -> None:
    answer = removed(AGENT.answer, ("risk_matrix", 1, "mitigation"))
    assert AGENT.refusal(answer) == {("risk_matrix", 1, "mitigation")}


def test_empty_lists_are_read_as_they_are() -> None:
    answer = AGENT.answer | {"risk_matrix": [], "key_disagreements": []}
    assert AGENT.read(answer).model_dump() == answer


def test_object_where_a_disagreement_is_due_is_an_error() -> None:
    """Only the advocates' arguments are turned into text."""
    item = {"dimension": "库存", "argument": "去化速度"}
    assert AGENT.refusal(replaced(AGENT.answer, ("key_disagreements",), [item])) == {("key_disagreements", 0)}
