"""Our ideal clients send what users of the official SDKs send, request by request and element by element.

Every golden reply goes through the SDK's own reader; the next request is put together from its objects as the SDK's
documentation shows, and caught on its way out. Where the two differ the SDK is right, and our client is to be mended.
"""

from __future__ import annotations

import pytest

from corpus_judge import judge_history
from every import every
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Case, load_corpus, read_json
from witnesses.agreement import disagreements
from witnesses.conversation import QUIET, USERS, answered_exchanges, client_bodies, play_conversation, sdk_bodies, user
from witnesses.differences import Own, differences
from witnesses.full_replies import CONVERSATIONS

pytestmark = QUIET

CORPUS = load_corpus()
# Those with a reply, by what their scenarios say: to read every body would take a second of each worker's collection.
#: Requests as the loop of google-genai's automatic function calling builds them from streams. Its chats, which are
#: played here, keep one turn a reply.
OF_ANOTHER_LOOP = {("parallel/turn-for-each-call", "gemini")}
PLAYED = [
    (case, name)
    for case in CORPUS.cases.values()
    if any(turn["role"] == "assistant" and not turn.get("given") for turn in case.scenario["conversation"])
    for name in case.formats
    if (case.id, name) not in OF_ANOTHER_LOOP
]


@every("case, name", PLAYED, id=lambda case, name: f"{case.id}-{name}", by=lambda case, _: case.family, parts=3)
def test_the_sdk_is_as_the_ideal_client_and_the_judge_says_nothing(case: Case, name: str) -> None:
    """Both at once, since the SDK's part takes most of the time.

    A finding about what an official client sends would be a false alarm. The last request holds all before it. In a
    dialect the vendor's reply goes back, and whether a vendor is right is not judged.
    """
    by_ours, by_theirs = client_bodies(name, answered_exchanges(case, name)), sdk_bodies(case, name)
    assert disagreements(name, by_ours, by_theirs) == []
    if name in case.dialects:
        return
    ours, sdk, model = by_ours[-1], by_theirs[-1], case.model(name)
    findings = check_body(CORPUS, name, "request", sdk, model=model)
    if not equal(ours, sdk):
        findings += judge_history(ours, sdk, client=name, upstream=name, upstream_model=model).findings
    # The model's own odd arguments are as odd in our client's request.
    our_rules = {
        finding.rule for finding in check_body(CORPUS, name, "request", ours, model=model) if not finding.is_must
    }
    bent = case.scenario.get("bends", {}).get(name, ())
    assert [
        f"{finding.level} {finding.rule} {finding.pointer}: {finding.message}"
        for finding in findings
        if finding.level is not Level.NOTE and finding.rule not in {*our_rules, *bent}
    ] == []


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
        own.excuses(difference)
        for case, played_as in PLAYED
        if played_as == name
        for ours, sdk in zip(client_bodies(name, answered_exchanges(case, name)), sdk_bodies(case, name), strict=True)
        for difference in differences(ours, sdk)
    )


@pytest.mark.parametrize("name", USERS)
def test_requests_go_where_the_corpus_says(name: str) -> None:
    """``transport.json`` names the address for users without an SDK."""
    transport = read_json(CORPUS.root / "formats" / name / "transport.json")
    assert list(play_conversation(name, CONVERSATIONS[name], "model-1"))
    sent = user(name)[1].request
    assert (sent.method, sent.url.path) == (transport["method"], transport["path"].replace("{model}", "model-1"))
    headers = {header: value for header, value in transport["headers"].items() if "{key}" not in value}
    assert {header: sent.headers[header] for header in headers} == headers
    # The key may go in more than one header; the anthropic SDK has changed its own choice.
    assert {"key", "Bearer key"} & set(sent.headers.values())
