"""The clients: their packages, how each is pointed at a gateway, and what its shell tool is called."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients.script import PROMPT

MARKS = [sys.executable, str(Path(__file__).with_name("marks_server.py"))]
KEY = "dummy-key"


@dataclass(frozen=True)
class Started:
    """How a client is started: its command after the program, and its variables."""

    arguments: list[str]
    environment: dict[str, str]


@dataclass(frozen=True)
class Client:
    """A client. ``start`` writes its settings into a scratch home and takes that, the work folder and the URL."""

    name: str
    package: str
    program: str
    format: str
    shell: tuple[str, Mapping[str, Any]]
    start: Callable[[Path, Path, str], Started]


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2), encoding="utf-8")


def _codex(home: Path, work: Path, url: str) -> Started:
    """https://developers.openai.com/codex/config-reference"""
    program, *words = MARKS
    _write(
        home / ".codex/config.toml",
        f"""
model = "gpt-5.4"
model_provider = "gateway"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.gateway]
name = "gateway"
base_url = "{url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.marks]
command = {json.dumps(program)}
args = {json.dumps(words)}
""",
    )
    freely = "--dangerously-bypass-approvals-and-sandbox"
    return Started(["exec", "--skip-git-repo-check", freely, "-C", str(work), PROMPT], {"GATEWAY_KEY": KEY})


def _claude_code(home: Path, work: Path, url: str) -> Started:
    """https://code.claude.com/docs/en/settings#environment-variables"""
    del work
    program, *words = MARKS
    servers = home / "mcp.json"
    _write(servers, {"mcpServers": {"marks": {"command": program, "args": words}}})
    environment = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    }
    allowed = ["--allowedTools", "Bash", "mcp__marks__stamp"]
    return Started(["-p", PROMPT, "--mcp-config", str(servers), "--strict-mcp-config", *allowed], environment)


def _gemini_cli(home: Path, work: Path, url: str) -> Started:
    """https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md"""
    del work
    program, *words = MARKS
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "mcpServers": {"marks": {"command": program, "args": words, "trust": True}},
    }
    _write(home / ".gemini/settings.json", settings)
    environment = {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": KEY,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    return Started(["-p", PROMPT, "--yolo", "-m", "gemini-2.5-flash"], environment)


def _opencode(home: Path, work: Path, url: str) -> Started:
    """https://opencode.ai/docs/config"""
    del work
    options = {"baseURL": f"{url}/v1", "apiKey": KEY}
    settings = {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "model": "gateway/scripted",
        "small_model": "gateway/scripted",
        "provider": {
            "gateway": {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": {}}},
        },
        "mcp": {"marks": {"type": "local", "command": MARKS, "enabled": True}},
    }
    _write(home / ".config/opencode/opencode.json", settings)
    environment = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return Started(["run", PROMPT], environment)


CLIENTS = {
    each.name: each
    for each in (
        Client("codex", "@openai/codex", "codex", "openai_responses", ("exec_command", {"cmd": "{}"}), _codex),
        Client(
            "claude-code",
            "@anthropic-ai/claude-code",
            "claude",
            "anthropic",
            ("Bash", {"command": "{}", "description": "Write a mark"}),
            _claude_code,
        ),
        Client(
            "gemini-cli",
            "@google/gemini-cli",
            "gemini",
            "gemini",
            ("run_shell_command", {"command": "{}", "description": "Write a mark"}),
            _gemini_cli,
        ),
        Client(
            "opencode",
            "opencode-ai",
            "opencode",
            "openai_chat",
            ("bash", {"command": "{}", "description": "Write a mark"}),
            _opencode,
        ),
    )
}
