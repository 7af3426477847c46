"""The eleven formats of the workbench, read through the unified parser from what models write."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from src.modules.workbench.domain import response_formats as formats
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_description import describe_type
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from tests.shared.reading import refusal_by

SCRIPT = (
    'import pandas as pd\n\ndef load(path: str) -> "pd.DataFrame":\n'
    '    """Read it: {path}."""\n    return pd.read_csv(path)\n'
)
REPORT = (
    '# EDA\n\n| column | missing |\n| --- | --- |\n| age | 3 % |\n\n```json\n{"rows": 891}\n```\n\n"Fare" 偏态明显。'
)
FILE = {
    "file_path": "data/train.csv",
    "file_type": "csv",
    "suggested_parameters": {"sep": ";", "header": 0, "na_values": ["NA", ""], "parse_dates": False, "nrows": None},
    "data_structure": "每行一名乘客",
    "critical_insights": "decimal comma in column Fare",
}

REPLIES: dict[type[BaseModel], dict[str, Any]] = {
    formats.CodeResponse: {"thought": "先读取，再汇总", "code": SCRIPT},
    formats.ReportResponse: {"thought": "先结论后细节", "report_content": REPORT},
    formats.ChatResponse: {"thought": "用户想看示例", "response": "可以这样读取：", "code": SCRIPT},
    formats.ChatSummary: {
        "current_task_state": ["数据已载入", "EDA 完成"],
        "user_specific_requirements": ["不要用深度学习"],
    },
    formats.TaskBlueprint: {
        "modality": "tabular",
        "task_type": "binary classification",
        "target_column_or_label": "Survived",
        "splitting_strategy": "5 folds, stratified",
        "feature_engineering_plan": ["one-hot encode Embarked", "对数变换 Fare"],
        "output_layout": {"model.pkl": "the fitted pipeline", "submission.csv": "PassengerId,Survived"},
        "justification": "样本量小，树模型足够",
    },
    formats.BlueprintApproval: {"is_approved": True, "feedback_summary": ""},
    formats.DebugSummary: {
        "concise_summary": "三次都因 KeyError 失败",
        "mistakes_identified": ["列名带空格", 'used df["Age "]'],
        "next_step_recommendation": "strip the column names first",
    },
    formats.ExplorationAction: {"thought": "看缺失值", "code": "print(df.isna().sum())\n", "is_done": False},
    formats.IntentResponse: {"action": "generate_report", "reason": "the user asks for a summary"},
    formats.DataLoadingGuide: {"files": [FILE], "overall_insights": "按 PassengerId 关联", "loading_example": SCRIPT},
    formats.FileLoadingInfo: FILE,
}
EACH = list(REPLIES.items())
NAMES = [format_.__name__ for format_ in REPLIES]

DESCRIPTIONS = {
    formats.CodeResponse: {
        "thought": "Step-by-step reasoning for the proposed solution.",
        "code": "The complete, single-file Python script.",
    },
    formats.ReportResponse: {
        "thought": "Reasoning for the report structure and content.",
        "report_content": "The full markdown content of the report.",
    },
    formats.ChatResponse: {
        "thought": "Step-by-step reasoning for the response.",
        "response": "The text response to the user.",
        "code": "Optional Python code if the response includes code.",
    },
}


@pytest.mark.parametrize("format_", DESCRIPTIONS)
def test_keys_are_described_in_the_specifications_words(format_: type[BaseModel]) -> None:
    """Specification "unified JSON response formats", 实现细节 1, Pydantic 模型定义."""
    described = {name: field.description for name, field in format_.model_fields.items()}
    assert described == DESCRIPTIONS[format_]


each_reply = pytest.mark.parametrize(("format_", "reply"), EACH, ids=NAMES)


def replied(reply: dict[str, Any]) -> str:
    """Write a reply as a model does."""
    return json.dumps(reply, ensure_ascii=False, indent=2)


def parsed(format_: type[BaseModel], raw: str) -> dict[str, Any]:
    """Parse a text that must be readable."""
    return parse_llm_json_output(raw, format_, context_label="workbench").model_dump()


# --- the contract ---------------------------------------------------------------------------------------


def test_there_are_the_eleven_formats_of_the_specification() -> None:
    defined = [
        name for name, value in vars(formats).items() if isinstance(value, type) and issubclass(value, BaseModel)
    ]
    assert set(defined) - {"BaseModel"} == set(NAMES)


@each_reply
def test_format_has_these_fields_and_describes_each_to_the_model(
    format_: type[BaseModel], reply: dict[str, Any]
) -> None:
    assert list(format_.model_fields) == list(reply)
    told = describe_type(format_)
    assert [name for name, field in format_.model_fields.items() if f'"{name}": ' not in told] == []
    assert [name for name, field in format_.model_fields.items() if (field.description or "?") not in told] == []


@each_reply
def test_every_field_is_required_but_the_code_of_a_chat(format_: type[BaseModel], reply: dict[str, Any]) -> None:
    optional = {"code"} if format_ is formats.ChatResponse else set()
    for name in reply:
        raw = replied({key: value for key, value in reply.items() if key != name})
        if name in optional:
            assert parsed(format_, raw)[name] is None
        else:
            (problem,) = refusal_by(format_, raw).details["validation_errors"]
            assert (problem["loc"], problem["type"]) == ((name,), "missing")


def test_a_new_format_is_one_class_and_nothing_else() -> None:
    class Translation(BaseModel):
        text: str = Field(description="The translated text.")

    assert parsed(Translation, '```json\n{"text": "你好"}\n```') == {"text": "你好"}


# --- what models write ------------------------------------------------------------------------------------

WRAPPED = {
    "clean": "{}",
    "in a fence": "```json\n{}\n```",
    "in an untagged fence with prose around it": "Here it is:\n\n```\n{}\n```\n\nThis does the following:\n- Step 1",
    "in prose": "好的，结果如下：{} 希望有帮助。",
    "after reasoning": '<think>maybe {{"code": "x"}}?</think>\n{}',
    "in a fence that is never closed": "```json\n{}",
}


@each_reply
def test_reply_is_read_however_it_is_wrapped_or_damaged(format_: type[BaseModel], reply: dict[str, Any]) -> None:
    for name, wrapping in WRAPPED.items():
        raw = wrapping.replace("{{", "{").replace("}}", "}").replace("{}", replied(reply))
        assert parsed(format_, raw) == reply, name
    with_line_breaks_and_a_comma = replied(reply).replace("\\n", "\n")[:-2] + ",\n}"
    assert parsed(format_, with_line_breaks_and_a_comma) == reply


def test_script_with_unescaped_quotes_is_the_same_script() -> None:
    raw = '{"thought": "t", "code": "df = pd.read_csv("data.csv")\\nprint(df["Age"].mean())\\n"}'
    read = parse_llm_json_output_with_trace(raw, formats.CodeResponse)
    assert read.value.code == 'df = pd.read_csv("data.csv")\nprint(df["Age"].mean())\n'
    assert {repair.kind for repair in read.decoded.repairs} == {RepairKind.UNESCAPED_QUOTE}


@pytest.mark.parametrize("code", ["```python\nprint('{}')\n```", "\n    if x:\n\treturn 1  \n\n"])
def test_fence_inside_a_script_its_indentation_and_its_blank_ends_are_kept(code: str) -> None:
    assert parsed(formats.CodeResponse, replied({"thought": "t", "code": code}))["code"] == code


def test_script_that_is_cut_off_is_refused() -> None:
    raw = replied(REPLIES[formats.CodeResponse])
    assert refusal_by(formats.CodeResponse, raw[: raw.index("return")]).details["truncated"] is True


def test_keys_beyond_the_fields_are_ignored_and_arguments_of_any_json_type_kept() -> None:
    raw = replied({**REPLIES[formats.IntentResponse], "confidence": 0.9})
    assert parsed(formats.IntentResponse, raw) == REPLIES[formats.IntentResponse]
    read = parsed(formats.FileLoadingInfo, replied(FILE))["suggested_parameters"]
    assert json.dumps(read) == json.dumps(FILE["suggested_parameters"])


# --- tolerance: what has one reading is taken, all else refused -------------------------------------------

REFUSED: dict[type, tuple[object, ...]] = {
    bool: (1, 0, 1.0, "yes", "no", "on", "y", "1", "是", "", "true, but", None, [True], {}),
    list: ("none", "1. strip names\n2. retry", "无", None, {"0": "x"}, [None], [1]),
    str: (["import x", "y()"], {"code": "x"}, 3, True),
    dict: ("model.pkl", ["model.pkl"], None),
}
"""By the type of a field what is refused there: one item, several, or a word for none would be a guess."""
FIELDS = [(format_, name, type(value)) for format_, reply in EACH for name, value in reply.items()]


@pytest.mark.parametrize(("format_", "name", "kind"), FIELDS, ids=[f"{f.__name__}-{name}" for f, name, _ in FIELDS])
def test_value_of_another_type_is_refused_by_the_name_of_its_field(
    format_: type[BaseModel], name: str, kind: type
) -> None:
    for written in REFUSED[kind]:
        problems = refusal_by(format_, replied({**REPLIES[format_], name: written})).details["validation_errors"]
        assert {problem["loc"][0] for problem in problems} == {name}, written
        if kind is bool:
            assert [problem["msg"] for problem in problems] == ["Input should be true or false"]
    if kind is list:
        assert parsed(format_, replied({**REPLIES[format_], name: []}))[name] == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [("true", True), ("false", False), ('"true"', True), ('"False"', False), ("True", True), ("False", False)],
)
def test_flag_written_as_true_or_false_is_read(written: str, meant: bool) -> None:  # noqa: FBT001 - the value under test
    for format_, name in ((formats.BlueprintApproval, "is_approved"), (formats.ExplorationAction, "is_done")):
        raw = replied({**REPLIES[format_], name: "HERE"}).replace('"HERE"', written)
        assert parsed(format_, raw)[name] is meant


@pytest.mark.parametrize(
    ("format_", "changes", "place"),
    [
        (formats.TaskBlueprint, {"output_layout": {"model.pkl": None}}, ("output_layout", "model.pkl")),
        (formats.TaskBlueprint, {"output_layout": {"model.pkl": {"kind": "x"}}}, ("output_layout", "model.pkl")),
        (
            formats.DataLoadingGuide,
            {"files": [FILE, {**FILE, "suggested_parameters": "sep=;"}]},
            ("files", 1, "suggested_parameters"),
        ),
    ],
)
def test_problem_inside_a_field_is_named_by_its_place(
    format_: type[BaseModel], changes: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    (problem,) = refusal_by(format_, replied({**REPLIES[format_], **changes})).details["validation_errors"]
    assert problem["loc"] == place
