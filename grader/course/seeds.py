"""The seed of a course's hidden tests: the public one, or one that only the course knows."""

import os
import secrets
from pathlib import Path

from ..base.errors import UsageError
from ..base.files import write_private
from ..grading.order import SECRET_SEED, Seed
from .course import Course

LARGEST_SECRET = 1 << 128  # nobody tries that many


def seed_of(course: Course, public: int = 1) -> Seed:
    """The seed that course.toml asks for. Raises UsageError if it is secret and there is none."""
    if course.settings.seed == "public":
        return Seed(public)
    if os.environ.get(SECRET_SEED, "").strip():
        return Seed.from_environment(public)
    try:
        text = course.secret_seed.read_text(encoding="ascii").strip()
        if course.secret_seed.stat().st_mode & 0o077:
            raise UsageError(f"{course.secret_seed}: others may read it; say chmod 600 first.")
        return Seed(public, int(text))
    except FileNotFoundError as error:
        raise UsageError("course.toml says seed = \"secret\", and there is none yet; "
                         "./lab class seed new makes it.") from error  # fmt: skip
    except (OSError, ValueError):  # its text is the secret, or nearly: no traceback may hold it
        raise UsageError(f"{course.secret_seed}: cannot be read as a whole number.") from None


def make(course: Course) -> Path:
    """A new secret, which nobody sees. Raises UsageError if there is one: results depend on it."""
    path = course.secret_seed
    if path.exists():
        raise UsageError(f"{path}: is there already; earlier results were made with "
                         "it. Move it away if you want another one.")  # fmt: skip
    write_private(path, f"{secrets.randbelow(LARGEST_SECRET)}\n")
    return path
