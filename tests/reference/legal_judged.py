"""What the judge says of the reference's translation of a body, on every route."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator
from random import Random
from typing import Any

from reference.legal_bodies import model, request
from reference.legal_replies import reply
from reference.reference_bodies import FORMATS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator, Refused

KINDS = ("request", "response", "stream")


def draw_body(seed: int, kind: str, name: str) -> Any:
    """The body of a seed, a stream as bytes; None where it is not legal after all."""
    chance = Random(f"{seed} {kind} {name}")
    body = request(chance, name) if kind == "request" else reply(chance, name)
    judge = Judge(load_corpus())
    direction = "request" if kind == "request" else "response"
    if any(finding.is_must for finding in judge.body(name, direction, body, model=model(name)).findings):
        return None
    if kind != "stream":
        return body
    provider = importlib.import_module(f"toolcall_reference.formats.{name}.provider")
    stream: bytes = provider.render_stream(body, str(seed))
    findings = judge.body(name, "stream", parse(stream), model=model(name)).findings
    return None if any(finding.is_must for finding in findings) else stream


def faults(kind: str, name: str, body: Any) -> Iterator[tuple[str, Finding]]:
    """The MUST findings on every route of a body, with the other format."""
    judge = Judge(load_corpus())
    for other in FORMATS:
        client, upstream = (name, other) if kind == "request" else (other, name)
        route = Route(client, upstream, model(client), model(upstream), kind == "stream")
        session = ReferenceTranslator().open(route)
        try:
            if kind == "request":
                output: Any = session.request(copy.deepcopy(body))
            elif kind == "response":
                output = session.response(copy.deepcopy(body))
            else:
                output = b"".join(session.stream([body]))
        except Refused as reason:
            raise AssertionError(f"{client} to {upstream}: refused: {reason}") from reason
        if kind == "stream":
            findings = judge.stream(parse(body), parse(output), route).findings
        elif kind == "request":
            findings = judge.request(body, output, route).findings
        else:
            findings = judge.response(body, output, route).findings
        yield from ((other, finding) for finding in findings if finding.is_must)
