"""Writes the table of currencies that amounts are read with, from the data of Unicode that `babel` holds.

Run it after a new edition of babel: `pip install babel`, then `python -m tools.benchmarks.currencies > TABLE`, where
TABLE is `src/shared/domain/coercion/currencies.py`. The parser itself needs neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from textwrap import fill

_NATIVE = (
    "en_AU AUD,en_CA CAD,fr_CA CAD,en_NZ NZD,en_SG SGD,en_HK HKD,zh_Hant_HK HKD,zh_Hant_TW TWD,ja JPY,ko KRW,hi INR,"
    "en_IN INR,pt_BR BRL,de EUR,fr EUR,de_CH CHF,pl PLN,uk UAH,ru RUB,kk KZT,sv SEK,nb NOK,da DKK,is ISK,cs CZK,hu HUF,"
    "ro RON,bg BGN,tr TRY,he ILS,th THB,vi VND,id IDR,ms MYR,fil PHP,bn BDT,es_MX MXN,en_GB GBP,ka GEL,hy AMD,az AZN,"
    "mn MNT,lo LAK,km KHR,en_NG NGN,fr_SN XOF,fr_CM XAF"
)
"""Languages with the currency that is their own: its sign there counts even if it is two letters."""
_SINGLE = 1


def main() -> None:
    """Print the table."""
    core, numbers = import_module("babel.core"), import_module("babel.numbers")

    territories = core.get_global("territory_currencies")
    codes = sorted({code for place in territories for code in numbers.get_territory_currencies(place)})
    signs: dict[str, set[str]] = defaultdict(set)
    for native in _NATIVE.split(","):
        language, own = native.split()
        for code, written in core.Locale.parse(language).currency_symbols.items():
            for sign in _spellings(written):
                if code in codes and sign != code and (code == own or _is_sign(sign)):
                    signs[sign].add(code)
    print(_table(codes, {sign: sorted(signs[sign]) for sign in sorted(signs)}))


def _spellings(written: str) -> Iterator[str]:
    plain = " ".join("".join(char for char in written if char.isprintable() or char.isspace()).split())
    if len(plain) > _SINGLE or not plain.isascii() or not plain.isalpha():
        yield plain.replace(" ", "")


def _is_sign(sign: str) -> bool:
    """Whether it is no word of letters, which could be another unit."""
    return not sign.replace(".", "").isalpha()


def _table(codes: list[str], signs: dict[str, list[str]]) -> str:
    rows = "\n".join(f'    "{sign}": "{" ".join(some)}",' for sign, some in signs.items())
    names = fill(" ".join(codes), 116, initial_indent="    ", subsequent_indent="    ")
    return f'''"""The currencies in use, by their codes of ISO 4217, and the signs that people write for them.

Written by `python -m tools.benchmarks.currencies` from the data of Unicode; not to be changed by hand.
"""

CODES = frozenset(
    """
{names}
    """.split()
)
SIGNS = {{
{rows}
}}
"""Each sign with the codes of the currencies that it may stand for."""'''


if __name__ == "__main__":
    main()
