"""`dossier` writes a dossier that `run` reads, or says in a line why there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from examples.committee.infrastructure.dossier_reader import load_dossier, read_dossier
from examples.committee.tests.harness import invoke, run
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.eastmoney import INFO, KLINE, Eastmoney, eastmoney
from examples.committee.tests.market_data.tushare_server import NO_PERMISSION, TOKEN, Tushare, tushare
from src.shared.domain.language import VARIABLE

DAY = str(story.AS_OF)


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tushare]:
    with tushare() as server:
        monkeypatch.setenv("TUSHARE_TOKEN", TOKEN)
        monkeypatch.setenv("TUSHARE_URL", server.url)
        yield server


@pytest.fixture(name="web")
def _web() -> Iterator[Eastmoney]:
    with eastmoney() as server, stamina.set_testing(True, attempts=10, cap=True):
        yield server


def test_dossier_of_tushare_goes_to_stdout_and_its_sources_to_stderr(server: Tushare) -> None:
    """As a process of its own, which the libraries may not print in."""
    ended = run("dossier", story.CODE, "--source", "tushare", "--date", DAY)
    dossier = read_dossier(ended.stdout)
    assert (ended.code, dossier.stock.symbol) == (0, story.SYMBOL)
    lines = ended.stderr.splitlines()
    assert lines[1] == f"daily bars: tushare 1.4.29 daily, to {DAY}, rows: 573"
    assert all(
        line.startswith(("company:", "daily", "divid", "multi", "repor", "announ", "missing in")) for line in lines
    )
    assert TOKEN not in ended.stdout + ended.stderr
    assert len(server.asked) == 9


def test_dossier_of_akshare_goes_to_the_file(web: Eastmoney, tmp_path: Path) -> None:
    file = tmp_path / "dossier.json"
    ended = invoke("dossier", "sh688999", "--source", "akshare", "--date", DAY, "--out", str(file))
    assert (ended.code, ended.stdout) == (0, "")
    assert ended.stderr.splitlines()[-1] == f"written to {file}"
    assert load_dossier(file).technical is not None
    assert "missing in macro: all of it" in ended.stderr
    assert KLINE in web.asked


def test_what_is_missing_is_not_in_the_file_and_is_named(server: Tushare) -> None:
    server.refuse("income", NO_PERMISSION)
    ended = invoke("dossier", story.CODE, "--source", "tushare", "--date", DAY)
    assert "financial" not in json.loads(ended.stdout)
    assert "not to be had: reports: tushare 1.4.29 income" in ended.stderr
    assert "missing in financial: all of it" in ended.stderr


def test_texts_are_in_the_language_asked_for(server: Tushare, monkeypatch: pytest.MonkeyPatch) -> None:
    server.refuse("income", NO_PERMISSION)
    monkeypatch.setenv(VARIABLE, "zh")
    ended = invoke("dossier", story.CODE, "--source", "tushare", "--date", DAY)
    assert "未取得 财务报表：tushare 1.4.29 income：账户没有该接口的权限" in ended.stderr
    assert "缺失 宏观面：全部" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("AAPL", "--source", "akshare"), "不是沪深京 A 股代码"),
        ((story.CODE, "--source", "akshare", "--date", "2999-01-01"), "的数据还不完整"),
        ((story.CODE, "--source", "wind"), "Invalid value for '--source'"),
        ((story.CODE, "--source", "akshare", "--date", "yesterday"), "Invalid value for '--date'"),
        ((story.CODE, "--source", "tushare"), "没有 Tushare 的 token"),
    ],
)
def test_wrong_call_ends_with_2(arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUSHARE_TOKEN", "")
    ended = invoke("dossier", *arguments, columns=200)
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_stock_that_the_source_does_not_know_ends_with_2(web: Eastmoney) -> None:
    web.answers[INFO] = {"rc": 100, "rt": 4, "svr": 1, "lt": 1, "full": 1, "data": None}
    ended = invoke("dossier", story.CODE, "--source", "akshare", "--date", DAY)
    assert (ended.code, ended.stdout) == (2, "")


@pytest.mark.parametrize("answer", [(502, b""), {"data": {"klines": ["1,2"]}}])
def test_source_without_prices_ends_with_3_and_one_line(web: Eastmoney, answer: object) -> None:
    web.answers[KLINE] = answer
    ended = invoke("dossier", story.CODE, "--source", "akshare", "--date", DAY)
    assert (ended.code, ended.stdout) == (3, "")
    assert ended.stderr.startswith("Error: akshare 1.19.5 stock_zh_a_hist")
    assert len(ended.stderr.splitlines()) == 1


def test_file_that_cannot_be_written_ends_with_2(server: Tushare, tmp_path: Path) -> None:
    del server
    out = str(tmp_path / "absent" / "dossier.json")
    ended = invoke("dossier", story.CODE, "--source", "tushare", "--date", DAY, "--out", out)
    assert ended.code == 2
    assert "cannot write" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("abc",), "no code of an A share"), (("600519", "--date", "2099-01-01"), "the latest day is")],
)
def test_stock_or_day_that_makes_no_sense_is_told_before_a_token_is_asked_for(
    arguments: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TUSHARE_TOKEN", raising=False)
    ended = invoke("dossier", *arguments, "--source", "tushare")
    assert (ended.code, told in " ".join(ended.stderr.split())) == (2, True)
