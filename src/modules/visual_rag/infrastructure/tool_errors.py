"""Every message of the adapters of this context, in one place. Chinese first, an English gloss in brackets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.modules.visual_rag.domain.exceptions import (
    ImageError,
    OcrError,
    SearchError,
    UnknownImageError,
    VisualRagConfigurationError,
)
from src.shared.infrastructure.llm.provider_errors import Problem

INSTALL = 'pip install "unified-llm-output-parser[visual-rag]"'
INSTALL_TESSERACT = "apt install tesseract-ocr tesseract-ocr-chi-sim"
"""On Debian and its descendants."""


@contextmanager
def needs_extra() -> Iterator[None]:
    """Around the imports of the extra's packages.

    Raises:
        VisualRagConfigurationError: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"缺少软件包 {error.name}；请运行 {INSTALL} (the package {error.name} is missing; run the command)"
        raise VisualRagConfigurationError(message, {"package": error.name, "install": INSTALL}) from error


def no_tesseract() -> VisualRagConfigurationError:
    """The program is not on the path."""
    message = f"找不到程序 tesseract；Debian 上请运行 {INSTALL_TESSERACT} (the program tesseract is not installed)"
    return VisualRagConfigurationError(message, {"program": "tesseract", "install": INSTALL_TESSERACT})


def no_language(missing: list[str]) -> VisualRagConfigurationError:
    """The program has no data for a language."""
    names = ", ".join(missing)
    message = (
        f"tesseract 没有语言数据 {names}；Debian 上请运行 {INSTALL_TESSERACT}，或设置 VISUAL_RAG_OCR_LANGUAGES "
        f"(tesseract has no data for {names}: install them, or set the variable)"
    )
    return VisualRagConfigurationError(message, {"languages": missing, "install": INSTALL_TESSERACT})


def ocr_timeout(seconds: float) -> OcrError:
    """Reading took too long."""
    message = f"OCR 在 {seconds:g} 秒内未完成；请选更小的区域 (no text within {seconds:g} s; choose a smaller region)"
    return OcrError(message, {"timeout": seconds})


def ocr_failed(reason: object) -> OcrError:
    """The program failed; `reason` is its exit code, or an exception's name."""
    return OcrError("OCR 程序出错；请换一个区域 (the OCR failed; choose another region)", {"reason": str(reason)})


def unknown_image() -> UnknownImageError:
    """No image has this id; what the model wrote is not repeated."""
    message = (
        "没有这个 image_id；请使用搜索或裁剪结果中的 image_id "
        "(unknown image_id; use one that a search or a crop has given)"
    )
    return UnknownImageError(message)


def unreadable_image(image_id: str, reason: str) -> ImageError:
    """The file is missing, damaged, or no image."""
    message = f"无法读取图像 {image_id} (the image cannot be read)"
    return ImageError(message, {"image_id": image_id, "reason": reason})


def too_large(image_id: str, limit: int) -> ImageError:
    """The image has more pixels than are decoded."""
    message = f"图像 {image_id} 超过 {limit:,} 像素的上限，未解码 (the image has more than {limit:,} pixels)"
    return ImageError(message, {"image_id": image_id, "limit": limit})


def crop_not_written(reason: str) -> VisualRagConfigurationError:
    """The folder of the run cannot be written."""
    message = f"无法写入裁剪图像：{reason}；请检查输出文件夹 (a crop cannot be written; check the output folder)"
    return VisualRagConfigurationError(message, {"reason": reason})


SEARCH_UNREACHED = Problem("无法连接搜索服务", "the service was not reached")
SEARCH_LATE = Problem("搜索服务未在限定时间内给出完整结果", "no whole answer in time")
SEARCH_STATUS = Problem("搜索服务返回了错误状态", "the service answered with an error")
SEARCH_TOO_LARGE = Problem("搜索结果过大", "the answer is too large")
SEARCH_NOT_AGREED = Problem("搜索服务的返回不合约定", "the answer is not what was agreed")


def search_failed(problem: Problem, **facts: object) -> SearchError:
    """The search service did not answer, or not as agreed."""
    return SearchError(f"搜索失败：{problem.zh} (the search failed: {problem.en})", dict(facts))


NO_FOLDER = Problem("无法读取页面文件夹", "the folder of pages cannot be read")
NO_PAGES = Problem("文件夹中没有页面图像，或页面过多", "the folder holds no image of a page, or too many")
BAD_PAGE = Problem("页面图像无法读取，请修复或移走", "the image of a page cannot be read; mend it or move it away")
FOREIGN_INDEX = Problem(
    "文件不是本版本的索引，请删除或另选输出文件夹",
    "the file is no index of this version: delete it, or name another output folder",
)
BAD_INDEX = Problem("无法使用索引文件", "the index cannot be used")
BAD_TRANSCRIPT = Problem("无法写入轨迹文件", "the transcript cannot be written")


def file_error(problem: Problem, path: Path, reason: object = "") -> VisualRagConfigurationError:
    """A folder or file that the user has named cannot be used."""
    why = f": {reason}" if str(reason) else ""
    facts = {"path": str(path), "reason": str(reason)}
    return VisualRagConfigurationError(f"{problem.zh}：{path} ({problem.en}{why})", facts)


def wrong_settings(problems: dict[str, str]) -> VisualRagConfigurationError:
    """Environment variables are wrong; their values are not repeated."""
    shown = "；".join(f"{variable}: {problem}" for variable, problem in problems.items())
    return VisualRagConfigurationError(
        f"环境变量有误：{shown} (variables are wrong; correct them)", {"variables": list(problems)}
    )
