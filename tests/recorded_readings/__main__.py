"""Record anew: `python -m tests.recorded_readings`. The difference to the file before is what a reviewer reads.

`python -m tests.recorded_readings --check` compares instead, and needs only what the parser itself requires: any
Python can be asked.
"""

import json
import platform
import sys

from src.shared.domain.expression import IS_SOUND
from tests.recorded_readings.recording import FILE, made, reading_of, recorded


def _check() -> None:
    texts = list(recorded())
    changed = [one.text for one in texts if reading_of(one.text) != one.reading]
    kind = "sound" if IS_SOUND else "unsound, as they are up to 3.11.4"
    print(f"Python {platform.python_version()} ({sys.executable}), whose possessive groups are {kind}:")
    print(
        f"{len(texts) - len(changed)} of {len(texts)} recorded texts are read as recorded",
        *map(repr, changed),
        sep="\n",
    )
    sys.exit(bool(changed))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        _check()
    FILE.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made()), "utf-8")
