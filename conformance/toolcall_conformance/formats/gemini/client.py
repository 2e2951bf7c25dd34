"""An ideal client of generateContent: how it continues after a reply.

The candidate's content goes back unchanged, with its signatures; a functionResponse for each call follows in one user
content, in the order of the calls (https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.reading import reverse_among
from toolcall_conformance.formats.gemini.proto_json import member
from toolcall_conformance.formats.known_keys import drop_unknown_keys, keys

CONTAINER = "contents"

# The keys that the API's types have for a content.
KNOWN_KEYS = keys(
    "role",
    parts=keys(
        *("text", "thought", "thoughtSignature", "partMetadata", "audioTranscription", "mediaProcessing"),
        *("speechMetadata", "documentMetadata", "spreadsheetMetadata", "audioMetadata"),
        functionCall=keys("id", "name", "args", "partialArgs", "willContinue"),
        functionResponse=keys("id", "name", "response", "parts", "willContinue", "scheduling"),
        inlineData=keys("mimeType", "data", "displayName"),
        fileData=keys("mimeType", "fileUri", "displayName"),
        executableCode=keys("id", "language", "code"),
        codeExecutionResult=keys("id", "outcome", "output"),
        toolCall=keys("id", "toolType", "args"),
        toolResponse=keys("id", "toolType", "response"),
        videoMetadata=keys("startOffset", "endOffset", "fps", "contentLayers"),
        mediaResolution=keys("level", "numTokens"),
    ),
)


def entries(body: dict[str, Any]) -> list[Any]:
    """Return the contents of a request as a new list; a single content is a list of one."""
    contents: Any = body.get("contents")
    if isinstance(contents, dict):
        return [contents]
    return list(contents) if isinstance(contents, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """Return the content of the first candidate; ``echo`` keeps keys that the client does not know."""
    candidates: Any = reply.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content: Any = deep_copy(first.get("content")) if isinstance(first, dict) else None
    if not isinstance(content, dict):
        return []
    return [content if echo else drop_unknown_keys(content, KNOWN_KEYS)]


def relink(result: dict[str, Any], call: dict[str, Any]) -> bool:
    """Set id and name of the call that a functionResponse answers; an empty id is kept, too."""
    result.pop("id", None)
    if call.get("id") is not None:
        result["id"] = call["id"]
    result["name"] = call.get("name")
    return True


def reverse_results(tail: list[Any]) -> None:
    """Reverse the functionResponses of each content, in place, if ids link them to their calls."""
    for content in tail:
        parts = content.get("parts") if isinstance(content, dict) else None
        if isinstance(parts, list):
            reverse_among(parts, lambda part: isinstance(member(part, "functionResponse"), dict))


def merge_results(tail: list[Any]) -> list[Any]:
    """Return one user content with the parts of all, functionResponses first."""
    parts = [part for content in tail for part in content["parts"]] if all(map(_has_parts, tail)) else None
    if not parts:
        return tail
    parts.sort(key=lambda part: not isinstance(member(part, "functionResponse"), dict))
    return [{"role": "user", "parts": parts}]


def _has_parts(content: Any) -> bool:
    return isinstance(content, dict) and content.get("role") == "user" and isinstance(content.get("parts"), list)


def add_instruction(body: dict[str, Any], instruction: str) -> None:
    """Add a text part to ``systemInstruction``, in place."""
    prompt = member(body, "systemInstruction")
    if isinstance(prompt, dict) and isinstance(prompt.get("parts"), list):
        prompt["parts"].append({"text": instruction})
    else:
        body["systemInstruction"] = {"parts": [{"text": instruction}]}


def set_tool_choice_auto(body: dict[str, Any]) -> None:
    """Remove ``functionCallingConfig``, in place: without it the mode is AUTO."""
    body.get("toolConfig", {}).pop("functionCallingConfig", None)
