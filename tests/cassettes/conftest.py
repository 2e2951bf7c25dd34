"""Fixtures of the recorder's tests: a provider on loopback, a clean environment, and the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cassettes.loopback_provider import KEY, CommandResult, Provider, Record, base_url, provider
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus


def clear_environment(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the machine counts."""
    for transport in corpus.transports.values():
        sdk = transport["sdk"]
        for name in (
            sdk["base_url_variable"],
            *sdk.get("headers", {}).values(),
            *(key["variable"] for key in sdk["keys"]),
        ):
            monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def upstream() -> Iterator[Provider]:
    with provider() as server:
        yield server


@pytest.fixture
def record(
    corpus: Corpus,
    upstream: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    certificates_read_once: None,
) -> Record:
    """``record(format, *arguments)`` runs the command against the provider, cassettes go to ``tmp_path / 'kept'``.

    With ``settled`` the settings say so, not the command.
    """
    del certificates_read_once
    clear_environment(corpus, monkeypatch)

    def run(
        name: str, *arguments: str, url: str | None = None, key: str | None = KEY, settled: bool = False
    ) -> CommandResult:
        variable = corpus.transports[name]["sdk"]["keys"][0]["variable"]
        if key is not None:
            monkeypatch.setenv(variable, key)
        target = base_url(corpus, name, upstream.url) if url is None else url
        folder = str(tmp_path / "kept")
        if settled:
            monkeypatch.setenv("TOOLCALL_CASSETTES", folder)
        code = main(
            [
                *("record", "--format", name, "--model", "model-1", *([] if settled else ["--cassettes", folder])),
                *("--rate", "60000", "--base-url", target),
                *arguments,
            ]
        )
        printed = capsys.readouterr()
        return CommandResult(code, printed.out, printed.err)

    return run
