"""What a run is: its inputs and its options. A run that was interrupted goes on with the same ones only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from src.shared.domain.language import Message


@dataclass(frozen=True)
class Manifest:
    """The identity of a run, as JSON types.

    Attributes:
        inputs: name and identity of each input, in order.
        options: what the outputs depend on; neither the engine nor the number of workers.
    """

    inputs: list[dict[str, Any]]
    options: dict[str, Any]

    def differences(self, other: Manifest) -> list[Message]:
        """What is not the same in another run, in words; empty where it is this one."""
        return [*self._other_inputs(other), *self._other_options(other)]

    def _other_inputs(self, other: Manifest) -> list[Message]:
        mine, theirs = [entry["name"] for entry in self.inputs], [entry["name"] for entry in other.inputs]
        if mine != theirs:
            return [
                Message(f"输入为 {_list(theirs)}，而不是 {_list(mine)}", f"inputs {_list(theirs)}, not {_list(mine)}")
            ]
        return [
            Message(
                f"输入 {new['name']} 的内容已改变（{_changed(old, new)}）",
                f"{new['name']} changed ({_changed(old, new)})",
            )
            for old, new in zip(self.inputs, other.inputs, strict=True)
            if old != new
        ]

    def _other_options(self, other: Manifest) -> list[Message]:
        names = [
            name for name in {**self.options, **other.options} if self.options.get(name) != other.options.get(name)
        ]
        return [
            Message(
                f"{name} 为 {other.options.get(name)!r}，而不是 {self.options.get(name)!r}",
                f"{name} is {other.options.get(name)!r}, not {self.options.get(name)!r}",
            )
            for name in names
        ]


def _changed(old: dict[str, Any], new: dict[str, Any]) -> str:
    return ", ".join(name for name in {**old, **new} if old.get(name) != new.get(name))


def _list(names: list[str]) -> str:
    return ", ".join(names) or "-"
