"""Runs the program tesseract. Image and text go through pipes, so that no file is left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from asyncio.subprocess import DEVNULL, PIPE

from examples.visual_rag.ocr.ocr_output import FORMATS, OcrOutput, output_of
from examples.visual_rag.tool_errors import no_language, no_tesseract, ocr_failed

PROGRAM = "tesseract"
DPI = 300
"""The resolution that the program is told: letters are brought to one height before, whatever the file says."""
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""With more it takes longer, and twice the processor's time."""
_LISTING = 30.0
"""Seconds in which it lists its languages."""


class TesseractProgram:
    """The program, with data for the languages that are read.

    Attributes:
        first_language: the first of them.
        has_others: whether there are more.
    """

    def __init__(self, languages: str) -> None:
        """Make sure that program and data are there.

        Args:
            languages: Tesseract's names, joined by `+`.

        Raises:
            VisualRagConfigurationError: the program or a language is missing; says how to install it.
        """
        path = shutil.which(PROGRAM)
        if path is None:
            raise no_tesseract()
        missing = sorted(set(languages.split("+")) - _languages(path))
        if missing:
            raise no_language(missing)
        self._path = path
        self._languages = languages
        self.first_language, *others = languages.split("+")
        self.has_others = bool(others)

    async def read(self, image: bytes, segmentation: int, languages: str | None = None) -> OcrOutput:
        """Read an image.

        Args:
            image: a file's content, of any format the program knows.
            segmentation: Tesseract's page segmentation mode.
            languages: in which it is read; None: all of them.

        Raises:
            OcrError: the program failed.
            VisualRagConfigurationError: it is gone.
        """
        keep_gaps = ("-c", "preserve_interword_spaces=1")
        read_in = ("-l", languages or self._languages, "--dpi", str(DPI), "--psm", str(segmentation))
        command = (self._path, "stdin", "stdout", *read_in, *keep_gaps, *FORMATS)
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=os.environ | _ONE_THREAD
            )
        except FileNotFoundError as error:
            raise no_tesseract() from error
        except OSError as error:
            raise ocr_failed(type(error).__name__) from error
        printed = await _printed(process, image)
        if process.returncode:
            raise ocr_failed(process.returncode)
        try:
            return output_of(printed)
        except ValueError as error:
            raise ocr_failed(type(error).__name__) from error


async def _printed(process: asyncio.subprocess.Process, image: bytes) -> bytes:
    """What it prints; it does not outlive the call, whatever ends that."""
    try:
        printed, _ = await process.communicate(image)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return printed


def _languages(path: str) -> frozenset[str]:
    try:
        listed = subprocess.run(  # noqa: S603 - found on the path
            [path, "--list-langs"], capture_output=True, text=True, check=True, timeout=_LISTING
        )
    except FileNotFoundError as error:
        raise no_tesseract() from error
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ocr_failed(type(error).__name__) from error
    return frozenset(listed.stdout.split())
