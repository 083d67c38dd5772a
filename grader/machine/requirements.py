"""What the kit needs on a machine, and what is missing."""

import ctypes
import importlib.util
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base.checkout import Checkout
from ..base.process import run

VERSION_SECONDS = 30.0
CATCH2_VARIABLES = ("Catch2_DIR", "Catch2_ROOT")  # as CMake spells them
LIBRARIES = ("lib", "lib64", "share")
OLDEST_CLANG = 16  # lint needs CUDA together with C++20
LIBSECCOMP = "libseccomp.so.2"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAGE = 4096  # as cpu/runtime/base/rounding.hpp; some systems for aarch64 have 16 or 64 KiB
CLANG_PACKAGE = "clang-16"  # both Debian 12 and Ubuntu 24.04 have it


@dataclass(frozen=True)
class Tool:
    """A system tool: its name, a test whether it is present, the package that contains it."""

    name: str
    present: Callable[[], bool]
    package: str


def _version(program: str, *arguments: str) -> tuple[int, ...]:
    """The version that a program reports, or () if it is missing."""
    if not shutil.which(program):
        return ()
    found = re.search(r"\d+(\.\d+)*", run([program, *arguments], limit=VERSION_SECONDS).output)
    return tuple(map(int, found[0].split("."))) if found else ()


@cache
def find_clang() -> str | None:
    """The newest clang++ that is new enough for lint, or None."""
    names = (*(f"clang++-{number}" for number in range(25, OLDEST_CLANG - 1, -1)), "clang++")
    return next((name for name in names if _version(name, "-dumpversion") >= (OLDEST_CLANG,)), None)


def find_browser() -> str | None:
    """A Chromium or Chrome, which can show a page without a screen."""
    return next((name for name in BROWSERS if shutil.which(name) and not _asks_for(name)), None)


def missing_snap() -> str:
    """What Ubuntu's package of Chromium asks for instead of being one; "" if nothing is missing."""
    return "" if find_browser() else next(filter(None, map(_asks_for, BROWSERS)), "")


def _asks_for(browser: str) -> str:
    """`snap install chromium`, if the command is a script that says so; "" if the snap is there."""
    path = Path(shutil.which(browser) or "/dev/null")
    text = path.read_bytes()[:4096] if path.stat().st_size < 4 * PAGE else b""
    snap = re.search(rb"/\S*snap/bin/\w+", text)
    command = re.search(rb"snap install \w+", text)
    if not (text.startswith(b"#!") and snap and command) or os.access(snap[0], os.X_OK):
        return ""
    return command[0].decode()


def has_asan() -> bool:
    """Whether g++ finds AddressSanitizer's library: if so, it prints the library's full path."""
    return "/" in run(["g++", "-print-file-name=libasan.so"], limit=VERSION_SECONDS).output


def _has_catch2() -> bool:
    """Whether CMake will find Catch2, in the places where its find_package looks."""
    if any(os.environ.get(name) for name in CATCH2_VARIABLES):
        return True
    prefixes = [*os.environ.get("CMAKE_PREFIX_PATH", "").split(":"), "/usr", "/usr/local"]
    places = [Path(prefix) / library for prefix in prefixes if prefix for library in LIBRARIES]
    return any(next(place.glob("cmake/Catch2"), None) for place in _expanded(places))


def _has_zlib() -> bool:
    """Whether the compiler finds zlib's header."""
    places = [Path("/usr/include"), Path("/usr/local/include")]
    return any((place / "zlib.h").is_file() for place in places)


def _has_libseccomp() -> bool:
    try:
        ctypes.CDLL(LIBSECCOMP)
    except OSError:
        return False
    return True


def _has_server(name: str) -> bool:
    """Whether it is installed; its folder is not in everybody's PATH."""
    return bool(shutil.which(name) or shutil.which(name, path="/usr/sbin"))


def _expanded(places: Sequence[Path]) -> list[Path]:
    """The folders themselves and those one level below: lib/x86_64-linux-gnu."""
    return [folder for place in places for folder in (place, *place.glob("*-linux-gnu"))]


SYSTEM: dict[str, tuple[Tool, ...]] = {
    "compiler": (Tool("g++ 12", lambda: _version("g++", "-dumpfullversion") >= (12,), "g++"),),
    "cpp": (
        Tool("CMake 3.25", lambda: _version("cmake", "--version") >= (3, 25), "cmake"),
        Tool("ninja or make", lambda: bool(shutil.which("ninja") or shutil.which("make")), "make"),
        Tool("Catch2", _has_catch2, "catch2"),
    ),
    # Public graphs are distributed as .gz files, which zlib reads. Grading does not need it.
    "zlib": (Tool("zlib", _has_zlib, "zlib1g-dev"),),
}

# Other people's submissions are graded in a sandbox. bubblewrap makes one without a daemon and
# without privileges; Debian 12 and Ubuntu 24.04 both have it. One's own file needs no sandbox.
# libseccomp makes its filters of system calls. apt needs it, too, so it is there already.
# The tests look at pages in a browser.
OPTIONAL: dict[str, tuple[Tool, ...]] = {
    "sandbox?": (
        Tool("bubblewrap", lambda: bool(shutil.which("bwrap")), "bubblewrap"),
        Tool("libseccomp", _has_libseccomp, "libseccomp2"),
    ),
    "lint?": (Tool("clang++ 16", lambda: bool(find_clang()), CLANG_PACKAGE),),
    # Servers, which nobody wants on a laptop: only CI tests a check on another machine with them.
    "elsewhere?": (
        Tool("sshd", lambda: _has_server("sshd"), "openssh-server"),
        Tool("Slurm", lambda: _has_server("slurmctld"), "slurm-wlm"),
    ),
    "browser?": (Tool("Chromium", lambda: bool(find_browser() or missing_snap()), "chromium"),),
}

# A question mark means optional: without the package something is skipped or not drawn, but nothing
# fails.
PYTHON: dict[str, tuple[str, ...]] = {
    "figures": ("matplotlib",),
    "figures?": ("matplotlib?",),
    "schema?": ("jsonschema?",),
    "pages": ("jinja2",),
    "similarity": ("copydetect",),
    "yaml?": ("yaml?",),
    "watch": ("watchfiles",),
    "completion": ("argcomplete",),
    "test": ("pytest",),
    "test?": ("xdist?", "jsonschema?", "ruff?", "importlinter?", "codespell_lib?", "scipy?",
              "networkx?", "watchfiles?", "pexpect?", "pyte?"),
}  # fmt: skip
PACKAGES = {"xdist": "pytest-xdist", "importlinter": "import-linter", "codespell_lib": "codespell",
            "yaml": "pyyaml"}  # fmt: skip


def missing_tools(groups: Sequence[str]) -> list[str]:
    """The packages of the tools in `groups` that this machine lacks."""
    known = {**SYSTEM, **OPTIONAL}
    return [tool.package for group in groups for tool in known[group] if not tool.present()]


def missing_modules(groups: Sequence[str]) -> list[str]:
    """The Python packages of `groups` that cannot be imported; optional ones end with `?`."""
    names = [name for group in groups for name in PYTHON[group]]
    return [name for name in names if not importlib.util.find_spec(name.rstrip("?"))]


def can_make_venv() -> bool:
    """Whether `python -m venv` works: Debian moves a part that it needs to another package."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def wrong_pages() -> str:
    """Why the CPU backend cannot work with this system's pages of memory; "" where it can."""
    page = os.sysconf("SC_PAGE_SIZE")
    return "" if page == PAGE else (f"this system's memory pages have {page:,} bytes; the CPU "
                                    f"backend needs a system with pages of {PAGE:,}")  # fmt: skip


def install_line(packages: Sequence[str]) -> str:
    """The one line that installs system packages on Debian and Ubuntu."""
    names = " ".join(packages)
    return f"sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}"


def project_packages(checkout: Checkout, for_tests: bool) -> list[str]:
    """The packages of a .venv, from pyproject.toml; with `for_tests` also those of the tests."""
    text = (checkout.root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    tests = project["optional-dependencies"]["test"] if for_tests else []
    return [*project["dependencies"], *tests]


def package(module: str) -> str:
    """The package that contains a module; a question mark is dropped."""
    name = module.rstrip("?")
    return PACKAGES.get(name, name)
