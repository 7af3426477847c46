"""Which stock, and at what time."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from src.modules.research.domain.inputs.section import DossierPart, ShortText, optional


class Stock(DossierPart):
    """The stock a dossier is about."""

    symbol: ShortText = Field(description="证券代码，如 600519.SH")
    name: ShortText = Field(description="证券简称")
    as_of: date = Field(description="资料截止日期；此日之后的信息不存在")
    currency: ShortText = Field(default="CNY", description="报价币种")
    exchange: ShortText | None = optional("上市交易所")
    industry: ShortText | None = optional("所属行业")
    main_business: ShortText | None = optional("主营业务")
