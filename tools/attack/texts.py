"""What the strings of the documents say: the texts models are asked for, and those that get damaged most."""

from __future__ import annotations

from random import Random

ENGLISH = (
    "Revenue grew 12.4% year on year, ahead of guidance.",
    "The two fabs come on line in the third quarter; capex peaks this year.",
    "Net debt fell to 0.6x EBITDA (from 1.1x), which covers the dividend",
    "Step 1: open the file. Step 2: read it, line by line.",
    "risk, reward, patience",
    "No data",
    "yes",
    "N/A",
    "see also: appendix B, table 3",
)
CHINESE = (
    "公司三季度营收同比增长12.4%，超出指引；毛利率稳定在41.2%。",
    "结论：买入，目标价：86.5元（较现价上涨20%）。",
    "客户集中度偏高，需要持续跟踪……",
    "风险：一、断供；二、汇率；三、库存。",
    "看多",
    "华辰半导体（688123.SH）",
)
NAMES = ("BUY", "AAPL", "alpha", "high", "medium", "user_id", "v1.2.3", "张三", "a", "x-y z")
LATIN = ("é", "naïve café", "a\u00a0b", "½ £ ±1°", "Zoë, São Paulo")
EMOJI = ("🚀 up", "👩\u200d💻", "done ✅ 🎉", "🌡 −5℃", "看多📈")
QUOTES = (
    'He said "hi" and left',
    'the "core" of it',
    'the so-called "moat", they say',
    '"Buy" is the word',
    'the word is "buy"',
    'a 24" screen',
    '他说："可以"，然后走了',
    '"a": "b"',
    '"quoted"',
)
CHINESE_QUOTES = ("他说“可以”，然后走了。", "“护城河”收窄", "所谓‘龙头’企业", "《年报》与「季报」")
APOSTROPHES = ("It's a company's moat", "don't", "the bulls' case", "rock 'n' roll", "'quoted'", "5' tall")
CODE = (
    "def f(x):\n    return {\"a\": x, 'b': [1, 2]}\n",
    "const o = {x: 1, y: [2, 3]}; // note",
    "if (a && b) { return c[0]; }",
    'print("hello, world")',
    "SELECT * FROM t WHERE name = 'x' AND n > 5;",
    'for i in range(3):\n\tprint(f"{i}: ok")',
    "x = {}",
    "a /* b */ c # d",
)
PATHS = (
    r"C:\Users\new\table.csv",
    r"C:\dir\bin\file",
    r"D:\report\final" + "\\",
    r"\\server\share\x",
    "/usr/local/bin/python3",
    "https://example.com/a?b=1&c=2#d",
    r"a\b",
)
LATEX = (
    r"\frac{a}{b} \times \beta",
    r"$x^2 + \nu \neq 0$",
    r"the mean is \bar{x}, \text{so} \rho = 1",
    r"\begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}",
    r"\{1, 2\}",
)
REGEXES = (r"\bfoo\b\d+", r"^[\w.]+@\w+\.\w{2,3}$", r'"[^"\\]*"', r"\s*(,|;)\s*", r"\u0041|\x41")
LINES = ("one\ntwo", "a\n\nb\n", "col1\tcol2\n1\t2", "- one\n- two\n  - three", "line\r\nline", "\ttab")
MARKUP = (
    '<a href="x.html">link</a> &amp; more',
    "<b>bold</b><br/>",
    "**bold** and `code`",
    "# Heading\n\n> quote\n\n| a | b |\n|---|---|",
    "```python\nprint(1)\n```",
    "<think>not a thought</think> text",
    "[link](https://example.com)",
)
SIGNS = ("zero\u200bwidth", "“", "{", "]", "}, {", ",", ":", "...", "null")
DATES = ("2024-01-05", "2024/1/5", "12:30:00", "2024-01-05T12:30:00Z", "三季度", "Q3 2024", "5 Jan 2024")
NUMBERS = ("12", "-3.5", "1,000", "85%", "85/100", "007", "1e5", "+86 138 0000 0000", "$1.2bn", "True", "None")
JSON_TEXTS = ('{"a": 1}', "[1, 2]", '{"title": "x", "score": 0}', '{\n  "k": "v"\n}')
EMPTY = ("", " ", "-")

PLAIN = (ENGLISH, CHINESE, NAMES, DATES)
"""Texts without a quote, a bracket of JSON, a backslash or a line end."""
ALL = (
    *PLAIN,
    *(ENGLISH, CHINESE, NAMES),
    *(QUOTES, QUOTES, CHINESE_QUOTES, APOSTROPHES, CODE, CODE, PATHS, LATEX, REGEXES, LINES),
    *(LATIN, EMOJI, MARKUP, SIGNS, NUMBERS, JSON_TEXTS, EMPTY),
)
"""Every sort of text; the plain ones stand here twice."""
_PROSE = 0.08
"""Share of the texts that are a paragraph."""


def any_text(rng: Random, sorts: tuple[tuple[str, ...], ...] = ALL) -> str:
    """Pick a text; now and then several of different sorts after one another."""
    if rng.random() < _PROSE:
        return " ".join(rng.choice(rng.choice(sorts)) for _ in range(rng.randint(3, 8)))
    return rng.choice(rng.choice(sorts))
