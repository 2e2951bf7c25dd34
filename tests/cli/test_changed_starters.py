"""What a user changes in a starter: methods that go or come are declared no more or at once; prints do no harm."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from starters import BETWEEN, LANGUAGES, NUMBERS, Prepare, load_translator, open_session, run_suite
from toolcall_conformance.drivers import Crashed, Produced, UnsupportedOutcome

#: The operations within one format, as the starters have them in comments.
WITHIN = {
    "tool_calls": "no tool calls yet",
    "tool_results": "no tool results yet",
    "mcp_tools": "no MCP tools yet",
    "mcp_result": "no MCP results yet",
    "otel": "no OpenTelemetry yet",
}
OF_TWO = ("tool_results", "mcp_result")
#: The methods for streams: Python, TypeScript, Go.
STREAMS = re.compile(
    r"    def stream\(.*?(?=    def error)"
    r"|  /\*\*\n   \* Translate the upstream's stream.*?\n  }\n\n"
    r"|// Stream translates.*?\n}\n\n",
    re.DOTALL,
)
#: What stands before the lines of code in comments.
COMMENTED = re.compile(r"^( *)(?:#|//) (?=def |    |func |\w+\(.*; }$)", re.MULTILINE)
PRINTS = {
    "python": ("        return body\n", '        print("{lost")\n        return body\n'),
    "typescript": ("    return body;\n", '    console.log("{lost");\n    return body;\n'),
    "go": ("\treturn body, nil\n", '\tfmt.Println("{lost")\n\treturn body, nil\n'),
}
#: Go that reads a body and writes it again.
DECODED = """\tvar value any
\tif err := decode(body, &value); err != nil {
\t\treturn nil, err
\t}
\treturn json.Marshal(value)
"""


def without_streams(text: str) -> str:
    """A starter whose method for streams is deleted, with its comment."""
    return STREAMS.sub("", text, count=1)


def with_native_methods(text: str) -> str:
    """A starter with the methods within one format, of which ``otel`` returns the reply that it gets."""
    text = COMMENTED.sub(r"\1", text)
    unsupported = 'Unsupported("no OpenTelemetry yet")'
    text = text.replace(f"raise {unsupported}", "return reply").replace(f"throw new {unsupported}", "return reply")
    return text.replace(f"return nil, {unsupported}", "return reply, nil")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_method_that_is_deleted_is_not_declared(
    language: str, prepare: Prepare, tmp_path: Path, pytester: pytest.Pytester
) -> None:
    spec = prepare(language, without_streams)
    with load_translator(spec, tmp_path) as driver:
        session = open_session(driver)
        assert session.operations == BETWEEN - {"stream"}
    result = run_suite(pytester, spec, "toolcall::read_file/seed", "toolcall::read_file/big-integers")
    assert result.ret == 0
    assert result.parseoutcomes()["passed"] > 20
    result = run_suite(pytester, spec, "toolcall::read_file/seed::stream")
    assert result.ret != 0
    result.stdout.no_fnmatch_line("*crashed*")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_method_that_is_uncommented_is_declared(language: str, prepare: Prepare, tmp_path: Path) -> None:
    with load_translator(prepare(language, with_native_methods), tmp_path) as driver:
        session = open_session(driver)
        assert session.operations == BETWEEN | WITHIN.keys()
        for operation, reason in WITHIN.items():
            arguments: tuple[Any, ...] = (
                ({}, NUMBERS) if operation == "otel" else ({}, []) if operation in OF_TWO else ({},)
            )
            expected = Produced(NUMBERS) if operation == "otel" else UnsupportedOutcome(reason)
            assert session.call(operation, *arguments) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_translator_prints_does_no_harm(language: str, prepare: Prepare, tmp_path: Path) -> None:
    spec = prepare(language, lambda text: text.replace(*PRINTS[language]))
    with load_translator(spec, tmp_path) as driver:
        assert open_session(driver).request(NUMBERS) == Produced(NUMBERS)
        assert getattr(driver, "noise", None) == []


def test_a_method_of_another_type_says_so(prepare: Prepare, tmp_path: Path) -> None:
    """Go finds the methods of a session when it runs; the others take whatever there is."""
    signature = "Request(body Body) (Body, error) {\n\treturn body, nil"
    spec = prepare("go", lambda text: text.replace(signature, "Request(body Body) Body {\n\treturn body"))
    with load_translator(spec, tmp_path) as driver:
        outcome = open_session(driver).request({})
        assert isinstance(outcome, Crashed)
        assert "Session.Request is a func(json.RawMessage) json.RawMessage; make it take" in outcome.sentence


def test_numbers_survive_decoding_in_go(prepare: Prepare, tmp_path: Path) -> None:
    spec = prepare("go", lambda text: text.replace("\treturn body, nil\n", DECODED, 1))
    with load_translator(spec, tmp_path) as driver:
        assert open_session(driver).request(NUMBERS) == Produced(NUMBERS)


def test_a_translator_may_write_json_itself(prepare: Prepare, tmp_path: Path) -> None:
    """Before Node 21 its JSON.stringify cannot write a whole number that a double does not hold."""
    written = "    return { exact: 'rawJSON' in JSON, text: JSON.stringify(body) };\n"
    spec = prepare("typescript", lambda text: text.replace("    return body;\n", written, 1))
    with load_translator(spec, tmp_path) as driver:
        outcome = open_session(driver).request({"n": 2**53 + 1})
        assert isinstance(outcome, Produced)
        assert outcome.value["text"] == f'{{"n":{2**53 + outcome.value["exact"]}}}'


def test_the_types_are_right(prepare: Prepare, tmp_path: Path, node_modules: Path) -> None:
    prepare("typescript", lambda text: with_native_methods(without_streams(text)))
    tsc = [str(node_modules / ".bin" / "tsc"), "--noEmit"]
    done = subprocess.run(tsc, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
