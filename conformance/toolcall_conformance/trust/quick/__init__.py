"""The selection ``toolcall::@quick``: classes of faults, the cases that kill most of them, and their shares."""
