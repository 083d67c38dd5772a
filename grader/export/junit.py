"""JUnit XML: a suite for each student and lab, a case for each stage.

Sources: testmoapp/junitxml, and junit-10.xsd of Jenkins' xUnit plugin. That refuses a file and a
line at a case, so the message alone names the place, and a time with an exponent. `failure` is a
wrong or slow program, `error` one that crashed or could not be judged, `skipped` points that are
open.
"""

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from ..base.text import escaped
from ..base.verdict import (
    CRASHED,
    DID_NOT_COMPILE,
    INFRASTRUCTURE,
    PASSED,
    TIMED_OUT,
    WITHOUT_POINTS,
)
from .grade import Grade, number

ERRORS = (CRASHED, TIMED_OUT, DID_NOT_COMPILE, INFRASTRUCTURE)


def junit(found: Iterable[tuple[dict[str, Any], Grade]]) -> str:
    """The whole XML text, from results of schema 2 and the marks that came of them."""
    suites = [_suite(document, grade) for document, grade in found]
    root = ElementTree.Element("testsuites", name="warpwise")
    _count(root, suites)
    root.extend(suites)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _suite(document: dict[str, Any], grade: Grade) -> ElementTree.Element:
    name = f"{document['lab']}.{document['submission']['name']}"
    suite = ElementTree.Element("testsuite", name=_text(name))
    cases = [_case(stage, name) for stage in document["stages"]]
    if document["refusal"]:
        case = ElementTree.Element("testcase", name="hand-in", classname=_text(name),
                                   time="0.000")  # fmt: skip
        said = document["refusal"]
        ElementTree.SubElement(case, "error", message=_text(said["reason"]), type=said["code"])
        cases = [case]
    _count(suite, cases)
    suite.set("time", f"{document['seconds']:.3f}")
    suite.set("timestamp", document["started"].removesuffix("Z"))
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (
        ("submission.sha256", document["submission"]["sha256"]),
        ("grader.sha256", document["grader"]["sha256"]),
        ("backend", document["backend"]),
        *_points(grade),
    ):
        ElementTree.SubElement(properties, "property", name=key, value=_text(value))
    suite.extend(cases)
    return suite


def _points(grade: Grade) -> list[tuple[str, str]]:
    """The mark, with what persons decided and with the lab's weight; nothing where it is unknown,
    and no number where the lab does not count."""
    if grade.is_excused:
        return [("excused", "true")]
    known = [] if grade.points is None else [("points", number(grade.points))]
    waiting = [("open_points", number(grade.open_points))] if grade.open_points else []
    return [*known, ("possible", number(grade.possible)), *waiting]


def _case(stage: dict[str, Any], suite: str) -> ElementTree.Element:
    case = ElementTree.Element("testcase", name=stage["name"], classname=_text(suite),
                               time=f"{stage['seconds']:.3f}")  # fmt: skip
    verdict = stage["verdict"]
    if verdict == PASSED:
        return case
    kind = "error" if verdict in ERRORS else "skipped" if verdict in WITHOUT_POINTS else "failure"
    said = ElementTree.SubElement(case, kind, message=verdict)
    if kind != "skipped":
        said.set("type", stage["code"])
    said.text = _text(stage["message"])
    return case


def _count(parent: ElementTree.Element, children: list[ElementTree.Element]) -> None:
    """The attributes tests, failures and errors, from cases or from suites; cases: skipped, too."""
    if all(child.tag == "testsuite" for child in children):
        for key in ("tests", "failures", "errors"):
            parent.set(key, str(sum(int(child.get(key, "0")) for child in children)))
        return
    parent.set("tests", str(len(children)))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        parent.set(key, str(sum(child.find(tag) is not None for child in children)))


def _text(text: str) -> str:
    """Escaped: XML cannot hold control characters in any form."""
    return escaped(text)
