"""Our ideal clients send what users of the official SDKs send, request by request and element by element.

Every golden reply goes through the SDK's own reader; the next request is put together from its objects as the SDK's
documentation shows, and caught on its way out. Where the two differ the SDK is right, and our client is to be mended.
"""

from __future__ import annotations

import pytest

from toolcall_conformance.findings import Level
from toolcall_conformance.library import Case, load_corpus
from toolcall_conformance.loop import judge_history
from toolcall_conformance.rules.check import check_body
from witnesses.agreement import disagreements
from witnesses.conversation import USERS, answered, by_our_client, by_the_sdk
from witnesses.differences import Own, differences

# Models of the corpus grow old; the SDK says so.
pytestmark = pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning")

CORPUS = load_corpus()
CONVERSATIONS = [
    pytest.param(case, name, id=f"{case.id}-{name}")
    for case in CORPUS.cases.values()
    for name in case.formats
    if answered(case, name)
]
each_conversation = pytest.mark.parametrize(("case", "name"), CONVERSATIONS)


@each_conversation
def test_the_ideal_client_sends_what_the_sdk_sends(case: Case, name: str) -> None:
    assert disagreements(name, by_our_client(name, answered(case, name)), by_the_sdk(case, name)) == []


@each_conversation
def test_the_judge_has_nothing_against_an_sdk(case: Case, name: str) -> None:
    """A finding about what an official client sends would be a false alarm."""
    model = case.model(name)
    told = [
        f"{finding.level} {finding.rule} {finding.pointer}: {finding.message}"
        for ours, sdk in zip(by_our_client(name, answered(case, name)), by_the_sdk(case, name), strict=True)
        for finding in (
            *check_body(CORPUS, name, "request", sdk, model=model),
            *judge_history(ours, sdk, client=name, upstream=name, upstream_model=model, corpus=CORPUS),
        )
        if finding.level is not Level.NOTE
    ]
    assert told == []


@pytest.mark.parametrize(
    ("name", "own"),
    [
        pytest.param(name, own, id=f"{name}-{own.kind}-{number}")
        for name in USERS
        for number, own in enumerate(USERS[name].own)
    ],
)
def test_nothing_is_excused_that_no_sdk_does(name: str, own: Own) -> None:
    assert any(
        own.excuses(found)
        for case in CORPUS.cases.values()
        if name in case.formats
        for ours, sdk in zip(by_our_client(name, answered(case, name)), by_the_sdk(case, name), strict=True)
        for found in differences(ours, sdk)
    )
