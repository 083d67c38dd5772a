"""Setting up what a command needs: system packages, then Python packages in .venv.

A machine that has everything is left alone. If something cannot be installed, one sentence says so
and gives the line that installs it.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.process import Finished, run
from . import requirements

INSTALL_SECONDS = 1200.0
# pip says so in the middle, and at the end only that it found no version of the package.
UNREACHED = re.compile(r"connection broken by|Could not fetch URL")
WHY_UNREACHED = re.compile(
    r"\[Errno -?\d+\] ([A-Z][^'\")]*)|(certificate verify failed)|([\w ]*timed out)"
)
REEXECUTED = "WARPWISE_IN_VENV"  # environment variable: prevents a second change of interpreter

# command -> groups of tools (requirements.SYSTEM) and of Python packages
NEEDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "check": (("compiler", "cpp"), ("figures?",)),
    "bench": (("compiler", "cpp"), ()),
    "watch": (("compiler", "cpp"), ("watch", "figures?")),
    "completion": ((), ("completion",)),
    "why": (("compiler", "cpp"), ()),
    "submit": (("compiler", "cpp"), ()),
    "grade": (("compiler", "cpp", "sandbox?"), ("figures?",)),
    "class grade": (("compiler", "cpp", "sandbox?"), ("figures?",)),
    "class import": ((), ("yaml?",)),
    "class report": ((), ("pages", "similarity")),
    "dev check": (("compiler", "cpp"), ()),
    "dev exemplars": (("compiler", "cpp"), ()),
    "data": (("compiler", "cpp", "zlib"), ()),
    "demo": (("compiler", "cpp"), ("figures",)),
    "figures": (("compiler", "cpp"), ("figures?", "schema?")),
    "plot": ((), ("figures",)),
    "release": (("compiler", "cpp", "sandbox?"), ()),
    "report": ((), ("pages",)),
    "run": (("compiler",), ()),
    "test": (("compiler", "cpp", "zlib", "sandbox?", "lint?", "browser?"),
             ("figures", "pages", "similarity", "test", "test?")),
}

IN_CI = {"test": ("elsewhere?",)}

Runner = Callable[[Sequence[str]], Finished]


def _install(command: Sequence[str]) -> Finished:
    return run(command, limit=INSTALL_SECONDS, env={"DEBIAN_FRONTEND": "noninteractive"})


@dataclass
class Bootstrap:
    """Decides what is needed and installs it. Tests replace its parts and need no fresh machine."""

    checkout: Checkout
    run: Runner = _install
    missing_tools: Callable[[Sequence[str]], list[str]] = requirements.missing_tools
    missing_modules: Callable[[Sequence[str]], list[str]] = requirements.missing_modules
    is_root: bool = os.geteuid() == 0

    def ensure(self, command: str) -> str | None:
        """Set up what `command` needs. Returns the Python to continue with; None for this one."""
        groups, python_groups = NEEDS.get(command, ((), ()))
        groups += IN_CI.get(command, ()) if os.environ.get("CI") else ()
        tools = self.missing_tools([group for group in groups if not group.endswith("?")])
        modules = self.missing_modules(python_groups)
        # On Debian and Ubuntu creating a .venv needs another system package.
        if modules and not self._venv_python() and not requirements.can_make_venv():
            tools = [*tools, *self._venv_package(modules)]
        if tools:
            self.install_tools(tools)
        optional = [group for group in groups if group.endswith("?")]
        if optional and (packages := self.missing_tools(optional)):
            self.try_tools(packages)
        return self.install_modules(modules, "test" in python_groups) if modules else None

    def _is_open(self, required: Sequence[str]) -> bool:
        """Whether a .venv can be made. Raises InfrastructureError if it must be."""
        try:
            self.checkout.require_place()
        except InfrastructureError:
            if required:
                raise
            return False
        return True

    def _venv_package(self, modules: Sequence[str]) -> list[str]:
        """python3-venv, unless only optional packages are missing and it cannot be installed."""
        wanted = any(not module.endswith("?") for module in modules)
        return ["python3-venv"] if wanted or self._apt() else []

    def _venv_python(self) -> str | None:
        """None also where it leads to a folder that is closed to this user."""
        python = self.checkout.venv / "bin" / "python"
        try:
            return str(python) if python.is_file() else None
        except PermissionError:
            return None

    def _apt(self) -> list[str] | None:
        """The command that runs apt-get here, or None if this user may not install packages."""
        if not shutil.which("apt-get"):
            return None
        if self.is_root:
            return ["apt-get"]
        allowed = shutil.which("sudo") and self.run(["sudo", "-n", "true"]).ok
        return ["sudo", "-n", "apt-get"] if allowed else None

    def install_tools(self, packages: Sequence[str]) -> None:
        """Install system packages. Raises InfrastructureError with the line that installs them."""
        line = requirements.install_line(packages)
        apt = self._apt()
        if apt is None:
            raise InfrastructureError(f"something is missing here; install it with: {line}")
        with console.progress(f"installing {' '.join(packages)}"):
            install = [*apt, "install", "-y", "--no-install-recommends", *packages]
            finished = self.run(install)
            if not finished.ok:  # the package lists are missing or out of date
                self.run([*apt, "update"])
                finished = self.run(install)
        if not finished.ok:
            raise InfrastructureError(
                f"installing failed ({finished.last_line}); install it yourself with: {line}"
            )

    def try_tools(self, packages: Sequence[str]) -> None:
        """Install optional packages, if that is possible here."""
        if self._apt() is None:
            return
        try:
            self.install_tools(packages)
        except InfrastructureError as error:
            console.note(f"lab: {error}")

    def install_modules(self, modules: Sequence[str], for_tests: bool = False) -> str | None:
        """Install Python packages into .venv. Returns its Python, or None if only optional ones
        are still missing."""
        existed = self._venv_python()
        required = [name for name in modules if not name.endswith("?")]
        if not existed and not self._is_open(required):
            return None
        python = existed or str(self.checkout.venv / "bin" / "python")
        names = requirements.project_packages(self.checkout, for_tests)
        with console.progress("installing Python packages into .venv"):
            made = Finished(0, "", False, 0.0)
            if not existed:
                made = self.run([sys.executable, "-m", "venv", str(self.checkout.venv)])
            if made.ok:
                pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                       "--retries", "1", "--timeout", "15"]  # fmt: skip
                made = self.run([*pip, *(_packages(modules) if existed else names)])
        if made.ok:
            return python
        if not existed:  # the next call would take a .venv without packages for a complete one
            shutil.rmtree(self.checkout.venv, ignore_errors=True)
        if required:
            wanted = " ".join(required)
            raise InfrastructureError(f"{wanted} cannot be installed: {_reason(made)}")
        console.note(f"not installed: {' '.join(_packages(modules))} ({_reason(made)})")
        return None


def _packages(modules: Sequence[str]) -> list[str]:
    return [requirements.package(name) for name in modules]


def _reason(pip: Finished) -> str:
    """Why pip installed nothing."""
    if not UNREACHED.search(pip.output):
        return pip.last_line
    found = WHY_UNREACHED.search(pip.output)
    why = f" ({found[found.lastindex or 0].strip()})" if found else ""
    return (f"pip does not reach the index of Python packages{why}. Connect this machine to the "
            "network, or set PIP_INDEX_URL to an index that it reaches")  # fmt: skip


def ensure(checkout: Checkout, command: str, argv: Sequence[str]) -> None:
    """Set up what `command` needs. If Python packages were installed, start again inside .venv."""
    if os.environ.get(REEXECUTED):
        return
    python = Bootstrap(checkout).ensure(command)
    if python:
        os.environ[REEXECUTED] = "1"
        os.execv(python, [python, "-P", "-m", "grader", *argv])
