"""Other right ways to tell a client of a provider's error."""

from __future__ import annotations

import json

from doubles.catalogue import ANTHROPIC, GEMINI, harmless, need
from doubles.draft import Draft
from doubles.failures import OPENAI, as_status, came, error, wait_of

OVERLOADED = (503, 529)


@harmless("upstream-error-more-keys", check="error")
def more_keys(draft: Draft) -> None:
    """The error has further keys: who the provider is, and what it said."""
    error(draft)["provider"] = {"name": draft.source_format, "status": draft.source["status"]}
    draft.body["body"]["trace_id"] = "4bf92f3577b34da6a3ce929d0e0e4736"


@harmless("upstream-error-request-id", check="error", target=ANTHROPIC)
def request_id(draft: Draft) -> None:
    """The error has a request id."""
    draft.body["body"]["request_id"] = "req_011CZr8WnTqKxYpV4mLbHd2J"


@harmless("upstream-error-null-keys", check="error", target=OPENAI)
def null_keys(draft: Draft) -> None:
    """The error has no code and no param."""
    error(draft)["code"] = error(draft)["param"] = None


@harmless("upstream-error-message-prefixed", check="error")
def message_prefixed(draft: Draft) -> None:
    """Before the provider's message stands whose it is."""
    error(draft)["message"] = f"Error of the provider ({draft.source['status']}): " + error(draft)["message"]


@harmless("upstream-error-whole-body-in-message", check="error")
def whole_body_in_message(draft: Draft) -> None:
    """The message is the provider's whole body as a text."""
    error(draft)["message"] = "ProviderException - " + json.dumps(draft.source["body"], indent=1)


@harmless("overload-as-failure", check="error")
def overload_as_failure(draft: Draft) -> None:
    """An overload comes as 500."""
    came(draft, *OVERLOADED)
    as_status(draft, 500)


@harmless("overload-as-bad-gateway", check="error")
def overload_as_bad_gateway(draft: Draft) -> None:
    """An overload comes as 502."""
    came(draft, *OVERLOADED)
    as_status(draft, 502)


@harmless("failure-as-unavailable", check="error")
def failure_as_unavailable(draft: Draft) -> None:
    """Any failure of the provider comes as 503."""
    came(draft, 500, *OVERLOADED)
    as_status(draft, 503)


@harmless("overload-kept-529", check="error", target=OPENAI, sources=(ANTHROPIC,))
def overload_kept_529(draft: Draft) -> None:
    """Anthropic's 529 goes to a client that tries again after every 5xx."""
    came(draft, 529)
    as_status(draft, 529)


@harmless("overload-named-503", check="error", target=ANTHROPIC)
def overload_named_503(draft: Draft) -> None:
    """The status of other providers with Anthropic's word for it."""
    came(draft, *OVERLOADED)
    draft.body["status"] = 503


@harmless("overload-named-otherwise", check="error", target=ANTHROPIC)
def overload_named_otherwise(draft: Draft) -> None:
    """The status says that it is an overload, the type only that the provider failed."""
    came(draft, *OVERLOADED)
    error(draft)["type"] = "api_error"


@harmless("rate-limit-named-otherwise", check="error", target=OPENAI)
def rate_limit_named_otherwise(draft: Draft) -> None:
    """OpenAI has several types for a rate limit."""
    came(draft, 429)
    error(draft)["type"] = "requests"


@harmless("failure-named-otherwise", check="error", target=GEMINI)
def failure_named_otherwise(draft: Draft) -> None:
    """500 has several names in Google's list."""
    came(draft, 500)
    error(draft)["status"] = "UNKNOWN"


@harmless("bad-request-as-unprocessable", check="error", cases=("errors/upstream-invalid-request",))
def bad_request_as_unprocessable(draft: Draft) -> None:
    """A wrong request comes as 422."""
    as_status(draft, 422)


@harmless("wrong-key-as-google-says-it", check="error", target=GEMINI)
def wrong_key_as_google_says_it(draft: Draft) -> None:
    """A wrong key comes as a wrong request with the reason among the details."""
    came(draft, 401)
    as_status(draft, 400)
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error(draft)["details"] = [detail]


@harmless("upstream-error-details-kept", check="error", target=GEMINI)
def details_kept(draft: Draft) -> None:
    """The details tell whose error it was."""
    detail = {"@type": "type.googleapis.com/google.rpc.DebugInfo", "detail": json.dumps(draft.source["body"])}
    error(draft).setdefault("details", []).append(detail)


@harmless("upstream-error-more-headers", check="error")
def more_headers(draft: Draft) -> None:
    """Headers of the gateway's own, and the provider's."""
    draft.body["headers"] = {**draft.source.get("headers", {}), **draft.body["headers"], "x-gateway": "mine/1.0"}


@harmless("upstream-error-headers-elsewhere", check="error")
def headers_elsewhere(draft: Draft) -> None:
    """A translator that has nothing to do with headers says nothing of them."""
    del draft.body["headers"]


@harmless("retry-after-longer", check="error")
def retry_after_longer(draft: Draft) -> None:
    """The client is told to wait longer than the provider said."""
    draft.body["headers"]["retry-after"] = str(int(wait_of(draft)) + 30)


@harmless("retry-after-in-milliseconds", check="error")
def retry_after_in_milliseconds(draft: Draft) -> None:
    """How long to wait is said in the header that the SDKs prefer."""
    wait = int(wait_of(draft))
    need("retry-after-ms" not in draft.body["headers"])
    draft.body["headers"] = {"retry-after-ms": str(wait * 1000)}
