"""Reports as text: terminal, Markdown, annotations."""
