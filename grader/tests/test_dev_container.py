"""The dev container and the editor's tasks: valid, complete, and with commands that exist."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.machine.requirements import OPTIONAL, SYSTEM

pytestmark = [pytest.mark.reads(".devcontainer", ".vscode", "README.md"), pytest.mark.unit]

ROOT = Checkout.here().root
CONTAINER = ROOT / ".devcontainer"
# Without these a student's day still works, and an instructor's machine is no container.
NOT_FOR_STUDENTS = {"openssh-server", "slurm-wlm", "chromium"}


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def installed(dockerfile: str) -> set[str]:
    """The packages that a Dockerfile installs by apt-get."""
    lines = re.search(r"apt-get install ((?:[^&]|\\\n)*)&&", dockerfile)
    return {word for word in (lines[1] if lines else "").split() if re.match(r"[a-z]", word)}


def missing(dockerfile: str) -> set[str]:
    tools = [tool for group in (*SYSTEM.values(), *OPTIONAL.values()) for tool in group]
    wanted = {tool.package for tool in tools} - NOT_FOR_STUDENTS
    return (wanted | {"git", "python3", "python3-venv"}) - installed(dockerfile)


def test_the_container_has_every_tool_that_doctor_asks_for() -> None:
    dockerfile = (
        CONTAINER / read(CONTAINER / "devcontainer.json")["build"]["dockerfile"]
    ).read_text()
    assert not missing(dockerfile)
    assert missing(dockerfile.replace(" catch2", "")) == {"catch2"}
    [image] = re.findall(r"^FROM (\S+)$", dockerfile, re.MULTILINE)
    name, _, number = image.partition(":")
    assert f"{name.title()} {number}" in (ROOT / "README.md").read_text()


def test_the_commands_of_the_container_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for command in read(CONTAINER / "devcontainer.json")["postCreateCommand"].split(" && "):
        program, *words = command.split()
        assert program == "./lab"
        assert main([*words, "--help"]) == 0, capsys.readouterr().err
    assert main(["editr", "--help"]) == 2


def test_the_tasks_of_the_editor_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for task in read(ROOT / ".vscode" / "tasks.json")["tasks"]:
        assert task["command"] == "${workspaceFolder}/lab"
        words = [word for word in task["args"] if "$" not in word]
        assert main([*words, "--help"]) == 0, capsys.readouterr().err
    wanted = read(ROOT / ".vscode" / "extensions.json")["recommendations"]
    settings = read(CONTAINER / "devcontainer.json")["customizations"]["vscode"]
    assert settings["extensions"] == wanted


def test_an_error_of_the_compiler_becomes_a_mark() -> None:
    task = next(one for one in read(ROOT / ".vscode" / "tasks.json")["tasks"]
                if one["args"][0] == "check")  # fmt: skip
    pattern = task["problemMatcher"]["pattern"]
    error, warning = (
        "        rank_sort.cu:33:7: expected ';'",
        "  warning: rank_sort.cu:33:7: unused",
    )
    for line, text in ((error, "expected ';'"), (warning, "unused")):
        found = re.search(pattern["regexp"], line)
        assert found and found[pattern["line"]] == "33" and found[pattern["message"]] == text
    assert not re.search(pattern["regexp"], "        again: ./lab check 01-rank-sort.global")
