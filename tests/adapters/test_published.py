"""Published translators: the judge finds their known faults, on the rules that name them.

``TOOLCALL_ADAPTERS`` names a folder that holds their environments by name: ``toolcall-conformance adapters portkey
FOLDER/portkey``. Those that are not there are skipped.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.adapters.catalogue import FOLDER, adapters
from toolcall_conformance.adapters.environment import command
from toolcall_conformance.drivers.gateway.config import load_config
from toolcall_conformance.library import load_corpus

Item = tuple[str, str, str, str]

# Faults of the pinned versions, each seen by hand in the bodies: where, and the rule that must name it.
KNOWN: dict[str, dict[Item, str]] = {
    "litellm": {
        # The counts of a stream are zeros.
        ("streaming/interleaved-calls", "stream", "gemini", "openai_chat"): "translation/usage-lost",
        # The text comes behind the call that it announced, before the call's output.
        ("shell/seed", "request", "anthropic", "openai_responses"): "translation/text-moved-in-turn",
        # Calls of one name get one id, and of calls with one id only one arrives.
        ("binary/two-pictures", "request", "gemini", "openai_chat"): "openai_chat/call-ids-unique",
        ("binary/two-pictures", "request", "gemini", "anthropic"): "translation/call-lost",
        # is_error has no place in their own form.
        ("errors/seed", "request", "anthropic", "gemini"): "translation/error-mark",
        # Thinking becomes a reasoning item without the summary that OpenAI demands when it comes back.
        ("reasoning/follow-up", "response", "openai_responses", "anthropic"): "openai_responses/reasoning-summary",
        # toolConfig is not read.
        ("grep/choice-subset", "request", "gemini", "anthropic"): "translation/tool-choice",
        # Deltas of two calls in turn become one call with the fragments of both.
        ("streaming/interleaved-calls", "stream", "anthropic", "openai_chat"): "anthropic/stream-arguments-json",
        # Two functionCalls in one record become one tool_use with two objects behind each other.
        ("parallel/late-results", "stream", "anthropic", "gemini"): "translation/call-lost",
        # Lines end at U+2028, too, and so in the middle of a JSON text; it leaves out what is not JSON.
        ("streaming/line-separators", "stream", "gemini", "gemini"): "gemini/stream-data",
        ("streaming/line-separators", "stream", "openai_chat", "anthropic"): "translation/call-lost",
        # Of arguments only the fragments are read, not their whole text.
        ("streaming/arguments-only-when-done", "stream", "openai_chat", "openai_responses"): "translation/arguments",
        # The SDK's type demands summary_index; where it is 0, their proxy writes none.
        ("reasoning/follow-up", "stream", "openai_responses", "anthropic"): "openai_responses/stream-part-index",
    },
    "any-llm": {
        # Their own parameter max_completion_tokens goes to Anthropic's SDK, which has no such argument.
        ("binary/audio", "request", "openai_chat", "anthropic"): "translation/crashed",
        # For Gemini it is left out.
        ("binary/audio", "request", "openai_chat", "gemini"): "translation/setting-lost",
        # The index of a call is that of Anthropic's block, 1 behind a text: openai-python's accumulator has no place 1.
        ("shell/seed", "stream", "openai_chat", "anthropic"): "openai_chat/stream-call-index",
        # The texts behind the first call all stand behind it, and not between the calls.
        ("parallel/text-around", "stream", "anthropic", "gemini"): "translation/text-moved-in-turn",
        # "stop" beside a call, as OpenAI ends where one function is forced, becomes end_turn beside a tool_use.
        ("streaming/stop-beside-forced-call", "stream", "anthropic", "openai_chat"): "anthropic/stream-finish-agrees",
    },
    "llm-bridge": {
        # Messages has no role "tool".
        ("shell/seed", "request", "openai_chat", "anthropic"): "anthropic/roles",
        # Calls of the history do not arrive.
        ("shell/seed", "request", "anthropic", "openai_responses"): "translation/call-lost",
        # A result becomes something that the user said.
        ("shell/seed", "request", "anthropic", "openai_chat"): "translation/result-lost",
        # parametersJsonSchema is not read.
        ("shell/seed", "request", "gemini", "openai_chat"): "translation/schema-property-lost",
        # 429 with the code rate_limit_exceeded becomes 500, with the name of another status.
        ("errors/upstream-rate-limit", "response", "openai_chat", "openai_chat"): (
            "translation/upstream-error-rate-limit"
        ),
        ("errors/upstream-rate-limit", "response", "gemini", "openai_chat"): "gemini/error-status-name",
    },
    "litellm-proxy": {
        # A Gemini client gets an error without the name of its status, or in OpenAI's form.
        ("errors/upstream-rate-limit", "response", "gemini", "gemini"): "gemini/error-status-name",
        ("errors/upstream-rate-limit", "response", "gemini", "anthropic"): "translation/target-format",
        # As in the library.
        ("shell/seed", "request", "anthropic", "openai_responses"): "translation/text-moved-in-turn",
    },
    "portkey": {
        # Every functionResponse is called gateway-tool-filler-name.
        ("shell/seed", "request", "openai_chat", "gemini"): "gemini/result-names-call",
        # max_tokens is demanded there and optional here.
        ("shell/seed", "request", "openai_chat", "anthropic"): "anthropic/max-tokens",
        # A data: URL stands where raw base64 belongs.
        ("binary/pdf", "request", "openai_chat", "anthropic"): "anthropic/media-raw-base64",
        # After an unknown event it sends nothing more, and reports nothing.
        ("streaming/keepalives-and-unknown-events", "stream", "openai_chat", "anthropic"): "translation/call-lost",
        # An error event becomes a chunk with the finish_reason overloaded_error, and [DONE].
        ("streaming/error-amid-arguments", "stream", "openai_chat", "anthropic"): "translation/stream-error-told",
        # The arguments of a search that Anthropic ran itself become a call of index -1 without id and name.
        ("streaming/hosted-step-between", "stream", "openai_chat", "anthropic"): "openai_chat/stream-call-index",
    },
    "langchain": {
        # The status of a ToolMessage is not read.
        ("binary/failing-with-picture", "adapter", "gemini", "gemini"): "translation/error-mark",
        # A text that happens to be JSON is read as such.
        ("read_file/json-text-result", "adapter", "gemini", "gemini"): "translation/result-content",
        # An empty id, as Google's endpoint for this format has it, stays empty.
        ("grep/dialect-gemini-endpoint", "adapter", "openai_chat", "openai_chat"): "translation/bad-output",
        # A call of a custom tool makes the whole reply unreadable.
        ("free_form/beside-function", "adapter", "openai_chat", "openai_chat"): "translation/crashed",
        # So do arguments that are no object.
        ("arguments/no-object", "adapter", "openai_responses", "openai_responses"): "translation/refused",
        # Arguments that say NaN are read as a number.
        ("arguments/no-json", "adapter", "openai_chat", "openai_chat"): "translation/bad-output",
        # Calls of tools that the API defines and the client runs are no tool calls.
        ("client_run/apply-patch", "adapter", "openai_responses", "openai_responses"): "translation/call-lost",
    },
    "opentelemetry-genai": {
        # Ids made of the tool's name and the part's place: those of a call and of its result differ.
        ("parallel/text-around", "otel", "gemini", "gemini"): "translation/results-linked",
        # Google's words for types are none of JSON Schema's.
        ("mcp/seed", "otel", "gemini", "gemini"): "otel/part-shape",
        # The same call in two turns has one id.
        ("reasoning/same-call-again", "otel", "gemini", "gemini"): "translation/ids-injective-across-turns",
        # A call of a custom tool has an empty name and null for its input.
        ("free_form/beside-function", "otel", "openai_chat", "openai_chat"): "translation/call-name",
        # A function_call is not read.
        ("legacy_functions/called", "otel", "openai_chat", "openai_chat"): "translation/call-lost",
        # Arguments that say NaN are read as a number.
        ("arguments/no-json", "otel", "openai_chat", "openai_chat"): "translation/bad-output",
        # Arguments that are an object, as a vendor sends them, raise in the user's own call.
        ("read_many_files/dialect-object-arguments", "otel", "openai_chat", "openai_chat"): "translation/crashed",
        # A search and the answer behind it are two output messages.
        ("citations/then-call", "otel", "openai_responses", "openai_responses"): "otel/message-per-choice",
        # Calls of tools that the API defines and the client runs are not read.
        ("client_run/apply-patch", "otel", "openai_responses", "openai_responses"): "translation/call-lost",
        # The status of the message stands for the reason.
        ("shell/length-cut", "otel", "openai_responses", "openai_responses"): "otel/finish-reason",
        # A block that the SDK's types do not know is taken for a text, and has none.
        ("mcp/connector", "otel", "anthropic", "anthropic"): "otel/part-shape",
    },
    "anthropic-mcp": {
        # A type that the helpers do not know turns the whole result into an error that names their exception.
        ("mcp_results/sound", "mcp", "anthropic", "anthropic"): "translation/error-mark-invented",
        ("mcp_results/resource-link", "mcp", "anthropic", "anthropic"): "translation/result-content",
        ("mcp_results/embedded-text", "mcp", "anthropic", "anthropic"): "translation/result-content",
        # Names that servers may use go to the API, which refuses them.
        ("mcp_results/odd-names", "mcp", "anthropic", "anthropic"): "anthropic/tool-name",
    },
    "google-genai-mcp": {
        # additionalProperties is taken for a schema, though it may be true or false.
        ("mcp_results/references", "mcp", "gemini", "gemini"): "translation/crashed",
        # A picture is bytes inside of JSON text, which the model does not see.
        ("mcp_results/picture", "mcp", "gemini", "gemini"): "translation/media-lost",
    },
    "openai-agents": {
        # Nobody tells the model that the tool failed.
        ("mcp_results/failing-tool", "mcp", "openai_responses", "openai_responses"): "translation/error-mark",
        # Structured content is not read where there is no other.
        ("mcp_results/structured", "mcp", "openai_responses", "openai_responses"): "translation/result-content",
        # A resource of bytes is JSON text.
        ("mcp_results/embedded-pdf", "mcp", "openai_responses", "openai_responses"): "translation/media-lost",
        # Pictures are left out of a tool's message, and stand nowhere else.
        ("mcp_results/picture", "mcp", "openai_chat", "openai_chat"): "translation/media-lost",
        ("mcp_results/odd-names", "mcp", "openai_chat", "openai_chat"): "openai_chat/tool-name",
    },
    "langchain-mcp": {
        # Sounds are refused.
        ("mcp_results/sound", "mcp", "openai_responses", "openai_responses"): "translation/refused",
        # A link becomes a file by its address, which one provider does not take, and the other cannot load.
        ("mcp_results/resource-link", "mcp", "openai_chat", "openai_chat"): "translation/crashed",
        ("mcp_results/resource-link", "mcp", "openai_responses", "openai_responses"): "translation/result-content",
        # A picture stands in a tool's message, where the API takes texts only.
        ("mcp_results/picture", "mcp", "openai_chat", "openai_chat"): "openai_chat/result-text-only",
        # A schema without parameters stays without properties.
        ("mcp_results/nothing", "mcp", "openai_chat", "openai_chat"): "openai_chat/tool-schema-properties",
        # Optional parameters of an inner object become required, and lose their null.
        ("mcp_results/references", "mcp", "gemini", "gemini"): "translation/schema-narrowed",
        # status="error" is not told.
        ("mcp_results/failing-tool", "mcp", "gemini", "gemini"): "translation/error-mark",
        # Structured content is kept from the model.
        ("mcp_results/structured", "mcp", "anthropic", "anthropic"): "translation/result-content",
    },
}
# Where they are right, and must be let through.
RIGHT: dict[str, set[Item]] = {
    "litellm": {
        ("shell/seed", "request", "openai_chat", "openai_chat"),
        ("shell/seed", "agent_loop", "openai_chat", "anthropic"),
        ("shell/seed", "agent_loop", "anthropic", "gemini"),
    },
    "any-llm": {
        ("streaming/interleaved-calls", "stream", "anthropic", "openai_chat"),
        ("shell/seed", "agent_loop", "openai_chat", "gemini"),
        ("shell/seed", "agent_loop", "anthropic", "openai_chat"),
        ("shell/seed", "request", "openai_responses", "openai_responses"),
    },
    "llm-bridge": {("shell/seed", "request", "anthropic", "anthropic")},
    "litellm-proxy": {
        ("shell/seed", "agent_loop", "openai_chat", "anthropic"),
        ("errors/upstream-rate-limit", "response", "openai_chat", "anthropic"),
    },
    "portkey": {
        ("shell/seed", "agent_loop", "anthropic", "anthropic"),
        ("shell/seed", "request", "openai_chat", "openai_chat"),
        ("shell/seed", "stream", "openai_chat", "anthropic"),
    },
    "langchain": {
        ("shell/seed", "adapter", "anthropic", "anthropic"),
        ("parallel/seed", "adapter", "openai_chat", "openai_chat"),
        ("legacy_functions/called", "adapter", "openai_chat", "openai_chat"),
        ("parallel/seed", "adapter", "openai_responses", "openai_responses"),
    },
    "opentelemetry-genai": {
        ("shell/seed", "otel", "anthropic", "anthropic"),
        ("shell/seed", "otel", "openai_chat", "openai_chat"),
        ("parallel/seed", "otel", "openai_responses", "openai_responses"),
    },
    "anthropic-mcp": {
        ("mcp_results/failing-tool", "mcp", "anthropic", "anthropic"),
        ("mcp_results/picture", "mcp", "anthropic", "anthropic"),
    },
    # It tells the whole result as JSON.
    "google-genai-mcp": {
        ("mcp_results/failing-tool", "mcp", "gemini", "gemini"),
        ("mcp_results/structured", "mcp", "gemini", "gemini"),
    },
    "openai-agents": {
        ("mcp_results/picture", "mcp", "openai_responses", "openai_responses"),
        ("mcp_results/nothing", "mcp", "openai_chat", "openai_chat"),
        ("mcp_results/resource-link", "mcp", "openai_chat", "openai_chat"),
    },
    "langchain-mcp": {
        ("mcp_results/picture", "mcp", "anthropic", "anthropic"),
        ("mcp_results/embedded-pdf", "mcp", "openai_responses", "openai_responses"),
        ("mcp_results/several-texts", "mcp", "gemini", "gemini"),
    },
}


def _command(name: str) -> list[str]:
    """What judges it, without the nodes; skips where its environment is not there."""
    adapter = adapters()[name]
    folder = Path(os.environ.get("TOOLCALL_ADAPTERS", "")) / name
    if not os.environ.get("TOOLCALL_ADAPTERS") or not folder.is_dir():
        pytest.skip(f"TOOLCALL_ADAPTERS names no folder with {name} in it: toolcall-conformance adapters {name} …")
    words = shlex.split(command(adapter, folder.absolute()))[:-1]
    return words if words[0] != "pytest" else [sys.executable, "-m", *words]


@pytest.fixture(scope="module")
def judge_items(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The items of the cases above, by translator; each is run once."""
    items_by_name: dict[str, dict[Item, dict[str, Any]]] = {}

    def judge(name: str) -> dict[Item, dict[str, Any]]:
        if name not in items_by_name:
            words, folder = _command(name), tmp_path_factory.mktemp(name)
            cases = sorted({f"toolcall::{case}::{check}" for case, check, *_ in [*KNOWN[name], *RIGHT[name]]})
            ran = subprocess.run(
                [*words, *cases, "--toolcall-report", "report.json"],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            assert ran.returncode == 1, ran.stdout + ran.stderr
            items = json.loads((folder / "report.json").read_text(encoding="utf-8"))["items"]
            items_by_name[name] = {
                (item["case"], item["check"], item["client"], item["upstream"]): item
                for item in items
                if item["variant"] is None
            }
        return items_by_name[name]

    return judge


@pytest.mark.parametrize(
    ("name", "where"), [(name, where) for name, faults in KNOWN.items() for where in faults], ids=str
)
def test_known_fault_is_named(name: str, where: Item, judge_items: Any) -> None:
    item = judge_items(name)[where]
    assert item["verdict"] in ("fail", "warn", "refused")
    assert KNOWN[name][where] in {finding["rule"] for finding in item["findings"] if finding["level"] != "NOTE"}


@pytest.mark.parametrize(
    ("name", "where"), [(name, where) for name, some in RIGHT.items() for where in sorted(some)], ids=str
)
def test_it_passes_where_it_is_right(name: str, where: Item, judge_items: Any) -> None:
    assert judge_items(name)[where]["verdict"] in ("pass", "warn")


@pytest.mark.parametrize("name", ["litellm_proxy", "portkey"])
def test_a_gateway_is_described_as_the_driver_reads_it(name: str) -> None:
    formats = load_corpus().formats
    config = load_config(FOLDER / name / "gateway.toml", formats)
    routes = {f"{client}-to-{upstream}" for client in config.clients for upstream in config.upstreams}
    assert config.excluded < routes


def test_the_javascript_is_javascript() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    subprocess.run([node, "--check", str(FOLDER / "llm_bridge" / "adapter.mjs")], check=True)
