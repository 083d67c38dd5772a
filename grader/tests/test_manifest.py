"""lab.toml: a good one is read, each fault is named with file and key."""

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.lab_file import manifest
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads("labs"), pytest.mark.unit]

NEEDS = 'needs = ["global"]\n'


def races(entry: str) -> str:
    """`entry` is what follows `buffer = `."""
    return NEEDS + f"races = [{{ buffer = {entry} }}]\n"


def test_a_good_manifest_is_read(lab: manifest.Lab) -> None:
    assert (lab.name, lab.source, lab.seconds) == (LAB, "demo.cu", 2.0)
    assert lab.stage_names == ("global", "strided")
    assert lab.stages[0].speed == manifest.SpeedRule("reference", 1024, 1.25, 4.0)
    assert lab.stages[1].needs == ("global",) and lab.stages[1].fast == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Demo sort"', "", "title: is missing"),
        ('title = "Demo sort"', 'titel = "x"\ntitle = "x"', "titel: is not a known key"),
        ('"demo.cu"', '"../demo.cu"', "source: must be the name"),
        ("seconds = 2", "seconds = 0", "limits.seconds: must be a number"),
        ("seconds = 2", "minutes = 2", "limits.minutes: is not a known key"),
        ('name = "strided"', 'name = "global"', r"stage\[2\].name: 'global' is already"),
        ('name = "strided"', 'name = "Strided"', r"stage\[2\].name: must be lower-case"),
        ('needs = ["global"]', 'needs = ["tiled"]', r"stage\[2\].needs: 'tiled' is not"),
        ("correct = 10, fast = 5", "correct = -1", r"points.correct: must be a number"),
        ("correct = 10, fast = 5", "correct = nan", r"points.correct: must be a number"),
        ("points = { correct = 10 }", "points = { correct = 1, fast = 2 }", "fast: is missing"),
        ('hints = ["think"]', "hints = []", r"stage\[2\].hints: at least one"),
        (
            'hints = ["think"]',
            'hints = ["think"]\nsanitizers = ["leakcheck"]',
            r"stage\[2\].sanitizers: 'leakcheck' is not one of memcheck, racecheck",
        ),
        ('against = "reference"', 'against = "cub"', "fast.against: 'cub' is not a yardstick"),
        ('against = "reference"', 'against = "reference.strided"', '"record" or "reference", or'),
        ("full = 1.25", "full = 5.0", "fast.none: must be larger"),
        ("n = 1024", "n = 1.5", "fast.n: must be a whole number"),
        ('hints = ["think"]', 'hints = ["a"]\nrequires = { ptx = "tex" }',
         r"stage\[2\].requires.because: is missing"),
        ('hints = ["think"]', 'hints = ["a"]\nrequires = { ptx = "(", because = "b" }',
         "requires.ptx: is not a regular expression"),
        ("[limits]", "[limits", "not valid TOML"),
    ],
)
def test_each_fault_is_named(checkout: Checkout, old: str, new: str, said: str) -> None:
    path = checkout.labs / LAB / "lab.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=f"^labs/{LAB}/lab.toml: .*{said}"):
        manifest.load(path)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('"dist", first = "read"', "second: is missing"),
        ('"dist[0]", first = "read", second = "write"', "buffer: must be the name that the test"),
        ('"dist", first = "read", second = "store"', "second: 'store' is not one of read, write"),
        ('"dist", first = "read", second = "read"', "second: two reads are never a race"),
        ('"dist", first = "atomic", second = "atomic"', "second: two atomics are never a race"),
        ('"d", first = "read", second = "write", first_line = "("', "first_line: is not a regular"),
        ('"dist", first = "read", second = "write", line = 3', "line: is not a known key"),
        ('"d", first = "read", second = "write", optional = 1', "optional: must be true or false"),
    ],
)
def test_each_fault_of_an_expected_race_is_named(
    checkout: Checkout, entry: str, said: str
) -> None:
    path = checkout.labs / LAB / "lab.toml"
    path.write_text(path.read_text().replace(NEEDS, races(entry)))
    with pytest.raises(UsageError, match=rf"lab.toml: stage\[2\].races\[1\].{said}"):
        manifest.load(path)


def test_expected_races_are_read(checkout: Checkout) -> None:
    path = checkout.labs / LAB / "lab.toml"
    entry = '"dist", first = "read", second = "write", second_line = "dist\\\\[\\\\w+] = "'
    path.write_text(path.read_text().replace(NEEDS, races(entry)))
    first, second = manifest.load(path).stages
    assert first.races == ()
    [race] = second.races
    assert (race.buffer, race.first, race.second) == ("dist", "read", "write")
    assert race.first_line is None and not race.optional
    assert race.second_line is not None and race.second_line.search("  dist[v] = candidate;")


def test_zero_labs_are_an_error_and_one_is_found(checkout: Checkout) -> None:
    assert [lab.name for lab in manifest.discover(checkout)] == [LAB]
    (checkout.labs / LAB / "lab.toml").unlink()
    with pytest.raises(UsageError, match="no lab was found"):
        manifest.discover(checkout)


@pytest.mark.parametrize("name", [LAB, "01", "1", "demo"])
def test_a_lab_is_found_by_any_of_its_names(lab: manifest.Lab, name: str) -> None:
    assert manifest.find([lab], name) is lab


@pytest.mark.parametrize("target", ["02", "demo.tiled", "demo.3", ""])
def test_unknown_targets_are_refused_with_what_there_is(lab: manifest.Lab, target: str) -> None:
    with pytest.raises(UsageError, match=f"{LAB}|global, strided"):
        manifest.find_target([lab], target)
