"""`./lab class`: everything about a class, one subcommand per file."""

from ..parser import Commands
from . import (
    accept,
    decide,
    excuse,
    explain,
    export,
    extend,
    grade,
    import_hand_ins,
    index,
    new,
    report,
    roster,
    seed,
    status,
)

# In the order of an instructor's day.
SUBCOMMANDS = (
    new.add,
    roster.add,
    seed.add,
    import_hand_ins.add,
    grade.add,
    status.add,
    report.add,
    decide.add,
    extend.add,
    excuse.add,
    accept.add,
    explain.add,
    export.add,
    index.add,
)


def add(commands: Commands) -> None:
    group = commands.group("class", "a whole class: from the roster to marks", "SUBCOMMAND")
    for add_to in SUBCOMMANDS:
        add_to(group)
