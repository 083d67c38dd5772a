"""A class made up for tests of pages: students with hand-ins of every kind, results in schema 2."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.lab_file.manifest import Lab, Stage

FIRST = ("Ada", "Björn", "Chloé", "Dmitri", "Emeka", "Fatima", "Grace", "Hiroko", "Ingrid",
         "Jamal", "Katarína", "Liu", "Minh", "Nour", "Olu", "Priya", "Quentin", "Rosa", "Søren",
         "Tuğba")  # fmt: skip
LAST = ("Adeyemi", "Berg", "Castro", "Dubois", "Eriksen", "Fischer", "García", "Huang", "Ito",
        "Jansen", "Kowalska", "Lindqvist", "Mensah", "Nguyen", "Okafor", "Petrov", "Rossi", "Singh",
        "Tanaka", "Vargas")  # fmt: skip
MESSAGES = {
    "wrong answer": ("out[{n}] is {a}, should be {b}, for n = {m}", "wrong-answer"),
    "race": ("{file}:{line}: two threads write s[{n}] of shared memory without a barrier between\n"
             "{file}:{other}: the other write", "race"),
    "wrote outside": ("{file}:{line}: writes 4 bytes beyond the end of `out`, for n = {m}",
                      "wrote-outside"),
    "crashed": ("{file}:{line}: invalid argument in the launch of sort_keys", "crashed"),
    "timed out": ("the call did not return within 10 s, for n = {m}", "timed-out"),
    "rejected": ("passes, but uses std::sort ({file}:{line})", "rejected-forbidden"),
}  # fmt: skip


@dataclass(frozen=True)
class Student:
    id: str
    name: str
    email: str
    section: str
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HandIn:
    student: str
    lab: str
    attempt: int
    handed_in: str
    text: str


@dataclass(frozen=True)
class Line:
    text: str
    points: float
    kind: str = "stage"


@dataclass(frozen=True)
class Mark:
    points: float | None
    possible: float
    lines: tuple[Line, ...]
    is_open: bool
    open_points: float

    @property
    def running(self) -> list[tuple[Line, float]]:
        return [(line, sum(one.points or 0 for one in self.lines[: end + 1]))
                for end, line in enumerate(self.lines)]  # fmt: skip


@dataclass(frozen=True)
class Entry:
    student: Student
    lab: Lab
    state: str
    hand_in: HandIn | None
    document: dict[str, Any] | None
    mark: Mark
    history: tuple[dict[str, Any], ...] = ()


def made_class(labs: Sequence[Lab], count: int, seed: int = 1, gpu: bool = True) -> list[Entry]:
    """`count` students, each with one entry for each lab."""
    chance = random.Random(seed)
    students = [Student(f"u{1000 + n}", f"{chance.choice(FIRST)} {chance.choice(LAST)}",
                        f"u{1000 + n}@example.edu", "AB"[n % 2]) for n in range(count)]  # fmt: skip
    return [entry(student, lab, chance, gpu) for student in students for lab in labs]


def entry(student: Student, lab: Lab, chance: random.Random, gpu: bool = True) -> Entry:
    """A hand-in of a student with some talent; some are missing, some were refused."""
    possible = sum(map(_possible, lab.stages))
    state = chance.choices(("graded", "missing", "waiting", "refused"), (90, 6, 2, 2))[0]
    hand_in = HandIn(student.id, lab.name, chance.randint(1, 4), "2026-11-20T21:14:05Z",
                     _source(lab, chance))  # fmt: skip
    if state in ("missing", "waiting"):
        mark = Mark(None, possible, (), False, 0)
        return Entry(student, lab, state, None if state == "missing" else hand_in, None, mark)
    document = result(lab, student.id, hand_in, chance, gpu)
    if state == "refused":
        refusal = {"code": "not-text", "reason": f"{lab.source}: is not a text file."}
        document |= {"verdict": "refused", "stages": [], "refusal": refusal, "measured": [],
                     "needs_review": [{"stage": None, "code": "refused",
                                       "text": refusal["reason"]}]}  # fmt: skip
        mark = Mark(0, possible, (), True, possible)
        return Entry(student, lab, state, hand_in, document, mark)
    lines = [Line(stage["name"], stage["points"]["earned"]) for stage in document["stages"]]
    if chance.random() < 0.1:
        lines.append(Line("2 days late: 20 %", round(-0.2 * sum(x.points for x in lines), 2),
                          "late"))  # fmt: skip
    still = document["points"]["not_measured"]
    mark = Mark(round(sum(x.points for x in lines), 2), possible, tuple(lines), still > 0, still)
    return Entry(student, lab, state, hand_in, document, mark)


def _possible(stage: Stage) -> float:
    return stage.correct + stage.fast + sum(rule.points for rule in stage.counters)


def _source(lab: Lab, chance: random.Random) -> str:
    """Something that looks like a student's own lines; some of them are somebody else's."""
    own = random.Random(chance.choice((7, chance.random(), chance.random(), chance.random())))
    words = [f"{own.choice('abcdefgh')}{own.randint(1, 99)}" for _ in range(90)]
    return "\n".join(
        f"  const float {a} = {b} * keys[{c}] + places[{own.randint(1, 99)}];"
        for a, b, c in zip(words[::3], words[1::3], words[2::3], strict=True)
    )


def result(
    lab: Lab, student: str, hand_in: HandIn, chance: random.Random, gpu: bool
) -> dict[str, Any]:
    """A result in schema 2 with all that a page reads."""
    talent = chance.betavariate(5, 1.6)
    stages = [_stage(lab, stage, talent, chance, gpu) for stage in lab.stages]
    review = [item for stage in stages for item in stage.pop("review")]
    passed = [stage for stage in stages if stage["verdict"] == "passed"]
    card = {"name": "NVIDIA H200", "driver": "580.159.04", "compute_capability": "9.0",
            "uuid": "GPU-1"}  # fmt: skip
    total = {key: round(sum(s["points"][key] for s in stages), 2)
             for key in ("earned", "possible", "not_measured")}  # fmt: skip
    return {
        "schema": 2, "lab": lab.name, "title": lab.title,
        "submission": {"name": student, "sha256": f"{chance.getrandbits(256):064x}",
                       "student": student, "attempt": hand_in.attempt,
                       "handed_in": hand_in.handed_in},
        "grader": {"version": "0.1.0", "sha256": "b" * 64, "commit": None, "changed": False},
        "toolchain": {"compiler": "12.2.0", "cuda": None}, "backend": "gpu" if gpu else "cpu",
        "machine": {"cpu": "AMD EPYC", "cores": 2, "memory_gib": 4.0, "os": "Debian 12",
                    "gpu": card if gpu else None, "ceilings": None},
        "sandbox": "bubblewrap", "seed": {"public": 1, "secret": True, "commitment": "c" * 64},
        "started": "2026-11-22T08:00:00Z", "finished": "2026-11-22T08:00:30Z", "seconds": 30.0,
        "verdict": "passed" if len(passed) == len(stages) else "failed",
        "points": {**total, "open": {}}, "stages": stages, "refusal": None,
        "measured": [_measured(stage["name"], place, chance)
                     for place, stage in enumerate(passed)] if gpu else [],
        "needs_review": review, "figures": [], "notes": [], "staff_notes": [],
    }  # fmt: skip


def _stage(
    lab: Lab, stage: Stage, talent: float, chance: random.Random, gpu: bool
) -> dict[str, Any]:
    hard = 0.12 * stage.number
    passes = chance.random() < talent * (1.15 - hard)
    verdict = "passed" if passes else chance.choices(
        ("not attempted", *MESSAGES), (30, 30, 16, 10, 8, 4, 4))[0]  # fmt: skip
    text, code = MESSAGES.get(verdict, ("", verdict.replace(" ", "-")))
    places = {"file": lab.source, "line": chance.choice((61, 88, 104)), "other": 92,
              "n": chance.randint(0, 40), "m": chance.choice((33, 1025, 2049)),
              "a": chance.randint(1, 99), "b": chance.randint(1, 99)}  # fmt: skip
    is_open = verdict == "rejected"
    correct = {"earned": None if is_open else stage.correct * passes, "possible": stage.correct}
    fast = _fast(stage, verdict, talent, chance, gpu) if stage.speed else None
    counters = [_counter(rule, verdict, talent, chance, lab) for rule in stage.counters]
    parts = [part for part in (correct, fast, *counters) if part]
    review = [{"stage": stage.name, "code": code, "text": text.format(**places)}] if is_open else []
    if fast and fast["ratio"] and fast["ratio"] < 0.62:
        review.append({"stage": stage.name, "code": "anomaly", "text": "a call takes less time "
                       "than its least traffic needs on this GPU"})  # fmt: skip
    return {
        "name": stage.name, "title": stage.title, "verdict": verdict, "code": code,
        "message": text.format(**places), "staff_message": "", "places": [],
        "case": f"{stage.name} at every size" if text else "", "handout": None,
        "points": {"earned": round(sum(p["earned"] or 0 for p in parts), 2),
                   "possible": sum(p["possible"] for p in parts),
                   "not_measured": sum(p["possible"] for p in parts if p["earned"] is None),
                   "correct": correct, "fast": fast, "counters": counters},
        "cases": [], "orders": {}, "calls": 40, "seconds": 1.5, "review": review,
    }  # fmt: skip


def _ratio(talent: float, chance: random.Random) -> float:
    return max(0.55, chance.lognormvariate(2.2 * (1 - talent), 0.35))


def _fast(
    stage: Stage, verdict: str, talent: float, chance: random.Random, gpu: bool
) -> dict[str, Any]:
    if verdict != "passed" or not gpu:
        earned = 0 if gpu and verdict != "rejected" else None
        return {"earned": earned, "possible": stage.fast, "verdict": "not measured", "ratio": None,
                "low": None, "high": None, "reason": "only a correct stage is timed",
                "code": "not-correct"}  # fmt: skip
    assert stage.speed
    ratio = _ratio(talent, chance)
    full = ratio <= stage.speed.full
    return {"earned": stage.fast if full else round(stage.fast / 3, 2), "possible": stage.fast,
            "verdict": "passed" if full else "too slow", "ratio": ratio, "low": ratio * 0.98,
            "high": ratio * 1.02, "code": "full" if full else "partial",
            "reason": f"{ratio:.3g} times the reference's time at n = {stage.speed.n}"}  # fmt: skip


def _counter(
    rule: Any, verdict: str, talent: float, chance: random.Random, lab: Lab
) -> dict[str, Any]:
    base = {"counter": rule.counter, "n": rule.n, "possible": rule.points}
    if verdict != "passed":
        return {**base, "earned": 0 if verdict != "rejected" else None, "verdict": verdict,
                "value": None, "reference": None, "ratio": None, "advice": "", "line": "",
                "reason": "only a correct stage is counted"}  # fmt: skip
    ratio = _ratio(talent, chance) ** 1.4
    full = ratio <= rule.full
    return {**base, "earned": rule.points if full else round(rule.points / 4, 2),
            "verdict": "passed" if full else "too slow", "value": round(4096 * ratio),
            "reference": 4096, "ratio": ratio, "advice": "" if full else rule.advice,
            "line": "" if full else f"{lab.source}:88: 4,096 requests",
            "reason": f"{4096 * ratio:,.0f} at n = {rule.n}, {ratio:.3g} times the "
            "reference's 4,096"}  # fmt: skip


def _measured(stage: str, place: int, chance: random.Random) -> dict[str, Any]:
    gain = 2.0**place * chance.uniform(0.7, 1.4)
    points = []
    for exponent in range(8, 19, 2):
        n = 1 << exponent
        seconds = (4e-6 + n * 3e-9 / gain) * chance.uniform(0.97, 1.03)
        points.append({"n": n, "seconds": [seconds * f for f in (0.99, 1.0, 1.02)],
                       "baseline_seconds": [n * exponent * 2e-9] * 3})  # fmt: skip
    return {"stage": stage, "unit": "keys", "baseline": "std::sort, one CPU core",
            "clock": "cuda events", "points": points}  # fmt: skip
