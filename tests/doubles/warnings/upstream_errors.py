"""Faults of translated errors that a client can live with, or that some gateways want."""

from __future__ import annotations

from doubles.catalogue import ANTHROPIC, CHAT, RESPONSES, warning
from doubles.draft import Draft
from doubles.failures import OPENAI, as_status, came, error, wait_of

MESSAGE = "translation/upstream-error-message"
CLASS = "translation/upstream-error-class"
WAIT = "translation/retry-after"
KEYS = {CHAT: "openai_chat/error-keys", RESPONSES: "openai_responses/error-keys"}


@warning("upstream-error-message-replaced", rule=MESSAGE, check="error")
def message_replaced(draft: Draft) -> None:
    """The provider's message was replaced by a general one."""
    error(draft)["message"] = "The upstream returned an error."


@warning("upstream-error-message-emptied", rule=MESSAGE, check="error")
def message_emptied(draft: Draft) -> None:
    """The message is an empty text."""
    error(draft)["message"] = ""


@warning("retry-after-lost", rule=WAIT, check="error")
def retry_after_lost(draft: Draft) -> None:
    """Nothing says any more how long to wait."""
    wait_of(draft)
    draft.body["headers"] = {}
    error(draft).pop("details", None)


@warning("retry-after-shortened", rule=WAIT, check="error")
def retry_after_shortened(draft: Draft) -> None:
    """The client is told to wait a second, the provider said more."""
    wait_of(draft)
    draft.body["headers"] = {"retry-after": "1"}


@warning("rate-limit-as-unavailable", rule="translation/upstream-error-rate-limit", check="error")
def rate_limit_as_unavailable(draft: Draft) -> None:
    """A rate limit comes as 503, since it is the gateway's and not the caller's."""
    came(draft, 429)
    as_status(draft, 503)


@warning("wrong-key-as-failure", rule="translation/upstream-error-retryable", check="error")
def wrong_key_as_failure(draft: Draft) -> None:
    """The provider does not take the gateway's key, and the caller gets 500."""
    came(draft, 401)
    as_status(draft, 500)


@warning("wrong-key-as-bad-request", rule=CLASS, check="error")
def wrong_key_as_bad_request(draft: Draft) -> None:
    """An unknown caller comes as a wrong request, and nothing else tells."""
    came(draft, 401)
    as_status(draft, 400)


@warning("bad-request-as-not-found", rule=CLASS, check="error", cases=("errors/upstream-invalid-request",))
def bad_request_as_not_found(draft: Draft) -> None:
    """A wrong request comes as a missing thing."""
    as_status(draft, 404)


@warning("failure-as-rate-limit", rule=CLASS, check="error")
def failure_as_rate_limit(draft: Draft) -> None:
    """The provider's own failure comes as if the caller had asked too often."""
    came(draft, 500, 503, 529)
    as_status(draft, 429)


@warning("upstream-error-keys-missing", rule=KEYS, check="error", target=OPENAI)
def keys_missing(draft: Draft) -> None:
    """The error has neither param nor code."""
    del error(draft)["param"], error(draft)["code"]


@warning("upstream-error-code-as-number", rule=KEYS, check="error", target=OPENAI)
def code_as_number(draft: Draft) -> None:
    """The code is the HTTP status, as a number."""
    error(draft)["code"] = draft.body["status"]


@warning(
    "upstream-error-type-of-the-other-side",
    rule={CHAT: "openai_chat/error-type-status", RESPONSES: "openai_responses/error-type-status"},
    check="error",
    target=OPENAI,
)
def type_of_the_other_side(draft: Draft) -> None:
    """The provider's own failure is called an invalid request."""
    came(draft, 500, 503, 529)
    error(draft)["type"] = "invalid_request_error"


@warning("upstream-error-type-unknown", rule="anthropic/error-type", check="error", target=ANTHROPIC)
def type_unknown(draft: Draft) -> None:
    """The type is a word of another API."""
    error(draft)["type"] = "server_error" if draft.body["status"] >= 500 else "requests"
