"""Whether so many programs want to run that a clock on the wall says nothing about one of them."""

import os

PER_CORE = 4.0  # programs that want to run; a class that is graded on all cores keeps below two
# The load is that of the whole machine. A process of a class, which uses a part of the cores, has
# all of them when it imports this.
CORES = len(os.sched_getaffinity(0))


def overload() -> str:
    """The load in words, if it is too high to hold a program's time against it; "" otherwise."""
    load = os.getloadavg()[0]
    return f"load {load:.1f} on {CORES} cores" if load > PER_CORE * CORES else ""
