"""What is to be graded, and with which seed."""

import os
from dataclasses import dataclass

from ..base.errors import UsageError
from ..lab_file.manifest import Lab, Stage
from ..sandbox.bubblewrap import Sandbox

SECRET_SEED = "WARPWISE_SECRET_SEED"  # environment: a whole number that students do not know


@dataclass(frozen=True)
class Seed:
    """The public seed and, if there is one, the secret that is XORed to it."""

    public: int = 1
    secret: int | None = None

    @classmethod
    def from_environment(cls, public: int) -> "Seed":
        """The seed with the environment's secret. Raises UsageError."""
        text = os.environ.get(SECRET_SEED, "").strip()
        if not text:
            return cls(public)
        try:
            return cls(public, int(text))
        except ValueError as error:
            raise UsageError(f"{SECRET_SEED} must be a whole number.") from error

    @property
    def value(self) -> int:
        """What the judge gets: 63 bits, so that every reader takes it for the same number."""
        return (self.public ^ (self.secret or 0)) & (2**63 - 1)


@dataclass(frozen=True)
class Order:
    """One submission of one lab. `timed` asks for figures and speed points as well."""

    lab: Lab
    name: str
    source: bytes
    backend: str
    seed: Seed
    stages: tuple[Stage, ...]
    sandbox: Sandbox
    timed: bool = True
