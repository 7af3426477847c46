"""Record anew: `python -m tests.recorded_readings`. The difference to the file before is what a reviewer reads."""

import json

from tests.recorded_readings.recording import FILE, made

if __name__ == "__main__":
    FILE.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made()), "utf-8")
