"""The judge as most tests ask it: with the corpus that ships, the formats as keywords, and the direction as a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.judge import Ends, Judge, Requests
from toolcall_conformance.library import Corpus, load_corpus


def judge(
    source: Any,
    output: Any,
    *,
    client: str,
    upstream: str,
    direction: str = "request",
    client_model: str | None = None,
    upstream_model: str | None = None,
    request: Any = None,
    upstream_request: Any = None,
    corpus: Corpus | None = None,
    tolerated: bool = False,
    **more: Any,
) -> Judgement:
    """What the judge says of a request, a response or an error."""
    suite_judge = Judge(corpus or load_corpus(), tolerated)
    ends = Ends(client, upstream, client_model, upstream_model)
    if direction == "request":
        return suite_judge.request(source, output, ends, **more)
    if direction == "error":
        return suite_judge.error(source, output, ends, **more)
    return suite_judge.response(source, output, ends, requests=Requests(request, upstream_request), **more)


def judge_stream(
    output: Any,
    *,
    client: str,
    upstream: str,
    source: Any = None,
    client_model: str | None = None,
    upstream_model: str | None = None,
    request: Any = None,
    upstream_request: Any = None,
    tolerated: bool = False,
    **more: Any,
) -> Judgement:
    """What the judge says of a client's stream, captured where nobody knows more of it."""
    ends, requests = Ends(client, upstream, client_model, upstream_model), Requests(request, upstream_request)
    return Judge(load_corpus(), tolerated).stream(source, output, ends, requests=requests, **{"captured": True, **more})


def judge_history(
    golden: Any,
    output: Any,
    *,
    client: str,
    upstream: str,
    upstream_model: str | None = None,
    tolerated: bool = False,
    **more: Any,
) -> Judgement:
    """What the judge says of an upstream request in a conversation."""
    return Judge(load_corpus(), tolerated).history(golden, output, Ends(client, upstream, None, upstream_model), **more)


def declared_names(golden: Any, output: Any, *, upstream: str) -> Mapping[str, str]:
    """The names under which a translator declared its tools."""
    return Judge(load_corpus()).declared_names(golden, output, upstream)
