"""Which files are changed, and which of all changes are tried."""

from __future__ import annotations

import ast
from itertools import islice
from pathlib import Path
from random import Random

from tools.mutation.code import code_mutants
from tools.mutation.expressions import expression_mutants
from tools.mutation.mutant import Mutant, Source

PACKAGES = (
    "src/shared/infrastructure/parsing/**/*.py",
    "src/shared/domain/reading/**/*.py",
    "src/shared/domain/edits.py",
    "src/shared/domain/strict_json.py",
    "src/shared/domain/work.py",
)
"""The code that reads and repairs, as patterns below the root; a pattern that fits nothing is left out."""


def mutants(root: Path, packages: tuple[str, ...] = PACKAGES) -> tuple[list[Mutant], list[Mutant]]:
    """Every change of the code, and every change of the expressions."""
    code: list[Mutant] = []
    expressions: list[Mutant] = []
    for path in sorted({path for package in packages for path in root.glob(package)}):
        source = Source(path.relative_to(root), path.read_text("utf-8"))
        code += code_mutants(source)
        expressions += expression_mutants(source)
    return code, expressions


def sampled(root: Path, of: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Pick some that are Python still, always the same ones for a seed."""
    shuffled = Random(f"{seed}/{len(of)}").sample(of, len(of))
    return list(islice((mutant for mutant in shuffled if _is_python(root, mutant)), count))


def _is_python(root: Path, mutant: Mutant) -> bool:
    try:
        ast.parse(mutant.apply((root / mutant.path).read_text("utf-8")))
    except SyntaxError:
        return False
    return True
