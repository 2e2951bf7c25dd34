"""An HTTP gateway: its client, its process, and the scripted provider."""
