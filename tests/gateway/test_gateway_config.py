"""A gateway's configuration: files, options, and each mistake in them as one sentence."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from toolcall_reference.gateway import ConfigError, load_toml, read_config
from toolcall_reference.gateway.__main__ import main
from toolcall_reference.gateway.options import build_config, parse_options

OWN = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}


def table(**settings: Any) -> dict[str, Any]:
    return {"upstream": {"anthropic": settings}}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, r"no upstream; add \[upstream.FORMAT\]"),
        ({"upstreams": {}}, "no key 'upstreams' .did you mean 'upstream'"),
        ({"upstream": {"antropic": {}}}, r"\[upstream.antropic\]: 'antropic' is no format .did you mean 'anthropic'"),
        ({"upstream": {"mine": {"format": "openai"}}}, "'openai' is no format .did you mean 'openai_chat'"),
        ({"upstream": {"a/b": {"format": "gemini"}}}, "must have no slash"),
        ({"upstream": {"anthropic": "x"}}, "must be a table, not 'x'"),
        (table(urls="x"), "no key 'urls' .did you mean 'url'"),
        (table(url=1), "url must be a text, not 1"),
        (table(url="api.example"), "'api.example' is no base URL"),
        (table(url="http://a.example:x/"), "is no base URL"),
        (table(url="https://a.example/?key=b"), "is no base URL"),
        (table(key_env="NOT_THERE"), "the environment variable NOT_THERE is not set"),
        (table(key_env="BAD"), "holds characters that no key has"),
        (table(key_env="GOOD", forward_client_key=True), "exclude each other"),
        (table(models={"a": 1}), "models: a must be a text on one line, not 1"),
        (table(headers={"a": "b\r\nc: d"}), "headers: a must be a text on one line"),
        (table(timeout=0), "timeout must be more than 0 seconds"),
        (table(timeout=True), "timeout must be a number, not True"),
        ({**table(), "listen": "everywhere"}, "'everywhere' is no address; write HOST:PORT"),
        ({**table(), "listen": "127.0.0.1:99999"}, "is no address"),
        ({**table(), "listen": "0.0.0.0:80"}, "0.0.0.0 is not loopback.*client_key_env"),
        ({**table(), "default": "openai"}, "default names 'openai'.*is no upstream"),
    ],
)
def test_mistakes_are_sentences(document: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence) as raised:
        read_config(document, "mine.toml", {"GOOD": "key", "BAD": "ke\ny"})
    assert str(raised.value).startswith("mine.toml")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [("none.toml", None, "is not there"), ("a.toml", b"[a", "is not TOML"), ("a.toml", b"\xff", "is not UTF-8 text")],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes | None, sentence: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=sentence):
        load_toml(tmp_path / name)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "no upstream; write --upstream"),
        (["--config", "nowhere.toml"], "nowhere.toml is not there"),
        (["--config", "a.toml", "--upstream", "gemini"], "exclude each other"),
        (["--upstream", "gemini", "--upstream", "gemini=http://a"], "gemini is there twice"),
        (["--upstream", "gemini", "--model", "mine"], "write CLIENT=MODEL"),
        (["--upstream", "gemini", "--listen", "192.0.2.1:80"], "is not loopback"),
        (["--upstream", "gemini", "--policy", "nowhere.toml"], "nowhere.toml: [Errno 2] No such file or directory"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith("toolcall gateway: ")
    assert sentence in stderr


@pytest.mark.parametrize(
    ("name", "url", "used"),
    [
        ("anthropic", None, "https://api.anthropic.com"),
        ("anthropic", "http://127.0.0.1:1", "http://127.0.0.1:1"),
        ("anthropic", "http://127.0.0.1:1/v1/", "http://127.0.0.1:1"),
        ("anthropic", "http://127.0.0.1:1/anthropic/v1/messages", "http://127.0.0.1:1/anthropic"),
        ("openai_chat", None, "https://api.openai.com/v1"),
        ("openai_chat", "http://127.0.0.1:1", "http://127.0.0.1:1/v1"),
        ("openai_chat", "http://127.0.0.1:1/openai/v1", "http://127.0.0.1:1/openai/v1"),
        ("openai_chat", "http://127.0.0.1:1/v1/chat/completions", "http://127.0.0.1:1/v1"),
        ("openai_responses", "http://127.0.0.1:1/v1/responses/", "http://127.0.0.1:1/v1"),
        ("gemini", None, "https://generativelanguage.googleapis.com"),
        ("gemini", "http://127.0.0.1:1/v1beta", "http://127.0.0.1:1"),
    ],
)
def test_base_urls_as_people_write_them(name: str, url: str | None, used: str) -> None:
    settings = {} if url is None else {"url": url}
    assert read_config({"upstream": {name: settings}}, "x", {}).upstreams[name].url == used


def test_a_key_goes_to_no_strange_server_unless_named() -> None:
    own = read_config({"upstream": {"openai_chat": {}, "anthropic": {}}}, "x", OWN).upstreams
    assert (own["openai_chat"].key, own["anthropic"].key_from) == ("o", "ANTHROPIC_API_KEY")
    other = {"url": "http://127.0.0.1:1/v1"}
    assert read_config({"upstream": {"openai_chat": other}}, "x", OWN).upstreams["openai_chat"].key is None
    named = other | {"key_env": "OPENAI_API_KEY"}
    assert read_config({"upstream": {"openai_chat": named}}, "x", OWN).upstreams["openai_chat"].key == "o"
    forwarded = {"forward_client_key": True}
    assert read_config({"upstream": {"openai_chat": forwarded}}, "x", OWN).upstreams["openai_chat"].key is None


def test_a_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "api.anthropic.com")
    tables = {"gemini": {}, "anthropic": {}, "local": {"format": "openai_chat", "url": "http://127.0.0.1:1"}}
    upstreams = read_config({"upstream": tables}, "x", {}).upstreams
    assert [upstreams[name].proxy for name in tables] == ["http://proxy.example:3128", None, None]


CHOICES = {
    "upstream": {
        "anthropic": {"models": {"gpt-4o-mini": "claude-3-5-sonnet", "small": "claude-haiku"}},
        "local": {"format": "openai_chat", "url": "http://127.0.0.1:1", "models": {"*": "llama"}},
    }
}


@pytest.mark.parametrize(
    ("model", "chosen"),
    [
        ("gpt-4o-mini", ("anthropic", "claude-3-5-sonnet")),
        ("anthropic/small", ("anthropic", "claude-haiku")),
        ("anthropic/claude-x", ("anthropic", "claude-x")),
        ("anthropic/", ("local", "llama")),
        ("gpt-5", ("local", "llama")),
        ("local/qwen/coder", ("local", "qwen/coder")),
    ],
)
def test_models_choose_their_upstream(model: str, chosen: tuple[str, str]) -> None:
    upstream, name = read_config(CHOICES, "x", {}).choose(model)
    assert (upstream.name, name) == chosen


def test_models_of_no_upstream() -> None:
    document: dict[str, Any] = {"upstream": {"anthropic": {}, "gemini": {}}}
    with pytest.raises(LookupError, match=r"knows no model 'm'.*anthropic/…, gemini/…"):
        read_config(document, "x", {}).choose("m")
    assert read_config(document | {"default": "gemini"}, "x", {}).choose("m")[0].name == "gemini"
    assert read_config({"upstream": {"gemini": {}}}, "x", {}).choose("m")[1] == "m"


def test_options_say_the_simple_part() -> None:
    words = ["--upstream", "anthropic=http://127.0.0.1:9", "--model", "*=claude", "--listen", "[::1]:0"]
    config = build_config(parse_options(words), {})
    assert (config.host, config.port) == ("::1", 0)
    assert config.choose("gpt-5")[1] == "claude"


def test_a_file_and_where_to_listen(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('listen = "127.0.0.1:1"\n[upstream.gemini]\n', encoding="utf-8")
    config = build_config(parse_options(["--config", str(tmp_path / "a.toml"), "--listen", "2"]), {})
    assert (config.host, config.port) == ("127.0.0.1", 2)


@pytest.mark.skipif(os.name != "posix", reason="told to stop by a signal")
def test_it_runs_until_it_is_stopped() -> None:
    words = ["--upstream", "gemini", "--listen", "127.0.0.1:0"]
    command = [sys.executable, "-m", "toolcall_reference.gateway", *words]
    environment = {name: text for name, text in os.environ.items() if name not in ("GEMINI_API_KEY", "GOOGLE_API_KEY")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stderr is not None
        url = child.stderr.readline().removeprefix("toolcall gateway: ").strip()
        assert child.stderr.readline() == "  gemini: gemini at https://generativelanguage.googleapis.com, no key\n"
        assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+", url)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{url}/health", timeout=10) as answer:
            assert answer.status == 200
        port = url.rpartition(":")[2]
        again = [*command[:-1], f"127.0.0.1:{port}"]
        second = subprocess.run(again, capture_output=True, text=True, env=environment, check=False, timeout=30)
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
    assert second.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in second.stderr
    assert "Traceback" not in second.stderr


def test_without_aiohttp_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    assert main(["--upstream", "gemini"]) == 2
    assert "pip install 'toolcall-conformance[http]'" in capsys.readouterr().err
