"""Message threads of Anthropic, which no other API has, and requests that say nothing."""

from __future__ import annotations

from typing import Any

import pytest

from reference.reference_bodies import MODELS, open_way
from toolcall_conformance import Judge, load_corpus
from toolcall_reference.basics.errors import Refused
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.formats.anthropic.failures import encode_error

OTHERS = sorted(MODELS.keys() - {"anthropic"})
CREATE: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "thread": {"type": "create"},
    "messages": [{"role": "user", "content": "Has order 4711 left?"}],
}
CONTINUE: dict[str, Any] = CREATE | {"thread": {"type": "continue", "previous_message_id": "msg_01"}}


@pytest.mark.parametrize("upstream", OTHERS)
def test_a_thread_that_begins_is_a_loss(upstream: str) -> None:
    session = open_way("anthropic", upstream)
    assert "thread" not in session.request(CREATE)
    assert [(loss.element, loss.where) for loss in session.losses] == [("setting", "thread")]


@pytest.mark.parametrize("upstream", OTHERS)
@pytest.mark.parametrize("messages", [CREATE["messages"], []])
def test_a_thread_that_continues_is_refused(upstream: str, messages: Any) -> None:
    with pytest.raises(Refused, match="msg_01") as caught:
        open_way("anthropic", upstream).request(CONTINUE | {"messages": messages})
    failure = Failure("invalid_request", 400, str(caught.value), details=caught.value.details)
    status, body = encode_error(failure)
    assert (status, body["error"]["details"]) == (400, {"error_code": "thread_unsupported_request"})
    assert Judge(load_corpus()).body("anthropic", "error", {"status": status, "body": body}).findings == ()


def test_anthropic_gets_its_threads_as_they_are() -> None:
    assert open_way("anthropic", "anthropic").request(CONTINUE)["thread"] == CONTINUE["thread"]


@pytest.mark.parametrize("upstream", sorted(MODELS.keys() - {"gemini"}))
def test_a_request_of_gemini_that_says_nothing_is_refused(upstream: str) -> None:
    """As the API does; a placeholder would be an invented text."""
    with pytest.raises(Refused, match="contents"):
        open_way("gemini", upstream).request({"contents": []})
