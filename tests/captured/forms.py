"""The same exchanges in the forms that tools write: what each writes was looked at in real files of it."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASES = ("shell/realistic", "parallel/three-tools")
HOSTS = {
    "anthropic": "https://api.anthropic.com/v1/messages",
    "openai_chat": "http://127.0.0.1:8080/v1/chat/completions",
}


@dataclass(frozen=True)
class Sent:
    """An exchange as it was: ``stream`` is None for a unary reply."""

    request: Any
    reply: Any
    stream: str | None = None
    url: str = ""


#: What asks for a stream, and for its token counts.
STREAMED = {"openai_chat": {"stream": True, "stream_options": {"include_usage": True}}}


def exchanges(name: str, *, streamed: bool = False) -> list[Sent]:
    """The exchanges of some conversations in one format."""
    entries = []
    for case in CASES:
        for exchange in CORPUS.cases[case].exchanges(name):
            request = exchange.request | (STREAMED.get(name, {"stream": True}) if streamed else {})
            entries.append(
                Sent(request, exchange.response, exchange.stream().decode() if streamed else None, HOSTS.get(name, ""))
            )
    return entries


def har(sent: list[Sent], *, packed: bool = False) -> str:
    """A HAR; ``packed`` has the contents in base64, as mitmproxy writes what it takes for binary."""
    entries: list[Any] = [
        {"startedDateTime": "2026-11-27T10:00:00Z", "request": {"method": "GET", "url": "https://x/y"}}
    ]
    for second, exchange in enumerate(sent):
        text = exchange.stream if exchange.stream is not None else json.dumps(exchange.reply)
        content: dict[str, Any] = {
            "mimeType": "text/event-stream" if exchange.stream is not None else "application/json"
        }
        content |= (
            {"text": base64.b64encode(text.encode()).decode(), "encoding": "base64"} if packed else {"text": text}
        )
        entries.append(
            {
                "startedDateTime": f"2026-11-27T10:00:{second:02}.5+00:00",
                "request": {
                    "method": "POST",
                    "url": exchange.url,
                    "postData": {"mimeType": "application/json", "text": json.dumps(exchange.request)},
                },
                "response": {"status": 200, "content": content},
            }
        )
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "x"}, "entries": entries}})


def lines(sent: list[Sent]) -> str:
    """A line an exchange, under the names that loggers use."""
    records = []
    for second, exchange in enumerate(sent):
        reply = exchange.stream if exchange.stream is not None else exchange.reply
        records.append(
            json.dumps(
                {
                    "ts": 1_764_000_000_000 + second,
                    "request": {"body": exchange.request},
                    "response": {"status": 200, "body": reply},
                }
            )
        )
    return "\n".join(["starting up", *records]) + "\n"


def as_alternating_bodies(sent: list[Sent]) -> str:
    """Plain bodies, a request and its reply in turn."""
    return "\n".join(json.dumps(body) for exchange in sent for body in (exchange.request, exchange.reply))


def as_list(sent: list[Sent]) -> str:
    return json.dumps(
        [
            {"request": json.dumps(exchange.request), "response": json.dumps(exchange.reply), "url": exchange.url}
            for exchange in sent
        ]
    )


def curl(sent: list[Sent]) -> str:
    """What ``curl -v`` prints, with its meter, which cuts a line of the body in two."""
    commands = []
    for exchange in sent:
        text = exchange.stream if exchange.stream is not None else json.dumps(exchange.reply)
        body = json.dumps(exchange.request).replace("'", "'\\''")
        meter = "\r100  8063    0  6897  100  1166  25939   4385 --:--:-- --:--:-- --:--:-- 30426\n"
        half = len(text) // 2
        commands.append(
            f"$ curl -v {exchange.url} -H 'content-type: application/json' --data-raw '{body}'\n"
            "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
            "                                 Dload  Upload   Total   Spent    Left  Speed\n"
            "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0*   Trying 127.0.0.1...\n"
            "* Connected to 127.0.0.1 (127.0.0.1) port 80 (#0)\n"
            "> POST /v1/messages HTTP/1.1\r\n> Host: 127.0.0.1\r\n> Content-Length: 1166\r\n> \r\n"
            "} [1166 bytes data]\n* We are completely uploaded and fine\n"
            "< HTTP/1.1 200 OK\r\n< content-type: application/json\r\n< \r\n{ [1166 bytes data]\n"
            f"{text[:half]}{meter}* Connection #0 to host 127.0.0.1 left intact\n{text[half:]}\n"
        )
    return "".join(commands)


def debug_log(sent: list[Sent]) -> str:
    """LiteLLM's debug log: the body as Python prints it."""
    log_lines = ["21:06:42 - LiteLLM Proxy:INFO: proxy_server.py:1 - started"]
    log_lines += [
        "\x1b[92m21:06:43 - LiteLLM:DEBUG\x1b[0m: litellm_logging.py:1 - \n\x1b[92m\n\n"
        f"POST Request Sent from LiteLLM:\ncurl -X POST \\\n{exchange.url} \\\n-H 'Authorization: Be****ey' \\\n"
        f"-d '{exchange.request!r}'\n\x1b[0m\n\n"
        "21:06:43 - LiteLLM:DEBUG: x.py:2 - RAW RESPONSE:\n<coroutine object f at 0x7f>\n\n\n"
        f"21:06:43 - LiteLLM:DEBUG: x.py:2 - RAW RESPONSE:\n{json.dumps(exchange.reply)}\n\n\n"
        for exchange in sent
    ]
    return "\n".join(log_lines)


def payloads(sent: list[Sent], call_type: str = "acompletion") -> str:
    """LiteLLM's StandardLoggingPayload, batches of them a line each."""
    records = []
    for exchange in sent:
        settings = {key: value for key, value in exchange.request.items() if key not in ("model", "messages")}
        metadata = {
            "id": "x",
            "call_type": call_type,
            "model": "m",
            "model_group": exchange.request["model"],
            "metadata": {},
        }
        records.append(
            metadata
            | {"messages": exchange.request["messages"], "response": exchange.reply, "model_parameters": settings}
        )
    return "\n".join(json.dumps([record]) for record in records)
