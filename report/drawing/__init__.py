"""The Python code that draws: figures of results, figures over many sizes, the page on changes."""
