"""The page about the gateway: its file is read, its snippets are Python, its addresses are served."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from pathlib import Path

from toolcall_reference.gateway import read_config
from toolcall_reference.gateway.addresses import ServedPaths
from toolcall_reference.gateway.options import build_config, parse_options

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference-gateway.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_file() -> None:
    [block] = blocks("toml")
    config = read_config(tomllib.loads(block), "the page", {"ANTHROPIC_API_KEY": "key"})
    assert config.choose("gpt-4o-mini") == (config.upstreams["anthropic"], "claude-sonnet-4-5")
    assert config.choose("local/qwen3")[1] == "qwen3"
    assert config.upstreams["gemini"].forward_client_key


def test_the_command() -> None:
    [block] = blocks("sh")
    words = shlex.split(block.splitlines()[1])
    assert words[:3] == ["python", "-m", "toolcall_reference.gateway"]
    config = build_config(parse_options(words[3:]), {"ANTHROPIC_API_KEY": "key"})
    assert config.choose("gpt-4o-mini")[1] == "claude-sonnet-4-5"


def test_the_snippets() -> None:
    snippets = blocks("python")
    assert len(snippets) == 3
    for snippet in snippets:
        ast.parse(snippet)


def test_the_addresses() -> None:
    for path in ServedPaths().paths:
        assert path in PAGE or path.rpartition(":")[2] in PAGE
