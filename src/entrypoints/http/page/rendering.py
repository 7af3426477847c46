"""What the page is made of: its templates, its files, and its words in each language."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from jinja2 import Environment
from markupsafe import escape

from src.entrypoints.agents import agent_word
from src.entrypoints.http.page.explaining import MOST_NOTES, MOST_REPAIRS, MOST_TEXT
from src.entrypoints.http.page.overview import (
    BARS,
    EXCERPT,
    MOST_OF_ONE,
    MOST_TEXTS,
    ROWS,
    level,
    name_shown,
    outcomes,
    ranked_rates,
)
from src.entrypoints.reports.batch.drawing import bar
from src.entrypoints.reports.batch.words import grouped, share
from src.entrypoints.reports.templates_of import html_environment
from src.entrypoints.reports.words import shown
from src.modules.monitoring.domain.rate import time_of
from src.shared.domain.language import Language
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

_KINDS = frozenset(RepairKind)


def _kind_word(kind: str) -> str:
    """What a kind of repair is called; one of another version has no word."""
    return RepairKind(kind).words.text() if kind in _KINDS else ""


@cache
def environment() -> Environment:
    """The templates, and what they may use besides the reports' filters."""
    made = html_environment(Path(__file__).parent / "templates")
    made.filters |= {
        "agent_word": agent_word,
        "as_it_is": escape,  # what a reader is to send again: escaped and not changed
        "bar": bar,
        "clock": lambda moment: f"{time_of(moment):%m-%d %H:%M:%S}",
        "grouped": grouped,
        "iso": lambda moment: f"{time_of(moment):%Y-%m-%dT%H:%M:%SZ}",
        "kind_word": _kind_word,
        "level": level,
        "name": name_shown,
        "one_line": one_line,
        "outcomes": outcomes,
        "ranked_rates": ranked_rates,
        "share": share,
        "visible": shown,
    }
    made.globals |= {
        "excerpt": EXCERPT,
        "most_bars": BARS,
        "most_notes": MOST_NOTES,
        "most_of_one": MOST_OF_ONE,
        "most_repairs": MOST_REPAIRS,
        "most_rows": ROWS,
        "most_text": MOST_TEXT,
        "most_texts": MOST_TEXTS,
    }
    return made


_ORDER = {
    "title": "Order",
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "quantity": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["item", "quantity"],
}


@cache
def ugly_texts() -> dict[str, dict[str, str]]:
    """The texts of the README by their names: each with its title in `en` and `zh` and the `schema` it is read into."""
    found = json.loads((Path(__file__).parent / "ugly_texts.json").read_text(encoding="utf-8"))
    for one in found:
        schema = {"type": "array", "items": _ORDER} if one.pop("is_list", False) else _ORDER
        one["schema"] = json.dumps(schema, indent=2)
    return {one["name"]: one for one in found}


STATIC = Path(__file__).parent / "static"
REPORT = Path(__file__).parents[2] / "reports" / "templates" / "report.css"
"""The style of the reports, which is the page's as well."""
_SMALL = 1_000
_HASH = 12


class Asset:
    """One file.

    Attributes:
        name: with a part that changes with the content.
        content: its bytes.
        media_type: with the encoding of a text.
    """

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        digest = hashlib.sha256(self.content).hexdigest()[:_HASH]
        self.name = f"{path.stem}.{digest}{path.suffix}"
        self.media_type = f"{mimetypes.types_map[path.suffix]}; charset=utf-8"

    @cached_property
    def packed(self) -> bytes | None:
        """The same as gzip has it; None where that is not worth it."""
        return gzip.compress(self.content, mtime=0) if len(self.content) > _SMALL else None


def read_assets() -> dict[str, Asset]:
    """All of them, by the names of their files."""
    paths = [REPORT, *sorted(path for path in STATIC.rglob("*") if path.suffix in {".css", ".js"})]
    return {path.name: Asset(path) for path in paths}


PARAMETER = "lang"
EXAMPLE = "example"
"""The parameter that names the text that stands in the box."""
COOKIE = "llm_output_lang"
TAGS = {Language.ZH: "zh-CN", Language.EN: "en"}
"""What `lang` says of each."""
_MOST = 1_000


def language_of(query: Mapping[str, str], cookies: Mapping[str, str], accepted: str) -> Language:
    """The language that the reader has chosen, else one that the browser asks for, else Chinese.

    Args:
        query: parameters of the request; `lang` chooses.
        cookies: what was chosen before.
        accepted: the header `Accept-Language` (RFC 9110, 12.5.4); empty where there is none.
    """
    return _known(query.get(PARAMETER)) or _known(cookies.get(COOKIE)) or _negotiated(accepted)


def _known(value: str | None) -> Language | None:
    return next((language for language in TAGS if language == value), None)


def _negotiated(accepted: str) -> Language:
    weights = dict.fromkeys(TAGS, 0.0)
    for part in accepted[:_MOST].split(","):
        tag, _, parameters = part.strip().partition(";")
        language = _known(tag.strip().partition("-")[0].lower())
        if language:
            weights[language] = max(weights[language], _weight(parameters))
    best = max(weights, key=lambda language: weights[language])
    if weights[best]:
        return best
    return Language.EN if accepted.strip() else Language.ZH  # some third language


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


_WORDS: Final = {
    "title": ("模型输出监测", "Model output watch"),
    "window_1h": ("最近 1 小时", "Last hour"),
    "window_24h": ("最近 24 小时", "Last 24 hours"),
    "window_7d": ("最近 7 天", "Last 7 days"),
    "window_30d": ("最近 30 天", "Last 30 days"),
    "agent": ("智能体", "Agent"),
    "model": ("模型", "Model"),
    "all": ("全部", "All"),
    "scope_agent": ("智能体", "agent"),
    "scope_model": ("模型", "model"),
    "summary": ("概要", "Summary"),
    "texts": ("文本", "Texts"),
    "clean": ("原样读出", "Clean"),
    "repaired": ("修复", "Repaired"),
    "model_repaired": ("模型修复", "Model-repaired"),
    "refused": ("拒绝", "Refused"),
    "repair_rate": ("请求修复智能体", "Asked the repair agent"),
    "level": ("级别", "Level"),
    "level_normal": ("正常", "normal"),
    "level_warning": ("警告", "warning"),
    "level_alarm": ("报警", "alarm"),
    "level_recovery": ("恢复", "recovery"),
    "level_few": ("文本太少", "too few texts"),
    "over_time": ("随时间的变化", "Rates over time"),
    "threshold_warning": ("5% 警告", "5% warning"),
    "threshold_alarm": ("10% 报警", "10% alarm"),
    "time": ("时间", "Time"),
    "step_60": ("1 分钟", "1 minute"),
    "step_900": ("15 分钟", "15 minutes"),
    "step_3600": ("1 小时", "1 hour"),
    "step_14400": ("4 小时", "4 hours"),
    "no_name": ("（无名称）", "(no name)"),
    "stage": ("阶段", "Stage"),
    "length": ("长度", "Length"),
    "finished_unknown": ("不知道", "not known"),
    "finished_yes": ("是，文本完整", "yes, the text is whole"),
    "finished_no": ("否，被截断", "no, it was cut off"),
    "characters": ("{} 个字符", "{} characters"),
    "state_acted": ("已处理", "acted"),
    "state_nothing_to_do": ("无事可做", "nothing to do"),
    "state_not_needed": ("不需要", "not needed"),
    "state_refused": ("拒绝", "refused"),
    "state_not_reached": ("未到达", "not reached"),
    "stage_empty": ("空文本", "blank text"),
    "stage_think": ("去掉推理", "drop reasoning"),
    "stage_fence": ("取出代码块", "take the code block"),
    "stage_tool_call": ("工具调用", "a tool's call"),
    "stage_control_chars": ("转义控制字符", "escape control characters"),
    "stage_strict": ("严格 JSON", "strict JSON"),
    "stage_extract": ("从文字中找出对象", "find the object in prose"),
    "stage_repair": ("修复语法", "repair the syntax"),
    "stage_root": ("检查根节点", "check the root"),
    "stage_normalize": ("运行钩子", "run the hooks"),
    "stage_validate": ("按类型校验", "validate as the type"),
    "action_chosen": ("选定", "chosen"),
    "action_dropped": ("去掉", "dropped"),
    "action_recognised": ("识别", "recognised"),
    "root_object": ("对象", "an object"),
    "root_array": ("数组", "an array"),
    "more": ("另有 {} 处", "{} more"),
    "left_out": ("其后还有 {} 个字符未显示。", "{} more characters are not shown."),
}
"""Words that a template asks for by a name that it works out, or more than once, in Chinese and in English."""
WORDS: Final = {
    Language.ZH: {key: zh for key, (zh, _) in _WORDS.items()},
    Language.EN: {key: en for key, (_, en) in _WORDS.items()},
}
