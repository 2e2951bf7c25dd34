"""Rules that hold for some generations of models only; they report nothing if the model is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import TEXT
from toolcall_conformance.formats.gemini.parts import DATA_KEYS
from toolcall_conformance.formats.gemini.proto_json import root
from toolcall_conformance.formats.gemini.rules.view import contents, has_value, model_generation, parts
from toolcall_conformance.formats.rule import Subject, rule


@rule("gemini/signature-demanded", "request")
def signature_demanded(subject: Subject) -> Iterator[Breach]:
    if (model_generation(subject) or 0) < 3:
        return
    all_contents = subject.derive(contents)
    # The current turn begins after the last content of the user that holds more than results.
    begin = 0
    for index, content in enumerate(all_contents):
        keys = [key for part in parts(content) for key in DATA_KEYS if has_value(part, key)]
        if content.get("role") != "model" and set(keys) - {"functionResponse"}:
            begin = index + 1
    for content in all_contents[begin:]:
        called = [part for part in parts(content) if has_value(part, "functionCall")]
        if content.get("role") == "model" and called and not called[0].get("thoughtSignature"):
            name = called[0].child("functionCall").get("name")
            message = "the first functionCall of a step must have the thoughtSignature that the model gave it"
            yield Breach(called[0].pointer, message, TEXT, MISSING, subject=name if isinstance(name, str) else "")


@rule("gemini/result-parts-model", "request")
def result_parts_model(subject: Subject) -> Iterator[Breach]:
    if (model_generation(subject) or 3) >= 3:
        return
    for content in subject.derive(contents):
        for part in parts(content):
            media = part.child("functionResponse").child("parts")
            if media.value:
                want, got = Words("beside the functionResponse"), Words("in the functionResponse")
                yield Breach(media.pointer, want=want, got=got)


@rule("gemini/built-in-with-functions", "request")
def built_in_with_functions(subject: Subject) -> Iterator[Breach]:
    model = model_generation(subject)
    kinds = {tool.kind for tool in subject.reading.tools}
    if model is None or kinds != {"function", "hosted"}:
        return
    config = root(subject.body).child("toolConfig")
    first = next(tool for tool in subject.reading.tools if tool.kind == "hosted")
    if model < 3:
        yield Breach(first.pointer, "models before Gemini 3 do not take built-in tools and functions together")
    elif config.flag("includeServerSideToolInvocations") is not True:
        yield Breach(first.pointer)


@rule("gemini/json-mode-with-functions", "request")
def json_mode_with_functions(subject: Subject) -> Iterator[Breach]:
    mime = root(subject.body).child("generationConfig").child("responseMimeType")
    functions = any(tool.kind == "function" for tool in subject.reading.tools)
    if (model_generation(subject) or 3) < 3 and functions and mime.value == "application/json":
        yield Breach(mime.pointer, want=MISSING, got=mime.value)
