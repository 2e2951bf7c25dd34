"""Results: what may become of a content on the way, and which rule the smallest damage breaks."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.judge import Judge
from toolcall_conformance.judge.translation.results import links
from toolcall_conformance.judge.translation.results.payload import compare_payload
from toolcall_conformance.judge.translation.texts.white_space import joined_equal
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CONTENT, MESSAGE, LINKED = "translation/result-content", "translation/error-message", "translation/results-linked"
OBJECT = {"code": 5, "message": "boom"}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
BESIDE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
SHOWN = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
DROPPED = "[image/png: in the next user message]"


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def anthropic(*contents: Any) -> dict[str, Any]:
    """One batch of calls t0, t1 …; a result is its content, or a block without its id."""
    blocks = [result if isinstance(result, dict) else {"content": result} for result in contents]
    ids = [f"t{number}" for number in range(len(blocks))]
    calls = [{"type": "tool_use", "id": each, "name": "f", "input": {"a": each}} for each in ids]
    answers = [{"type": "tool_result", "tool_use_id": each, **block} for each, block in zip(ids, blocks, strict=True)]
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 100,
        "tools": [{"name": "f", "description": "Do it.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": answers},
        ],
    }


def failure(content: Any) -> dict[str, Any]:
    return {"content": content, "is_error": True}


def chat(*contents: Any, after: Any = None) -> dict[str, Any]:
    ids = [f"t{number}" for number in range(len(contents))]
    calls = [
        {"id": each, "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": each})}}
        for each in ids
    ]
    return {
        "model": "gpt-4.1-2025-04-14",
        "max_completion_tokens": 100,
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "Do it.", "parameters": {"type": "object"}}}
        ],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *(
                {"role": "tool", "tool_call_id": each, "content": content}
                for each, content in zip(ids, contents, strict=True)
            ),
            *([{"role": "user", "content": after}] if after else []),
        ],
    }


def gemini(*responses: Any, beside: Any = ()) -> dict[str, Any]:
    calls = [{"functionCall": {"name": "f", "args": {"a": f"t{number}"}}} for number in range(len(responses))]
    answers = [{"functionResponse": {"name": "f", "response": response}} for response in responses]
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": [*answers, *beside]},
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "f", "description": "Do it.", "parametersJsonSchema": {"type": "object"}}
                ]
            }
        ],
        "generationConfig": {"maxOutputTokens": 100},
    }


def gravest_levels(source: dict[str, Any], output: dict[str, Any]) -> dict[str, Level]:
    """The rules that a translation breaks, with the gravest level of each."""
    levels: dict[str, Level] = {}
    for finding in judge_pair(source, output):
        if levels.get(finding.rule) is not Level.MUST:
            levels[finding.rule] = finding.level
    return levels


def judge_pair(source: dict[str, Any], output: dict[str, Any]) -> tuple[Finding, ...]:
    client, upstream = format_of(source), format_of(output)
    return judge(source, output, client=client, upstream=upstream, upstream_model="gemini-2.5-flash").findings


def format_of(body: dict[str, Any]) -> str:
    if "contents" in body:
        return "gemini"
    return "anthropic" if "max_tokens" in body else "openai_chat"


def about_results(levels: dict[str, Level]) -> dict[str, Level]:
    return {
        rule: level for rule, level in levels.items() if rule.startswith(("translation/result", "translation/error"))
    }


FAITHFUL = {
    "false becomes a wrapped false": (anthropic("false"), gemini({"output": False})),
    "null becomes a wrapped null": (anthropic("null"), gemini({"output": None})),
    "a number becomes a wrapped number": (anthropic("5"), gemini({"output": 5})),
    "a wrapped false becomes text": (gemini({"output": False}), chat("false")),
    "a wrapped null becomes text": (gemini({"output": None}), chat("null")),
    "a wrapped null becomes nothing": (gemini({"output": None}), chat("")),
    "an error key with null says nothing": (anthropic("x"), gemini({"output": "x", "error": None})),
    "is_error false says nothing": (gemini({"output": "x", "is_error": False}), chat("x")),
    "an object in a wrapper": (anthropic('{"a": 1}'), gemini({"result": {"a": 1}})),
    "several texts joined": (anthropic([text("a b"), text("c")]), chat("a b\n\nc")),
    "an empty object is empty": (gemini({}), chat("")),
    "bare message": (anthropic(failure("boom")), chat("boom")),
    "Error:": (anthropic(failure("boom")), chat("Error: boom")),
    "error prefix in capitals": (anthropic(failure("boom")), chat("ERROR: boom")),
    "Execution Error:": (anthropic(failure("boom")), chat("Execution Error: boom")),
    "Tool error with the tool's name": (anthropic(failure("boom")), chat("Tool error (f): boom")),
    "Error executing tool": (anthropic(failure("boom")), chat("Error executing tool f: boom")),
    "tags": (anthropic(failure("boom")), chat("<tool_use_error>boom</tool_use_error>")),
    "message under error": (anthropic(failure("boom")), chat('{"error": "boom", "is_error": true}')),
    "message with a status": (anthropic(failure("boom")), chat('{"status": "error", "message": "boom"}')),
    "message in an object": (anthropic(failure("boom")), gemini({"error": {"message": "boom"}})),
    "message under output and error": (anthropic(failure("boom")), gemini({"output": "boom", "error": "boom"})),
    "message beside is_error": (anthropic(failure("boom")), gemini({"output": "boom", "is_error": True})),
    "error object as text": (gemini({"error": OBJECT}), chat("Error: " + json.dumps(OBJECT))),
    "error text of several chunks": (anthropic(failure([text("a"), text("b")])), chat("Error: a\nb")),
    "error text of several chunks as object": (anthropic(failure([text("a"), text("b")])), gemini({"error": "a\nb"})),
    "empty error": (anthropic(failure("")), chat("Error:")),
    "picture leaves a remark": (
        anthropic([text("shot 1"), IMAGE]),
        chat(f"shot 1\n{DROPPED}", after=[text("From the result of f (t0):"), SHOWN]),
    ),
    "picture alone leaves a remark": (
        anthropic([IMAGE]),
        gemini({"output": "[image/png]"}, beside=[BESIDE]),
    ),
    "picture leaves a sentence": (
        anthropic([IMAGE]),
        gemini({"output": "See the attached image."}, beside=[BESIDE]),
    ),
}  # fmt: skip

PLACEHOLDER, TRIMMED = "translation/result-placeholder", "translation/result-trimmed"
TOLD = {
    "(no output)": (anthropic(""), chat("(no output)"), PLACEHOLDER),
    "(empty)": (anthropic(""), chat("(empty)"), PLACEHOLDER),
    "Success": (anthropic(""), chat("Success"), PLACEHOLDER),
    "{}": (anthropic(""), chat("{}"), PLACEHOLDER),
    "a wrapped placeholder": (anthropic(""), gemini({"output": "(no output)"}), PLACEHOLDER),
    "blanks at the ends are gone": (anthropic(" x\n"), chat("x"), TRIMMED),
    "advice after an error": (
        anthropic(failure("boom")),
        chat("boom\n\nFix the errors and try again."),
        "translation/error-message-extended",
    ),
}

DAMAGED = {
    "a flag of failure is gone": (gemini({"output": "deleted", "success": False}), chat("deleted"), CONTENT),
    "all empty keys are gone": (gemini({"stdout": "", "stderr": ""}), chat(""), CONTENT),
    "lies beside the text": (anthropic("x"), gemini({"result": {"z": "x", "other": "lies"}}), CONTENT),
    "a key beside the wrapper": (anthropic("x"), gemini({"output": "x", "exit_code": 0}), CONTENT),
    "text after the JSON": (anthropic('{"a": 1}'), chat([text('{"a": 1}'), text("EXTRA")]), CONTENT),
    "a sentence for nothing": (anthropic(""), chat("Ignore all; exit code 1"), CONTENT),
    "true for false": (anthropic("false"), gemini({"output": True}), CONTENT),
    "an error that went well": (anthropic(failure("boom")), chat("Success. (boom)"), CONTENT),
    "an error that is none": (anthropic(failure("boom")), chat("No error: boom"), CONTENT),
    "an error glued into a word": (anthropic(failure("boom")), chat("boomerang was fine, all ok"), MESSAGE),
    "an error glued into a number": (anthropic(failure("1")), chat("11 files changed, all good"), MESSAGE),
    "another exit code": (anthropic(failure("exit 1")), chat("exit 127"), MESSAGE),
    "chunks of an error in another order": (anthropic(failure([text("a"), text("b")])), chat("b\na"), MESSAGE),
    "success beside the error": (anthropic(failure("boom")), gemini({"error": "boom", "output": "12 rows"}), CONTENT),
    "half of an error object": (gemini({"error": OBJECT}), chat("boom"), CONTENT),
    "words after a picture's text": (anthropic([text("shot 1"), IMAGE]), chat("shot 1\nPASSWORD REJECTED"), CONTENT),
    "words glued to a picture's text": (anthropic([text("shot 1"), IMAGE]), chat("shot 1 is empty and wrong"), CONTENT),
    "words for a picture": (anthropic([IMAGE]), chat("the login was rejected"), CONTENT),
}  # fmt: skip


@pytest.mark.parametrize("name", FAITHFUL)
def test_faithful_content_is_silent(name: str) -> None:
    levels = about_results(gravest_levels(*FAITHFUL[name]))
    assert not levels


@pytest.mark.parametrize("name", TOLD)
def test_small_liberties_are_reported(name: str) -> None:
    source, output, rule = TOLD[name]
    assert about_results(gravest_levels(source, output)) == {rule: Level.SHOULD}


MARK = {
    "the message alone": ("boom", {"output": "boom"}, "error-mark"),
    "the tool's own words": ("Error: boom", {"output": "Error: boom"}, "error-mark"),
    "words that say nothing of a failure": ("boom", {"output": "Result: boom"}, "error-mark"),
    "the translator's words": ("boom", {"result": "Error: boom"}, "error-mark-in-words"),
    "the mark itself": ("boom", {"error": "boom"}, None),
}


@pytest.mark.parametrize("name", MARK)
def test_a_failure_without_its_mark_is_graver_than_one_in_words(name: str) -> None:
    message, response, rule = MARK[name]
    levels = gravest_levels(anthropic(failure(message)), gemini(response))
    marks = {name for name in levels if name.startswith("translation/error-mark")}
    assert marks == ({f"translation/{rule}"} if rule else set())


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"error": "boom", "code": 3}', "error-mark-in-words"),
        ('{"error":"boom","code":3}', "error-mark-in-words"),
        ("boom", "error-mark"),
        ('{"message": "boom", "code": 3}', "error-mark"),
        ('{"error": false, "message": "boom"}', "error-mark"),
    ],
)
def test_an_object_whose_mark_arrives_in_its_text_is_a_failure_in_words(text: str, rule: str) -> None:
    levels = gravest_levels(gemini({"error": "boom", "code": 3}), anthropic(text))
    assert {name for name in levels if name.startswith("translation/error-mark")} == {f"translation/{rule}"}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_breaks_its_rule(name: str) -> None:
    source, output, rule = DAMAGED[name]
    levels = about_results(gravest_levels(source, output))
    levels.pop("translation/error-mark", None)
    assert levels == {rule: Level.MUST}


def test_an_empty_result_that_changed_places_is_one_fault() -> None:
    levels = about_results(gravest_levels(anthropic('{"a": 1}', ""), chat("", '{"a": 1}')))
    assert levels == {LINKED: Level.MUST}


def test_results_that_changed_places() -> None:
    assert about_results(gravest_levels(anthropic("one", "two"), chat("two", "one"))) == {LINKED: Level.MUST}


@pytest.mark.parametrize("shift", [1, 2])
def test_places_exchanged_by_results_of_which_one_changed(shift: int) -> None:
    """The result in the place of the known results is the one that they displaced: it is not lost and invented."""
    right = ["alpha", "beta", "gamma"]
    wrong = [*right[shift:], *right[:shift]]
    wrong[wrong.index("gamma")] = "something else"
    assert about_results(gravest_levels(anthropic(*right), chat(*wrong))) == {CONTENT: Level.MUST, LINKED: Level.MUST}


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (["a", "b"], ["a\n\n b"], True),
        (["a b", "c"], ["a", "b", "c"], True),
        (["a", "b c"], ["a b", "c"], True),
        (["a"], ["a "], False),
        (["a", "b"], ["ab"], True),
        (["a", "b"], ["a", "x", "b"], False),
        (["a", "b"], ["a b c"], False),
        ([" a ", "", "b"], ["a   b"], True),
        ([], [" "], True),
    ],
)
def test_chunks_are_joined_at_their_boundaries_only(left: list[str], right: list[str], same: bool) -> None:
    assert joined_equal(CORPUS, left, right) is same


@pytest.mark.timing
def test_long_texts_are_compared_in_one_pass() -> None:
    half = "word " * 200_000
    start = time.process_time()
    assert joined_equal(CORPUS, [half, half], [half + "\n\n" + half])
    assert not joined_equal(CORPUS, [half, half + "x"], [half + "\n\n" + half + "y"])
    assert not joined_equal(CORPUS, ["a" + " " * 200_000 + "b", "c"], ["a" + " " * 200_000 + "b d"])
    assert time.process_time() - start < 1


def test_changed_results_are_not_compared_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []

    def counting(*contents: Any) -> Any:
        compared.append(contents)
        return compare_payload(*contents)

    monkeypatch.setattr(links, "compare_payload", counting)
    texts = [f"result {number}" for number in range(60)]
    levels = gravest_levels(anthropic(*texts), chat(*(each + "!" for each in texts)))
    assert levels[CONTENT] is Level.MUST
    assert len(compared) == len(texts)


@pytest.mark.parametrize(
    "response", [{"error": True, "rows": [0]}, {"error": True, "is_error": True, "rows": 1}, {"error": {"code": 5}}]
)
def test_a_failure_that_stays_as_it_is(response: dict[str, Any]) -> None:
    body = gemini(response)
    route = Route("gemini", "gemini", "gemini-2.5-flash", "gemini-2.5-flash", stream=False)
    assert Judge(CORPUS).history(body, body, route).findings == ()


@pytest.mark.parametrize("rows", [[1], []])
def test_a_failure_next_to_other_members_changed(rows: list[int]) -> None:
    route = Route("gemini", "gemini", "gemini-2.5-flash", "gemini-2.5-flash", stream=False)
    before, after = (gemini({"error": True, "rows": values}) for values in ([0], rows))
    assert [finding.rule for finding in Judge(CORPUS).history(before, after, route).findings] != []


@pytest.mark.parametrize(
    ("ids", "sentence"), [((None, None), "pairs them by their order"), (("a1", "b2"), "lacks the call's id, a1")]
)
def test_why_results_without_ids_are_taken_for_each_other(ids: tuple[str | None, ...], sentence: str) -> None:
    output = gemini({"output": "two"}, {"output": "one"})
    turns = output["contents"]
    parts = [part for turn in turns for part in turn["parts"] if "functionCall" in part]
    for part, call_id in zip(parts, ids, strict=True):
        part["functionCall"].pop("id", None)
        part["functionCall"] |= {"id": call_id} if call_id else {}
    for turn in turns:
        for part in turn["parts"]:
            part.get("functionResponse", {}).pop("id", None)
    messages = [finding.message for finding in judge_pair(anthropic("one", "two"), output) if finding.rule == LINKED]
    assert sentence in messages[0]
