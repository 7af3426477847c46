"""Every message of what reads, searches and keeps pages here, in one place."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from src.modules.visual_rag.domain.exceptions import (
    ImageError,
    OcrError,
    SearchError,
    UnknownImageError,
    VisualRagConfigurationError,
)
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import needs_package


def needs_extra() -> AbstractContextManager[None]:
    """Around the imports of the extra's packages.

    Raises:
        VisualRagConfigurationError: one of them is not installed.
    """
    return needs_package("visual-rag", lambda message, details: VisualRagConfigurationError(message.text(), details))


def unknown_image() -> UnknownImageError:
    """No image has this id; what the model wrote is not repeated."""
    message = Message(
        "没有这个 image_id；请使用搜索或裁剪结果中的 image_id",
        "unknown image_id; use one that a search or a crop has given",
    )
    return UnknownImageError(message.text())


def unreadable_image(image_id: str, reason: str) -> ImageError:
    """The file is missing, damaged, or no image."""
    message = Message.glossed(
        f"无法读取图像 {image_id}", f"the image {image_id} cannot be read", "the image cannot be read"
    )
    return ImageError(message.text(), {"image_id": image_id, "reason": reason})


def too_large(image_id: str, limit: int) -> ImageError:
    """The image has more pixels than are decoded."""
    more = f"has more than {limit:,} pixels"
    zh, en = f"图像 {image_id} 超过 {limit:,} 像素的上限，未解码", f"the image {image_id} {more} and was not decoded"
    return ImageError(Message.glossed(zh, en, f"the image {more}").text(), {"image_id": image_id, "limit": limit})


def too_many_bytes(image_id: str, limit: int) -> ImageError:
    """The image cannot be encoded in so few bytes."""
    more = f"cannot be shown within {limit:,} bytes; crop a smaller part of it"
    zh, en = f"图像 {image_id} 无法压缩到 {limit:,} 字节以内；请裁剪更小的部分", f"the image {image_id} {more}"
    return ImageError(Message.glossed(zh, en, f"the image {more}").text(), {"image_id": image_id, "limit": limit})


def crop_not_written(reason: str) -> VisualRagConfigurationError:
    """The folder of the run cannot be written."""
    return _not_written("裁剪图像", "a crop", reason)


def image_not_kept(reason: str) -> VisualRagConfigurationError:
    """An image that was loaded cannot be written."""
    return _not_written("加载的图像", "an image that was loaded", reason)


def _not_written(what_zh: str, what_en: str, reason: str) -> VisualRagConfigurationError:
    check = "check the output folder"
    message = Message.glossed(
        f"无法写入{what_zh}：{reason}；请检查输出文件夹",
        f"{what_en} cannot be written: {reason}; {check}",
        f"{what_en} cannot be written; {check}",
    )
    return VisualRagConfigurationError(message.text(), {"reason": reason})


NO_FOLDER = Message("无法读取页面文件夹", "the folder of pages cannot be read")
NO_PAGES = Message("文件夹中没有页面图像，或页面过多", "the folder holds no image of a page, or too many")


def file_error(problem: Message, path: Path, reason: object = "") -> VisualRagConfigurationError:
    """A folder or file that the user has named cannot be used."""
    why_zh, why_en = (f"：{reason}", f": {reason}") if str(reason) else ("", "")
    message = Message(
        f"{problem.zh}：{path}{why_zh}",
        f"{problem.en}: {path}{why_en}",
        f"{problem.zh}：{path} ({problem.en}{why_en})",
    )
    return VisualRagConfigurationError(message.text(), {"path": str(path), "reason": str(reason)})


INSTALL_TESSERACT = "apt install tesseract-ocr tesseract-ocr-chi-sim"
"""On Debian and its descendants."""


def no_tesseract() -> VisualRagConfigurationError:
    """The program is not on the path."""
    zh, gloss = f"找不到程序 tesseract；Debian 上请运行 {INSTALL_TESSERACT}", "the program tesseract is not installed"
    message = Message.glossed(zh, f"{gloss}; on Debian run {INSTALL_TESSERACT}", gloss)
    return VisualRagConfigurationError(message.text(), {"program": "tesseract", "install": INSTALL_TESSERACT})


def no_language(missing: list[str]) -> VisualRagConfigurationError:
    """The program has no data for a language."""
    names = ", ".join(missing)
    zh = f"tesseract 没有语言数据 {names}；Debian 上请运行 {INSTALL_TESSERACT}，或设置 VISUAL_RAG_OCR_LANGUAGES"
    gloss = f"tesseract has no data for {names}"
    en = f"{gloss}: on Debian run {INSTALL_TESSERACT}, or set VISUAL_RAG_OCR_LANGUAGES"
    message = Message.glossed(zh, en, f"{gloss}: install them, or set the variable")
    return VisualRagConfigurationError(message.text(), {"languages": missing, "install": INSTALL_TESSERACT})


def ocr_timeout(seconds: float) -> OcrError:
    """Reading took too long."""
    zh = f"OCR 在 {seconds:g} 秒内未完成；请选更小的区域"
    return OcrError(Message(zh, f"no text within {seconds:g} s; choose a smaller region").text(), {"timeout": seconds})


def ocr_failed(reason: object) -> OcrError:
    """The program failed; `reason` is its exit code, or an exception's name."""
    message = Message("OCR 程序出错；请换一个区域", "the OCR failed; choose another region")
    return OcrError(message.text(), {"reason": str(reason)})


SEARCH_UNREACHED = Message("无法连接搜索服务", "the service was not reached")


SEARCH_LATE = Message("搜索服务未在限定时间内给出完整结果", "no whole answer in time")


SEARCH_STATUS = Message("搜索服务返回了错误状态", "the service answered with an error")


SEARCH_TOO_LARGE = Message("搜索结果过大", "the answer is too large")


SEARCH_ELSEWHERE = Message("图像地址不在搜索服务的主机上", "the address leads to another host")


SEARCH_NO_IMAGE = Message("找到的页面，其图像均无法加载", "no image of the pages found could be loaded")


SEARCH_NOT_AGREED = Message("搜索服务的返回不合约定", "the answer is not what was agreed")


def search_failed(problem: Message, **facts: object) -> SearchError:
    """The search service did not answer, or not as agreed."""
    return SearchError(Message(f"搜索失败：{problem.zh}", f"the search failed: {problem.en}").text(), dict(facts))


BAD_PAGE = Message("页面图像无法读取，请修复或移走", "the image of a page cannot be read; mend it or move it away")


FOREIGN_INDEX = Message(
    "文件不是本版本的索引，请删除或另选输出文件夹",
    "the file is no index of this version: delete it, or name another output folder",
)


BAD_INDEX = Message("无法使用索引文件", "the index cannot be used")


BAD_TRANSCRIPT = Message("无法写入轨迹文件", "the transcript cannot be written")


def wrong_settings(problems: dict[str, str]) -> VisualRagConfigurationError:
    """Environment variables are wrong; their values are not repeated."""
    shown = [f"{variable}: {problem}" for variable, problem in problems.items()]
    message = Message.glossed(
        f"环境变量有误：{'；'.join(shown)}",
        f"variables are wrong: {'; '.join(shown)}; correct them",
        "variables are wrong; correct them",
    )
    return VisualRagConfigurationError(message.text(), {"variables": list(problems)})
