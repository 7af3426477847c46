"""The reparsing context's exceptions, each an `AppException`."""

from __future__ import annotations

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase


class BatchInputError(AppException):
    """An input cannot be read, or not to its end. `details`: `input`."""

    default_code = "BATCH_INPUT"

    @classmethod
    def of(cls, name: str, why: Message) -> BatchInputError:
        """The error for an input by its name."""
        return cls(Phrase("the input {name}: {why}", name=name, why=why).text(), {"input": name})


class BatchFolderError(AppException):
    """The folder of the outcomes does not fit: another run's, in use, or not to be written. `details`: `folder`."""

    default_code = "BATCH_FOLDER"

    @classmethod
    def of(cls, folder: str, why: Message) -> BatchFolderError:
        """The error for a folder by its name."""
        return cls(Phrase("the folder {folder}: {why}", folder=folder, why=why).text(), {"folder": folder})


class BatchReaderError(AppException):
    """A reader cannot be started, so that no text could be read; the message is that of the reader's own process."""

    default_code = "BATCH_READER"
