"""Options of the commands that use the store of outcomes."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

StoreOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="The store: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; by default "
        "OUTPUT_STORE_URL.",
        show_default=False,
    ),
]
WindowOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--window",
        metavar="N|TIME|N,TIME",
        help="Which texts are counted: the last 200 of each, those of a time such as 24h (s, m, h, d), or of those "
        "the last 200: 200,24h.",
    ),
]
