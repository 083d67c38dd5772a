"""Makes a class to try: a roster as Canvas exports it, and a download as Gradescope packs it.

    python3 grader/tests/make_class.py FOLDER [--students 300] [--lab 01-rank-sort] [--unique]

The hand-ins are references in all their forms, wrong solutions, exploits, broken zips, files with
careless names, copies of others, and late ones. The same numbers give the same bytes. With --unique
no two sources are the same, except the copies.
"""

import argparse
import io
import random
import sys
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.base.checkout import Checkout  # noqa: E402
from grader.lab_file import manifest  # noqa: E402

DUE = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
FIRST = ("Ada", "Alan", "Grace", "Emmy", "Kurt", "Sofia", "Carl", "Mary", "Blaise", "Hedy", "王",
         "Zoë")  # fmt: skip
LAST = ("Lovelace", "Turing", "Hopper", "Noether", "Gödel", "Kovalevskaya", "Gauss", "Somerville",
        "Pascal", "Lamarr", "O'Brien", "=SUM(A1)")  # fmt: skip
TIME = (2026, 11, 21, 0, 0, 0)
# Of a hundred hand-ins.
REFERENCES, WRONGS, SKELETONS, COPIES, BROKEN, CARELESS, EXPLOITS = 35, 30, 5, 15, 5, 7, 3
EXPLOITS_TRIED = ("host_sort", "forged_verdict", "reads_checkout", "input_zeroed")


class Maker:
    """Chooses what each student hands in."""

    def __init__(self, labs: Sequence[manifest.Lab], unique: bool) -> None:
        self.chance = random.Random(300)
        self.labs, self.unique = labs, unique
        self.earlier: list[tuple[manifest.Lab, bytes]] = []

    def hand_in(self, number: int) -> tuple[manifest.Lab, str, bytes, str]:
        """The lab, the file's name, its bytes, and what it is."""
        lab = self.labs[number % len(self.labs)]
        kinds = ("reference", "wrong", "skeleton", "copy", "broken", "careless", "exploit")
        weights = (REFERENCES, WRONGS, SKELETONS, COPIES, BROKEN, CARELESS, EXPLOITS)
        kind = self.chance.choices(kinds, weights)[0]
        same = [source for other, source in self.earlier if other == lab]
        if kind == "broken":
            return lab, "work.zip", b"PK\x03\x04 cut off", kind
        if kind == "copy" and same:
            return lab, lab.source, self.chance.choice(same), kind
        source = self.source(kind, lab, number)
        self.earlier.append((lab, source))
        if kind == "careless":
            return lab, "work.zip", careless(lab, source), kind
        return lab, lab.source, source, kind

    def source(self, kind: str, lab: manifest.Lab, number: int) -> bytes:
        reference = ROOT / "reference" / lab.name / lab.source
        folder = reference.parent
        paths = [reference]
        if kind == "reference":
            paths += [folder / form / lab.source for form in ("plain", "record")]
        elif kind == "wrong":
            paths = sorted((ROOT / "reference" / lab.name / "wrong").glob("*.cu"))
        elif kind == "skeleton":
            paths = [ROOT / "labs" / lab.name / lab.source]
        elif kind == "exploit":
            room = ROOT / "grader" / "tests" / "exploits"
            paths = [path for name in EXPLOITS_TRIED
                     if f": {lab.name}." in (path := room / f"{name}.cu").read_text()[:200]]
        text = self.chance.choice(paths or [reference]).read_bytes()
        return text + f"\n// student {number}\n".encode() if self.unique else text


def careless(lab: manifest.Lab, source: bytes) -> bytes:
    """A zip made on a Mac, with a folder and a copy's number."""
    stem = lab.source.removesuffix(".cu")
    return packed({f"my work/{stem.title()} (1).cu": source, f"__MACOSX/._{lab.source}": b"x",
                   "my work/.DS_Store": b"x"})  # fmt: skip


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, TIME), content)
    return made.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--lab", action="append", help="more than once for several; default all")
    parser.add_argument("--unique", action="store_true")
    given = parser.parse_args()
    labs = [lab for lab in manifest.discover(Checkout.here())
            if not given.lab or lab.name in given.lab]  # fmt: skip
    given.folder.mkdir(parents=True)
    make(given.folder, labs, given.students, given.unique)
    return 0


def make(folder: Path, labs: Sequence[manifest.Lab], students: int, unique: bool) -> None:
    """canvas.csv, what.csv, and a download for each lab, as Gradescope has one per assignment."""
    maker = Maker(labs, unique)
    roster = ["Student,ID,SIS User ID,SIS Login ID,Section,"
              + ",".join(f"{lab.title.replace(',', '')} ({900 + n})" for n, lab in enumerate(labs)),
              "    Points Possible,,,,," + ",".join("" for _ in labs)]  # fmt: skip
    what = ["student,lab,kind"]
    files: dict[str, dict[str, bytes]] = {lab.name: {} for lab in labs}
    said: dict[str, list[str]] = {lab.name: ["---"] for lab in labs}
    for number in range(1, students + 1):
        login, name = f"s{number:03}", f"{LAST[number % 12]}, {FIRST[number // 12 % 12]}"
        roster.append(f'"{name}",{1000 + number},u{number:03},{login}@x.edu,S{number % 3 + 1},'
                      + "," * (len(labs) - 1))  # fmt: skip
        if number % 40 == 0:
            continue  # handed in nothing
        lab, file, content, kind = maker.hand_in(number)
        late = timedelta(hours=maker.chance.choice((3, 30, 80))) if number % 9 == 0 else -timedelta(
            minutes=number)  # fmt: skip
        files[lab.name][f"submission_{number}/{file}"] = content
        said[lab.name] += [f"submission_{number}:", "  :submitters:", f"  - :name: {login}",
                           f"    :sid: u{number:03}", f"    :email: {login}@x.edu",
                           f"  :created_at: {(DUE + late):%Y-%m-%d %H:%M:%S} Z"]  # fmt: skip
        what.append(f"{login},{lab.name},{kind}{' late' if number % 9 == 0 else ''}")
    (folder / "canvas.csv").write_text("\n".join(roster) + "\n", encoding="utf-8")
    (folder / "what.csv").write_text("\n".join(what) + "\n", encoding="utf-8")
    for lab in labs:
        text = ("\n".join(said[lab.name]) + "\n").encode()
        content = packed({"submission_metadata.yml": text, **files[lab.name]})
        (folder / f"{lab.name}.zip").write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
