"""Drawing in Python: figures of results, figures over many sizes, the page on what changed."""
