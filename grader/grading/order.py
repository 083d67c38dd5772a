"""What to grade, and with which seed."""

import os
from dataclasses import dataclass

from ..base.errors import UsageError
from ..lab_file.manifest import Lab, Stage
from ..sandbox.bubblewrap import Sandbox

SECRET_SEED = "WARPWISE_SECRET_SEED"  # environment: a whole number that students do not know


@dataclass(frozen=True)
class Seed:
    """The public seed and, if there is one, the secret that is XORed with it."""

    public: int = 1
    secret: int | None = None

    @classmethod
    def from_environment(cls, public: int) -> "Seed":
        """The seed with the secret from the environment. Raises UsageError."""
        text = os.environ.get(SECRET_SEED, "").strip()
        if not text:
            return cls(public)
        try:
            return cls(public, int(text))
        except ValueError as error:
            raise UsageError(f"{SECRET_SEED} must be a whole number.") from error

    @property
    def value(self) -> int:
        """The judge's seed: 63 bits, so that every program reads it as the same number."""
        return (self.public ^ (self.secret or 0)) & (2**63 - 1)


@dataclass(frozen=True)
class Order:
    """One submission of one lab. With `timed` there are also figures and speed points."""

    lab: Lab
    name: str
    source: bytes
    backend: str
    seed: Seed
    stages: tuple[Stage, ...]
    sandbox: Sandbox
    timed: bool = True
