"""How a command is declared, and the flags that all commands take.

A command is a module with `add(commands)`, which declares its options and names its function. The
function takes the checkout and the parsed options, and returns an Outcome.
"""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import USAGE, UsageError
from ..base.outcome import Outcome
from ..base.text import nearest
from .examples import EXAMPLES, epilog

FEW = 6  # so many words have room in a sentence
UNKNOWN_CHOICE = re.compile(r"argument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)")
NO_VALUE = re.compile(r"argument (\S+): invalid (.+) value: '([^']*)'")
MISSING = re.compile(r"the following arguments are required: (.+)")
LIKE_A_LAB = re.compile(r"\d\d?(-|\.|$)|.*\.cu$")
NOTHING_AFTER = re.compile(r"argument (\S+): expected one argument")
ONE_OF = re.compile(r"one of the arguments (.+) is required")
UNKNOWN_FLAG = re.compile(r"unrecognized arguments: (--\S+)")
EXTRA_NUMBER = re.compile(r"unrecognized arguments: (\d+)")
NUMBERED = {"restore": "a version is named so: restore LAB --version",
            "hint": "a plainer hint is named so: hint LAB.STAGE --level"}  # fmt: skip
EXTRA_WORD = re.compile(r"unrecognized arguments: ([a-z][a-z-]*)")

Run = Callable[[Checkout, argparse.Namespace], Outcome]
Before = Callable[[Checkout], None]

# argparse would look for a translation of each of its words on the disk. There is none, and Parser
# reads what they say in English.
argparse._ = str  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """Reports an error as one sentence, without the usage block."""

    _given: Sequence[str] = ()

    def parse_args(self, args: Sequence[str], namespace: Any = None) -> Any:  # type: ignore[override]
        self._given = args
        return super().parse_args(args, namespace)

    def error(self, message: str) -> "None":  # type: ignore[override]
        prog = self._asked().prog if message.startswith("unrecognized") else self.prog
        console.note(f"{prog}: {self._plainly(message)}. Try {prog} --help.")
        raise SystemExit(USAGE)

    def _asked(self) -> argparse.ArgumentParser:
        """The command whose options are meant: argparse says at the top what no command takes."""
        asked: argparse.ArgumentParser = self
        for word in self._given:
            below = [action.choices for action in asked._actions
                     if isinstance(action, argparse._SubParsersAction)]  # fmt: skip
            asked = next((choices[word] for choices in below if word in choices), asked)
        return asked

    def _plainly(self, message: str) -> str:
        """What argparse says, as one sentence without its own words."""
        if found := UNKNOWN_CHOICE.fullmatch(message):
            return _unknown(*found.groups())
        if found := MISSING.fullmatch(message):
            return self._missing(found[1])
        if found := NO_VALUE.fullmatch(message):
            flag, kind, word = found.groups()
            return f"{flag}: '{word}' is not a {'whole number' if kind == 'int' else kind}"
        if found := NOTHING_AFTER.fullmatch(message):
            return f"{found[1]}: a value is missing after it"
        if found := ONE_OF.fullmatch(message):
            return f"say {found[1].replace(' ', ' or ')}"
        if found := UNKNOWN_FLAG.match(message):
            known = [flag for parser in self._all() for flag in parser._option_string_actions]
            return message + nearest(found[1], known)
        if found := EXTRA_NUMBER.fullmatch(message):
            command = next((one for one in NUMBERED if one in self._given), "")
            return f"{NUMBERED[command]} {found[1]}" if command else message
        if found := EXTRA_WORD.fullmatch(message):
            return self._too_many(found[1]) or message
        return message

    def _missing(self, what: str) -> str:
        words = next((words for words, _ in EXAMPLES.get(self.prog[len("./lab ") :], ())), "")
        shown = f"; for example: ./lab {words}" if words else ""
        if "|" in what:
            return f"say one of {what.replace('|', ', ')}{shown}"
        return f"{what} {'are' if ',' in what else 'is'} missing{shown}"

    def _too_many(self, word: str) -> str:
        """About a stage that is a word of its own after its lab; "" about any other word."""
        lab = self._given[self._given.index(word) - 1]
        if not LIKE_A_LAB.match(lab) or "." in lab:
            return ""
        if any("STAGE" in str(one.metavar) for one in self._asked()._actions):
            return f"lab {lab} has no stage '{word}'"
        return f"this command takes the whole lab {lab}: leave {word} out"

    def _all(self) -> list[argparse.ArgumentParser]:
        """This parser and those of its commands."""
        below = [parser for action in self._actions
                 if isinstance(action, argparse._SubParsersAction)
                 for parser in action.choices.values()]  # fmt: skip
        return [self, *(one for parser in below if isinstance(parser, Parser)
                        for one in parser._all())]  # fmt: skip

    def _print_message(self, message: str, file: Any = None) -> None:
        """Unlike argparse's own, it does not swallow that the help could not be written."""
        if message and file:
            file.write(message)
            file.flush()


def _unknown(what: str, word: str, known: str) -> str:
    """There is no such word; which one of the `known` ones was probably meant."""
    kind = what.lower() if what.isupper() else what
    kind = "command" if kind in ("what", "subcommand") else kind
    names = known.replace("'", "").split(", ")
    if "|" in kind:
        return f"there is no such thing as '{word}'; say {kind.replace('|', ', ')}"
    if what == "COMMAND" and LIKE_A_LAB.match(word):
        return f"there is no {kind} '{word}' (did you mean check {word}?)"
    meant = nearest(word, [*names, *(["help"] if what == "COMMAND" else [])])
    if not meant and kind != "command" and len(names) <= FEW:
        meant = f"; there are: {', '.join(names)}"
    return f"there is no {kind} '{word}'{meant}"


class Help(argparse.HelpFormatter):
    """Wraps a description, but leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        *examples, last = text.split("\n\n")
        return "\n\n".join([*examples, super()._fill_text(last, width, indent)])


class Commands:
    """The commands at one level of the command line; `setup` names what bootstrap prepares."""

    def __init__(
        self, parser: argparse.ArgumentParser, metavar: str, required: bool, above: str = ""
    ) -> None:
        self._above = above
        self._made = parser.add_subparsers(metavar=metavar, required=required, parser_class=Parser)
        self._groups: dict[str, Commands] = {}

    def add(
        self, name: str, run: Run, help: str, setup: str = "", before: Before | None = None
    ) -> argparse.ArgumentParser:
        """Declare a command that `run` carries out; the caller adds options to the result. `before`
        raises UsageError, before anything is installed, where the command cannot work."""
        made = self._group(name, help)
        made.set_defaults(run=run, command=setup or name, before=before)
        return made

    def group(self, name: str, help: str, metavar: str) -> "Commands":
        """Declare a command that only has subcommands, such as `dev`."""
        if name not in self._groups:  # the second of its commands finds it there
            made = self._group(name, help)
            self._groups[name] = Commands(made, metavar, True, f"{self._above}{name} ")
        return self._groups[name]

    def _group(self, name: str, help: str) -> argparse.ArgumentParser:
        parents = [common_flags(suppress=True)]
        made: Any = self._made.add_parser(
            name, help=help, description=help, parents=parents, formatter_class=Help,
            epilog=epilog(self._above + name),
        )  # fmt: skip
        return made


@cache  # every command has the same
def common_flags(suppress: bool) -> argparse.ArgumentParser:
    """The flags of every command. `suppress` keeps a value that was given before the command."""
    unset = {"default": argparse.SUPPRESS} if suppress else {}
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("common flags")
    group.add_argument("--backend", choices=("cpu", "gpu"), help="default: gpu if there is one",
                       **unset)  # fmt: skip
    group.add_argument("--json", action="store_true", help="one JSON document on stdout", **unset)
    group.add_argument("--seed", type=whole_number, metavar="N", help="public seed (default 1)",
                       **(unset or {"default": 1}))  # fmt: skip
    group.add_argument("--verbose", action="store_true", help="show every command run", **unset)
    return parser


def whole_number(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**62:  # the judge takes larger ones for secrets
        raise ValueError(text)
    return value


def with_references(what: str) -> Before:
    """For commands that students' copy of the kit cannot carry out: it has no references."""

    def before(checkout: Checkout) -> None:
        if checkout.is_for_students:
            raise UsageError(f"{what}, and this copy of the kit has none; ./lab next says where to "
                             "begin, ./lab check judges your files.")  # fmt: skip

    return before


def course_flag(parser: argparse.ArgumentParser) -> None:
    """`--course`, of every command about a class."""
    parser.add_argument("--course", metavar="DIR",
                        help="default: WARPWISE_COURSE, or the current folder")  # fmt: skip


whole_number.__name__ = "seed: a seed is a whole number from 0 on"  # argparse says it


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(text)
    return value


seconds.__name__ = "number of seconds above 0"


def count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1024:
        raise ValueError(text)
    return value


count.__name__ = "number from 1 to 1024"


def points(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(text)
    return int(value) if value == int(value) else round(value, 2)


points.__name__ = "number of points, 0 or more"
