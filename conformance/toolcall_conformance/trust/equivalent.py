"""Whether a damaged body still says the same, decided without the judge.

Three rules, in this order:

- ``decoder``: a translator reads the body as it read the undamaged one: what it makes of both is equal in every other
  format, and at least in two.
- ``client``: the official client shows its user the same reply.
- a named equivalence of the corpus, where the table of operators says so.

The first two decide only where they look: another value at the same place must change what they see. A member that
nobody reads is never equivalent for that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import canonical, deep_copy
from toolcall_conformance.basics.streaming import cuts, dump, parse
from toolcall_conformance.checks import Harness
from toolcall_conformance.drivers import Driver, Opened, Produced, Source, Streamed
from toolcall_conformance.trust.nodes import holder_of, kind_of, nodes
from toolcall_conformance.trust.places import Place
from toolcall_conformance.trust.witnesses import MissingSDKError, sdk_of

ENOUGH = 2
"""In how many formats a decoder must say the same."""

PROBES = 4
"""How many values of a place are changed to see whether it is read."""

View = tuple[str, ...]
Viewer = Callable[[Place, Any], View]


@dataclass
class EquivalenceCheck:
    """Decides for the places of one run. What the undamaged bodies look like is kept for the last place."""

    driver: Driver
    harness: Harness
    _seen: dict[tuple[str, str], View] = field(default_factory=dict, init=False)

    def rule(self, place: Place, pointer: str, output: Any, blind: Collection[str] = ()) -> str:
        """The rule by which an output that is damaged at ``pointer`` is equivalent; empty if it is not.

        The rules in ``blind`` are not asked.
        """
        viewers: dict[str, Viewer] = {"decoder": self._translations}
        if place.direction in ("response", "stream"):
            viewers["client"] = _client_view
        candidates = (name for name in viewers if name not in blind)
        return next((name for name in candidates if self._is_same(name, viewers[name], place, pointer, output)), "")

    def _is_same(self, name: str, viewer: Viewer, place: Place, pointer: str, output: Any) -> bool:
        before = self._before(name, viewer, place)
        return bool(before) and viewer(place, output) == before and _is_read(viewer, place, pointer, before)

    def _before(self, name: str, viewer: Viewer, place: Place) -> View:
        if (place.name, name) not in self._seen:
            if len(self._seen) > 500:
                self._seen.clear()
            self._seen[place.name, name] = viewer(place, place.output)
        return self._seen[place.name, name]

    def _translations(self, place: Place, output: Any) -> View:
        """What the translator makes of an output in each other format; empty if it takes it in fewer than two."""
        others = [name for name in self.harness.corpus.formats if name != place.target]
        translations = [self._translation(place, output, other) for other in others]
        return tuple(translations) if sum(bool(text) for text in translations) >= ENOUGH else ()

    def _translation(self, place: Place, output: Any, other: str) -> str:
        client, upstream = (place.target, other) if place.direction == "request" else (other, place.target)
        models = self.harness.corpus.cases[place.case].scenario["models"]
        ends = (client, upstream, models.get(client, client), models.get(upstream, upstream))
        opened = self.driver.open(Route(*ends, stream=place.direction == "stream"))
        if not isinstance(opened, Opened):
            return ""
        if place.direction == "stream":
            result = opened.session.stream(Source(cuts.split_events(dump(output["events"]))))
            return canonical(parse(result.data)) if isinstance(result, Streamed) and result.raised is None else ""
        session = opened.session
        translate = {"request": session.request, "response": session.response, "error": session.error}[place.direction]
        outcome = translate(output)
        return canonical(outcome.value) if isinstance(outcome, Produced) else ""


def _client_view(place: Place, output: Any) -> View:
    """What the official client shows its user; empty where it raises, or is not there."""
    try:
        sdk = sdk_of(place.target)
        sdk.wire.lay(dump(output["events"]) if place.direction == "stream" else output)
        if place.direction == "response":
            return (repr(sdk.see(sdk.reply())),)
        streamed = sdk.stream()
        return (repr(sdk.see(streamed.reply)), repr(streamed.handed))
    except MissingSDKError:
        return ()
    except Exception:  # whatever a client raises for a damaged body
        return ()


def _is_read(viewer: Viewer, place: Place, pointer: str, before: View) -> bool:
    """Whether a viewer looks at a place: another value there changes what it sees. At the whole it always looks."""
    if not pointer:
        return True
    return any(viewer(place, probe) != before for probe in islice(_probes(place.output, pointer), PROBES))


def _probes(body: Any, pointer: str) -> Iterator[Any]:
    """The body with other values of the same type at a place, or at the innermost places below it."""
    holder, key = holder_of(body, pointer)
    value = holder[key]
    plain = [node.pointer for node in nodes(value) if node.kind not in ("list", "object")]
    for inner in plain if kind_of(value) in ("list", "object") else [""]:
        changed = deep_copy(body)
        holder, key = holder_of(changed, pointer + inner)
        holder[key] = _other_value(holder[key])
        yield changed


def _other_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1000
    return f"{value}~" if isinstance(value, str) else "~"
