"""A library that sends by itself, as a module of a test's project."""

from __future__ import annotations

import threading
import time
from typing import Any

# A library as a user would write it; `{...}` are the places where one goes wrong.
LIBRARY = """
import asyncio, json, time, urllib.request, urllib.error
import aiohttp, good
Refused, Unsupported = good.Refused, good.Unsupported
PATHS = {{"alpha": "/alpha", "beta": "/beta/{{model}}:ask"}}
HEADERS = {{
    "alpha": {{"content-type": "application/json", "x-alpha-key": "k"}},
    "beta": {{"content-type": "application/json", "x-beta-key": "Key k", "x-beta-version": "2"}},
}}


def post(url, body, headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=20) as reply:
        return json.load(reply)


class Session:
    {history}

    def __init__(self, route):
        self.route = route

    {word} exchange(self, body, upstream_url):
        odd = "box/two" in body["text"]
        upstream, model = self.route.upstream, self.route.upstream_model
        headers = dict(HEADERS[upstream])
        sent = {{"format": upstream, "text": body["text"]}}
        if odd:
            {before}
        reply = {post}(upstream_url + PATHS[upstream].replace("{{model}}", model), sent, headers)
        made = {{"format": self.route.client, "text": reply["text"]}}
        if odd:
            {after}
        return made


async def post_async(url, body, headers):
    async with aiohttp.ClientSession() as client:
        async with client.post(url, data=json.dumps(body), headers=headers) as reply:
            return await reply.json()


class T:
    def open(self, route):
        return Session(route)
"""


def library(
    project: Any, before: str = "pass", after: str = "pass", *, way: str = "def", history: str = "history = None"
) -> str:
    word, post = {
        "def": ("def", "post"),
        "async def": ("async def", "await post_async"),
        # Not as it should be done, and often done.
        "blocking": ("async def", "post"),
    }[way]
    project.write_module("mine", LIBRARY.format(word=word, post=post, before=before, after=after, history=history))
    return "mine:T"


def leftover_threads() -> list[str]:
    """Threads of the run that are still there."""
    end = time.monotonic() + 8  # other tests leave threads that sleep
    while (
        names := [t.name for t in threading.enumerate() if t.name.startswith("toolcall")]
    ) and time.monotonic() < end:
        time.sleep(0.02)
    return names
