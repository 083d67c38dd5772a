"""What to grade, and with which seed."""

import hashlib
import os
from dataclasses import dataclass
from functools import cache

from ..base.checkout import OWN
from ..base.errors import UsageError
from ..lab_file.manifest import Lab, Stage
from ..sandbox.bubblewrap import Sandbox

SECRET_SEED = "WARPWISE_SECRET_SEED"  # environment: a whole number that students do not know
SECRET_BIT = 1 << 62  # in every secret seed and in no public one, as case_number.hpp knows
SCRYPT_WORK = 1 << 16  # about 0.2 s and 64 MiB for each guess
SCRYPT_MEMORY = 128 << 20


@dataclass(frozen=True)
class Seed:
    """The public seed and, if there is one, the secret that is mixed with it.

    A secret may be a small number, and students see some values of hidden inputs. What is derived
    from it is therefore slow to compute: guessing one secret after the other takes too long.
    """

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
        except ValueError:  # its text is the secret, or nearly: no traceback may hold it
            raise UsageError(f"{SECRET_SEED} must be a whole number.") from None

    @property
    def value(self) -> int:
        """What the judge gets. It shows the number of a public seed, and of no secret one."""
        if self.secret is None:
            return self.public
        derived = _derived(self.secret, f"seed {self.public}")
        return int.from_bytes(derived[:8]) % SECRET_BIT | SECRET_BIT

    @property
    def commitment(self) -> str | None:
        """Tells two secrets apart without telling either; None without a secret."""
        if self.secret is None:
            return None
        return hashlib.sha256(_derived(self.secret, "commitment")).hexdigest()


@cache
def _derived(secret: int, purpose: str) -> bytes:
    """32 bytes that tell nothing about the secret, nor about those for another purpose."""
    salt = f"warpwise {purpose}".encode()
    return hashlib.scrypt(str(secret).encode(), salt=salt, n=SCRYPT_WORK, r=8, p=1,
                          maxmem=SCRYPT_MEMORY, dklen=32)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """One submission of one lab. With `timed` there are also speed points and, unless `figures` are
    not wanted, figures; they give no points."""

    lab: Lab
    name: str
    source: bytes
    backend: str
    seed: Seed
    stages: tuple[Stage, ...]
    sandbox: Sandbox
    timed: bool = True
    figures: bool = True
    notes: tuple[str, ...] = ()  # what was forgiven when it was taken in

    @property
    def task(self) -> str:
        """What is graded, for a line of progress; a student's own file has no name."""
        return self.lab.name if self.name == OWN else f"{self.lab.name}: {self.name}"
