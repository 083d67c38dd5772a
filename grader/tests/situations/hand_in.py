"""What `./lab grade` says of a hand-in that it cannot grade, one sentence each."""

import io
import stat
import zipfile
from collections.abc import Mapping

from grader.base.checkout import Checkout

from .situation import Situation, both, file, files, given, lab, stage

SOURCE = "// mine"


def packed(contents: Mapping[str, str], link: str = "") -> bytes:
    """A zip; `link` is the name of a symbolic link in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
        if link:
            entry = zipfile.ZipInfo(link)
            entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def encrypted(content: bytes) -> bytes:
    """The same zip, saying that it needs a password."""
    at = content.rindex(b"PK\1\2")
    return content[: at + 8] + b"\1\0" + content[at + 10 :]


def of_method(content: bytes, method: int) -> bytes:
    at = content.rindex(b"PK\1\2")
    return content[: at + 10] + bytes([method, 0]) + content[at + 12 :]


def of_bad_names(content: bytes) -> bytes:
    """The same zip, whose only name says that it is UTF-8 and is not."""
    at = content.rindex(b"PK\1\2")
    head = content[: at + 8] + b"\0\x08" + content[at + 10 :]
    return head.replace(b"demo.cu", b"dem\xff.cu")


def strange(checkout: Checkout) -> None:
    """Files that are none."""
    folder = given(checkout)
    (folder / "linked").mkdir(parents=True)
    (folder / "linked" / "demo.cu").symlink_to("/etc/passwd")
    (folder / "inside" / "demo.cu").mkdir(parents=True)
    (folder / "nothing").mkdir()


SITUATIONS = (
    Situation("grade-another-kind-of-file", "grade {given}/report.pdf\ngrade {given}/mine.cu\n"
              "grade /dev/null", files(report_pdf="%PDF", mine_cu=SOURCE)),
    Situation("grade-a-text-that-is-none",
              "grade {given}/a/demo.cu\ngrade {given}/b/demo.cu\ngrade {given}/c/demo.cu\n"
              "grade {given}/d/demo.cu\ngrade {given}/e/demo.cu",
              files(a__demo_cu=" \n", b__demo_cu=b"x" * (1 << 20) + b"y",
                    c__demo_cu=b"\xff\xfei\0", d__demo_cu=b"int x;\0",
                    e__demo_cu=b"// caf\xe9\n")),
    Situation("grade-a-folder",
              "grade {given}/linked\ngrade {given}/inside\ngrade {given}/nothing", strange),
    Situation("grade-a-folder-with-more", "grade {given}/two\ngrade {given}/other",
              files(two__a__demo_cu=SOURCE, two__b__demo_cu=SOURCE, other__x_txt="no lab")),
    Situation("grade-a-zip",
              "grade {given}/outside.zip\ngrade {given}/link.zip\ngrade {given}/twice.zip\n"
              "grade {given}/bomb.zip\ngrade {given}/many.zip\ngrade {given}/damaged.zip\n"
              "grade {given}/locked.zip\ngrade {given}/method.zip\ngrade {given}/names.zip\n"
              "grade {given}/zips.zip\ngrade {given}/huge.zip\n"
              "grade {given}/rar.zip\ngrade {given}/inner.zip",
              files(outside_zip=packed({"../demo.cu": SOURCE}),
                    link_zip=packed({"demo.cu": SOURCE}, "x"),
                    twice_zip=packed({"demo.cu": SOURCE, "dem2.cu": "x"}).replace(
                        b"dem2.cu", b"demo.cu"),
                    bomb_zip=packed({"demo.cu": SOURCE, "zeros": "0" * (11 << 20)}),
                    many_zip=packed({f"{i}.txt": "" for i in range(1100)}),
                    damaged_zip=b"PK", locked_zip=encrypted(packed({"demo.cu": SOURCE})),
                    method_zip=of_method(packed({"demo.cu": SOURCE}), 97),
                    names_zip=of_bad_names(packed({"demo.cu": SOURCE})),
                    zips_zip=packed({"a.zip": "", "b.zip": ""}),
                    huge_zip=b"x" * (33 << 20), rar_zip=b"Rar!\x1a\x07\x00",
                    inner_zip=packed({"work.rar": "Rar!"}))),
    Situation("grade-a-class", "grade {given}/all/ann.zip\ngrade {given}/several",
              files(all__ann_zip=packed({"a_11_4_demo.cu": SOURCE, "b_12_5_demo.cu": SOURCE}),
                    several__ann__demo_cu=SOURCE, several__bob__demo_cu=SOURCE)),
    Situation("grade-the-same-name-twice", "grade {given}/a/demo.cu {given}/b/demo.cu",
              files(a__demo_cu=SOURCE, b__demo_cu=SOURCE)),
    Situation("grade", "grade {given}/ann/demo.cu {given}/bob.zip {given}/cid.pdf",
              files(ann__demo_cu=SOURCE, bob_zip=packed({"x/Demo (1).cu": stage("race", "a race")}),
                    cid_pdf="%PDF")),
    Situation("decide-refused",
              "decide {given}/none.json global --points 3 --because why\n"
              "decide report/out/check/01-demo/result.json global --points 3 --because ''\n"
              "decide report/out/check/01-demo/result.json global --points 99 --because why",
              both(file(stage("rejected", "std::sort")), lab("check", "01"))),
)  # fmt: skip
