"""The HTML pages in a browser: they load nothing, show hostile text as text, sort and print."""

import dataclasses
import json
import random
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.grading.read_result import converted
from grader.lab_file import recorded
from grader.pages import failures, lab_report, packed, page, questions, similarity
from grader.pages.chart import Line, Point, line_chart
from grader.pages.class_report import LabMaterial, class_page
from grader.tests import choice, class_of
from grader.tests.browser import chromium, dom, said
from grader.tests.class_of import Entry, Student, made_class
from grader.tests.fakes import LAB, plan
from grader.tests.finished import finished

pytestmark = pytest.mark.reads("grader/pages", "labs", "reference")
# A browser takes a second to start. What is hostile is always looked at.
IN_A_BROWSER = pytest.mark.exhaustive("grader/pages", "grader/tests/class_of.py")
HERE = Checkout.here()
PAGES = HERE.root / "grader" / "pages"
LABS = finished(HERE)
RESULTS = HERE.root / "grader" / "tests" / "fixtures" / "results"  # of references, on an H200
DATA = "application/octet-stream"  # a script of this type is never run
HOSTILE = "<script>document.body.dataset.pwned=1</script><img src=x onerror='pwned()'>\u202eevil"
SHOWN = "&lt;script&gt;document.body.dataset.pwned=1&lt;/script&gt;"


def graded(lab: str = "04-odd-even") -> dict[str, Any]:
    return converted(json.loads((RESULTS / f"{lab}.json").read_text(encoding="utf-8")))


def of_class(entries: list[Entry], material: dict[str, LabMaterial] | None = None) -> str:
    return class_page("Parallel Programming", entries, material or {},
                      lambda entry: entry.hand_in.text if entry.hand_in else "",
                      "2026-11-22T19:00:00Z")  # fmt: skip


def students(text: str) -> dict[str, str]:
    """The students' pages that are packed in a class page."""
    return packed.unpack(text.partition('id="packed">')[2].partition("</script>")[0])


def whole(text: str) -> str:
    """A page with all that is packed in it."""
    return text + "".join(students(text).values() if 'id="packed"' in text else ())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A student's report and a class page, with hostile texts wherever somebody else writes."""
    folder = tmp_path_factory.mktemp("pages")
    result = graded()
    result["stages"][1] |= {"verdict": "wrong answer", "message": HOSTILE, "case": HOSTILE}
    result["notes"] = [{"text": HOSTILE, "file": None, "line": None}]
    asked = questions.questions(HERE.labs / result["lab"] / "README.md")
    entries = made_class(LABS[:2], 20)
    hostile = Student("u1", HOSTILE, HOSTILE, HOSTILE)
    entries = [dataclasses.replace(e, student=hostile) for e in entries[:2]] + entries[2:]
    for entry in entries[:6]:
        for stage in entry.document["stages"] if entry.document else ():
            stage |= {"verdict": "race", "message": HOSTILE, "staff_message": HOSTILE}
        if entry.document:
            item = {"stage": None, "code": "anomaly", "text": HOSTILE}
            entry.document["needs_review"].append(item)
    texts = {"report": lab_report.report(result, asked, author=HOSTILE), "class": of_class(entries)}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


# ---- nothing is loaded, nothing of others is run ------------------------------------------------


class Requests(HTMLParser):
    """Collects what a page would ask for, and how many scripts it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script" and ("type", DATA) not in attrs
        for name, value in attrs:
            is_link = name in ("src", "href", "srcset", "action", "data", "poster", "background")
            if is_link and not (value or "").startswith("#"):
                self.found.append(f"{tag} {name}={value}")
            if name.startswith("on") or (name == "style" and "url(" in (value or "")):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if "@import" in data or "url(" in data:
            self.found.append(data[:60])


@pytest.mark.parametrize("name", ["report", "class"])
def test_a_page_asks_for_nothing(pages: dict[str, Path], name: str) -> None:
    found = Requests(whole(pages[name].read_text(encoding="utf-8")))
    assert (found.found, found.scripts) == ([], 1)


@pytest.mark.parametrize(
    "text",
    ["<img src='https://example.org/a.png'>", "<a href='x.html'>", "<p onclick='f()'>",
     "<style>@import 'a.css'</style>", "<p style='background: url(a.png)'>"],
)  # fmt: skip
def test_a_page_that_asks_for_something_would_be_found(text: str) -> None:
    assert Requests(text).found


@pytest.mark.parametrize(("name", "at"), choice.first_of(
    1, [("class", "#s1"), ("report", ""), ("class", "")], PAGES))  # fmt: skip
def test_hostile_text_is_shown_as_text(pages: dict[str, Path], name: str, at: str) -> None:
    shown = dom(pages[name], at=at)
    assert ('<article class="student"' in shown) == bool(at)
    assert SHOWN in shown and "\\u202eevil" in shown
    assert "data-pwned" not in shown and "<img" not in shown and "\u202e" not in shown


@IN_A_BROWSER
def test_the_browser_would_have_run_it(pages: dict[str, Path], tmp_path: Path) -> None:
    """Unescaped, the policy still keeps it from running; without the policy, too, it runs."""
    text = pages["report"].read_text(encoding="utf-8").replace(SHOWN, HOSTILE)
    careless, lost = tmp_path / "careless.html", tmp_path / "lost.html"
    careless.write_text(text, encoding="utf-8")
    lost.write_text(re.sub(r"<meta http-equiv[^>]*>", "", text), encoding="utf-8")
    assert "<img" in dom(careless) and "data-pwned" not in dom(careless)
    assert "data-pwned" in dom(lost)


def test_text_in_a_figure_is_text() -> None:
    chart = line_chart([Line(HOSTILE, [Point(256, 2.0, 1.9, 2.1)])], HOSTILE, HOSTILE, HOSTILE)
    assert "<script" not in chart and "<img" not in chart and "\u202e" not in chart


# ---- the class page -----------------------------------------------------------------------------

ROWS = "const rows = [...document.querySelectorAll('.standing tbody tr')];"


def test_the_list_of_students_sorts(pages: dict[str, Path]) -> None:
    script = (
        "const head = [...document.querySelectorAll('.standing th')].pop();"
        "head.querySelector('button').click();"
        + ROWS
        + "return rows.map(row => row.cells[row.cells.length - 1].dataset.key).join(' ');"
    )
    points = [float(word) for word in said(pages["class"], script).split()]
    assert len(points) == 20 and points == sorted(points, reverse=True)
    twice = script.replace("click();", "click(); head.querySelector('button').click();", 1)
    assert [float(word) for word in said(pages["class"], twice).split()] == points[::-1]


@pytest.mark.parametrize(
    ("field", "value", "fits"),
    [("find", "U1003", lambda row: "u1003" in row), ("section", "B", lambda row: row[-2:] == "/B"),
     ("flag", "missing", lambda row: "missing" in row)],
)  # fmt: skip
@IN_A_BROWSER
def test_the_list_of_students_is_filtered(
    pages: dict[str, Path], field: str, value: str, fits: Any
) -> None:
    describe = ("row.dataset.find.slice(-5) + ':' + row.dataset.flags.slice(0, 40) + '/' + "
                "row.dataset.section.slice(0, 9)")  # fmt: skip
    script = (
        f"const field = document.getElementById('{field}'); field.value = '{value}';"
        "field.dispatchEvent(new Event('input'));" + ROWS +
        f"return rows.filter(row => !row.hidden).map(row => {describe}).join('|');"
    )  # fmt: skip
    shown = said(pages["class"], script).split("|")
    assert 0 < len(shown) < 20 and all(fits(row) for row in shown), shown


@pytest.mark.parametrize(("width", "place"), [(390, "below"), (1200, "beside")])
@IN_A_BROWSER
def test_on_a_phone_what_was_found_is_below_who_it_is_about(
    pages: dict[str, Path], width: int, place: str
) -> None:
    script = (
        "const [row] = document.querySelectorAll('.review tbody tr');"
        "const [first, last] = [row.cells[0], row.cells[3]];"
        "return last.offsetTop > first.offsetTop ? 'below' : 'beside';"
    )
    assert said(pages["class"], script, width=width) == place


def test_each_student_has_a_page_and_every_link_leads_somewhere(pages: dict[str, Path]) -> None:
    text = pages["class"].read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', whole(text))
    links = re.findall(r'href="#([^"]+)"', whole(text))
    assert len(ids) == len(set(ids)) and set(links) <= set(ids)
    assert len([one for one in ids if re.fullmatch(r"s\d+", one)]) == 20 and len(links) > 40
    assert all(f'id="{name}"' in page for name, page in students(text).items())
    assert "</a>; <a" in text and "</a>, <a" not in text  # a name has a comma of its own


@pytest.mark.parametrize(("at", "shown"), [("", False), ("#s3", True), ("#lab-01-rank-sort", False),
                                           ("#s999", False)])  # fmt: skip
@IN_A_BROWSER
def test_a_student_s_page_is_unpacked_where_a_link_leads_to_it(
    pages: dict[str, Path], at: str, shown: bool
) -> None:
    elements = dom(pages["class"], at=at)
    assert ('id="s3"' in elements) is shown and ("of-one" in elements.partition("<body")[2][:60]
                                                 ) is shown  # fmt: skip


@IN_A_BROWSER
def test_a_browser_that_cannot_unpack_says_so(pages: dict[str, Path], tmp_path: Path) -> None:
    text = pages["class"].read_text(encoding="utf-8")
    old = tmp_path / "old.html"
    old.write_text(re.sub(r"<meta http-equiv[^>]*>", "<script>delete self.DecompressionStream;"
                          "</script>", text), encoding="utf-8")  # fmt: skip
    assert "<article>This browser is too old to unpack" in dom(old, at="#s3")
    assert "<article>This browser" not in dom(old)


def test_what_is_packed_comes_back_and_ends_no_element() -> None:
    parts = {"s1": f"<b>{HOSTILE}</b></script>", "s2": "é\u2028"}
    assert packed.unpack(packed.pack(parts)) == parts
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed.pack(parts))


@pytest.mark.parametrize("state", ["refused", "missing"])
def test_points_that_somebody_decided_are_shown_whatever_the_state(state: str) -> None:
    entry = next(e for e in made_class(LABS[:1], 200, seed=3) if e.state == state)
    decided = dataclasses.replace(entry.mark, points=7.25, is_open=False)
    for mark, shown in ((decided, True), (dataclasses.replace(decided, points=None), False)):
        [row] = re.findall(r'<tr data-section.*?</tr>', of_class(
            [dataclasses.replace(entry, mark=mark)]), re.DOTALL)  # fmt: skip
        cell = row.split("<td")[2]
        assert (">7.25<" in cell) is shown and state in cell


def test_namesakes_have_their_ids_beside_their_names() -> None:
    entries = [e for e in made_class(LABS[:1], 30, seed=3) if e.document][:3]
    names = ("Ant, Ann", "Ann Ant", "Bob Bee")
    entries = [dataclasses.replace(entry, student=Student(f"u{n}", name, "", ""))
               for n, (entry, name) in enumerate(zip(entries, names, strict=True))]  # fmt: skip
    for entry in entries:
        item = {"stage": None, "code": "anomaly", "text": "seen"}
        entry.document["needs_review"].append(item)  # type: ignore[index]
    text = of_class([opened(entry) for entry in entries])
    review = text.partition("To look at first")[2].partition("</table>")[0]
    assert ">Ant, Ann (u0)</a>" in review and ">Ann Ant (u1)</a>" in review
    assert ">Bob Bee</a>" in review


def test_remarks_about_the_course_come_first() -> None:
    entries = made_class(LABS[:1], 3)
    text = class_page("C", entries, {}, lambda _: "", "2026-11-22T19:00:00Z", ["edited: <x>"])
    assert '<p class="notice">edited: &lt;x&gt;</p>' in text
    assert 'class="notice">edited' not in of_class(entries)


def test_times_of_a_class_page_are_of_the_course_s_zone() -> None:
    entries = made_class(LABS[:1], 6)
    zone = ZoneInfo("America/New_York")
    text = class_page("C", entries, {}, lambda _: "", "2026-11-22T03:00:00Z", zone=zone)
    assert "Made 2026-11-21 22:00 EST from" in text and " UTC" not in whole(text)
    handed_in = [entry for entry in entries if entry.hand_in]
    assert handed_in and whole(text).count("handed in 2026-11-20 16:14 EST") == len(handed_in)
    assert "handed in 2026-11-20 21:14 UTC" in whole(of_class(entries))


def test_what_is_excused_is_nothing_to_look_at() -> None:
    entries = [e for e in made_class(LABS[:1], 20, seed=3) if e.document and e.mark.is_open]
    entry = next(e for e in entries if e.document["needs_review"])
    assert "To look at first" in of_class([entry])
    text = of_class([dataclasses.replace(entry, state="excused")])
    assert "To look at first" not in text and "Excused: the mark does not count." in whole(text)
    assert 'class="open-mark"' in of_class([entry]) and 'class="open-mark"' not in text
    assert "<b></b></td></tr>" in text and "<b></b></td></tr>" not in of_class([entry])


def test_a_lab_counts_whom_the_head_of_the_page_counts() -> None:
    entries = [e for e in made_class(LABS[:1], 30, seed=3) if e.state == "graded"]
    failed = next(e for e in entries if e.document and e.document["verdict"] == "failed")
    entries[entries.index(failed)] = dataclasses.replace(failed, state="excused")
    text, count = of_class(entries), len(entries) - 1
    assert f"<dt>hand-ins graded</dt><dd>{count}</dd>" in text
    assert f"{count} of {count} graded" in text and f"/ {count}<" in text
    [row] = re.findall(r"<tr [^>]*data-flags=.excused.*", text)
    assert "failing" not in row


def opened(entry: Entry) -> Entry:
    """With points that wait for a person."""
    return dataclasses.replace(entry, mark=dataclasses.replace(entry.mark, is_open=True))


def test_what_nothing_hangs_on_is_nothing_to_look_at() -> None:
    """The page lists what `./lab class status --review` lists."""
    entry = next(e for e in made_class(LABS[:1], 20, seed=3) if e.document)
    entry.document["needs_review"] = [  # type: ignore[index]
        {"stage": None, "code": "anomaly", "text": "seen"}
    ]
    closed = dataclasses.replace(entry, mark=dataclasses.replace(entry.mark, is_open=False))
    assert "To look at first" in of_class([opened(entry)])
    assert "To look at first" not in of_class([closed])


def test_what_is_all_open_is_no_part_of_the_median() -> None:
    graded = [e for e in made_class(LABS[:1], 40, seed=3) if e.state == "graded"][:3]
    refused = [e for e in made_class(LABS[:1], 400, seed=3) if e.state == "refused"][:4]
    assert len(refused) == 4
    median = re.compile(r"the median is ([\d.]+) of")
    [alone], [both] = (median.findall(of_class(e)) for e in (graded, graded + refused))
    assert alone == both and float(alone) > 0


def test_what_a_person_must_look_at_comes_first_until_it_is_decided() -> None:
    entries = [opened(entry) for entry in made_class(LABS[:1], 3, seed=3)]
    for entry, code in zip(entries, ("inconclusive", "anomaly", "rejected-technique"), strict=True):
        if entry.document:
            item = {"stage": "global", "code": code, "text": f"seen {code}"}
            entry.document["needs_review"] = [item]
    text = of_class(entries)
    assert -1 < text.index("seen anomaly") < text.index("seen rejected-technique")
    assert text.index("seen rejected-technique") < text.index("seen inconclusive")
    entries[1].document["decisions"] = [  # type: ignore[index]
        {"stage": "global", "points": 3, "because": "fine", "who": "ta", "time": "2026-11-22"}
    ]
    assert "seen anomaly" not in of_class(entries)
    whole = class_of.Line("the whole lab: decided 0", 0, "decision")
    entries[0] = dataclasses.replace(
        entries[0], mark=dataclasses.replace(entries[0].mark, lines=(whole,), is_open=False)
    )
    assert "seen inconclusive" not in of_class(entries)


@IN_A_BROWSER
def test_the_class_of_300_is_made_in_reasonable_time_and_size(tmp_path: Path) -> None:
    started = time.process_time()
    text = of_class(made_class(LABS, 300))
    assert 1e6 < len(text) < 2.5e6 and time.process_time() - started < 15  # 4 s on two cores
    assert len(students(text)) == 300
    path = tmp_path / "class.html"
    path.write_text(text, encoding="utf-8")
    assert said(path, ROWS + "return rows.length;") == "300"


# ---- a student's report -------------------------------------------------------------------------


def test_the_report_has_every_stage_figure_and_question() -> None:
    for lab in LABS:
        result = graded(lab.name)
        asked = questions.questions(HERE.labs / lab.name / "README.md")
        text = lab_report.report(result, asked)
        assert len(asked) == text.count('class="answer"') >= 4
        assert all(f"<b>{stage}</b>" in text for stage in lab.stage_names)
        baselines = {m["baseline"] for m in result["measured"] if m["points"]} - {""}
        assert text.count("<svg class='chart'") == text.count("The ladder at n = ")
        assert text.count("<svg class='chart'") == len(baselines) >= 1
        assert all(f"<tr><td><b>{m['stage']}</b>" in text for m in result["measured"])
        assert "CPU backend" not in text


def test_times_of_the_cpu_backend_are_no_gpu_times() -> None:
    result = {**graded(), "backend": "cpu"}
    assert "They say nothing about a GPU" in lab_report.report(result, [])


def test_a_part_of_the_stages_is_not_numbered_from_1() -> None:
    numbered = '<td class="num quiet">1</td>'
    assert numbered in lab_report.report(graded(), [])
    assert numbered not in lab_report.report(graded(), [], missing=2)


@pytest.mark.parametrize(("line", "shown"), [
    ("the call made 4 launches", "The call made 4 launches."),
    ("still right: odd_even::phases(keys, 1)", "Still right: odd_even::phases(keys, 1)."),
    ("the call left its buffers as they were", "The call left its buffers as they were."),
    ("the kernel did it", "the kernel did it"),  # whatever else is said stays as it is
])  # fmt: skip
def test_what_the_judge_adds_to_a_message_is_a_sentence(line: str, shown: str) -> None:
    result = graded()
    stage = result["stages"][0]
    stage |= {"verdict": "wrong answer", "message": f"wrong at index 0\n{line}"}
    text = lab_report.report(result, [])
    assert shown in text and (line in text) == (line == shown)


def test_a_report_names_what_is_not_in_its_figure() -> None:
    result = graded()
    assert "Only what passes is timed" not in lab_report.report(result, [])
    result["stages"][1]["verdict"] = "race"
    name = result["stages"][1]["name"]
    assert f"Only what passes is timed. Not yet: {name}." in lab_report.report(result, [])


def test_an_empty_report_says_why() -> None:
    result = {**graded(), "measured": []}
    text = lab_report.report(result, [])
    assert "Nothing was timed" in text and "<svg" not in text and 'class="answer"' not in text


@IN_A_BROWSER
def test_what_is_filled_in_stays(pages: dict[str, Path]) -> None:
    script = (
        "const answer = document.querySelector('.answer'); answer.innerText = 'at n = 4096';"
        "answer.dispatchEvent(new Event('input'));"
        "return localStorage.getItem('warpwise 04-odd-even');"
    )
    assert said(pages["report"], script) == '{"answer 1":"at n = 4096"}'


@IN_A_BROWSER
def test_the_report_fits_a_phone(pages: dict[str, Path]) -> None:
    script = "return document.documentElement.scrollWidth - innerWidth;"
    assert int(said(pages["report"], script, width=500)) <= 0
    script = """const left = (one) => one.getBoundingClientRect().left;
      const ticks = [...document.querySelectorAll('.chart .tick')].map(left);
      return Math.min(...ticks) >= left(document.querySelector('figure'));"""
    assert said(pages["report"], script, width=500) == "true"  # what is left of it is cut off
    script = """const times = document.querySelector('.times');
      return [times.scrollWidth - times.clientWidth,
              getComputedStyle(times.querySelector("tbody tr")).display,
              times.querySelectorAll('td[data-n]').length]"""
    assert re.match(r"0,grid,[1-9]", said(pages["report"], script, width=500))
    assert re.match(r"0,table-row,[1-9]", said(pages["report"], script, width=1200))


@IN_A_BROWSER
def test_on_a_phone_the_marks_of_five_labs_need_no_moving_sideways(tmp_path: Path) -> None:
    """Each student is a small table of labs; on a desk each is a row."""
    page = tmp_path / "class.html"
    page.write_text(of_class(made_class(LABS, 20)), encoding="utf-8")
    script = """const wide = document.querySelector('.wide');
      const [first, second] = document.querySelectorAll('.standing tbody tr');
      second.hidden = true;
      const cells = [...first.querySelectorAll('td[data-lab]')];
      const label = (cell) => getComputedStyle(cell, '::before').content;
      return [wide.scrollWidth - wide.clientWidth, getComputedStyle(first).display,
              getComputedStyle(second).display, ...cells.map(label)].join(' ')"""
    assert said(page, script, width=500) == '0 grid none "01" "02" "03" "04" "05"'
    on_a_desk = said(page, script, width=1200)
    assert on_a_desk == "0 table-row none none none none none none"


@IN_A_BROWSER
def test_pages_are_dark_where_the_reader_wants_it(pages: dict[str, Path]) -> None:
    script = "return getComputedStyle(document.documentElement).backgroundColor;"
    light, dark = (said(pages["report"], script, dark=dark) for dark in (False, True))
    assert light == "rgb(255, 255, 255)" and max(map(int, re.findall(r"\d+", dark))) < 60


@IN_A_BROWSER
def test_on_paper_every_column_of_marks_is_seen(tmp_path: Path) -> None:
    """Five labs on a sheet of A4: what lies beside it is lost."""
    text = of_class(made_class(LABS, 20)).replace("@media print", "@media all")
    rule = ".standing .strip { display: none; }"
    script = "const t = document.querySelector('.wide'); return t.scrollWidth - t.clientWidth;"
    beyond = []
    for number, shown in enumerate((text, text.replace(rule, ""))):
        page = tmp_path / f"paper-{number}.html"
        page.write_text(shown, encoding="utf-8")
        beyond.append(int(said(page, script, width=658)))
    assert beyond[0] <= 0 < beyond[1]


@IN_A_BROWSER
def test_on_paper_no_key_explains_what_is_left_out(tmp_path: Path) -> None:
    text = of_class(made_class(LABS[:2], 3))
    script = """const shows = (one) => getComputedStyle(one).display !== 'none';
      const keys = [...document.querySelectorAll('.strip.legend')].map(shows);
      return [shows(document.querySelector('.standing .strip')), ...keys].join(' ')"""
    told = []
    for name, shown in (("screen", text), ("paper", text.replace("@media print", "@media all"))):
        page = tmp_path / f"{name}.html"
        page.write_text(shown, encoding="utf-8")
        told.append(said(page, script))
    assert told == ["true true true true", "false false true true"]


@IN_A_BROWSER
def test_on_paper_the_heads_of_a_list_can_be_repeated(tmp_path: Path) -> None:
    """Chromium repeats a head on every page, but none that has a button's box in it."""
    text = of_class(made_class(LABS[:2], 3))
    script = """const buttons = [...document.querySelectorAll('.standing thead button')];
      return buttons.map((one) => getComputedStyle(one).display).join(' ')"""
    told = []
    for name, shown in (("screen", text), ("paper", text.replace("@media print", "@media all"))):
        page = tmp_path / f"{name}.html"
        page.write_text(shown, encoding="utf-8")
        told.append(said(page, script))
    assert told == [" ".join(["inline-block"] * 4), " ".join(["contents"] * 4)]


LONG = ("Wolfeschlegelsteinhausenbergerdorff-Kaltenbrunner, Maximilian Alexander", "A" * 70)


@pytest.mark.parametrize("width", [390, 1000])
@IN_A_BROWSER
def test_a_long_name_pushes_nothing_aside(tmp_path: Path, width: int) -> None:
    """Neither the page nor a table is wider than the window, and no sum is printed over a name."""
    entries = made_class(LABS, 60)
    asked = [e.student.id for e in entries if e.document and e.document["needs_review"]]
    names = dict(zip(dict.fromkeys(asked), LONG, strict=False))
    entries = [dataclasses.replace(e, student=Student(f"{e.student.id}@{'x' * 50}.example.org",
               names[e.student.id], "", "")) for e in entries if e.student.id in names]  # fmt: skip
    text = of_class(entries)
    assert "To look at first" in text
    script = """const fits = (one) => one.scrollWidth <= one.clientWidth;
      const range = document.createRange();
      const box = (cell) => { range.selectNodeContents(cell);
                              return range.getBoundingClientRect(); };
      const rows = [...document.querySelectorAll('.standing tbody tr')];
      const apart = rows.map((row) => {
        const [name, sum] = [box(row.cells[0]), box(row.cells[row.cells.length - 1])];
        return name.right <= sum.left || name.bottom <= sum.top; });
      const [review] = document.querySelectorAll('.review');
      return [fits(document.documentElement), fits(document.querySelector('.wide')),
              review.offsetWidth <= document.body.clientWidth, ...apart].join(' ')"""
    told = []
    for name, shown in (("kept", text), ("lost", text.replace("overflow-wrap: anywhere", ""))):
        page = tmp_path / f"{name}.html"
        page.write_text(shown, encoding="utf-8")
        told.append(said(page, script, width=width))
    assert told[0] == "true true true true true" and "false" in told[1]


@IN_A_BROWSER
def test_on_paper_all_that_a_person_must_look_at_is_seen(tmp_path: Path) -> None:
    """The button that shows all is not there, and a star must not be in the margin."""
    text = of_class(made_class(LABS, 60))
    script = """const rows = [...document.querySelectorAll('.review tbody tr')];
      const seen = rows.filter((row) => getComputedStyle(row).display !== 'none').length;
      const star = getComputedStyle(document.querySelector('.open-mark')).position;
      return [rows.length > 12, seen === rows.length, star].join(' ')"""
    told = []
    for name, shown in (("screen", text), ("paper", text.replace("@media print", "@media all"))):
        page = tmp_path / f"{name}.html"
        page.write_text(shown, encoding="utf-8")
        told.append(said(page, script, width=1000))
    assert told == ["true false absolute", "true true static"]


@pytest.mark.parametrize("name", ["report", "class"])
@IN_A_BROWSER
def test_pages_print(pages: dict[str, Path], tmp_path: Path, name: str) -> None:
    chromium(pages[name], f"--print-to-pdf={tmp_path / 'page.pdf'}")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines define it: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read(scheme: int) -> None:
    style = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    block = style.split(":root {")[scheme + 1]
    colours = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block.split("}")[0]))
    for name in ("ink", "quiet", "good", "bad", "open", "accent"):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    assert contrast("#777777", "#888888") < 4.5


MOODS = ("good", "open", "bad", "idle")


def forms(style: str, place: str) -> set[str]:
    """What distinguishes the moods in a strip (`i.`) or a stack, to whom all colours are one."""
    of_mood = (re.search(re.escape(place + mood) + r"\b[^{]*\{([^}]*)", style) for mood in MOODS)
    return {re.sub(r"var\(--\w+\)", "colour", rule[1].strip()) for rule in of_mood if rule}


def test_passed_and_failed_differ_in_more_than_colour() -> None:
    style = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    assert [len(forms(style, place)) for place in ("i.", ".stack .")] == [len(MOODS)] * 2
    one_form = re.sub(r" box-shadow: [^;]*;", "", style)
    one_form = re.sub(r"\w+-gradient\([^;]*;", "var(--bad);", one_form)
    assert len(forms(one_form, "i.")) < len(MOODS)
    assert "print-color-adjust: exact" in style.split("@media print")[1]  # else no bar on paper


# ---- the parts ----------------------------------------------------------------------------------

OWN = "\n".join(f"  const float part{n} = keys[{n} * stride] + offset_{n}(n, {n});" for n in
                range(20))  # fmt: skip
OTHER = "\n".join(f"  if (threadIdx.x < {n}) shared[{n}] = over_lanes(mine{n} - {n});" for n in
                  range(20))  # fmt: skip


def test_a_copy_is_found_under_other_names() -> None:
    renamed = OWN.replace("part", "piece").replace("offset", "o").replace("  const", "\tconst")
    found = similarity.alike({"a": OWN, "b": renamed, "c": OTHER}, frozenset())
    assert [one.students for one in found] == [("a", "b")]
    assert found[0].share > 0.8 and not found[0].is_identical and found[0].lines >= 10


def test_equal_hand_ins_are_one_row() -> None:
    found = similarity.alike({"a": OWN, "b": OWN + "\n\n// mine", "c": OWN, "d": OTHER},
                             frozenset())  # fmt: skip
    assert [(one.students, one.is_identical) for one in found] == [(("a", "b", "c"), True)]


def test_the_skeleton_and_the_reference_are_nobodys_own() -> None:
    lab = LABS[1]
    skeleton = recorded.skeleton(HERE, lab) or ""
    solved = (HERE.reference / lab.name / lab.source).read_text(encoding="utf-8")
    known = similarity.known_lines(skeleton, solved)
    same = {"a": skeleton, "b": solved, "c": skeleton + OTHER, "d": solved + OWN}
    assert similarity.alike(same, known) == []
    assert similarity.alike(same, frozenset()) != []


def test_what_all_have_tells_nothing() -> None:
    chance = random.Random(2)
    everybody = {}
    for number in range(40):
        own = "\n".join(
            f"  float x{n} = {chance.random()} * y[{chance.randint(0, 999)}] - "
            f"{chance.choice('abcdef')}({chance.random()});"
            for n in range(12)
        )
        everybody[f"s{number}"] = OTHER + "\n" + own
    few = similarity.alike(everybody, frozenset())
    assert len(few) <= 2


def test_a_failure_names_the_wrong_file_that_it_resembles() -> None:
    lab = LABS[1]
    known = failures.wrong_files(HERE, lab)
    assert len(known) > 10
    copied = HERE.reference / lab.name / "wrong" / "no_barrier_before_store.cu"
    other = HERE.reference / lab.name / "wrong" / "no_barrier_after_load.cu"

    def graded(who: str, path: Path, number: int) -> tuple[str, dict[str, Any], str]:
        message = f"in_place.cu:{number}: a race on s[{number}] of shared memory: read, write"
        stage = {"name": "in-place", "verdict": "race", "message": message}
        return who, {"stages": [stage]}, path.read_text(encoding="utf-8")

    found = failures.commonest(lab.name, [graded("ann", copied, 7), graded("bob", copied, 8)],
                               known)  # fmt: skip
    assert [failure.students for failure in found] == [["ann", "bob"]]
    assert found[0].resembles and found[0].resembles.name == "no_barrier_before_store"
    assert "arrier" in found[0].resembles.says
    [found_other] = failures.commonest(lab.name, [graded("cy", other, 7)], known)
    assert found_other.resembles and found_other.resembles.name == "no_barrier_after_load"
    assert failures.commonest(lab.name, [], known) == []


def test_a_failure_has_the_last_words_of_the_program() -> None:
    said = "f(keys, 1): ended by SIGSEGV; it last said:\nmemory: kernel k: invalid access\nmore"
    stage = {"name": "fast", "verdict": "crashed", "message": said}
    [found] = failures.commonest("02", [("a", {"stages": [stage]}, "")], [])
    assert found.message == "f(keys, 1): ended by SIGSEGV: kernel k: invalid access"


def test_a_file_that_does_not_compile_is_one_failure() -> None:
    stages = [{"name": name, "verdict": "did not compile", "message": "in_place.cu:3: error: ;"}
              for name in ("in-place", "fast")]  # fmt: skip
    [found] = failures.commonest("02", [(who, {"stages": stages}, "") for who in "ab"], [])
    assert (found.stage, found.students) == (failures.WHOLE, ["a", "b"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0, "0"),
        (-0.0, "0"),
        (-0.001, "0"),
        (12.5, "12.5"),
        (133.166, "133.17"),
        (4096, "4,096"),
    ],
)
def test_numbers_are_shown_as_people_write_them(value: float | None, shown: str) -> None:
    assert page.number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(2.0, "2 s"), (1.3e-3, "1.3 ms"), (54.4e-6, "54.4 µs"), (5e-9, "5 ns")]
)
def test_times_have_a_unit(value: float, shown: str) -> None:
    assert page.seconds(value) == shown


# ---- the command --------------------------------------------------------------------------------


def test_the_command_writes_the_page_beside_the_result(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = checkout.labs / LAB / "demo.cu"
    assert main(["report"], checkout) == 2
    assert "run ./lab check first" in capsys.readouterr().err
    mine.write_text(plan("strided", "any", '{"verdict": "wrong answer", "message": "n = 3"}'))
    main(["check", LAB, "--backend", "cpu"], checkout)
    assert main(["report", LAB], checkout) == 0
    page_file = checkout.out / "check" / LAB / "report.html"
    text = page_file.read_text(encoding="utf-8")
    assert "wrong answer" in text and "has changed since" not in text
    mine.write_text("// edited")
    assert main(["report"], checkout) == 0
    assert "has changed since" in page_file.read_text(encoding="utf-8")
    assert "of 2 stages" not in text
    main(["check", f"{LAB}.strided", "--backend", "cpu"], checkout)
    assert main(["report"], checkout) == 0
    assert "The last check was of 1 of 2 stages" in page_file.read_text(encoding="utf-8")
    (page_file.with_name("result.json")).write_text("{")
    capsys.readouterr()
    assert main(["report"], checkout) == 2
    assert "is not a whole result" in capsys.readouterr().err


@pytest.fixture
def course(checkout: Checkout, tmp_path: Path) -> Path:
    """A course with two students; one has handed something in that nobody has graded."""
    folder = tmp_path / "cs101"
    assert main(["class", "new", str(folder)], checkout) == 0
    columns = (folder / "roster.csv").read_text().strip()
    rows = [f"ann,Ann {HOSTILE.replace(',', ' ')},ann@example.org,A", "bob,Bob,bob@example.org,A"]
    padding = "," * (columns.count(",") - 3)
    (folder / "roster.csv").write_text("\n".join([columns, *(row + padding for row in rows), ""]))
    handed = folder / "submitted" / "ann" / LAB / "1"
    handed.mkdir(parents=True)
    (handed / "demo.cu").write_text("void global(int n) {}\n")
    return folder


def test_the_class_page_is_written_for_the_staff_alone(
    checkout: Checkout, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["class", "report", "--course", str(course)], checkout) == 0
    made = course / "class.html"
    text = made.read_text(encoding="utf-8")
    assert made.stat().st_mode & 0o777 == 0o600
    assert "Bob" in text and "waiting" in text and "missing" in text
    assert "<script>document" not in text and "\u202e" not in text
    assert main(["class", "report", "--course", str(course), "--out", str(course)], checkout) == 2
    assert "is not a regular file" in capsys.readouterr().err


def test_a_course_without_students_has_no_page(
    checkout: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["class", "new", str(tmp_path / "empty")], checkout)
    assert main(["class", "report", "--course", str(tmp_path / "empty")], checkout) == 2
    assert "the roster has no students yet" in capsys.readouterr().err
    assert not (tmp_path / "empty" / "class.html").exists()
