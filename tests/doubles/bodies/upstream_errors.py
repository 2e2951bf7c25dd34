"""Errors of the provider: as no error, as another one, in an unknown form, and in other forms that are as good."""

from __future__ import annotations

import json
from typing import Any

from doubles.body import ANTHROPIC, CHAT, FORMATS, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.failures import FAMILY, OPENAI, envelope, error, provider_status, retry_delay, retry_info, set_status

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


@broken(STATUS, check="error")
def upstream_error_as_success(draft: Draft) -> None:
    """The provider's error comes with the status 200."""
    draft.body["status"] = 200


@broken(STATUS, check="error")
def upstream_error_as_redirect(draft: Draft) -> None:
    """The provider's error comes with the status 302."""
    draft.body["status"] = 302


@broken(STATUS, check="error")
def upstream_error_as_answer(draft: Draft) -> None:
    """The model seems to say what the provider's error said."""
    message = error(draft)["message"]
    content: dict[str, Any] = {
        ANTHROPIC: {"content": [{"type": "text", "text": message}]},
        CHAT: {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": message}, "finish_reason": "stop"}]
        },
        RESPONSES: {"output": [{"type": "message", "content": [{"type": "output_text", "text": message}]}]},
        GEMINI: {"candidates": [{"content": {"role": "model", "parts": [{"text": message}]}, "finishReason": "STOP"}]},
    }
    draft.body = {"status": 200, "headers": {}, "body": {**ANSWERS[draft.format], **content[draft.format]}}


@broken("translation/target-format", check="error")
def upstream_error_unchanged(draft: Draft) -> None:
    """The provider's error goes through as it is."""
    need(FAMILY[draft.format] != FAMILY[draft.source_format])
    draft.body = draft.source


@broken("translation/target-format", check="error", at_home=(ANTHROPIC, GEMINI))
def upstream_error_of_a_stranger(draft: Draft) -> None:
    """The error has the form of another API, whoever the provider is."""
    other = ANTHROPIC if draft.format in OPENAI else CHAT
    draft.body["body"] = envelope(other, draft.body["status"], error(draft)["message"])


@broken("{format}/error-envelope", check="error")
def upstream_error_without_message(draft: Draft) -> None:
    """The error has no message any more."""
    del error(draft)["message"]


@warning("anthropic/error-outer-type", target=ANTHROPIC, check="error")
def upstream_error_without_outer_type(draft: Draft) -> None:
    """The body has the error, and does not say of itself that it is one; the official client reads it."""
    need(draft.format != draft.source_format)
    del draft.body["body"]["type"]


@broken("{format}/error-envelope", check="error")
def upstream_error_as_text(draft: Draft) -> None:
    """The error is a text and no object."""
    draft.body["body"]["error"] = error(draft)["message"]


@broken("{format}/error-envelope", check="error")
def upstream_error_nested(draft: Draft) -> None:
    """The error stands in an error."""
    draft.body["body"]["error"] = {"error": error(draft)}


@broken("{format}/error-envelope", check="error")
def upstream_error_unwrapped(draft: Draft) -> None:
    """What belongs under ``error`` is the body itself."""
    draft.body["body"] = error(draft)


@broken("{format}/error-envelope", check="error")
def upstream_error_in_a_list(draft: Draft) -> None:
    """The body is a list with the error in it, as Gemini streams one."""
    draft.body["body"] = [draft.body["body"]]


@broken("anthropic/error-type-status", check="error")
def upstream_error_type_wrong(draft: Draft) -> None:
    """The type says the opposite of the status."""
    error(draft)["type"] = "invalid_request_error" if draft.body["status"] >= 500 else "api_error"


@broken("anthropic/error-type-status", check="error")
def wrong_key_as_bad_request_by_type(draft: Draft) -> None:
    """The status is 401 or 429, and the type that of any bad request."""
    need(draft.body["status"] in (401, 429))
    error(draft)["type"] = "invalid_request_error"


@broken("gemini/error-code", check="error")
def upstream_error_code_wrong(draft: Draft) -> None:
    """The code in the body is always 500."""
    need(draft.body["status"] != 500)
    error(draft)["code"] = 500


@broken("gemini/error-code", check="error")
def upstream_error_code_of_grpc(draft: Draft) -> None:
    """The code in the body is gRPC's number for the name, not the HTTP status."""
    numbers = {"INVALID_ARGUMENT": 3, "RESOURCE_EXHAUSTED": 8, "INTERNAL": 13, "UNAVAILABLE": 14, "UNAUTHENTICATED": 16}
    error(draft)["code"] = numbers[error(draft)["status"]]


@broken("gemini/error-status-name", check="error")
def upstream_error_status_name_wrong(draft: Draft) -> None:
    """The name says the opposite of the HTTP status."""
    error(draft)["status"] = "INVALID_ARGUMENT" if draft.body["status"] >= 500 else "INTERNAL"


@broken("gemini/error-status-name", check="error")
def upstream_error_status_name_lost(draft: Draft) -> None:
    """The error has a code and no name."""
    del error(draft)["status"]


@warning("translation/identity-spelling", check="error", sources=SAME)
def upstream_error_changed_on_its_way(draft: Draft) -> None:
    """Between two ends of one format the message gets a prefix."""
    error(draft)["message"] = "Upstream: " + error(draft)["message"]


MESSAGE = "translation/upstream-error-message"
CLASS = "translation/upstream-error-class"
WAIT = "translation/retry-after"
KEYS = {CHAT: "openai_chat/error-keys", RESPONSES: "openai_responses/error-keys"}


@warning(MESSAGE, check="error")
def upstream_error_message_replaced(draft: Draft) -> None:
    """The provider's message was replaced by a general one."""
    error(draft)["message"] = "The upstream returned an error."


@warning(MESSAGE, check="error")
def upstream_error_message_emptied(draft: Draft) -> None:
    """The message is an empty text."""
    error(draft)["message"] = ""


@warning(WAIT, check="error")
def retry_after_lost(draft: Draft) -> None:
    """Nothing says any more how long to wait."""
    retry_delay(draft)
    draft.body["headers"] = {}
    error(draft).pop("details", None)


@warning(WAIT, check="error")
def retry_after_shortened(draft: Draft) -> None:
    """The client is told to wait a second, the provider said more."""
    retry_delay(draft)
    draft.body["headers"] = {"retry-after": "1"}


@warning("{format}/error-keys", target=OPENAI, check="error")
def upstream_error_keys_missing(draft: Draft) -> None:
    """The error has neither param nor code."""
    del error(draft)["param"], error(draft)["code"]


@warning("{format}/error-keys", target=OPENAI, check="error")
def upstream_error_code_as_number(draft: Draft) -> None:
    """The code is the HTTP status, as a number."""
    error(draft)["code"] = draft.body["status"]


@warning("{format}/error-type-status", target=OPENAI, check="error")
def upstream_error_type_of_the_other_side(draft: Draft) -> None:
    """The provider's own failure is called an invalid request."""
    provider_status(draft, 500, 503, 529)
    error(draft)["type"] = "invalid_request_error"


@warning("anthropic/error-type", check="error")
def upstream_error_type_unknown(draft: Draft) -> None:
    """The type is a word of another API."""
    error(draft)["type"] = "server_error" if draft.body["status"] >= 500 else "requests"


OVERLOADED = (503, 529)


@harmless(check="error", beside="{format}/error-envelope")
def upstream_error_more_keys(draft: Draft) -> None:
    """The error has further keys: who the provider is, and what it said."""
    error(draft)["provider"] = {"name": draft.source_format, "status": draft.source["status"]}
    draft.body["body"]["trace_id"] = "4bf92f3577b34da6a3ce929d0e0e4736"


@harmless(target=ANTHROPIC, check="error", beside="anthropic/error-envelope")
def upstream_error_request_id(draft: Draft) -> None:
    """The error has a request id."""
    draft.body["body"]["request_id"] = "req_011CZr8WnTqKxYpV4mLbHd2J"


@harmless(target=OPENAI, check="error", beside="{format}/error-envelope")
def upstream_error_null_keys(draft: Draft) -> None:
    """The error has no code and no param."""
    error(draft)["code"] = error(draft)["param"] = None


@harmless(check="error")
def upstream_error_message_prefixed(draft: Draft) -> None:
    """Before the provider's message stands whose it is."""
    error(draft)["message"] = f"Error of the provider ({draft.source['status']}): " + error(draft)["message"]


@harmless(check="error")
def upstream_error_whole_body_in_message(draft: Draft) -> None:
    """The message is the provider's whole body as a text."""
    error(draft)["message"] = "ProviderException - " + json.dumps(draft.source["body"], indent=1)


@harmless(check="error", beside="translation/upstream-error-retryable")
def overload_as_failure(draft: Draft) -> None:
    """An overload comes as 500."""
    provider_status(draft, *OVERLOADED)
    set_status(draft, 500)


@harmless(check="error", beside="translation/upstream-error-retryable")
def overload_as_bad_gateway(draft: Draft) -> None:
    """An overload comes as 502."""
    provider_status(draft, *OVERLOADED)
    set_status(draft, 502)


@harmless(check="error", beside="translation/upstream-error-retryable")
def failure_as_unavailable(draft: Draft) -> None:
    """Any failure of the provider comes as 503."""
    provider_status(draft, 500, *OVERLOADED)
    set_status(draft, 503)


@harmless(target=ANTHROPIC, check="error", beside="anthropic/error-type-status")
def overload_named_503(draft: Draft) -> None:
    """The status of other providers with Anthropic's word for it."""
    provider_status(draft, *OVERLOADED)
    draft.body["status"] = 503


@harmless(target=ANTHROPIC, check="error", beside="anthropic/error-type-status")
def overload_named_otherwise(draft: Draft) -> None:
    """The status says that it is an overload, the type only that the provider failed."""
    provider_status(draft, *OVERLOADED)
    error(draft)["type"] = "api_error"


@harmless(target=OPENAI, check="error", beside="translation/upstream-error-rate-limit")
def rate_limit_named_otherwise(draft: Draft) -> None:
    """OpenAI has several types for a rate limit."""
    provider_status(draft, 429)
    error(draft)["type"] = "requests"


@harmless(target=GEMINI, check="error", beside="gemini/error-status-name")
def failure_named_otherwise(draft: Draft) -> None:
    """500 has several names in Google's list."""
    provider_status(draft, 500)
    error(draft)["status"] = "UNKNOWN"


@harmless(target=GEMINI, check="error", beside=("gemini/error-code", "gemini/error-status-name"))
def wrong_key_as_google_says_it(draft: Draft) -> None:
    """A wrong key comes as a wrong request with the reason among the details."""
    provider_status(draft, 401)
    set_status(draft, 400)
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error(draft)["details"] = [detail]


@harmless(target=GEMINI, check="error", beside="gemini/error-envelope")
def upstream_error_details_kept(draft: Draft) -> None:
    """The details tell whose error it was."""
    detail = {"@type": "type.googleapis.com/google.rpc.DebugInfo", "detail": json.dumps(draft.source["body"])}
    error(draft).setdefault("details", []).append(detail)


@harmless(check="error")
def upstream_error_more_headers(draft: Draft) -> None:
    """Headers of the gateway's own, and the provider's."""
    draft.body["headers"] = {**draft.source.get("headers", {}), **draft.body["headers"], "x-gateway": "mine/1.0"}


@harmless(check="error")
def upstream_error_headers_elsewhere(draft: Draft) -> None:
    """A translator that has nothing to do with headers says nothing of them."""
    del draft.body["headers"]


@warning(WAIT, check="error")
def retry_after_without_digits(draft: Draft) -> None:
    """The header is there and says nothing."""
    retry_delay(draft)
    draft.body["headers"] = {"retry-after": " "}


@warning(WAIT, target=GEMINI, check="error")
def retry_delay_shortened(draft: Draft) -> None:
    """The header says what the provider says, the details a tenth of a second."""
    need(int(retry_delay(draft)) > 0)
    retry_info(draft)["retryDelay"] = "0.1s"


@broken("translation/retry-after-longer", target=GEMINI, check="error")
def retry_delay_in_milliseconds(draft: Draft) -> None:
    """The details give milliseconds for seconds, the header is right."""
    retry_info(draft)["retryDelay"] = f"{retry_delay(draft)}000s"


@warning("translation/retry-after-in-body", target=GEMINI, check="error")
def retry_delay_lost(draft: Draft) -> None:
    """How long to wait stands in the header alone, where Gemini never says it."""
    retry_delay(draft)
    del error(draft)["details"]


@harmless(target=GEMINI, check="error")
def retry_delay_alone(draft: Draft) -> None:
    """How long to wait stands in the details alone, as Gemini says it."""
    retry_info(draft)
    draft.body["headers"] = {}


DETAILS = "gemini/error-details"


@warning(DETAILS, target=GEMINI, check="error")
def retry_delay_as_number(draft: Draft) -> None:
    """How long to wait is a number of seconds."""
    retry_info(draft)["retryDelay"] = int(retry_delay(draft))


@warning(DETAILS, target=GEMINI, check="error")
def error_details_as_object(draft: Draft) -> None:
    """The details are one object and no list."""
    detail = retry_info(draft)
    error(draft)["details"] = detail


@warning(DETAILS, target=GEMINI, check="error")
def error_detail_without_type(draft: Draft) -> None:
    """A detail says how long to wait, and not what it is."""
    del retry_info(draft)["@type"]


@warning(DETAILS, target=GEMINI, check="error")
def error_detail_twice(draft: Draft) -> None:
    """Two details say how long to wait."""
    twin = dict(retry_info(draft))
    error(draft)["details"].append(twin)


@harmless(target=GEMINI, check="error")
def error_details_of_several_types(draft: Draft) -> None:
    """Beside the time to wait, to the nanosecond, stands which limit was reached, by a type of another address."""
    retry_info(draft)["retryDelay"] = f"{retry_delay(draft)}.934310785s"
    quota = {"@type": "types.example.com/google.rpc.QuotaFailure", "violations": [{"quotaValue": "2"}]}
    error(draft)["details"].insert(0, quota)


@broken("translation/retry-after-longer", check="error")
def retry_after_a_thousand_times(draft: Draft) -> None:
    """Of a wait in seconds the milliseconds are told, as if they were seconds."""
    draft.body["headers"] = {"retry-after": str(int(retry_delay(draft)) * 1000)}


@harmless(check="error", beside="translation/retry-after-longer")
def retry_after_longer(draft: Draft) -> None:
    """The client is told to wait longer than the provider said."""
    draft.body["headers"]["retry-after"] = str(int(retry_delay(draft)) + 30)


@harmless(check="error")
def retry_after_in_milliseconds(draft: Draft) -> None:
    """How long to wait is said in the header that the SDKs prefer."""
    wait = int(retry_delay(draft))
    need("retry-after-ms" not in draft.body["headers"])
    draft.body["headers"] = {"retry-after-ms": str(wait * 1000)}


def _comes_as(
    fault: str, status: int, came_as: tuple[int, ...], title: str, put: Any, *rule: str, **where: Any
) -> None:
    """A double that gives the provider's errors of some statuses, or all, another status and what belongs to it."""

    def change(draft: Draft) -> None:
        if came_as:
            provider_status(draft, *came_as)
        set_status(draft, status)

    put(*rule, check="error", fault=fault, title=title, **where)(change)


_comes_as("rate-limit-as-failure", 500, (429,), "A rate limit comes as 500", broken, RATE_LIMIT)
_comes_as("rate-limit-as-bad-request", 400, (429,), "A rate limit comes as 400", broken, RATE_LIMIT)
_comes_as(
    "overload-as-bad-request", 400, (503, 529), "An overloaded provider's 503 or 529 comes as 400", broken, RETRYABLE
)
_comes_as("failure-as-not-found", 404, (500,), "The provider's own failure comes as 404", broken, RETRYABLE)
_comes_as(
    "bad-request-as-failure",
    500,
    (),
    "A request that the provider finds wrong comes as 500, so the client sends it again",
    broken,
    RETRYABLE,
    cases=("errors/upstream-invalid-request",),
)
_comes_as(
    "overload-kept-529",
    529,
    (529,),
    "Anthropic's 529 goes to a client whose SDK does not know it and gives up",
    broken,
    RETRYABLE,
    target=GEMINI,
    sources=(ANTHROPIC,),
)
_comes_as(
    "overload-status-changed-on-its-way",
    500,
    (503, 529),
    "Between two ends of one format 503 or 529 becomes 500",
    warning,
    "translation/identity-spelling",
    sources=SAME,
)
_comes_as(
    "rate-limit-as-unavailable",
    503,
    (429,),
    "A rate limit comes as 503, since it is the gateway's and not the caller's",
    warning,
    "translation/upstream-error-rate-limit-as-overload",
)
_comes_as(
    "wrong-key-as-failure",
    500,
    (401,),
    "The provider does not take the gateway's key, and the caller gets 500",
    warning,
    "translation/upstream-error-account-retryable",
)
_comes_as(
    "wrong-key-as-bad-request",
    400,
    (401,),
    "An unknown caller comes as a wrong request, and nothing else tells",
    warning,
    CLASS,
)
_comes_as(
    "bad-request-as-not-found",
    404,
    (),
    "A wrong request comes as a missing thing",
    warning,
    CLASS,
    cases=("errors/upstream-invalid-request",),
)
_comes_as(
    "failure-as-rate-limit",
    429,
    (500, 503, 529),
    "The provider's own failure comes as if the caller had asked too often",
    warning,
    CLASS,
)
_comes_as(
    "overload-kept-529",
    529,
    (529,),
    "Anthropic's 529 goes to a client that tries again after every 5xx",
    harmless,
    target=OPENAI,
    sources=(ANTHROPIC,),
    beside="translation/upstream-error-retryable",
)
_comes_as(
    "bad-request-as-unprocessable",
    422,
    (),
    "A wrong request comes as 422",
    harmless,
    cases=("errors/upstream-invalid-request",),
    beside=("translation/upstream-error-status", "translation/upstream-error-retryable"),
)
