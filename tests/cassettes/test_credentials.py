"""Kinds of credentials in all carriers, and secrets under names: which are redacted."""

from __future__ import annotations

import pytest

from cassettes.credentials import CARRIERS, leaks
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

FILTERS = Filters.default()


def test_every_kind_is_redacted_in_every_carrier() -> None:
    left = leaks()
    assert {kind: carriers for kind, carriers in left.items() if carriers} == {}
    assert (len(left) >= 150, len(CARRIERS) >= 19) == (True, True)


VALUE = "aB3dE5gH7jK9mN1p"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Error: password=hunter2", "hunter2"),
        ("DB_PASSWORD=swordfish", "swordfish"),
        ("DB_PASSWORD=ab;cd&ef1)x", "ab;cd&ef1)x"),
        ("PGPASSWORD=s3same0pen psql", "s3same0pen"),
        ("--password=Tr0ub4dor", "Tr0ub4dor"),
        ("--password Tr0ub4dor -v", "Tr0ub4dor"),
        ("Server=db;Uid=app;Pwd=aB3dE5gH7;", "aB3dE5gH7"),
        ("redis://:hunter2x@h:6379", "hunter2x"),
        ("machine h login u password aB3dE5gH7", "aB3dE5gH7"),
        ("Authorization: token aB3dE5gH7jK9mN1p", VALUE),
        (f"MISTRAL_API_KEY={VALUE}", VALUE),
        (f"CLOUDFLARE_API_TOKEN={VALUE}", VALUE),
        (f"token: {VALUE}", VALUE),
        (f'see {{"api_key": {{"value": "{VALUE}"}}}}', VALUE),
        (f'{{"api_key": {{"type": "static", "value": "{VALUE}"}}}}', VALUE),
        (f'{{"githubToken": "{VALUE}"}}', VALUE),
        (f'"token\\": \\"{VALUE}\\"', VALUE),
        (f"https://a.example/b?access_token={VALUE}&x=1", VALUE),
        ("https://a.example/b?code=4f7aQ2&x=1", "4f7aQ2"),
        (f"a=b password=x1y2z3 token={VALUE}", VALUE),
    ],
)
def test_values_under_names(text: str, secret: str) -> None:
    output = Redactor(FILTERS).text(text)
    assert secret not in output
    assert output.endswith(text.partition(secret)[2])
    assert "REDACTED-" in output
    assert Redactor(FILTERS).text(output) == output
