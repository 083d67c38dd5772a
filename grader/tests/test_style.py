"""The house style, as far as a program can see it."""

import importlib.util
import subprocess
import sys

import pytest

from grader.base.checkout import Checkout

ROOT = Checkout.here().root


@pytest.mark.skipif(not importlib.util.find_spec("ruff"), reason="ruff is not installed")
def test_ruff_finds_nothing() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "."]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.skipif(not importlib.util.find_spec("ruff"), reason="ruff is not installed")
def test_ruff_would_find_something() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--stdin-filename", "a.py", "-"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input="import os")
    assert finished.returncode == 1
