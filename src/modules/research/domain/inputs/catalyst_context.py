"""What the catalyst detective is asked about."""

from __future__ import annotations

from src.modules.research.domain.inputs.section import Section, SourcedText, optional_list


class CatalystContext(Section):
    """What was published about the company, by dimension."""

    company_events: list[SourcedText] | None = optional_list("公司经营事件：订单、产能、产品、并购")
    earnings: list[SourcedText] | None = optional_list("业绩与预期：预告、快报、一致预期调整")
    capital_actions: list[SourcedText] | None = optional_list("资本动作：增减持、回购、解禁、再融资、分红")
    industry_events: list[SourcedText] | None = optional_list("行业与政策事件")
    market_sentiment: list[SourcedText] | None = optional_list("资金与情绪：北向、两融、机构调研、舆情")
