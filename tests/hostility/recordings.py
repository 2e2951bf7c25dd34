"""The place of a provider that says the recorder's key: in any framing of a stream, any pieces, any spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from cassettes.framings import CARRIERS, CUTS, FRAMINGS, RAW
from cassettes.loopback_provider import KEY, PlannedReply
from cassettes.test_known_spellings import SPELLINGS
from hostility.place import Place
from hostility.servers import record_case

FORMATS = {"Anthropic": "anthropic", "Chat": "openai_chat", "Responses": "openai_responses", "Gemini": "gemini"}
NEEDLE = "".join(sign for sign in KEY if sign.isalnum())


def _draw_recording(draw: Random) -> str:
    """Framing, carrier, cut and spelling; a key in another spelling is not cut as well."""
    if draw.random() < 0.2:
        return " / ".join(["raw", draw.choice([*RAW]), draw.choice([*CUTS]), "plain"])
    parts = [draw.choice([*FRAMINGS]), draw.choice([*CARRIERS])]
    cut, spelling = ("whole", draw.choice([*SPELLINGS])) if draw.random() < 0.4 else (draw.choice([*CUTS]), "plain")
    return " / ".join([*parts, cut, spelling])


def _play(folder: Path, value: str, _draw: Random) -> int:
    framing, carrier, cut, spelling = value.split(" / ")
    texts = ["It is ", *CUTS[cut](SPELLINGS[spelling](KEY)), ". Keep it."]
    text = RAW[carrier](texts) if framing == "raw" else FRAMINGS[framing](CARRIERS[carrier](texts))
    name = "anthropic" if framing == "raw" else next(FORMATS[name] for name in FORMATS if carrier.startswith(name))
    answer = PlannedReply(text.encode(), headers={"content-type": "text/event-stream; charset=utf-8"})
    code = record_case(name, "stream", lambda laid: [answer, *laid[1:]])
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_text(encoding="utf-8", errors="replace")
            assert not _says(content, SPELLINGS[spelling](KEY)), f"the key stands in {path.name}"
    return code


def _says(content: str, secret: str) -> bool:
    """Whether a file holds the key: in this spelling, or ten letters and digits of it in a row."""
    for text in (content, content.replace("\\n", "\n").replace('\\"', '"')):
        letters = "".join(filter(str.isalnum, text))
        if (
            secret in text
            or json.dumps(secret)[1:-1] in text
            or any(NEEDLE[at : at + 10] in letters for at in range(18))
        ):
            return True
    return False


def places() -> Iterator[Place]:
    """The one place."""
    yield Place("provider that says the key", "stream", _draw_recording, _play, seconds=40.0, weight=6)
