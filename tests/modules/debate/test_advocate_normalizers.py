"""How both advocates' arguments become text."""

from typing import Any

import pytest

from tests.modules.agent_contract import AgentContract, replaced
from tests.modules.all_contracts import contract_of

both_advocates = pytest.mark.parametrize(
    "contract", [contract_of("bull_advocate"), contract_of("bear_advocate")], ids=lambda contract: contract.agent
)

RENDERED: dict[str, tuple[dict[str, Any], str]] = {
    "all parts": (
        {"dimension": "估值", "argument": "PE偏低", "evidence": "PE 12倍", "strength": "强"},
        "估值: PE偏低",
    ),
    "no evidence": ({"dimension": "估值", "argument": "PE偏低"}, "估值: PE偏低"),
    "no argument": ({"dimension": "估值", "evidence": "PE 12倍"}, "估值: PE 12倍"),
    "null argument": ({"dimension": "估值", "argument": None, "evidence": "PE 12倍"}, "估值: PE 12倍"),
    "blank argument": ({"dimension": "估值", "argument": " \n", "evidence": "PE 12倍"}, "估值: PE 12倍"),
    "no dimension": ({"argument": "PE偏低", "evidence": "PE 12倍"}, "PE偏低"),
    "null dimension": ({"dimension": None, "argument": "PE偏低"}, "PE偏低"),
    "blank dimension": ({"dimension": "  ", "argument": "PE偏低"}, "PE偏低"),
    "evidence alone": ({"evidence": "PE 12倍"}, "PE 12倍"),
    "unused part of another type": ({"argument": "PE偏低", "evidence": 12, "strength": 5}, "PE偏低"),
    "text kept to the character": ({"dimension": "估 值：", "argument": " “低”: 12 "}, "估 值：:  “低”: 12 "),
}

UNREADABLE: dict[str, dict[str, Any]] = {
    "empty object": {},
    "neither argument nor evidence": {"dimension": "估值", "strength": "强"},
    "both blank": {"dimension": "估值", "argument": "", "evidence": " "},
    "other keys": {"point": "PE偏低"},
    "number for the argument": {"dimension": "估值", "argument": 12, "evidence": "PE 12倍"},
    "list for the evidence": {"dimension": "估值", "evidence": ["PE 12倍"]},
    "number for the dimension": {"dimension": 1, "argument": "PE偏低"},
}


@both_advocates
def test_arguments_keep_their_order_whichever_way_each_is_written(contract: AgentContract) -> None:
    """Scenario 对象数组归一化为字符串列表."""
    items = ["已是文本", *(item for item, _ in RENDERED.values()), ""]
    result = contract.read(replaced(contract.answer, ("supporting_arguments",), items)).model_dump()
    assert result["supporting_arguments"] == ["已是文本", *(text for _, text in RENDERED.values()), ""]


@both_advocates
@pytest.mark.parametrize("item", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_argument_that_cannot_be_read_is_an_error_that_names_it(contract: AgentContract, item: dict[str, Any]) -> None:
    answer = replaced(contract.answer, ("supporting_arguments",), ["一", item])
    assert contract.refusal(answer) == {("supporting_arguments", 1)}
