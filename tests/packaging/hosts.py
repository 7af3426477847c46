"""`make hosts`: the wheel, each extra and each page in environments of their own, inside a host with a package `src`.

`python -m tests.packaging.hosts WHEEL FOLDER [PYTHON ...]`. Without a Python, with each that is found here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.docs.markdown import Page
from tests.docs.pages import PAGES
from tests.docs.run_page import PYTHON, in_checkout, run_page_of
from tests.docs.run_shell import SHELL
from tests.packaging.host import check
from tests.packaging.wheels import ROOT
