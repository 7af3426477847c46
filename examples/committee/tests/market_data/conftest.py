"""Both sources on the story."""

from collections.abc import Iterator

import pytest
import stamina

from examples.committee.tests.market_data.eastmoney import Eastmoney, eastmoney
from examples.committee.tests.market_data.tushare_server import Tushare, tushare


@pytest.fixture(name="eastmoney")
def _eastmoney() -> Iterator[Eastmoney]:
    with eastmoney() as server:
        yield server


@pytest.fixture(name="tushare")
def _tushare() -> Iterator[Tushare]:
    with tushare() as server:
        yield server


@pytest.fixture(autouse=True)
def _no_waits() -> Iterator[None]:
    """Calls are made again at once, as often as the settings say."""
    with stamina.set_testing(True, attempts=10, cap=True):
        yield
