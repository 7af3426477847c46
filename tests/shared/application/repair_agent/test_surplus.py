"""Surplus punctuation may go, and only where it is surplus; then the reader has to read the same in what is left."""

import json
from typing import Any

import pytest

from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.repair_agent.proof import prove
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair_errors import RepairCode, RepairRefusedError
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object
from tests.shared.application.repair_agent.asking import asked
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio
DAMAGE = LLMJsonParseError("x", {"stage": "repair"})
"""What a reader says that cannot read a text."""

ACCEPTED = {
    "colons in a row": ('{"a":: 1;; "b" : : 2}', '{"a": 1, "b": 2}'),
    "arrows": ('{"a" -> 1;; "b" => 2, "c": -> 3}', '{"a": 1, "b": 2, "c": 3}'),
    "colon and arrow": ('{"a": -> 1;; "b":= 2}', '{"a": 1, "b": 2}'),
    "bars of a table": ('{"a" | 1 | "b" | 2 |}', '{"a": 1, "b": 2}'),
    "bar before the first member": ('{| "a": 1;; "b": 2}', '{"a": 1, "b": 2}'),
    "full stops between members": ('{"a": {}. "b": [1]。 "c": 2}', '{"a": {}, "b": [1], "c": 2}'),
    "bullets": ('{\n- "a": 1,\n• "b": [\n* "x",\n- "y"]}', '{"a": 1, "b": ["x", "y"]}'),
    "bullets before entities and in bold": ('{\n- &quot;a&quot;:: 1,\n**- "b"**: 2}', '{"a": 1, "b": 2}'),
    "rule between members": ('{"a": 1;;\n---\n"b": 2}', '{"a": 1, "b": 2}'),
    "bold keys": ('{**"a"**:: 1;; *"b"*: 2}', '{"a": 1, "b": 2}'),
    "bold in the quotes' place": ('{**a**:: 1, **the b**: "x"}', '{"a": 1, "the b": "x"}'),
    "bold values": ('{"a":: **"x"**, "b": [_"y"_]}', '{"a": "x", "b": ["y"]}'),
    "angle quotes": ('{«a»:: «x», "b": 1}', '{"a": "x", "b": 1}'),
    "entities for quotes": ("{&quot;a&quot;:: &#34;x&#34;;; **&quot;b&quot;**: 1}", '{"a": "x", "b": 1}'),
    "comment of HTML": ('{"a":: 1,<!-- "b": {2} - x --> "c": 3}', '{"a": 1, "c": 3}'),
    "breaks of HTML": ('{<br>\n"a": 1,<br/>\n"b": 2<br />\n}', '{"a": 1, "b": 2}'),
    "spaces of HTML": ('{&nbsp;"a":&nbsp;1,&nbsp;"b":: 2}', '{"a": 1, "b": 2}'),
    "line ends escaped": (r'{\n "a":: "x\ny \"q\"",\n "b": [\n1\n]\n}', r'{"a": "x\ny \"q\"", "b": [1]}'),
    "brackets escaped": (r'\{"a": \[1, 2\]\}', '{"a": [1, 2]}'),
    "stray colons": ('{: "a": [: 1], "b": {:}}', '{"a": [1], "b": {}}'),
    "stray bracket at the end": ('{"a":: [1]}]', '{"a": [1]}'),
    "tuple": ('{"a":: [1, 2];; "b": "(1, 2)"}', '{"a": [1, 2], "b": "(1, 2)"}'),
    "the sign of a colour": ('{"a":: \x1b1}', '{"a": 1}'),
    "the end of bold behind an entity": ("{&#34;a&#34;_:: 1}", '{"a": 1}'),
    "commas at the end": ('{"a":: [1，];}', '{"a": [1]}'),
    "text with an apostrophe": ("{a:: it's fine; b: 1}", '{"a": "it\'s fine", "b": 1}'),
    "address before a comment": ('{"a":: https://x.y/?a=b # note\n; "b": 1}', '{"a": "https://x.y/?a=b", "b": 1}'),
    **{
        f"{colon!r} for a colon": (f'{{"a"{colon}1;; "b": 2}}', '{"a": 1, "b": 2}')
        for colon in (":", "：", "::", ": :", ":=", "=", "=>", "->", ": ->")
    },
    **{
        f"{text!r} without quotes": (f'{{"a":: {text}; "b": 1}}', f'{{"a": "{text}", "b": 1}}')
        for text in (
            *("x", "12 kg", "5 %", "-x", "truth", "50%", ">5", "1.2.3", "2026-01-02"),
            *("R&D", "a < b > c", "C++", "✅"),
        )
    },
}
"""What the model's answer makes of a damaged text, and is believed."""


@pytest.mark.parametrize(("damaged", "answer"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_surplus_punctuation_may_go(damaged: str, answer: str) -> None:
    prove(damaged, answer, read_object, finished=True)


REFUSED = {
    "sign behind a blank": ('{"a":: - 5}', '{"a": 5}'),
    "comparison": ('{"a":: >5}', '{"a": 5}'),
    "footnote of a number": ('{"a":: 5*}', '{"a": 5}'),
    "one of two": ('{"a":: ["x" | "y"]}', '{"a": ["x", "y"]}'),
    "slash after a number": ('{"a":: 1 / "b": 2}', '{"a": 1, "b": 2}'),
    "slash between members": ('{"a":: [1] / "b": 2}', '{"a": [1], "b": 2}'),
    "full stop apart from a number": ('{"a":: 5 . "b": 2}', '{"a": 5, "b": 2}'),
    "full stop after a word": ('{"a":: true. "b": 2}', '{"a": true, "b": 2}'),
    "strings in a row joined by a plus": ('{"a":: ["x"\n+ "y"]}', '{"a": ["x", "y"]}'),
    "bold that is text": ('{"a":: **x**, "b": 1}', '{"a": "x", "b": 1}'),
    "bold kept in a name": ("{**a**:: 1;}", '{"**a**": 1}'),
    "bullet kept in a text": ('{"a":: - x, "b": 1}', '{"a": "- x", "b": 1}'),
    "rule in the middle of a line": ('{"a":: [1, ---\n2]}', '{"a": [1, 2]}'),
    "rule of the text as an item": ('{"a":: [1,\n---,\n2]}', '{"a": [1, "---", 2]}'),
    "mark inside a string": ('{"a":: "x|"}', '{"a": "x"}'),
    "dash of a name": ("{-a:: 1;}", '{"a": 1}'),
    "backslashes in a text with escaped line ends": (r'{\n "a":: "C:\\x"\n}', r'{"a": "C:\\x"}'),
    "backslashes in a text with escaped brackets": (r'\{"a": "C:\\x"\}', r'{"a": "C:\\x"}'),
    "backslashes escaped here and not there": (r'{"a":: "\d \\d"}', r'{"a": "\\d \\d"}'),
    "entity in a text with spaces of HTML": ('{"a":&nbsp;"x &amp; y"}', '{"a": "x &amp; y"}'),
    "entity in a text with breaks of HTML": ('{<br>"a": "x &amp; y"}', '{"a": "x &amp; y"}'),
    "fence between members": ('{"a": 1;\n```\n"b": 2}', '{"a": 1, "b": 2}'),
    "rest behind a fence": ('{"a": 1;\n```\n"b": 2}', '{"a": 1}'),
    "break that is none": ('{"a":: <brief>1}', '{"a": 1}'),
    "star before a number": ('{"a":: [*5]}', '{"a": [5]}'),
    "bullet in the middle of a line": ('{"a":: ["x" - "y"]}', '{"a": ["x", "y"]}'),
    "bullet before a value": ('{"a":: - "x"}', '{"a": "x"}'),
    "two hyphens": ('{"a":: 1,\n--\n"b": 2}', '{"a": 1, "b": 2}'),
    "colon behind an item": ('{"a":: ["x" : "y"]}', '{"a": ["x", "y"]}'),
    "comma before the first item": ('{"a":: [, 1]}', '{"a": [1]}'),
    "semicolon before a value": ('{"a":: ; 1}', '{"a": 1}'),
    "letter": ('{"a":: 1 x "b": 2}', '{"a": 1, "b": 2}'),
    "comma for a colon": ('{"a", 1;; "b": 2}', '{"a": 1, "b": 2}'),
    "comparison for a colon": ('{"a" > 1;; "b": 2}', '{"a": 1, "b": 2}'),
    "no bold around a key": ("{</b>:: 1;}", '{"</b>": 1}'),
    **{
        f"{text!r} in angle quotes": (f'{{"a":: «{text}»; "b": 1}}', json.dumps({"a": text, "b": 1}))
        for text in ('a"', "a\\", "a»")
    },
    **{
        f"{text!r} without quotes": (f'{{"a":: {text}; "b": 1}}', json.dumps({"a": text, "b": 1}))
        for text in (
            *("12", "true", "None of it", "1 2", "- x", "*x", "x*", "•x", "&quot;x", "x &quot", "x<br>y", "</b>1"),
            *("<b>x", "-", "…", "...", "1 null", "-true", "。 null", "->true"),
            *("5。", "5)", ")5.5", "0.1...", "8_", "->5", "(2026)"),
        )
    },
}
"""What may be something else, so that no answer is believed."""


LIES = {
    "a mark inside of the object that is not its end": ('{"a": 1, "b": [1, 2 ~~~ 3, 4', '{"a": 1, "b": [1, 2]}'),
    "a bracket in a string, and the rest dropped": (
        '{"age": 41; "note": "approve} only if the board agrees"',
        '{"age": 41, "note": "approve"}',
    ),
    "a string that is a bracket": ('{"b": "}"', '{"b": ""}'),
    "items moved to a member of their own": ('{"x": ["a" "b" "c" "d"}', '{"x": ["a", "b"], "c": "d"}'),
    "number with leading zeros as the text it is": ('{"a": 000001; "b": 1}', '{"a": "000001", "b": 1}'),
    "two lists closed by a name": ('{"a": [[1; 2, "b": 3}', '{"a": [[1, 2]], "b": 3}'),
    "two readings": ('{"a": ["he said "no", "yes"]}', '{"a": ["he said \\"no\\", \\"yes"]}'),
    "two readings of backslashes": (r'{"a": "C:\new\table"; "b": "\d"}', r'{"a": "C:\\new\\table", "b": "\\d"}'),
}


ENDS = [(*pair, finished) for finished in (True, None) for pair in LIES.values()]


@pytest.mark.parametrize(("damaged", "answer", "finished"), [*((*pair, True) for pair in REFUSED.values()), *ENDS])
def test_answer_that_the_text_does_not_prove_is_refused(damaged: str, answer: str, finished: bool | None) -> None:  # noqa: FBT001 - of a row
    with pytest.raises(RepairRefusedError, match=r"answer is not accepted|does not prove"):
        prove(damaged, answer, read_object, finished=finished)


async def test_refusal_of_the_reader_is_told_with_its_reason() -> None:
    damaged = '{"topic": "人工智能\', "tags": ["AI", "写作"]}'
    error = await asked('{"topic": "人工智能", "tags": ["AI", "写作"]}').refusal(damaged, RepairCode.UNPROVEN, DAMAGE)
    assert error.details["json_error"] == "the text can be read in two ways here"
    assert "损坏的文本不能证明它" in error.message


def _always(text: str, *, finished: bool | None = None) -> dict[str, Any]:
    del text, finished
    return {"a": 1}


async def test_other_reading_of_the_reader_is_told() -> None:
    agent = RepairAgent(ScriptedLLM(['{"a": 1, "b": "x"}']), FanOut(), _always)
    with pytest.raises(RepairRefusedError, match="the reader reads something else") as refused:
        await agent.repair('{"a": 1;; "b": "x"}', DAMAGE)
    assert refused.value.code == RepairCode.UNPROVEN


async def test_number_longer_than_python_reads_is_refused() -> None:
    number = "9" * 5_000
    await asked(f'{{"a": {number}, "b": 1}}').refusal(f'{{"a":: {number};; "b": 1}}', RepairCode.UNPROVEN, DAMAGE)
