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
        parts += [bug_summary(document["bugs"]), _bug_table(document["bugs"])]
    return "\n\n".join(parts)


def insert(text: str, table: str) -> str:
    """`text` with what stands between the markers replaced. Raises ValueError without them."""
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
    loud = [f"{t['program']}: {t['case'].replace('_', ' ')}" for t in twins if _reported(t)]
    return (
        f"**Seeded bugs beside compute-sanitizer**: of {len(bugs)} bugs check mode reports {ours}, "
        f"the four tools of compute-sanitizer together {theirs}. Of {len(twins)} correct twins "
        f"check mode reports {false_ours}, compute-sanitizer {len(loud)}"
        + (f" ({', '.join(loud)})." if loud else ".")
    )


def _bug_table(cases: list[dict]) -> str:
    twins = {(c["program"], c["case"]): c for c in cases if c["form"] == "twin"}
    lines = []
    for bug in cases:
        if bug["form"] == "bug":
            twin = twins.get((bug["program"], bug["case"]))
            noisy = [] if twin is None else [t for t, w in twin["tools"].items() if w == "reported"]
            silent = "" if not noisy else f"; reports the twin too: {', '.join(noisy)}"
            name = f"{bug['program']}: {bug['case'].replace('_', ' ')}"
            lines.append([name, bug["kind"], bug["ours"], _their_words(bug["tools"]) + silent])
    return _table(["bug", "kind", "check mode", "compute-sanitizer"], lines)


def _their_words(tools: dict[str, str]) -> str:
    """The tools that reported, or what became of all of them."""
    reported = [tool for tool, word in tools.items() if word == "reported"]
    if reported:
        return "reported by " + ", ".join(reported)
    words = dict.fromkeys(word for word in tools.values() if word != "clean")
    if not words:
        return "clean"
    return "; ".join(f"{word}: {', '.join(t for t in tools if tools[t] == word)}" for word in words)
