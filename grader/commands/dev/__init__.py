"""`./lab dev`: checks and records for authors of labs, one subcommand per file."""

from ..parser import Commands
from . import check, exemplars, mistakes


def add(commands: Commands) -> None:
    group = commands.group("dev", "checks and records for authors", "check|exemplars|mistakes")
    for add_to in (check.add, exemplars.add, mistakes.add):
        add_to(group)
