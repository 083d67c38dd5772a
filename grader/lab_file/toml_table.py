"""A TOML table read strictly: every error names its file and key."""

import math
from pathlib import Path
from typing import Any

from ..base.errors import UsageError


class Table:
    """A TOML table that must be read completely: a key that nobody reads is an error."""

    def __init__(self, file: str, key: str, value: Any) -> None:
        self.file, self.key = file, key
        if not isinstance(value, dict):
            raise UsageError(f"{file}: {key}: must be a table")
        self.left = dict(value)

    def fail(self, key: str, problem: str) -> UsageError:
        return UsageError(f"{self.file}: {self.key + '.' if self.key else ''}{key}: {problem}")

    def take(self, key: str, *default: Any) -> Any:
        if key not in self.left and not default:
            raise self.fail(key, "is missing")
        return self.left.pop(key, *default)

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(key, "must be a non-empty string")
        return value

    def file_name(self, key: str, suffix: str) -> str:
        value = self.text(key)
        if Path(value).name != value or not value.endswith(suffix):
            raise self.fail(key, f"must be the name of a {suffix} file in the lab's folder")
        return value

    def number(self, key: str, *default: float, low: float, high: float = math.inf) -> float:
        value = self.take(key, *default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= low:
            raise self.fail(key, f"must be a number, {low:g} or more")
        if value > high:
            raise self.fail(key, f"must be a number, {high:,.0f} or less")
        return value

    def size(self, key: str) -> int:
        value = self.take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.fail(key, "must be a whole number, 1 or more")
        return value

    def texts(self, key: str, *default: list[str]) -> tuple[str, ...]:
        value = self.take(key, *default)
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            raise self.fail(key, "must be a list of non-empty strings")
        return tuple(value)

    def done(self) -> None:
        for key in self.left:
            raise self.fail(key, "is not a known key")
