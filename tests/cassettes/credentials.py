"""Kinds of credentials in all carriers of a recording: which are redacted? `python tests cassettes.credentials`.

The values are drawn when this runs, by the shapes of ``credentials.json``.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from cassettes.carriers import PACKED, PLACES
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import scrub
from toolcall_conformance.recording.cassettes.redaction.leaks import has_leak
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "base64": string.ascii_letters + string.digits + "+/",
    "base64url": string.ascii_letters + string.digits + "-_",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "letters": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
}
CARRIERS = {**PLACES, **PACKED}
_DRAWN = re.compile(r"\{(\w+)(?::(\d+))?\}")


@dataclass(frozen=True)
class Credential:
    """A secret of a kind, and what makes it recognizable: ``NAME=secret``, an address around it, or itself."""

    kind: str
    secret: str
    told: str


def credentials(seed: int = 20261123) -> Iterator[Credential]:
    """One of each kind."""
    draw = random.Random(seed)
    path = Path(__file__).with_name("credentials.json")
    for entry in json.loads(path.read_text(encoding="utf-8"))["kinds"]:
        secret = _DRAWN.sub(lambda match: _characters(match, draw), entry["shape"])
        text = entry.get("around", "{secret}").replace("{secret}", secret)
        if "name" in entry:
            between = " " if entry["name"].startswith("Authorization") else "="
            text = f"{entry['name']}{between}{secret}"
        yield Credential(entry["kind"], secret, text)


def _characters(match: re.Match[str], draw: random.Random) -> str:
    if match[1] == "uuid":
        return str(UUID(int=draw.getrandbits(128), version=4))
    count = int(match[2])
    if match[1] == "pem":
        lines = ("".join(draw.choices(ALPHABETS["base64"], k=64)) for _ in range(count))
        return "\n".join(lines)
    letters = draw.choices(ALPHABETS[match[1]], k=count)
    if count > 9 and "7" in ALPHABETS[match[1]] and match[1] != "digits":
        letters[count // 2] = "7"  # as any of this length has a digit, but for one in thousands
    return "".join(letters)


def leaks() -> dict[str, list[str]]:
    """Where a secret is left, by kind: the carriers."""
    filters = Filters.default()
    left: dict[str, list[str]] = {}
    for credential in credentials():
        left[credential.kind] = []
        for carrier, plant in CARRIERS.items():
            cassette = _unpack_reply(scrub(plant(credential.told), Redactor(filters)))
            if has_leak(cassette, [credential.secret]) or any(
                piece in json.dumps(cassette) for piece in _pieces(credential.secret)
            ):
                left[credential.kind].append(carrier)
    return left


def _unpack_reply(interaction: dict[str, Any]) -> dict[str, Any]:
    """The exchange with what is packed in its reply unpacked."""
    text = interaction["response"]["body"]["string"]
    packed = re.search(r'"data": "(H4sI[^"]+)"', text) if isinstance(text, str) else None
    if packed:
        text = base64.b64decode(packed[1])
    if isinstance(text, bytes):
        interaction["response"]["body"]["string"] = gzip.decompress(text).decode()
    return interaction


def _pieces(secret: str) -> list[str]:
    """What must not be left either: most of a secret, and each line of one."""
    return [secret[: max(len(secret) * 2 // 3, 6)], *(line for line in secret.splitlines()[1:-1] if line)]


def main() -> None:
    """Print what is left."""
    left = leaks()
    for kind, carriers in left.items():
        if carriers:
            print(f"{kind}: left in {len(carriers)} of {len(CARRIERS)} ({', '.join(carriers)})")
    whole = sum(not carriers for carriers in left.values())
    places = sum(map(len, left.values()))
    plain = sum("JSON value" not in carriers for carriers in left.values())
    print(f"{whole} of {len(left)} kinds caught in every carrier, {plain} in plain prose")
    print(f"{len(left) * len(CARRIERS) - places} of {len(left) * len(CARRIERS)} secrets caught")


if __name__ == "__main__":
    main()
