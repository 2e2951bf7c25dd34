"""The form that the answer must have: lost, weakened, and in another format's shape."""

from __future__ import annotations

from typing import Any

from doubles.bodies.settings import settings
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

LOST = "translation/response-format-lost"
CHANGED = "translation/response-format-changed"
STRICT = "answer_format/schema-beside-tools"
MODE = "answer_format/json-object"


def wanted(draft: Draft) -> Any:
    """The form of the answer as the body spells it, None for none."""
    if draft.format == ANTHROPIC:
        return draft.body.get("output_config", {}).get("format") or draft.body.get("output_format")
    if draft.format == GEMINI:
        return draft.body.get("generationConfig") if "responseMimeType" in settings(draft) else None
    return draft.body.get("text", {}).get("format") if draft.format == RESPONSES else draft.body.get("response_format")


def schema_of(draft: Draft) -> Any:
    """The schema that the answer must follow."""
    schema = need(wanted(draft))
    schema = schema.get("json_schema", schema)
    return need(schema.get("schema") or schema.get("responseJsonSchema"))


@warning(LOST, target=ANTHROPIC)
def schema_lost(draft: Draft) -> None:
    """The schema that the answer must follow is gone."""
    need(wanted(draft))
    draft.body.pop("output_config", None)
    draft.body.pop("output_format", None)


@warning(LOST, target=(CHAT, RESPONSES, GEMINI), sources=(CHAT, RESPONSES, GEMINI), cases=(MODE,))
def json_mode_lost(draft: Draft) -> None:
    """That the answer must be JSON is gone."""
    need(wanted(draft))
    if draft.format == GEMINI:
        del draft.body["generationConfig"]["responseMimeType"]
    else:
        draft.body.pop("text" if draft.format == RESPONSES else "response_format")


@warning(CHANGED, target=(ANTHROPIC, GEMINI), cases=(STRICT,))
def schema_without_required(draft: Draft) -> None:
    """The answer may leave out what it must have."""
    del schema_of(draft)["required"]


@warning(CHANGED, target=(CHAT, RESPONSES), sources=(CHAT, RESPONSES), cases=(STRICT,))
def schema_not_strict(draft: Draft) -> None:
    """The answer need no longer follow the schema strictly."""
    answer_format = need(wanted(draft))
    answer_format.get("json_schema", answer_format)["strict"] = False


@warning(CHANGED, target=(CHAT, RESPONSES), sources=(ANTHROPIC,), cases=(STRICT,))
def schema_not_followed(draft: Draft) -> None:
    """The answer need no longer follow a schema that Anthropic's API lets it follow for certain."""
    answer_format = need(wanted(draft))
    answer_format.get("json_schema", answer_format)["strict"] = False


@harmless(target=(CHAT, RESPONSES), sources=(ANTHROPIC,), cases=(STRICT,))
def schema_that_cannot_be_strict(draft: Draft) -> None:
    """The schema has a keyword that strict mode does not take, and the answer need not follow it strictly."""
    schema_of(draft)["minProperties"] = 0
    answer_format = need(wanted(draft))
    answer_format.get("json_schema", answer_format)["strict"] = False


@warning(CHANGED, target=GEMINI, cases=(STRICT, "answer_format/schema-with-references"))
def schema_opened(draft: Draft) -> None:
    """The answer may have members that the schema does not name, in the objects of definitions too."""
    schema = schema_of(draft)
    closed = (
        subschema
        for subschema in (schema, *schema.get("$defs", {}).values())
        if subschema.get("additionalProperties") is False
    )
    for inner in need([*closed]):
        inner["additionalProperties"] = True


@harmless(target=GEMINI, cases=(STRICT,))
def schema_closed_by_silence(draft: Draft) -> None:
    """The schema does not say that the answer may have no other members."""
    need(schema_of(draft).pop("additionalProperties", None) is False)


@harmless(target=(CHAT, RESPONSES), sources=(CHAT, RESPONSES), cases=("answer_format/schema-described",))
def not_strict_unsaid(draft: Draft) -> None:
    """That the schema is not followed strictly is left out, as it is the default."""
    answer_format = need(wanted(draft))
    answer_format = answer_format.get("json_schema", answer_format)
    need(answer_format.get("strict") is False)
    del answer_format["strict"]


@harmless(target=GEMINI, cases=(STRICT,), beside=("gemini/one-response-schema", "gemini/response-schema-mime"))
def schema_in_types_of_openapi(draft: Draft) -> None:
    """The schema stands under responseSchema, with the types in capitals."""
    config = draft.body["generationConfig"]
    schema = config.pop("responseJsonSchema")
    schema.pop("additionalProperties", None)
    config["responseSchema"] = _upper(schema)


def _upper(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: value.upper() if key == "type" and isinstance(value, str) else _upper(value)
            for key, value in schema.items()
        }
    return schema


@broken("gemini/one-response-schema", cases=(STRICT,))
def schema_under_both_names(draft: Draft) -> None:
    """The schema stands under responseSchema and responseJsonSchema."""
    config = draft.body["generationConfig"]
    config["responseSchema"] = _upper({key: value for key, value in schema_of(draft).items() if key[0] != "a"})


@broken("gemini/response-schema-mime", cases=(STRICT,))
def schema_without_mime(draft: Draft) -> None:
    """The schema stands without the MIME type that makes the answer JSON."""
    del need(draft.body.get("generationConfig"))["responseMimeType"]


@broken("gemini/response-mime-type", cases=(STRICT, MODE))
def schema_of_an_unknown_mime(draft: Draft) -> None:
    """The answer is to be of a MIME type that the API does not know."""
    need(draft.body.get("generationConfig"))["responseMimeType"] = "application/schema+json"


@broken("openai_responses/text-format-flat", cases=(STRICT,))
def schema_in_the_shape_of_chat(draft: Draft) -> None:
    """The format of the answer has Chat's inner object."""
    answer_format = need(wanted(draft))
    draft.body["text"]["format"] = {"type": answer_format.pop("type"), "json_schema": answer_format}


@broken("openai_responses/foreign-key", cases=(STRICT,))
def schema_under_the_name_of_chat(draft: Draft) -> None:
    """The format of the answer stands under response_format."""
    answer_format = need(draft.body.pop("text", None))["format"]
    draft.body["response_format"] = {"type": answer_format.pop("type"), "json_schema": answer_format}


@broken("openai_chat/response-format", cases=(STRICT,))
def schema_in_the_shape_of_responses(draft: Draft) -> None:
    """The format of the answer is flat, as in Responses."""
    answer_format = need(draft.body.get("response_format"))
    draft.body["response_format"] = {"type": answer_format["type"], **answer_format["json_schema"]}


@harmless(target=CHAT, sources=(ANTHROPIC, GEMINI), cases=(STRICT,), beside="openai_chat/response-format")
def schema_by_another_name(draft: Draft) -> None:
    """The schema has a name of the translator's, where the source gives none."""
    need(draft.body.get("response_format"))["json_schema"]["name"] = "answer"


@harmless(target=RESPONSES, sources=(ANTHROPIC, GEMINI), cases=(STRICT,), beside="openai_responses/text-format-flat")
def schema_named_and_described(draft: Draft) -> None:
    """The schema has a name and a description of the translator's, where the source gives none."""
    need(wanted(draft)).update(name="answer", description="The answer.")


@harmless(target=ANTHROPIC)
def schema_by_the_older_name(draft: Draft) -> None:
    """The schema stands under output_format, the name that it had first."""
    draft.body["output_format"] = need(draft.body.pop("output_config", {}).get("format"))


@broken("anthropic/tool-strict-closed", target=ANTHROPIC, cases=(STRICT,), at_home=())
def answer_of_any_members(draft: Draft) -> None:
    """The schema of the answer does not say that there are no other members."""
    need(schema_of(draft)).pop("additionalProperties", None)


@broken("openai_chat/strict-schema", target=CHAT, cases=(STRICT,), at_home=())
def strict_answer_of_any_members(draft: Draft) -> None:
    """The schema of a strict answer allows other members."""
    need(wanted(draft)["json_schema"].get("strict"))
    schema_of(draft)["additionalProperties"] = True


@broken("openai_chat/strict-schema", warns=CHANGED, target=CHAT, cases=(STRICT,))
def strict_answer_without_required(draft: Draft) -> None:
    """The schema of a strict answer does not require its members."""
    need(wanted(draft)["json_schema"].get("strict"))
    del schema_of(draft)["required"]
