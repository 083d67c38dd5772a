"""Where a grading's time went, as a table."""

from .result import Result

PROFILE_HELP = "show where the time went"


def profile(result: Result) -> str:
    """Each step with its wall-clock seconds, the longest first, and the time of the whole."""
    if not result.profile:
        return "No time was spent on judging."
    lines = [f"Where the time of {result.lab} went. Steps ran beside each other, {_cores(result)}:"]
    for step in sorted(result.profile, key=lambda step: -step.seconds):
        times = f"{step.times} times" if step.times > 1 else "once"
        lines.append(f"  {step.seconds:8.2f} s  {step.name:<28} {times}")
    together = sum(step.seconds for step in result.profile)
    return "\n".join([*lines, f"  {together:8.2f} s  together, in {result.seconds:.2f} s"])


def _cores(result: Result) -> str:
    return f"on {result.machine.cores} core" + ("s" if result.machine.cores != 1 else "")
