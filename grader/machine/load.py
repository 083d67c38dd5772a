"""Whether so many programs want to run that a clock on the wall says nothing about one of them."""

import os

PER_CORE = 4.0  # programs that want to run; a class that is graded on all cores keeps below two


def overload() -> str:
    """The load in words, if it is too high to hold a program's time against it; "" otherwise."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    return f"load {load:.1f} on {cores} cores" if load > PER_CORE * cores else ""
