"""What a model is shown: messages with roles, each made of texts and images."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class ImageType(StrEnum):
    """What an image's bytes are; the types that every provider with eyes takes."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    WEBP = "image/webp"
    GIF = "image/gif"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a message that is read."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A part of a message that is seen. Logs and recordings hold its digest, never its bytes.

    Attributes:
        data: the encoded image.
        media_type: what `data` is.
        name: what a person knows it by, such as `page 12`; not sent.
    """

    data: bytes = field(repr=False)
    media_type: ImageType = ImageType.PNG
    name: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


MessagePart: TypeAlias = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation.

    Attributes:
        role: who speaks.
        parts: what is said and shown, in order; at least one.
    """

    role: Role
    parts: tuple[MessagePart, ...]

    def __post_init__(self) -> None:
        """Refuse a message that says nothing."""
        if not self.parts:
            message = "a message needs at least one part"
            raise ValueError(message)

    @classmethod
    def of(cls, role: Role, text: str, *images: ImagePart) -> ChatMessage:
        """A message of one text, and the images it speaks of."""
        return cls(role, (TextPart(text), *images))

    @property
    def text(self) -> str:
        """What is read of it, without images."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """What is seen of it."""
        return tuple(part for part in self.parts if isinstance(part, ImagePart))
