"""Record with vcrpy into memory; other modules select, scrub and write the interactions."""

from __future__ import annotations

from importlib import metadata
from types import SimpleNamespace
from typing import Any, Self

from toolcall_conformance.recording.cassettes.recorder.budget import Budget

_OLDEST = (9, 4)
_INSTALL = "pip install 'toolcall-conformance[cassettes]'"


class MissingRecorderError(Exception):
    """vcrpy, httpx2 or google-re2 is missing or too old; the message says how to install it."""


def verify_installed() -> None:
    """Raises MissingRecorderError."""
    for name in ("vcrpy", "httpx2", "google-re2"):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise MissingRecorderError(f"recording needs {name}, which is not installed: {_INSTALL}") from None
        if name == "vcrpy" and tuple(int(part) for part in version.split(".")[:2]) < _OLDEST:
            raise MissingRecorderError(f"vcrpy {version} does not record httpx2; install 9.4 or newer: {_INSTALL}")


class Tape:
    """A context in which vcrpy records all successful exchanges; on exit it sets ``interactions``.

    They have vcrpy's layout of version 1; UTF-8 bodies are text. Bodies are unpacked within ``budget``.
    """

    def __init__(self, budget: Budget) -> None:
        import vcr
        from vcr.persisters.filesystem import CassetteNotFoundError
        from vcr.serialize import serialize

        self.interactions: list[dict[str, Any]] = []
        as_data = SimpleNamespace(serialize=lambda data: data, deserialize=lambda data: data)

        def load_cassette(_path: Any, serializer: Any) -> Any:
            del serializer
            raise CassetteNotFoundError

        def save_cassette(_path: Any, cassette: Any, serializer: Any) -> None:
            self.interactions = serialize(cassette, serializer)["interactions"]

        recorder = vcr.VCR(
            record_mode=vcr.mode.ALL,
            before_record_response=lambda response: _without_packing(response, budget),
        )
        recorder.register_serializer("data", as_data)
        recorder.register_persister(SimpleNamespace(load_cassette=load_cassette, save_cassette=save_cassette))
        self._context = recorder.use_cassette("in memory", serializer="data")

    def __enter__(self) -> Self:
        self._context.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._context.__exit__(*raised)


def _without_packing(response: dict[str, Any], budget: Budget) -> dict[str, Any] | None:
    """A response without its packing; None for one that is not kept. vcrpy itself unpacks without a limit."""
    if response["status"]["code"] >= 300:
        return None
    packings = [", ".join(values) for name, values in response["headers"].items() if name.lower() == "content-encoding"]
    headers = {name: values for name, values in response["headers"].items() if name.lower() != "content-encoding"}
    body = budget.unpack(response["body"]["string"], ", ".join(packings))
    return {**response, "headers": headers, "body": {**response["body"], "string": body}}
