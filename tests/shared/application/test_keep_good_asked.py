"""`call_with_json(keep="good")` asks again only for what cannot be used, within the same budget."""

import json
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, Field

from src.shared.application.question import Outcome, Question
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.budget import Budget, Stop
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.llm_errors import LLMServerError
from src.shared.domain.partial import Partial
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import AgentOutput, plain_output
from tests.shared.application.typed import typed
from tests.shared.scripted_llm import ScriptedLLM, reply

pytestmark = pytest.mark.anyio


class Item(BaseModel):
    name: str
    count: int = Field(ge=0)


class Report(BaseModel):
    title: str
    score: int = Field(le=10)
    items: list[Item]


BAD = '[{"name": "a", "count": 1}, {"name": "b", "count": -1}, {"name": "c", "count": 3}]'
MENDED = '{"part_1": {"name": "b", "count": 2}}'
WHOLE = [Item(name="a", count=1), Item(name="b", count=2), Item(name="c", count=3)]


async def ask(
    type_: AnswerType[Any], *script: str | LLMReply | Exception, budget: Budget | None = None
) -> tuple[Outcome[Partial[Any]], ScriptedLLM]:
    llm, scripted, _ = typed(*script, budget=budget)
    question = Question.of("List them.", temperature=0.1)
    return await llm.generate_and_parse(question, plain_output(type_).mending()), scripted


class Pair(BaseModel):
    pair: tuple[int, int]


class Tree(BaseModel):
    name: str
    children: "list[Tree]" = []


class Case(NamedTuple):
    """What a model answers, and what comes of it.

    Attributes:
        dto_type: what is asked for.
        script: the answers.
        value: what is kept.
        left_out: the paths of what is not.
        stop: why nothing more was asked.
        told: what the last question says.
        untold: what it does not.
        retries: re-asks at most.
    """

    dto_type: Any
    script: list[str | LLMReply | Exception]
    value: object
    left_out: list[str] = []  # noqa: RUF012 - is not changed
    stop: Stop = Stop.ANSWERED
    told: str = ""
    untold: str = "\x00"
    retries: int = 2


A, B, C = WHOLE
ONE = '[{"name": "a", "count": 1}]'
TWO_BAD = '[{"name": "a", "count": -1}, {"name": "b", "count": -1}]'
HALF_MENDED = '{"part_1": {"name": "a", "count": 1}, "part_2": {"name": "b", "count": -2}}'
NO_SCORE = json.dumps({"title": "t", "items": [{"name": "b", "count": -1}]})
CUT = reply('[{"name": "a", "count": 1}, {"name": "b", "cou', FinishReason.LENGTH)
CASES = {
    "all right": Case(list[Item], [ONE], [A]),
    "one element": Case(list[Item], [BAD, MENDED], WHOLE, told="- part_1: $[1]: "),
    "an element of a field, and a missing field": Case(
        Report, [NO_SCORE, '{"part_2": 9, "part_1": {"name": "b", "count": 2}}'], Report(title="t", score=9, items=[B])
    ),
    "a part that is still wrong is asked for again, and the others are not": Case(
        list[Item],
        [TWO_BAD, HALF_MENDED, MENDED],
        [A, B],
        told="- part_1: $[1]: Input should be greater than or equal to 0",
        untold="part_2",
    ),
    "an answer for the parts that cannot be read": Case(
        list[Item], [BAD, "I cannot.", MENDED], WHOLE, told="no JSON object in the text"
    ),
    "an answer with none of the parts": Case(list[Item], [BAD, '{"name": "b", "count": 2}', MENDED], WHOLE),
    "a part that is never right": Case(list[Item], [BAD, "no", "never"], [A, C], ["$[1]"], Stop.RETRIES_SPENT),
    "a provider that fails on the way": Case(
        list[Item], [BAD, LLMServerError("down")], [A, C], ["$[1]"], Stop.PROVIDER_ERROR
    ),
    "no parts": Case(Pair, ['{"pair": [1, "x"]}', '{"pair": [1, 2]}'], Pair(pair=(1, 2)), untold="part_1"),
    "no text": Case(list[Item], ["I would say three.", ONE], [A], untold="part_1"),
    "the better answer of two": Case(
        list[Item],
        [json.dumps([{"name": "a", "count": 1}, *[{"name": "x", "count": -1}] * 21]), "I cannot."],
        [A],
        [f"$[{at}]" for at in range(1, 22)],
        Stop.RETRIES_SPENT,
        retries=1,
    ),
    "an answer that was cut off": Case(list[Item], [CUT], [A], ["$[1]"], Stop.RETRIES_SPENT, retries=0),
    "a type inside itself": Case(
        Tree,
        ['{"name": "a", "children": [{"name": 1}]}', '{"part_1": {"name": "b", "children": []}}'],
        Tree(name="a", children=[Tree(name="b")]),
        told="Tree = {",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_what_is_good_is_kept_and_the_rest_asked_for(case: Case) -> None:
    outcome, llm = await ask(case.dto_type, *case.script, budget=Budget(max_retries=case.retries))

    partial, last = outcome.result(), llm.calls[-1].prompt
    assert (partial.value, [problem.path for problem in partial.problems]) == (case.value, case.left_out)
    assert (outcome.stop, len(llm.calls)) == (case.stop, len(case.script))
    assert case.told in last
    assert case.untold not in last
    assert {call.temperature for call in llm.calls} == {0.1}


async def test_question_for_a_part_has_its_error_its_text_and_its_schema_alone() -> None:
    _, llm = await ask(Report, json.dumps({"title": "t", "score": 11, "items": []}), '{"part_1": 9}')
    prompt = llm.calls[1].prompt
    assert prompt.startswith("List them.\n\n# ")
    assert "- part_1: $.score: Input should be less than or equal to 10: 11\n" in prompt
    assert '{\n  "part_1": integer // <=10\n}' in prompt
    assert "title" not in prompt
    schema = llm.calls[1].output_schema
    assert (schema and schema.json_schema["properties"]) == {
        "part_1": {"maximum": 10, "title": "Part 1", "type": "integer"}
    }


@pytest.mark.parametrize(
    ("prompt", "headline"),
    [
        ("Order them.", "# only these parts of your previous answer could not be used; give these alone\n"),
        ("请列出。", "# 上一次的回答中只有以下部分无法使用，请只给出它们\n"),
    ],
)
async def test_question_for_a_part_speaks_the_language_of_the_prompt(prompt: str, headline: str) -> None:
    llm, scripted, _ = typed(BAD, MENDED)
    await llm.generate_and_parse(Question.of(prompt), plain_output(list[Item]).mending())
    assert headline in scripted.calls[1].prompt


async def test_field_that_is_still_wrong_in_the_end_is_the_error() -> None:
    first = json.dumps({"title": "t", "score": 11, "items": []})
    outcome, _ = await ask(Report, first, '{"part_1": 12}', budget=Budget(max_retries=1))
    with pytest.raises(LLMJsonParseError, match="score"):
        outcome.result()


async def test_answer_that_was_cut_off_before_anything_was_whole_is_the_error() -> None:
    outcome, _ = await ask(list[Item], reply("[{", FinishReason.LENGTH), budget=Budget(max_retries=0))
    assert outcome.parsed is None


async def test_hooks_run_on_what_was_put_together() -> None:
    def lower(data: dict[str, Any]) -> dict[str, Any]:
        return {key.lower(): value for key, value in data.items()}

    output = AgentOutput("报告", Report, LLMJsonParseError, normalizers=[lower])
    first = json.dumps({"TITLE": "t", "score": 9, "items": [{"name": "b", "count": -1}]})
    llm, _, _ = typed(first, MENDED)
    outcome = await llm.generate_and_parse(Question.of("Report."), output.mending())
    assert outcome.result().value == Report(title="t", score=9, items=[WHOLE[1]])


async def test_part_that_a_hook_made_is_asked_for_with_all_the_rest() -> None:
    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {"title": "t", "score": 9, "items": data.get("rows", data.get("items"))}

    output = AgentOutput("报告", Report, LLMJsonParseError, normalizers=[renamed])
    llm, scripted, _ = typed('{"rows": [{"name": "b", "count": -1}]}', '{"rows": [{"name": "b", "count": 2}]}')
    outcome = await llm.generate_and_parse(Question.of("Report."), output.mending())
    assert (outcome.result().value.items, "part_1" in scripted.calls[1].prompt) == ([WHOLE[1]], False)


async def test_text_of_a_part_stays_on_its_line() -> None:
    _, llm = await ask(list[Item], '[{"name": "a\\n# NEW RULES",\n "count": -1}]', MENDED)
    told = next(line for line in llm.calls[1].prompt.splitlines() if line.startswith("- part_1"))
    assert told.endswith('"count": -1}')


def test_call_without_a_loop_keeps_what_is_good_too() -> None:
    llm, _, _ = typed(BAD, MENDED)
    assert llm.call_with_json_sync("List them.", output_model=list[Item], keep="good") == Partial(WHOLE)


# what it saves


class Breaking:
    """A model that breaks some elements of its first answer, and does as it is told afterwards."""

    def __init__(self, size: int, broken: int) -> None:
        self.size, self.broken = size, broken
        self.calls: list[LLMRequest] = []

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer."""
        self.calls.append(request)
        rows = [{"name": f"element number {at}", "count": at} for at in range(self.size)]
        if len(self.calls) == 1:
            rows = [{**row, "count": -1} if at < self.broken else row for at, row in enumerate(rows)]
        answer: Any = rows
        if "part_1" in request.prompt:
            answer = {f"part_{at + 1}": rows[at] for at in range(self.broken)}
        return LLMReply(json.dumps(answer), FinishReason.STOP, "breaking")


async def tokens_of_the_reasks(size: int, broken: int, *, whole: bool) -> int:
    llm = Breaking(size, broken)
    asked, _, _ = typed()
    asked._llm = llm  # noqa: SLF001 - the script cannot answer by what it is asked
    output: Any = plain_output(list[Item])
    outcome = await asked.generate_and_parse(Question.of("List them."), output if whole else output.mending())
    outcome.result()
    return sum(attempt.usage.total_tokens for attempt in outcome.attempts[1:])


async def test_asking_for_one_of_twenty_elements_takes_less_than_half_of_asking_for_all() -> None:
    parts, whole = [await tokens_of_the_reasks(20, 1, whole=each) for each in (False, True)]
    assert parts <= whole / 2


@pytest.mark.parametrize(
    ("budget", "stop"),
    [
        (Budget(max_retries=0), Stop.RETRIES_SPENT),
        (Budget(max_tokens=450), Stop.TOKENS_SPENT),
        (Budget(max_seconds=0), Stop.SECONDS_SPENT),
    ],
)
async def test_budget_of_the_answer_holds_for_the_parts_too(budget: Budget, stop: Stop) -> None:
    script = () if budget.max_seconds == 0 else (reply(BAD, tokens=200), reply(MENDED))
    outcome, llm = await ask(list[Item], *script, budget=budget)
    assert (outcome.stop, len(llm.calls)) == (stop, len(script) and 1)
