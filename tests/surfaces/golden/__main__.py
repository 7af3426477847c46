"""Play the transcripts: `python -m tests.surfaces.golden`, or with `--write` write down what comes out now.

Names of surfaces (`cli-parse`) play these alone.
"""

import sys

from tests.loopback.at_home import at_home
from tests.surfaces.transcripts import main

if __name__ == "__main__":
    with at_home():
        sys.exit(main(sys.argv[1:]))
