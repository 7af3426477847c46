"""OCR with the program tesseract. Image and text go through pipes, so that no file is left behind."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess

from PIL import Image

from examples.visual_rag.images import png_of
from examples.visual_rag.page_folder import PageFolder
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.ports import ReadText
from src.shared.domain.language import Message

INSTALL = "apt install tesseract-ocr tesseract-ocr-chi-sim"
"""On Debian and its descendants."""
TIMEOUT = 60.0
"""Seconds for one region."""
ENLARGED, LARGE = 2, 4_000_000
"""An image of fewer pixels than the second is read at a multiple of its size: small print of a scan is too small."""
SMALL_PART = 1_000_000
"""Pixels up to which a part is taken for one block of lines; a larger one may have columns."""
_ONE_BLOCK, _COLUMNS = "6", "3"
"""Tesseract's page segmentation modes."""
_OPTIONS = ("--dpi", "300", "-c", "preserve_interword_spaces=1")
"""Without the second it puts blanks between Chinese letters."""
_WIDE_GAP = re.compile(r" {3,}+")


class TesseractOcr:
    """Reads regions of pages; implements `OcrPort`."""

    def __init__(self, folder: PageFolder, languages: str) -> None:
        """Make sure that the program is there, with data for the languages: Tesseract's names, joined by `+`.

        Raises:
            VisualRagConfigurationError: something is missing; says how to install it.
        """
        self._folder = folder
        self._command = (_program_for(languages), "stdin", "stdout", "-l", languages, *_OPTIONS)
        self._free = asyncio.Semaphore(os.cpu_count() or 1)

    async def read(self, image_id: str, region: Region) -> ReadText:
        """Read a region, as the port says."""
        async with self._free:
            _, image, box = await asyncio.to_thread(self._folder.cut, image_id, region)
            return ReadText(image_id, box, await asyncio.to_thread(self._text, image))

    def _text(self, image: Image.Image) -> str:
        pixels = image.width * image.height
        mode = _ONE_BLOCK if pixels <= SMALL_PART else _COLUMNS
        if pixels < LARGE:
            image = image.resize((image.width * ENLARGED, image.height * ENLARGED), Image.Resampling.LANCZOS)
        command = [*self._command, "--psm", mode]
        alone = os.environ | {"OMP_THREAD_LIMIT": "1"}  # more threads take longer, and twice the processor's time
        try:
            read = subprocess.run(  # noqa: S603 - found on the path
                command, input=png_of(image), capture_output=True, check=True, timeout=TIMEOUT, env=alone
            )
            return _WIDE_GAP.sub("  ", read.stdout.decode()).strip()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            zh, en = "OCR 出错或超时；请选更小的区域", "the OCR failed or took too long; choose a smaller region"
            reason = {"reason": type(error).__name__}
            raise ActionError(Message(zh, en).text(), reason, code=FailureCode.OCR) from error


def _program_for(languages: str) -> str:
    program = shutil.which("tesseract")
    if program is None:
        zh, en = "找不到程序 tesseract", "the program tesseract is not installed"
    else:
        listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=False)  # noqa: S603 - as above
        missing = ", ".join(sorted(set(languages.split("+")) - set(listed.stdout.split())))
        if not missing:
            return program
        zh, en = f"tesseract 没有语言数据 {missing}", f"tesseract has no data for {missing}"
    message = Message(f"{zh}；Debian 上请运行 {INSTALL}", f"{en}; on Debian run {INSTALL}")
    raise VisualRagConfigurationError(message.text(), {"install": INSTALL})
