"""Where a grading's time went, as a table."""

from ..base.text import counted
from .derived import Document

PARTS = ("compare", "wait for")  # of "hold the GPU", or no work at all
PROFILE_HELP = "show where the time went"


def profile(result: Document) -> str:
    """Each step with its wall-clock seconds, the longest first, and the time of the whole."""
    steps = sorted(result["profile"], key=lambda step: -step["seconds"])
    if not steps:
        return "No time was spent on judging."
    cores = result["machine"]["cores"]
    lines = [f"Where the time of {result['lab']} went. Steps ran beside each other, on "
             f"{counted(cores, 'core')}:"]  # fmt: skip
    for step in steps:
        times = f"{step['times']} times" if step["times"] > 1 else "once"
        line = f"  {step['seconds']:8.2f} s  {step['name']:<28} {times:<8}{_when(step)}"
        lines.append(line.rstrip())
    together = sum(step["seconds"] for step in steps if not step["name"].startswith(PARTS))
    return "\n".join([*lines, f"  {together:8.2f} s  together, in {result['seconds']:.2f} s"])


def _when(step: Document) -> str:
    """From the first to the last second; what overlaps ran beside each other."""
    if step.get("began") is None:
        return ""
    return f"  {step['began']:.1f} to {step['ended']:.1f}"
