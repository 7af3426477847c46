"""Two ways to run the agent's command line: in this process, and as the process a shell would start."""

import sys
from functools import partial

from examples.visual_rag.__main__ import app
from tests.entrypoints.cli import harness

PROGRAM = (sys.executable, "-m", "examples.visual_rag")
invoke = partial(harness.invoke, of=app)
run = partial(harness.run, program=PROGRAM)
