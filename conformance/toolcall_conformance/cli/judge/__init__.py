"""``toolcall-conformance judge``: captured bodies, streams, lists of exchanges and golden files, without an adapter."""
