"""What the macro intelligence officer is asked about."""

from __future__ import annotations

from src.modules.research.domain.inputs.section import Section, SourcedText, optional_list


class MacroContext(Section):
    """What was published about the wider economy, by dimension."""

    policy: list[SourcedText] | None = optional_list("政策与监管")
    economy: list[SourcedText] | None = optional_list("经济周期")
    liquidity: list[SourcedText] | None = optional_list("利率与流动性")
    industry: list[SourcedText] | None = optional_list("行业景气")
