"""Errors of the provider that come as no error, as another one, or in a form that the client does not know."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, FORMATS, GEMINI, RESPONSES, SAME, broken, need
from doubles.draft import Draft
from doubles.failures import FAMILY, OPENAI, as_status, came, envelope, error

ENVELOPE = {name: f"{name}/error-envelope" for name in FORMATS}
STATUS = "translation/upstream-error-status"
RETRYABLE = "translation/upstream-error-retryable"
RATE_LIMIT = "translation/upstream-error-rate-limit"

ANSWERS: dict[str, Any] = {
    ANTHROPIC: {"type": "message", "role": "assistant", "stop_reason": "end_turn"},
    CHAT: {"object": "chat.completion"},
    RESPONSES: {"object": "response", "status": "completed"},
    GEMINI: {},
}


@broken("upstream-error-as-success", rule=STATUS, check="error")
def error_as_success(draft: Draft) -> None:
    """The provider's error comes with the status 200."""
    draft.body["status"] = 200


@broken("upstream-error-as-redirect", rule=STATUS, check="error")
def error_as_redirect(draft: Draft) -> None:
    """The provider's error comes with the status 302."""
    draft.body["status"] = 302


@broken("upstream-error-as-answer", rule=STATUS, check="error")
def error_as_answer(draft: Draft) -> None:
    """The model seems to say what the provider's error said."""
    said = error(draft)["message"]
    content: dict[str, Any] = {
        ANTHROPIC: {"content": [{"type": "text", "text": said}]},
        CHAT: {"choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]},
        RESPONSES: {"output": [{"type": "message", "content": [{"type": "output_text", "text": said}]}]},
        GEMINI: {"candidates": [{"content": {"role": "model", "parts": [{"text": said}]}, "finishReason": "STOP"}]},
    }
    draft.body = {"status": 200, "headers": {}, "body": {**ANSWERS[draft.format], **content[draft.format]}}


@broken("rate-limit-as-failure", rule=RATE_LIMIT, check="error")
def rate_limit_as_failure(draft: Draft) -> None:
    """A rate limit comes as 500."""
    came(draft, 429)
    as_status(draft, 500)


@broken("rate-limit-as-bad-request", rule=RATE_LIMIT, check="error")
def rate_limit_as_bad_request(draft: Draft) -> None:
    """A rate limit comes as 400."""
    came(draft, 429)
    as_status(draft, 400)


@broken("overload-as-bad-request", rule=RETRYABLE, check="error")
def overload_as_bad_request(draft: Draft) -> None:
    """An overloaded provider's 503 or 529 comes as 400."""
    came(draft, 503, 529)
    as_status(draft, 400)


@broken("failure-as-not-found", rule=RETRYABLE, check="error")
def failure_as_not_found(draft: Draft) -> None:
    """The provider's own failure comes as 404."""
    came(draft, 500)
    as_status(draft, 404)


@broken("bad-request-as-failure", rule=RETRYABLE, check="error", cases=("errors/upstream-invalid-request",))
def bad_request_as_failure(draft: Draft) -> None:
    """A request that the provider finds wrong comes as 500, so the client sends it again."""
    as_status(draft, 500)


@broken("overload-kept-529", rule=RETRYABLE, check="error", target=GEMINI, sources=(ANTHROPIC,))
def overload_kept_529(draft: Draft) -> None:
    """Anthropic's 529 goes to a client whose SDK does not know it and gives up."""
    came(draft, 529)
    as_status(draft, 529)


@broken("upstream-error-unchanged", rule="translation/target-format", check="error")
def error_unchanged(draft: Draft) -> None:
    """The provider's error goes through as it is."""
    need(FAMILY[draft.format] != FAMILY[draft.source_format])
    draft.body = draft.source


@broken("upstream-error-of-a-stranger", rule="translation/target-format", check="error")
def error_of_a_stranger(draft: Draft) -> None:
    """The error has the form of another API, whoever the provider is."""
    other = ANTHROPIC if draft.format in OPENAI else CHAT
    draft.body["body"] = envelope(other, draft.body["status"], error(draft)["message"])


@broken("upstream-error-without-message", rule=ENVELOPE, check="error")
def error_without_message(draft: Draft) -> None:
    """The error has no message any more."""
    del error(draft)["message"]


@broken("upstream-error-as-text", rule=ENVELOPE, check="error")
def error_as_text(draft: Draft) -> None:
    """The error is a text and no object."""
    draft.body["body"]["error"] = error(draft)["message"]


@broken("upstream-error-nested", rule=ENVELOPE, check="error")
def error_nested(draft: Draft) -> None:
    """The error stands in an error."""
    draft.body["body"]["error"] = {"error": error(draft)}


@broken("upstream-error-unwrapped", rule=ENVELOPE, check="error")
def error_unwrapped(draft: Draft) -> None:
    """What belongs under ``error`` is the body itself."""
    draft.body["body"] = error(draft)


@broken("upstream-error-in-a-list", rule=ENVELOPE, check="error")
def error_in_a_list(draft: Draft) -> None:
    """The body is a list with the error in it, as Gemini streams one."""
    draft.body["body"] = [draft.body["body"]]


@broken("upstream-error-type-wrong", rule="anthropic/error-type-status", check="error", target=ANTHROPIC)
def type_wrong(draft: Draft) -> None:
    """The type says the opposite of the status."""
    error(draft)["type"] = "invalid_request_error" if draft.body["status"] >= 500 else "api_error"


@broken("wrong-key-as-bad-request-by-type", rule="anthropic/error-type-status", check="error", target=ANTHROPIC)
def wrong_key_by_type(draft: Draft) -> None:
    """The status is 401 or 429, and the type that of any bad request."""
    need(draft.body["status"] in (401, 429))
    error(draft)["type"] = "invalid_request_error"


@broken("upstream-error-code-wrong", rule="gemini/error-code", check="error", target=GEMINI)
def code_wrong(draft: Draft) -> None:
    """The code in the body is always 500."""
    need(draft.body["status"] != 500)
    error(draft)["code"] = 500


@broken("upstream-error-code-of-grpc", rule="gemini/error-code", check="error", target=GEMINI)
def code_of_grpc(draft: Draft) -> None:
    """The code in the body is gRPC's number for the name, not the HTTP status."""
    numbers = {"INVALID_ARGUMENT": 3, "RESOURCE_EXHAUSTED": 8, "INTERNAL": 13, "UNAVAILABLE": 14, "UNAUTHENTICATED": 16}
    error(draft)["code"] = numbers[error(draft)["status"]]


@broken("upstream-error-status-name-wrong", rule="gemini/error-status-name", check="error", target=GEMINI)
def status_name_wrong(draft: Draft) -> None:
    """The name says the opposite of the HTTP status."""
    error(draft)["status"] = "INVALID_ARGUMENT" if draft.body["status"] >= 500 else "INTERNAL"


@broken("upstream-error-status-name-lost", rule="gemini/error-status-name", check="error", target=GEMINI)
def status_name_lost(draft: Draft) -> None:
    """The error has a code and no name."""
    del error(draft)["status"]


@broken("upstream-error-changed-on-its-way", rule="translation/identity", check="error", sources=SAME)
def changed_on_its_way(draft: Draft) -> None:
    """Between two ends of one format the message gets a prefix."""
    error(draft)["message"] = "Upstream: " + error(draft)["message"]


@broken("overload-status-changed-on-its-way", rule="translation/identity", check="error", sources=SAME)
def status_changed_on_its_way(draft: Draft) -> None:
    """Between two ends of one format 503 or 529 becomes 500."""
    came(draft, 503, 529)
    as_status(draft, 500)
