"""The Gemini API is the same under each of its versions: Google's own SDK asks v1, others ask v1beta."""

from __future__ import annotations

import pytest

from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.library import load_corpus


@pytest.mark.parametrize("version", ["v1", "v1beta"])
@pytest.mark.parametrize(("method", "stream"), [("generateContent", False), ("streamGenerateContent", True)])
def test_each_version_is_the_api(version: str, method: str, stream: bool) -> None:
    address = Addresses(load_corpus().transports).find_api("POST", f"/{version}/models/gemini-2.5-pro:{method}")
    assert address is not None
    assert (address.format, address.model, address.stream) == ("gemini", "gemini-2.5-pro", stream)


def test_another_version_is_none() -> None:
    assert Addresses(load_corpus().transports).find_api("POST", "/v9/models/gemini-2.5-pro:generateContent") is None


def test_the_official_sdk_asks_one_of_them() -> None:
    client = pytest.importorskip("google.genai._api_client", reason="needs google-genai")
    path = f"/{client.GOOGLE_AI_API_DEFAULT_VERSION}/models/m:generateContent"
    assert Addresses(load_corpus().transports).find_api("POST", path) is not None
