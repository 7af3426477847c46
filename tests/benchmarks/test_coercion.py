"""The table of what libraries make of values in another spelling."""

import pytest

from benchmarks import coercion


def test_command_prints_ours_and_names_what_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> coercion.Read:
        raise ModuleNotFoundError

    monkeypatch.setattr(coercion, "PEERS", (*coercion.PEERS[:2], coercion.Peer("other", "other", missing)))
    coercion.main()
    _, _, ours, alone, other, *_ = capsys.readouterr().out.splitlines()
    right, wrong, _, _, read = [cell.strip() for cell in ours.split("|")[2:-1]]

    assert int(right) >= 200
    assert (wrong, read) == ("0", "0")
    assert alone.startswith("| Pydantic alone")
    assert other == "| other | not installed |  |  |  |  |"
