"""The repair agent does what its specification (seed 004) says, row by row."""

import pytest
from structlog.testing import capture_logs

from src.shared.application.repair_agent.agent import MAX_INPUT_CHARS, RepairAgent
from src.shared.domain.repair_errors import RepairCode, RepairRefusedError
from src.shared.infrastructure.events.log import LogEvents
from src.shared.infrastructure.parsing.inspection import read_object
from tests.beside import SHARED, needs_seeds
from tests.shared.application.repair_agent.asking import asked
from tests.shared.reading import Score, refusal_by, refusal_of
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio
SEED = SHARED / "seeds/004_2a94b235e2e7db5d.txt"
BROKEN = '{"a": 1;; "b": "x"}'

ROWS = {
    "中文引号": ("{“key”:“value”}", '{"key":"value"}'),
    "未转义换行": ('{"text":"line1\nline2"}', '{"text":"line1\\nline2"}'),
    "未转义引号": ('{"text":"say "hi""}', '{"text":"say \\"hi\\""}'),
    "末尾多余逗号": ('{"a":1,}', '{"a":1}'),
    "缺少引号": ("{key:value}", '{"key":"value"}'),
    "缺少括号": ('{"a":1', '{"a":1}'),
    "属性名未加引号": ('{name:"John"}', '{"name":"John"}'),
    "单引号字符串": ("{'key':'value'}", '{"key":"value"}'),
    "Markdown 包裹": ('```json\n{"a": 1}\n```', '{"a": 1}'),
    "包含解释文字": ('这是JSON:\n{"a": 1}', '{"a": 1}'),
}


@pytest.mark.parametrize("row", ROWS)
async def test_row_of_the_table_is_accepted_from_the_model(row: str) -> None:
    """支持的修复类型. The parser undoes each row alone; beside worse damage (`;;`) it is the model's turn."""
    damaged, repaired = ROWS[row]
    worse, answer = damaged.replace("{", '{"n": 0;; ', 1), repaired.replace("{", '{"n": 0, ', 1)
    assert await asked(answer).repair(worse, finished=True) == answer


@needs_seeds
def test_table_of_the_specification_has_no_other_row() -> None:
    table = SEED.read_text(encoding="utf-8").partition("| 问题类型 |")[2].partition("\n\n")[0]
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == list(ROWS)


async def test_model_parameters() -> None:
    """模型参数: temperature 0, maxTokens 8192."""
    agent = asked('{"a": 1, "b": "x"}')
    await agent.repair(BROKEN)
    (call,) = agent.llm.calls
    assert (call.temperature, call.max_tokens, call.output_schema) == (0, 8192, None)


async def test_answer_that_cannot_be_parsed_is_an_error() -> None:
    """验证机制 1, 可解析性验证."""
    error = await asked("{'a': 1}").refusal(BROKEN, RepairCode.ANSWER_NOT_JSON)
    assert error.message.startswith("JSON 修复失败: 修复后仍无法解析")


@pytest.mark.parametrize(
    ("check", "answer", "code"),
    [
        ("字段数量减少", '{"a": 1}', RepairCode.CONTENT_LOST),
        ("字段数量增加", '{"a": 1, "b": "x", "c": 2}', RepairCode.CONTENT_ADDED),
        ("字段名", '{"a": 1, "c": "x"}', RepairCode.SHAPE_CHANGED),
        ("数据类型", '{"a": "1", "b": "x"}', RepairCode.SHAPE_CHANGED),
    ],
)
async def test_another_shape_is_an_error_not_a_warning(check: str, answer: str, code: RepairCode) -> None:
    """验证机制 2: the specification warns; here a changed shape is refused."""
    error = await asked(answer).refusal(BROKEN, code)
    assert error.details["difference"]["path"].startswith("$"), check


async def test_layer_4_is_not_asked_where_a_layer_before_it_succeeded_or_failed_for_another_reason() -> None:
    """优化策略 1, 前置防护优先; 不能修复的情况 2, 语义错误."""
    agent = asked()
    with pytest.raises(RepairRefusedError) as refused:
        await agent.agent.repair('{"score": "x"}', refusal_by(Score, '{"score": "x"}'))
    assert refused.value.code == RepairCode.NOT_APPLICABLE
    assert agent.llm.calls == []


async def test_failed_repair_is_not_tried_again() -> None:
    """优化策略 2, 快速失败."""
    agent = asked("[]", '{"a": 1, "b": "x"}')
    await agent.refusal(BROKEN, RepairCode.ANSWER_NOT_JSON)
    assert len(agent.llm.calls) == 1


@pytest.mark.parametrize(("answer", "level"), [('{"a": 1, "b": "x"}', "info"), ("{}", "warning")])
async def test_every_repair_is_logged(answer: str, level: str) -> None:
    """优化策略 3, 日志记录: with the real log."""
    agent = RepairAgent(ScriptedLLM([answer]), LogEvents(), read_object)
    error = refusal_of(BROKEN)
    with capture_logs() as logs:
        try:
            await agent.repair(BROKEN, error)
        except RepairRefusedError:
            assert level == "warning"
    told = [(log["event"], log["log_level"]) for log in logs]
    assert told == [("llm_call_ended", "info"), ("llm_json_repair_agent", level)]


async def test_missing_structure_is_not_repaired() -> None:
    """不能修复的情况 1, 严重的结构缺失: what is cut off could only be invented."""
    agent = asked()
    await agent.refusal('{"a": 1, "b": "only if', RepairCode.NOT_APPLICABLE)
    assert agent.llm.calls == []


async def test_text_beyond_the_models_bound_is_not_repaired() -> None:
    """不能修复的情况 3, 超大文本."""
    agent = asked()
    await agent.refusal(BROKEN.replace("x", "x" * MAX_INPUT_CHARS), RepairCode.INPUT_TOO_LONG)
    assert agent.llm.calls == []
