"""A share's code is read in every spelling, and nothing else is."""

import pytest

from examples.committee.domain.exceptions import UnknownStockError
from examples.committee.domain.stock_code import StockCode


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("600519", "600519.SH"),
        ("600519.SH", "600519.SH"),
        ("sh600519", "600519.SH"),
        ("SZ.000001", "000001.SZ"),
        (" 300750.sz ", "300750.SZ"),
        ("688999", "688999.SH"),
        ("830799", "830799.BJ"),
        ("920002.bj", "920002.BJ"),
        ("430047", "430047.BJ"),
    ],
)
def test_code_is_read_in_every_spelling(text: str, read: str) -> None:
    assert str(StockCode.read(text)) == read


@pytest.mark.parametrize(
    "text",
    ["", "60051", "6005190", "600519.SZ", "AAPL", "900901", "200012", "510300", "00700.HK", "６００５１９", "6005x19"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UnknownStockError, match="不是沪深京 A 股代码") as caught:
        StockCode.read(text)
    assert "600519.SH" in caught.value.message


def test_long_text_is_not_repeated() -> None:
    with pytest.raises(UnknownStockError) as caught:
        StockCode.read("x" * 10_000)
    assert len(caught.value.message) < 200


def test_exchange_has_a_name() -> None:
    assert StockCode.read("920002").exchange.full_name == "北京证券交易所"
