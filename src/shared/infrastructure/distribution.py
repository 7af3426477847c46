"""The installed distribution."""

DISTRIBUTION = "llm-output"


def installed_version() -> str:
    """Its version, or that it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - it takes as long as typer

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "(not installed)"
