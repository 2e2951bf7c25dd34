"""What streamed items say of their state and role, each kind of item when it is added and when it is done."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders
from doubles.borders.order import numbered, typed

border = borders(__name__)

RULE = "openai_responses/item-status"
CALL, MESSAGE = "openai_responses/stream-identity", "openai_responses/stream-part"
SHELL_ID, FREE_ID = "sh_68f2c1d1b3e48193905d7ac4f08e6b12", "ctc_68f2c1d1b3e48193905d7ac4f08e6b12"
FINAL = {CALL: "/events/7/data/response/output/0", MESSAGE: "/events/9/data/response/output/0"}


def instead(item: dict[str, Any], *between: dict[str, Any]) -> Any:
    """The events of another item in place of the call's, which is done as it was added but for its status."""

    def change(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        initial_item = {**item, **({"input": ""} if between else {}), "status": "in_progress"}
        added = typed("response.output_item.added", sequence_number=0, output_index=0, item=initial_item)
        done = typed("response.output_item.done", sequence_number=0, output_index=0, item=dict(item))
        events[7]["data"]["response"]["output"] = [dict(item)]
        return numbered([*events[:2], added, *between, done, events[7]])

    return change


def piece(kind: str, **fields: str) -> dict[str, Any]:
    """An event about the input of the free-text call."""
    return typed(
        f"response.custom_tool_call_input.{kind}", sequence_number=0, item_id=FREE_ID, output_index=0, **fields
    )


NAMED = {"call_id": "call_q9T4sYx2LmWc7RkZb1VnHd3P", "status": "completed"}
SHELL = {**NAMED, "id": SHELL_ID, "type": "local_shell_call", "action": {"type": "exec", "command": ["ls"], "env": {}}}
FREE = {**NAMED, "id": FREE_ID, "type": "custom_tool_call", "name": "patch", "input": "*** Begin"}
WRITTEN = (piece("delta", delta="*** Begin"), piece("done", input="*** Begin"))

border(
    RULE,
    "added-call-unsaid",
    "A call that is added has null for its status",
    {"/events/2/data/item/status": None},
    past={"/events/2/data/item/status": "queued"},
    says="A call that is added is queued",
    example=CALL,
)
border(
    RULE,
    "done-call-unsaid",
    "A call that is done has null for its status, in the final response, too",
    {"/events/6/data/item/status": None, f"{FINAL[CALL]}/status": None},
    past={"/events/6/data/item/status": "done"},
    says="A call that is done says done",
    example=CALL,
    warns=("openai_responses/reply-item-id", "openai_responses/stream-item-done-status"),
)
border(
    RULE,
    "added-message-incomplete",
    "A message that is added says that it is incomplete",
    {"/events/2/data/item/status": "incomplete"},
    past={"/events/2/data/item/status": "generating"},
    says="A message that is added has the status of a picture",
    example=MESSAGE,
)
border(
    RULE,
    "done-message-unsaid",
    "A message that is done does not say its status",
    {"/events/8/data/item/status": GONE},
    past={"/events/8/data/item/status": "success"},
    says="A message that is done has the status success",
    example=MESSAGE,
    warns="openai_responses/stream-item-done-status",
)
border(
    RULE,
    "added-free-call-unsaid",
    "A free-text call that is added does not say its status",
    {"/events": instead(FREE, *WRITTEN), "/events/2/data/item/status": GONE},
    past={"/events/2/data/item/status": "started"},
    says="A free-text call that is added has the status started",
    example=CALL,
)
border(
    RULE,
    "done-free-call-unsaid",
    "A free-text call that is done does not say its status",
    {"/events": instead(FREE, *WRITTEN), "/events/5/data/item/status": GONE},
    past={"/events/5/data/item/status": "finished"},
    says="A free-text call that is done has the status finished",
    example=CALL,
)
border(
    RULE,
    "added-shell-call-unsaid",
    "A call of the shell that is added does not say its status",
    {"/events": instead(SHELL), "/events/2/data/item/status": GONE},
    past={"/events/2/data/item/status": "running"},
    says="A call of the shell that is added has the status running",
    example=CALL,
)
border(
    RULE,
    "done-shell-call-unsaid",
    "A call of the shell that is done does not say its status",
    {"/events": instead(SHELL), "/events/3/data/item/status": GONE},
    past={"/events/3/data/item/status": "failed"},
    says="A call of the shell that is done has the status failed",
    example=CALL,
)
border(
    "openai_responses/stream-item-added-shape",
    "added-with-its-role",
    "A message that is added has its role, and no status",
    {"/events/2/data/item/status": GONE},
    past={"/events/2/data/item/role": "user"},
    says="A message that is added has the role of the user",
    example=MESSAGE,
)
border(
    "openai_responses/stream-item-done-shape",
    "done-with-its-role",
    "A message that is done has its role, and no status",
    {"/events/8/data/item/status": GONE},
    past={"/events/8/data/item/role": "developer"},
    says="A message that is done has the role of the developer",
    example=MESSAGE,
    warns="openai_responses/stream-item-done-status",
)
border(
    CALL,
    "shell-call-without-a-name",
    "A call of the shell has a call_id from its beginning, and no name",
    {"/events": instead(SHELL)},
    past={"/events/2/data/item/call_id": GONE},
    says="A call of the shell gets its call_id when it is done",
)

SHELL_REPLY = {"/output/0": {**SHELL, "status": "in_progress"}, "/status": "in_progress"}
border(
    RULE,
    "shell-call-in-progress",
    "A reply that is in progress has a call of the shell that is, too",
    SHELL_REPLY,
    past={"/output/0/status": "running"},
    says="A call of the shell is running",
    example="openai_responses/reply-echo",
)
border(
    "openai_responses/reply-item-id",
    "shell-call-of-one-letter",
    "A call of the shell has one letter for its id",
    {"/output/0": {**SHELL, "id": "x"}},
    past={"/output/0/id": GONE},
    says="A call of the shell has no id",
    example="openai_responses/reply-echo",
)
