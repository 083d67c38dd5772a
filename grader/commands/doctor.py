"""`./lab doctor`: shows what this machine has, what is missing, and the line that installs it."""

import argparse
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE
from ..base.outcome import Outcome
from ..machine import hardware, requirements
from ..sandbox import bubblewrap, canary, seccomp
from .parser import Commands


def add(commands: Commands) -> None:
    commands.add("doctor", run, "show what is missing here, and the line that installs it")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 0 if the CPU backend can run here and the sandbox, if any, holds; otherwise 3."""
    with console.progress("looking at this machine"):
        return _looked(checkout)


def _looked(checkout: Checkout) -> Outcome:
    tools = [(tool, tool.present()) for group in ("compiler", "cpp")
             for tool in requirements.SYSTEM[group]]  # fmt: skip
    missing = [tool.package for tool, present in tools if not present]
    groups = ("figures", "test", "test?") if checkout.tests.is_dir() else ("figures",)
    modules = [name.rstrip("?") for group in groups
               for name in requirements.missing_modules((group,))]  # fmt: skip
    modes = _modes(compiler="g++" not in missing)
    here = hardware.describe()
    nvcc = hardware.find_nvcc()
    backend = "gpu" if here.gpu and nvcc else "cpu"
    box = bubblewrap.find()
    holes = canary.failures(checkout, box) if box and not missing else []
    document: dict[str, Any] = {
        "ready": not missing and not requirements.wrong_pages(),
        "backend": backend,
        "tools": [{"name": tool.name, "present": present, "package": tool.package}
                  for tool, present in tools],
        "python_packages_missing": modules,
        "modes": {mode: ready for mode, (ready, _) in modes.items()},
        "gpu": here.gpu.name if here.gpu else None,
        "nvcc": bool(nvcc),
        "sandbox": box.text,
        "sandbox_holes": holes,
        "install": requirements.install_line(missing) if missing else None,
    }  # fmt: skip
    lines = [_line(present, tool.name) for tool, present in tools]
    lines.append(_line(None if modules else True, "Python packages", _packages(modules)))
    lines += [_line(True if ready else None, f"./lab run --mode {mode}", need)
              for mode, (ready, need) in modes.items()]  # fmt: skip
    if pages := requirements.wrong_pages():
        lines.append(_line(False, "memory pages", pages))
    lines.append(_zlib())
    lines.append(_line(None if not here.gpu else True, "NVIDIA GPU", _gpu(here, nvcc)))
    lines.append(_sandbox(box, holes))
    lines.append(f"Backend: {backend}.")
    lines.append(_advice(checkout, missing, bool(holes)))
    well = document["ready"] and not holes
    return Outcome(ALL_PASSED if well else INFRASTRUCTURE, document, "\n".join(lines))


def _line(present: bool | None, name: str, detail: str = "") -> str:
    words = {True: ("have", "green"), False: ("MISS", "red"), None: ("note", "yellow")}
    return f"{console.paint(*words[present])}  {name}" + (f": {detail}" if detail else "")


def _packages(modules: list[str]) -> str:
    """Missing Python packages are not a fault: the commands that need them install them."""
    return f"{', '.join(modules)} will be installed in .venv when needed" if modules else "present"


def _modes(compiler: bool) -> dict[str, tuple[bool, str]]:
    """What each mode of ./lab run needs, and whether this is present. No mode is required."""
    clang = requirements.find_clang()
    line = requirements.install_line([requirements.CLANG_PACKAGE])
    asan = compiler and requirements.has_asan()
    needs = "" if compiler else "needs "
    return {
        "run": (compiler, f"{needs}g++ 12"),
        "check": (compiler, f"{needs}g++ 12 and its addr2line"),
        "asan": (asan, "g++'s libasan" if asan else "needs g++'s libasan: reinstall g++"),
        "lint": (bool(clang), clang or f"optional, needs clang++ 16 or newer: {line}"),
    }


def _zlib() -> str:
    missing = requirements.missing_tools(("zlib",))
    need = f"optional, needs zlib: {requirements.install_line(missing)}" if missing else "zlib"
    return _line(None if missing else True, "./lab data with .gz files", need)


def _gpu(here: hardware.Machine, nvcc: str | None) -> str:
    if not here.gpu:
        return "none; labs run on the CPU backend" + (", nvcc only compiles" if nvcc else "")
    return here.gpu.name + ("" if nvcc else ", but no nvcc: install the CUDA Toolkit")


def _sandbox(box: bubblewrap.Sandbox, holes: list[str]) -> str:
    """A missing sandbox is not a fault: only grading other people's submissions needs one."""
    if not box:
        line = requirements.install_line([bubblewrap.PACKAGE])
        install = f"; install it with: {line}" if box.text == bubblewrap.NOT_INSTALLED else ""
        return _line(None, "sandbox", f"{box.text}; ./lab grade will ask for --trust{install}")
    if holes:
        return _line(False, "sandbox", f"{box.text}, but a canary inside found:\n      " +
                     "\n      ".join(holes))  # fmt: skip
    well = f"{box.text}; a canary inside could do no harm"
    if seccomp.NOT_INSTALLED in box.text:
        well += f"; get the filter with: {requirements.install_line([seccomp.PACKAGE])}"
    return _line(True if box.seccomp else None, "sandbox", well)


def _advice(checkout: Checkout, missing: list[str], leaks: bool) -> str:
    if leaks:
        return "The sandbox does not hold: run nobody's files here but your own."
    if missing:
        return f"Install what is missing with:\n  {requirements.install_line(missing)}"
    runs = "./lab check" if checkout.is_for_students else "./lab demo"
    return f"Nothing is missing: {runs} runs."
