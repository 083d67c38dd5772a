"""The tables of a comparison, from its JSON alone: same document, same text."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

BEGIN = "<!-- begin: written by grader/tests/hardware/compare.py -->"
END = "<!-- end -->"


def markdown(document: dict) -> str:
    """Everything between the two markers."""
    machine = document["machine"]
    parts = [f"Measured on {machine['gpu']} (driver {machine['driver']}), {machine['nvcc']}."]
    if document["counters"]:
        parts += [_counter_summary(document["counters"]), _counter_table(document["counters"])]
    if document["bugs"]:
        other = document.get("bugs_machine", machine)
        if other != machine:
            parts.append(f"Bugs: on {other['gpu']} (driver {other['driver']}), {other['nvcc']}.")
        parts += [bug_summary(document["bugs"]), _bug_table(document["bugs"])]
    return "\n\n".join(parts)


def insert(text: str, table: str) -> str:
    """`text` with what is between the markers replaced. Raises ValueError without them."""
    if text.count(BEGIN) != 1 or END not in text.split(BEGIN)[1]:
        raise ValueError(f"it needs the lines {BEGIN} and {END}, once each")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}"


def _table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _kernels(rows: list[dict]) -> list[tuple[tuple[str, str], dict[str, dict]]]:
    def key(row: dict) -> tuple[str, str]:
        return row["program"], row["kernel"]

    return [(k, {r["counter"]: r for r in group}) for k, group in groupby(rows, key=key)]


def _verdict(rows: list[dict]) -> str:
    """The worst verdict of a kernel's counters."""
    words = [row["verdict"] for row in rows]
    order = ("unexplained", "not measured", "explained", "equal")
    return next(word for word in order if word in words)


def _verdicts(rows: list[dict]) -> str:
    """`equal`, or for every other verdict its counters' reasons."""
    said = {}
    for row in rows:
        if row["verdict"] != "equal":
            said.setdefault(row["verdict"], {})[row["why"] or row["counter"]] = None
    return "; ".join(f"{word}: {', '.join(whys)}" for word, whys in said.items()) or "equal"


def _counter_summary(rows: list[dict]) -> str:
    found = Counter(_verdict(list(counters.values())) for _, counters in _kernels(rows))
    numbers = Counter(row["verdict"] for row in rows)
    said = ", ".join(f"{found[word]} {word}" for word in sorted(found))
    return (
        f"**Counters beside ncu**: {sum(found.values())} kernels: {said}; "
        f"{numbers['equal']} of {len(rows)} numbers are equal. Each pair is load, store, summed "
        "over the kernel's launches. A number that differs is bold; the number in "
        "brackets is what ncu counts when nvcc does not optimise."
    )


def _pair(counters: dict[str, dict], kind: str, column: str) -> str:
    names = [kind] if kind == "atomics" else [f"{kind} load", f"{kind} store"]
    if not any(name in counters for name in names):
        return ""
    return ", ".join(_number(counters.get(name), column) for name in names)


def _number(row: dict | None, column: str) -> str:
    if row is None:
        return "0"
    value = "not measured" if row[column] is None else str(row[column])
    if row["verdict"] == "equal":
        return value
    brackets = column == "ncu" and row["unoptimised"] is not None
    return f"**{value}**" + (f" ({row['unoptimised']})" if brackets else "")


def _counter_table(rows: list[dict]) -> str:
    kinds = ["requests", "sectors", "wavefronts", "atomics"]
    head = ["program", "kernel"]
    for kind in kinds:
        head += [f"{'shared ' if kind == 'wavefronts' else ''}{kind} here", "ncu"]
    lines = []
    for (program, kernel), counters in _kernels(rows):
        line = [program, kernel]
        for kind in kinds:
            line += [_pair(counters, kind, "here"), _pair(counters, kind, "ncu")]
        lines.append([*line, _verdicts(list(counters.values()))])
    return _table([*head, "verdict"], lines)


def _reported(bug: dict) -> bool:
    return "reported" in bug["tools"].values()


def bug_summary(cases: list[dict]) -> str:
    bugs = [case for case in cases if case["form"] == "bug"]
    twins = [case for case in cases if case["form"] == "twin"]
    ours = sum(bug["ours"] == "reported" for bug in bugs)
    theirs = sum(_reported(bug) for bug in bugs)
    false_ours = sum(twin["ours"] == "reported" for twin in twins)
    return (
        f"**Seeded bugs beside compute-sanitizer**: of {len(bugs)} bugs check mode reports {ours}, "
        f"the four tools of compute-sanitizer together {theirs}. Of {len(twins)} correct twins "
        f"check mode reports {false_ours}, compute-sanitizer {sum(map(_reported, twins))}."
    )


def _bug_table(cases: list[dict]) -> str:
    """By kind of bug, what each tool reports; then the twins. The JSON has every case."""
    bugs = sorted((c for c in cases if c["form"] == "bug"), key=lambda case: case["kind"])
    twins = [case for case in cases if case["form"] == "twin"]
    tools = list(dict.fromkeys(tool for case in cases for tool in case["tools"]))
    head = ["kind", "cases", "check mode", *tools, "any tool", "check mode alone", "tools alone"]
    groups = [(kind, list(group)) for kind, group in groupby(bugs, key=lambda case: case["kind"])]
    groups += [("all bugs", bugs), ("twins", twins)]
    table = _table(head, [_bug_row(name, group, tools) for name, group in groups])
    return "\n\n".join([table, *_asides(cases, tools)])


def _bug_row(name: str, cases: list[dict], tools: list[str]) -> list[str]:
    ours = [case["ours"] == "reported" for case in cases]
    theirs = [_reported(case) for case in cases]
    by_tool = [sum(case["tools"][tool] == "reported" for case in cases) for tool in tools]
    alone = sum(we and not they for we, they in zip(ours, theirs, strict=True))
    only_they = sum(they and not we for we, they in zip(ours, theirs, strict=True))
    numbers = [len(cases), sum(ours), *by_tool, sum(theirs), alone, only_they]
    return [name, *map(str, numbers)]


def _asides(cases: list[dict], tools: list[str]) -> list[str]:
    """What is neither a report nor a clean run, and the twins that a tool reports."""
    words = Counter(word for case in cases for word in case["tools"].values())
    others = [f"{words[word]} {word}" for word in sorted(words.keys() - {"reported", "clean"})]
    lines = [f"Of {sum(words.values())} runs of the tools: {', '.join(others)}."] if others else []
    for tool in tools:
        loud = [f"{case['program']}: {case['case'].replace('_', ' ')}" for case in cases
                if case["form"] == "twin" and case["tools"][tool] == "reported"]  # fmt: skip
        lines += [f"Twins that {tool} reports: {', '.join(loud)}."] if loud else []
    return lines
