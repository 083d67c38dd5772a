"""With a secret seed nothing that a student may see leads to the hidden tests."""

import hashlib
import hmac
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.compiling.worker import compile_submission
from grader.grading import order
from grader.grading.order import SECRET_BIT, Seed
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest

pytestmark = pytest.mark.reads("judging", "labs", "reference")
CHECKOUT = Checkout.here()
OTHER_LAB = pytest.mark.exhaustive(
    "grader/judge", "grader/judging", "grader/grading", "labs", "grader/tests/test_secret.py"
)
SECRET = 271828
NUMBER = re.compile(r"\((case|seed) ([0-9a-f]+)\)")


def test_a_public_seed_is_itself_and_a_secret_one_is_far_from_it() -> None:
    assert Seed(7).value == 7 and Seed(7).commitment is None
    hidden = Seed(7, SECRET)
    assert hidden.value & SECRET_BIT and hidden.value < 2**63
    assert hidden.value == Seed(7, SECRET).value
    assert len({Seed(p, s).value for p in (0, 7) for s in (0, 7, SECRET)}) == 6
    assert hidden.value not in (7 ^ SECRET, SECRET, 7 ^ SECRET | SECRET_BIT)


def test_the_commitment_tells_secrets_apart_and_is_slow_to_guess() -> None:
    commitments = {Seed(1, secret).commitment for secret in (0, 1, 2, -1, 2**80)}
    assert len(commitments) == 5 and all(re.fullmatch("[0-9a-f]{64}", str(c)) for c in commitments)
    assert Seed(1, 3).commitment == Seed(2, 3).commitment
    fast = (f(text).hexdigest() for f in (hashlib.sha256, hashlib.sha512) for text in (b"3", b"\3"))
    assert Seed(1, 3).commitment not in set(fast)
    assert order.SCRYPT_WORK * 8 * 128 >= 64 << 20  # bytes that one guess takes


def test_no_judge_writes_a_seed_into_a_label() -> None:
    """Labels go through with_case_number, which knows whether the seed is a secret."""
    for path in (*CHECKOUT.labs.rglob("*.?pp"), *(CHECKOUT.root / "datasets").glob("*.hpp"),
                 *(CHECKOUT.root / "grader" / "judge").glob("*.?pp")):  # fmt: skip
        if path.name != "case_number.hpp":
            text = path.read_text()
            assert not re.search(r"to_string\(\w*seed|\(seed \"|<< *\w*seed", text), path


REMAINDER = re.compile(r"\bseed(\(\))? % ")


def test_no_judge_shows_a_remainder_of_the_seed() -> None:
    """A few of them, sizes for example, would tell the seed: what it chooses is drawn."""
    judge = CHECKOUT.root / "grader" / "judge"
    for path in (*CHECKOUT.labs.rglob("*.?pp"), *judge.glob("*.?pp")):
        assert not REMAINDER.search(path.read_text()), path
    assert REMAINDER.search("1001 + judge().options().seed % 50")


def judged(
    lab: str, stage: str, wrong: str, seed: int, folder: Path, prints: str = ""
) -> dict[str, Any]:
    """What the judge says of a wrong file of the reference's; the stage's function may print."""
    made = manifest.find(manifest.discover(CHECKOUT), lab)
    source = (CHECKOUT.reference / lab / "wrong" / f"{wrong}.cu").read_bytes()
    if prints:
        begin = rb"(\bvoid " + stage.encode() + rb"\([^{;]*\{)"
        line = rb'\1 for (int i = 0; i < 30; ++i) std::printf("' + prints.encode() + rb'%d\\n", i);'
        source = b"#include <cstdio>\n" + re.sub(begin, line, source)
    compiled = compile_submission(CHECKOUT, made, source, "cpu")
    assert compiled.worker, compiled.message
    command = [CHECKOUT.judge("cpu", lab), "--worker", compiled.worker, "--stage", stage,
               "--seed", str(seed), "--largest", "1000", "--report", folder / "report"]  # fmt: skip
    subprocess.run(command, capture_output=True, cwd=folder)
    document: dict[str, Any] = json.loads((folder / "report").read_text())
    return document


@pytest.mark.parametrize(
    ("lab", "stage", "wrong"),
    [
        ("01-rank-sort", "stable", "ties_reversed"),
        pytest.param("04-odd-even", "records", "payload_stays", marks=OTHER_LAB),
        pytest.param("05-sssp", "relax", "one_direction", marks=OTHER_LAB),
    ],
)
def test_a_case_of_a_secret_seed_is_numbered_by_hmac(
    tmp_path: Path, lab: str, stage: str, wrong: str
) -> None:
    build_for_grading(CHECKOUT, "cpu")
    public = json.dumps(judged(lab, stage, wrong, 12345, tmp_path))
    shown = NUMBER.search(public)
    assert shown and shown[1] == "seed" and 0 <= int(shown[2]) - 12345 < 5000
    seed = Seed(1, SECRET).value
    hidden = json.dumps(judged(lab, stage, wrong, seed, tmp_path))
    assert str(seed)[:9] not in hidden and "(seed" not in hidden
    number = NUMBER.search(hidden)
    assert number and number[1] == "case"
    before = hidden[: number.start()].rstrip()
    labels = [before[i:] for i in range(max(0, len(before) - 80), len(before))]
    expected = {
        hmac.digest(str(seed).encode(), f"{label} (seed {seed + i})".encode(), "sha256").hex()[:8]
        for i in range(200)
        for label in labels
    }
    assert number[2] in expected
    other = judged(lab, stage, wrong, Seed(1, SECRET + 1).value, tmp_path)
    assert number[2] not in json.dumps(other)


def test_what_a_program_prints_is_shown_for_public_inputs_only(tmp_path: Path) -> None:
    build_for_grading(CHECKOUT, "cpu")
    file = ("01-rank-sort", "stable", "ties_reversed")
    message = judged(*file, 1, tmp_path, prints="my rank ")["message"]
    words = message.partition("the program printed in this call:\n")[2].splitlines()
    assert words == [*(f"  my rank {i}" for i in range(10)), "  ..."], message
    assert "printed" not in judged(*file, 1, tmp_path)["message"]
    secret = judged(*file, Seed(1, SECRET).value, tmp_path, prints="my rank ")["message"]
    assert secret and "my rank" not in secret
