"""Where things are in a checkout. Every other module asks here instead of joining paths."""

import os
import tempfile
from dataclasses import dataclass
from errno import EACCES, EPERM, EROFS
from pathlib import Path

from .errors import InfrastructureError

ELSEWHERE = "WARPWISE_BUILD"  # environment: a folder for all that is made, if not the checkout
OWN = "labs"  # what a student's own file is called in a result of ./lab check


@dataclass(frozen=True)
class Checkout:
    """A working tree of the kit."""

    root: Path

    @classmethod
    def here(cls) -> "Checkout":
        """The checkout that contains this package."""
        return cls(Path(__file__).resolve().parents[2])

    @property
    def labs(self) -> Path:
        return self.root / "labs"

    @property
    def reference(self) -> Path:
        return self.root / "reference"

    @property
    def is_for_students(self) -> bool:
        """Whether this is a copy that ./lab release made: it has no references."""
        return not self.reference.is_dir()

    @property
    def tests(self) -> Path:
        """The kit's own tests; a students' copy has none."""
        return self.root / "grader" / "tests"

    @property
    def made(self) -> Path:
        """Where everything is made: the checkout, unless that cannot be written to."""
        elsewhere = os.environ.get(ELSEWHERE)
        return Path(elsewhere).expanduser().resolve() if elsewhere else self.root

    def require_place(self) -> None:
        """Raises InfrastructureError if nothing can be made here, with what to set."""
        try:
            for folder in (self.made / "build", self.out):
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    pass
        except OSError as error:
            raise InfrastructureError(
                f"{self.made} cannot be written to ({error.strerror}); set {ELSEWHERE} to a folder "
                f"of yours, for example: export {ELSEWHERE}=~/.cache/warpwise"
            ) from error

    def is_closed_to(self, error: BaseException | None) -> bool:
        """Whether something could not be made because this user may not write where it belongs."""
        if not isinstance(error, OSError) or error.errno not in (EACCES, EPERM, EROFS):
            return False
        place = Path(os.fsdecode(error.filename or "/"))
        return any(place.is_relative_to(self.made / name) for name in ("build", "report", ".venv"))

    @property
    def out(self) -> Path:
        """Results and figures of this machine; ignored by git."""
        return self.made / "report" / "out"

    @property
    def venv(self) -> Path:
        return self.made / ".venv"

    def build(self, backend: str) -> Path:
        return self.made / "build" / backend

    def judge(self, backend: str, lab: str) -> Path:
        return self.build(backend) / "bin" / f"{lab}.judge"

    def control(self, backend: str, lab: str) -> Path:
        """A worker without a submission, which shows that the machine works."""
        return self.build(backend) / "bin" / f"{lab}.control"

    def ceilings(self) -> Path:
        """The program that measures a GPU's ceilings."""
        return self.build("gpu") / "bin" / "ceilings"

    def sanitizer_control(self) -> Path:
        """The program whose faults compute-sanitizer must report."""
        return self.build("gpu") / "bin" / "sanitizer-control"

    def worker_libraries(self, backend: str, lab: str, mode: str = "run") -> list[Path]:
        """The libraries that turn a submission's object file into a worker, in linking order."""
        folder = self.build(backend) / "lib"
        libraries = [folder / "libworker.a", folder / f"lib{lab}.entries.a"]
        if backend == "gpu":
            libraries.append(folder / "liblive_memory.a")
            return [*libraries, folder / "liblaunch_profile.a"] if mode == "profile" else libraries
        if mode != "run":
            libraries.append(folder / f"libcuda_on_cpu_{mode}.a")
        return [*libraries, folder / "libcuda_on_cpu.a"]

    def shown(self, path: Path) -> str:
        """`path` as the user would type it: relative to the current directory or the checkout."""
        for base in (Path.cwd(), self.root):
            if path.is_relative_to(base):
                return str(path.relative_to(base))
        return str(path)
