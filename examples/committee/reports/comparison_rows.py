"""The rows of a comparison, section by section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from examples.committee.domain.run_record import RecordedRun
from examples.committee.reports.comparison_cells import (
    Cell,
    Pairs,
    Row,
    is_told,
    list_row,
    number_row,
    plain_row,
    row,
    share_row,
    text_row,
)
from examples.committee.reports.labels import Tone, agent_title, stage_title, stance_of
from examples.committee.reports.ladder import value_range
from examples.committee.reports.recorded_facts import (
    Scores,
    asked_in,
    case_of,
    cost_of,
    counted_of,
    debate_of,
    expert_of,
    lacking_of,
    missing_of,
    models_of,
    refused_in,
    repairs_in,
    risks_of,
    scores_of,
    seconds_of,
    tokens_of,
    totals_of,
    verdict_of,
    warnings_of,
    without_result,
)
from examples.committee.reports.recorded_prices import prices_of
from src.entrypoints.reports.templates_of import percent
from src.entrypoints.reports.words import number, said

MOST_EXPERTS: Final = 40
"""Experts that have a row of their own."""
MOST_DIMENSIONS: Final = 40
"""Dimensions of the experts that have a row of their own."""


def verdict_rows(pairs: Pairs) -> tuple[Row, ...]:
    """The decision, its plan, and the prices that it rests on."""
    return is_told(
        (
            row(said("裁决", "Verdict"), pairs, _decision),
            share_row(said("目标仓位", "Position"), pairs, lambda run: verdict_of(run).position_percent),
            share_row(said("置信度", "Confidence"), pairs, lambda run: verdict_of(run).confidence),
            number_row(said("现价", "Price"), pairs, lambda run: prices_of(run).view.price),
            row(said("止损价", "Stop prices"), pairs, lambda run: _amounts(prices_of(run).stop)),
            row(said("止盈价", "Target prices"), pairs, lambda run: _amounts(prices_of(run).target)),
            row(said("估值区间", "Value range"), pairs, lambda run: _amounts(value_range(prices_of(run).view))),
            text_row(said("进场", "Entry"), pairs, lambda run: verdict_of(run).entry_strategy),
            text_row(said("止损", "Stop loss"), pairs, lambda run: verdict_of(run).stop_loss),
            text_row(said("止盈", "Take profit"), pairs, lambda run: verdict_of(run).take_profit),
            text_row(said("期限", "Horizon"), pairs, lambda run: verdict_of(run).time_horizon),
            text_row(said("理由", "Reasons"), pairs, lambda run: verdict_of(run).reasoning, fold=True),
        )
    )


def expert_rows(pairs: Pairs) -> tuple[Row, ...]:
    """Each expert's signal with its confidence, and the scores that it gave."""
    listed = (expert for run, _ in pairs for expert in run.record.experts)
    titles = {expert.name: agent_title(expert.name, expert.label or expert.name) for expert in listed}
    shown = list(titles.items())[:MOST_EXPERTS]
    signals = (row(title, pairs, partial(_signal, name=name)) for name, title in shown)
    return is_told((*signals, *_scores(pairs, titles)))


def debate_rows(pairs: Pairs) -> tuple[Row, ...]:
    """Which side prevailed, how sure that is, and what both argued."""
    return is_told(
        (
            row(said("哪一方占优", "Who prevailed"), pairs, _winner),
            share_row(said("结论的置信度", "Confidence of it"), pairs, lambda run: debate_of(run).confidence),
            *_side(pairs, "bull", said("多头", "Bull")),
            *_side(pairs, "bear", said("空头", "Bear")),
            list_row(said("主要分歧", "Main disagreements"), pairs, _disagreements),
            text_row(
                said("如何了结", "How it was settled"), pairs, lambda run: debate_of(run).conflict_resolution, fold=True
            ),
        )
    )


def risk_rows(pairs: Pairs) -> tuple[Row, ...]:
    """The risks of the matrix and those of the verdict: what is new, what is gone."""
    return is_told(
        (
            list_row(said("风险矩阵", "Risk matrix"), pairs, risks_of),
            list_row(said("裁决列出的风险", "Risks of the verdict"), pairs, _risks_of_the_verdict),
        )
    )


def heed_rows(pairs: Pairs) -> tuple[Row, ...]:
    """Contradictions, members without a conclusion, missing data, and what cannot be told."""
    return is_told(
        (
            list_row(
                said("裁决的矛盾与疑点", "Contradictions and doubts"),
                pairs,
                lambda run: warnings_of(run) if run.record.verdict else None,
            ),
            list_row(
                said("没有结论的成员", "Members without a conclusion"),
                pairs,
                lambda run: without_result(run) if "experts" not in run.absent else None,
            ),
            list_row(
                said("资料中没有的", "Missing data"),
                pairs,
                lambda run: (
                    dict.fromkeys(missing_of(run), "") if run.dossier or "missing_data" not in run.absent else None
                ),
            ),
            plain_row(
                said("这次运行缺少或读不出的", "Not there or unreadable in the run"),
                pairs,
                lacking_of,
                empty=said("无", "none"),
            ),
        )
    )


def effort_rows(pairs: Pairs) -> tuple[Row, ...]:
    """What each run took."""
    return is_told(
        (
            number_row(said("答复", "Answers"), pairs, lambda run: totals_of(run).calls),
            number_row(said("提问", "Questions asked"), pairs, asked_in),
            number_row(said("没有用上的答复", "Answers not used"), pairs, refused_in),
            number_row(said("书写上的修正", "Repairs of the spelling"), pairs, repairs_in),
            number_row(said("词元", "Tokens"), pairs, tokens_of, lambda count: f"{count:,.0f}"),
            row(said("费用", "Cost"), pairs, lambda run: Cell(cost_of(run))),
            plain_row(said("用时", "Time"), pairs, seconds_of),
            row(said("模型", "Models"), pairs, lambda run: Cell(said("、", ", ").join(models_of(run)))),
            plain_row(said("计数的说明", "About the counts"), pairs, counted_of, empty=said("无", "none")),
        )
    )


def _decision(run: RecordedRun) -> Cell:
    action = verdict_of(run).action
    if action:
        return Cell(stance=stance_of(action))
    if "verdict" in run.absent or any(path.startswith("$.verdict") for path in run.unread):
        return Cell(failed=said("读不出", "cannot be read"))
    stage = stage_title(run.record.failed_in) if run.record.failed_in else ""
    note = said(f"停在“{stage}”阶段", f"stopped in “{stage}”") if stage else ""
    reason = run.record.error.message if run.record.error else ""
    return Cell(failed=said("没有裁决", "no verdict"), note=note, more=reason)


def _amounts(prices: Sequence[float]) -> Cell:
    return Cell(said("、", ", ").join(map(number, dict.fromkeys(prices))))


def _signal(run: RecordedRun, *, name: str) -> Cell:
    expert = expert_of(run, name)
    if expert is None:
        return Cell()
    if expert.opinion is None:
        return Cell(failed=said("没有结论", "no conclusion"), more=expert.error.message if expert.error else "")
    signal, confidence = expert.opinion.signal, expert.opinion.confidence
    return Cell("" if confidence is None else percent(confidence), stance_of(signal) if signal else None)


def _scores(pairs: Pairs, titles: dict[str, str]) -> Iterator[Row]:
    scores = {id(run): scores_of(run) for pair in pairs for run in pair if run}
    keys = dict.fromkeys(key for run, _ in pairs for key in scores[id(run)])
    for name, dimension in list(keys)[:MOST_DIMENSIONS]:
        title = said("：", ": ").join((titles[name], dimension))
        yield number_row(title, pairs, partial(_score, scores=scores, key=(name, dimension)))


def _score(run: RecordedRun, *, scores: dict[int, Scores], key: tuple[str, str]) -> float | None:
    return scores[id(run)].get(key)


def _winner(run: RecordedRun) -> Cell:
    direction = debate_of(run).direction
    if direction is None:
        return Cell(failed=said("没有了结", "not settled")) if run.record.cases else Cell()
    stance = stance_of(direction)
    words = {
        Tone.FOR: said("多头占优", "the bull"),
        Tone.AGAINST: said("空头占优", "the bear"),
        Tone.NEITHER: said("不分胜负", "neither"),
    }
    return Cell(words[stance.tone], stance)


def _side(pairs: Pairs, side: str, title: str) -> tuple[Row, ...]:
    return (
        share_row(said(f"{title}的置信度", f"{title}: confidence"), pairs, lambda run: case_of(run, side).confidence),
        text_row(said(f"{title}的论点", f"{title}: thesis"), pairs, lambda run: case_of(run, side).core_thesis),
    )


def _disagreements(run: RecordedRun) -> dict[str, str] | None:
    return dict.fromkeys(run.record.debate.key_disagreements, "") if run.record.debate else None


def _risks_of_the_verdict(run: RecordedRun) -> dict[str, str] | None:
    return dict.fromkeys(run.record.verdict.risk_warnings, "") if run.record.verdict else None
