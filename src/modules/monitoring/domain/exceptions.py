"""The monitoring context's exceptions.

The tree::

    AppException
    ├── MonitoringSettingsError    MONITORING_SETTINGS: a variable or an option is wrong, or a package is missing
    ├── StoreError                 (base) the store cannot be used
    │   ├── StoreMissingError      STORE_MISSING: there is none at this address
    │   ├── StoreVersionError      STORE_VERSION: its tables are older, or newer, than this version's
    │   └── StoreUnavailableError  STORE_UNAVAILABLE: it cannot be reached, is locked, or is none
    └── WebhookError               WEBHOOK: the receiver of alarms did not take one
"""

from __future__ import annotations

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase


class MonitoringSettingsError(AppException):
    """A variable or an option is wrong, or a package is missing. `details`: `variables`, or `package` and `install`."""

    default_code = "MONITORING_SETTINGS"


class StoreError(AppException):
    """The store cannot be used. `details`: `store`, its address without a password."""

    default_code = "STORE"

    def __init__(self, store: str, why: Message) -> None:
        super().__init__(Phrase("the store {store}: {why}", store=store, why=why).text(), {"store": store})


class StoreMissingError(StoreError):
    """There is no store at this address, or nothing has been written to it yet."""

    default_code = "STORE_MISSING"


class StoreVersionError(StoreError):
    """The store's tables are older than this version's, or newer."""

    default_code = "STORE_VERSION"


class StoreUnavailableError(StoreError):
    """The store cannot be reached, is locked, or is none."""

    default_code = "STORE_UNAVAILABLE"


class WebhookError(AppException):
    """The receiver of alarms did not take one. `details`: `reason`; never the address, which is private."""

    default_code = "WEBHOOK"

    def __init__(self, reason: str) -> None:
        message = Phrase("the webhook did not take an alarm: {reason}", reason=reason)
        super().__init__(message.text(), {"reason": reason})
