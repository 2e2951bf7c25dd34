"""Lends any Python translator to the driver of fused libraries: ``LENT=package.module:Name`` names it.

Each exchange translates, sends and translates back; an ordinary call for clients of one kind, a coroutine for others.
Its streams are generators, and async ones for those others.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.library import load_corpus

ADDRESSES = Addresses(load_corpus().transports)


def load_translator() -> Any:
    """The translator that is lent."""
    module, _, attribute = os.environ["LENT"].partition(":")
    return getattr(importlib.import_module(module), attribute)()


class Session:
    """``inner`` is a session of the translator that is lent."""

    def __init__(self, route: Route, inner: Any) -> None:
        self.route, self.inner = route, inner
        self.path = ADDRESSES.request_path(route.upstream, route.upstream_model, stream=route.stream)
        self.headers = ADDRESSES.request_headers(route.upstream, "the-library-s-own-key")

    def translate_answer(self, status: int, headers: Any, reply: Any) -> Any:
        if status == 200:
            return self.inner.response(reply)
        return self.inner.error(status, reply, {name.lower(): text for name, text in headers.items()})


class Sync(Session):
    def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
        sent = json.dumps(self.inner.request(body)).encode()
        request = urllib.request.Request(upstream_url + self.path, sent, self.headers, method="POST")
        try:
            reply = urllib.request.urlopen(request)
            if self.route.stream:
                return self.inner.stream(_pieces(reply))
            with reply:
                answer = reply.status, reply.headers, json.load(reply)
        except urllib.error.HTTPError as error:
            with error:
                answer = error.code, error.headers, json.load(error)
        return self.translate_answer(*answer)


class Async(Session):
    async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
        sent = json.dumps(self.inner.request(body)).encode()
        client = aiohttp.ClientSession()
        reply = await client.post(upstream_url + self.path, data=sent, headers=self.headers)
        if self.route.stream and reply.status == 200:
            return self.stream_reply(client, reply)
        async with client, reply:
            answer = reply.status, reply.headers, await reply.json()
        return self.translate_answer(*answer)

    async def stream_reply(self, client: aiohttp.ClientSession, reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        async with client, reply:
            async for piece in bridge_reply(self.inner, reply):
                yield piece


def _pieces(reply: Any) -> Iterator[bytes]:
    with reply:
        while piece := reply.read1(65536):
            yield piece


async def bridge_reply(session: Any, reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """What a session that reads with ``for`` makes of a reply that is read with ``async for``, as it comes."""
    loop = asyncio.get_running_loop()

    def chunks() -> Iterator[bytes]:
        # In the chunks in which it was sent.
        while piece := asyncio.run_coroutine_threadsafe(reply.content.readchunk(), loop).result()[0]:
            yield piece

    pieces = await asyncio.to_thread(lambda: iter(session.stream(chunks())))
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


class Translator:
    name = "lent"

    def __init__(self) -> None:
        self.inner = load_translator()

    def open(self, route: Route) -> Session:
        kind = Sync if route.client in ("anthropic", "openai_chat") else Async
        return kind(route, self.inner.open(route))
