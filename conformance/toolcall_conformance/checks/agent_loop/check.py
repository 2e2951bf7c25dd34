"""Plays the check ``agent_loop`` in one of its variants."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.agent_loop.agent import Agent
from toolcall_conformance.checks.agent_loop.variants import VARIANTS
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally
from toolcall_conformance.checks.conversation.twin import twin_of
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.library import Case


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Plays the whole conversation as an agent does: builds each request from the replies that it received."""
    tally = Tally.of(harness, case, "agent_loop", route)
    loop_variant = VARIANTS[variant]
    route = replace(route, stream=loop_variant.streamed)
    main = Agent(case, route, open_session, harness, loop_variant, tally)
    other_agents = [] if other is None else [main.unjudged_agent(other)]
    if loop_variant.interleaved:
        # The twin shares ids with the case: one is played before, and one a step after each step of the case. The other
        # case comes last: what a translator stores under numbers of its own is then that one's.
        twin = twin_of(harness.corpus, case)
        deque(main.unjudged_agent(twin).play(), 0)
        other_agents.insert(0, main.unjudged_agent(twin))
    other_plays = [agent.play() for agent in other_agents]
    for _ in main.play():  # one step is half an exchange; conversations take turns
        for other_play in other_plays:
            next(other_play, None)
    if loop_variant.fresh:
        tally.findings = [apply_circumstances(harness.corpus, finding, ["fresh-session"]) for finding in tally.findings]
    return tally.result()
