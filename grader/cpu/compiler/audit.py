"""A second compilation of a CUDA file, beside the first: who calls whom, with nothing inlined.

It is made for `--audit`, and where a file may break a rule of language.py. It runs at the same time
as the first compilation.

A function of both sides may have a body for each (device_side.py). What kernels call is then not in
the first two files, which have both bodies. So `--audit` makes both again, with the device's alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from .assembly import find_assembly
from .language import Mistake, Rules, report
from .own_columns import drawn
from .rewrite import Unit
from .tokens import BYTES

# Nothing is inlined and nothing shares a section, so references tell which function uses which.
FLAGS = (
    "-O0 -g0 -Wvla -fno-inline -ffunction-sections -fdata-sections -fno-jump-tables "
    "-fcallgraph-info -fdiagnostics-column-unit=byte"
).split()
KERNELS_PLAIN, KERNELS = ".kernels.plain.o", ".kernels.o"


class Audit:
    """`wanted` is the object file that is asked for; beside it OUT.ci has the list of calls.
    `with_headers` makes of a command and its text the text to compile."""

    def __init__(
        self, unit: Unit, wanted: str | None, rules: Rules | None,
        with_headers: Callable[[list[str], str], str],
    ) -> None:  # fmt: skip
        self._unit, self._wanted, self._rules = unit, wanted, rules
        self._with_headers = with_headers
        self._proven: list[Mistake] = []

    @contextmanager
    def beside(self, command: list[str]) -> Iterator[None]:
        """Runs `command` while the block runs, if it is needed."""
        if not self._wanted and not (self._rules and self._rules.are_in_doubt()):
            yield
            return
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            output = Path(self._wanted or f"{folder}/audit.s")
            made = ["-c" if self._wanted else "-S", "-", "-o", str(output)]
            text = self._rules.text_to_compile() if self._rules else self._unit.rewritten
            to_compile = self._with_headers([*command, *FLAGS], "".join(text))
            beside = pool.submit(_run, [*command, *FLAGS, *made], to_compile)
            of_kernels = pool.submit(self._make_of_kernels, command) if self._wanted else None
            yield
            if of_kernels:
                of_kernels.result()
            done = beside.result()
            calls = output.with_suffix(".ci")
            if self._rules and done.returncode == 0:
                self._proven = self._rules.mistakes(text, calls, done.stderr)
            if self._wanted:
                self._keep(output, calls, done.returncode != 0)

    def _make_of_kernels(self, command: list[str]) -> None:
        """What cannot be made is empty: then the files with both bodies decide."""
        for ending, flags in ((KERNELS_PLAIN, FLAGS), (KERNELS, [])):
            path = Path(self._wanted or "").with_suffix(ending)
            making = [*command, *flags, "-w", "-c", "-", "-o", str(path)]
            if not self._unit.kernels or _run(making, self._unit.kernels).returncode != 0:
                path.write_bytes(b"")

    def _keep(self, output: Path, calls: Path, failed: bool) -> None:
        """What is not made is left as an empty file: text may compile only when it is optimised."""
        for path in (output, calls):
            if failed or not path.is_file():
                path.write_bytes(b"")
        if assembly := find_assembly(self._unit.tokens):
            with calls.open("a") as file:
                file.write(f'assembly: "{assembly}"\n')

    def tell(self) -> bool:
        """Writes to stderr what breaks a rule, as a compiler does; whether there is anything."""
        if not self._rules:
            return False
        said = report(self._unit, [*self._rules.plain_mistakes(), *self._proven])
        told = said or report(self._unit, self._rules.warnings(), "warning")
        sys.stderr.write(drawn(told, self._unit))
        return bool(said)


def _run(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}  # its warnings are read
    return subprocess.run(
        command, input=text, capture_output=True, check=False, env=environment,
        encoding="utf-8", errors=BYTES,
    )  # fmt: skip
