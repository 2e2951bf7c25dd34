"""Reads the flows that mitmproxy saved, with mitmproxy's own reader; it is in the extra ``mitmproxy``."""

from __future__ import annotations

import importlib
import io
from collections import Counter
from pathlib import Path
from typing import Any

from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, UnreadableCaptureError, body_of


def is_dump(data: bytes) -> bool:
    """Whether bytes are a dump: the first of them are a netstring of a dictionary, which ends with a brace."""
    size, colon, _ = data[:20].partition(b":")
    end = len(size) + 1 + int(size) if colon and size.isdigit() else len(data)
    return data[end : end + 1] == b"}"


def read(path: Path, data: bytes) -> Capture:
    """The exchanges of a dump. Raises UnreadableCaptureError, also where mitmproxy is not installed."""
    try:
        exceptions, flows, http = (
            importlib.import_module(f"mitmproxy.{name}") for name in ("exceptions", "io", "http")
        )
    except ImportError:
        raise UnreadableCaptureError(
            "it is a dump of mitmproxy; export it as HAR (mitmdump -nr "
            f"{path.name} --set hardump=flows.har), or pip install 'toolcall-conformance[mitmproxy]'"
        ) from None
    exchanges, skipped = [], Counter[str]()
    try:
        for number, flow in enumerate(flows.FlowReader(io.BytesIO(data)).stream(), 1):
            exchange = _exchange(f"flow {number}", flow) if isinstance(flow, http.HTTPFlow) else None
            if exchange is None:
                skipped["a flow without a JSON body"] += 1
            else:
                exchanges.append(exchange)
    except exceptions.FlowReadException as error:
        raise UnreadableCaptureError(
            f"mitmproxy cannot read this dump ({error}); save it with the same version"
        ) from None
    return Capture("a dump of mitmproxy", exchanges, skipped)


def _exchange(name: str, flow: Any) -> CapturedExchange | None:
    request = body_of(flow.request.get_text(strict=False) or "")
    if not isinstance(request, dict):
        return None
    response = flow.response
    data = (response.get_content(strict=False) or b"") if response is not None else b""
    streamed = response is not None and response.headers.get("content-type", "").startswith("text/event-stream")
    return CapturedExchange(
        name,
        request,
        None if streamed else body_of(data.decode("utf-8", "replace")),
        data if streamed and data else None,
        flow.request.pretty_url,
        response.status_code if response is not None else None,
        flow.request.timestamp_start,
    )
