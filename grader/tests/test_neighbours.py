"""The barrier for some neighbouring blocks, labs/kit/cooperative.hpp, on the CPU backend."""

import re
import sys
from pathlib import Path

import pytest

from grader import process
from grader.checkout import Checkout

CHECKOUT = Checkout.here()
sys.path.insert(0, str(CHECKOUT.root / "grader" / "cpu"))
import cucc  # noqa: E402
import runtime_library  # noqa: E402

SOURCE = CHECKOUT.root / "grader" / "tests" / "neighbours" / "neighbours.cu"


@pytest.fixture(scope="module", params=["run", "check"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    built: Path = tmp_path_factory.mktemp("neighbours") / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(CHECKOUT.build("cpu")))
        library = runtime_library.cached_library(cucc.compiler(), built.parent, request.param)
        flags = ["--mode", request.param, "-Wall", "-Wextra", "-I", str(CHECKOUT.labs / "kit")]
        cucc.link_program([SOURCE], built, flags, library)
    return built


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_neighbours_read_what_their_group_wrote(program: Path, order: str) -> None:
    done = process.run([str(program), "0"], env={"WARPWISE_ORDER": order}, limit=60)
    assert (done.returncode, done.output) == (0, "right\n")


def test_a_group_that_is_too_small_is_a_race(program: Path) -> None:
    done = process.run([str(program), "1"], limit=60)
    if program.name == "run":
        assert done.output == "wrong\n"
        return
    assert done.returncode != 0
    early = [
        str(number)
        for number, line in enumerate(SOURCE.read_text().splitlines(), start=1)
        if line.endswith("// EARLY")
    ]
    assert set(re.findall(r"race: .*neighbours.cu:(\d+).*neighbours.cu:\d+", done.output)) & set(
        early
    ), done.output
