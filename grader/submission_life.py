"""Draws grader/submission_life.svg: what becomes of a file that was handed in, room by room.

    python3 grader/submission_life.py

Whole numbers and plain text only: the same script writes the same bytes everywhere. A room that
does not exist is not drawn.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = Path(__file__).with_suffix(".svg")

WIDTH, HEIGHT = 960, 610
INK, TRUSTED, SHUT, PAPER, EDGE = "#1f2933", "#d5e5ef", "#f3d9b1", "#eef0f2", "#b4540a"
FONT = "font-family='Helvetica, Arial, sans-serif'"
LINE = 18  # pixels from one baseline to the next


def text(x: int, y: int, words: str, size: int = 13, anchor: str = "middle",
         weight: str = "normal") -> str:  # fmt: skip
    """One line of text whose baseline is at y."""
    return (f"<text x='{x}' y='{y}' fill='{INK}' font-size='{size}' text-anchor='{anchor}' "
            f"font-weight='{weight}' {FONT}>{words}</text>")  # fmt: skip


def box(x: int, y: int, width: int, height: int, colour: str, title: str, *lines: str) -> list[str]:
    """A rectangle with a bold title and lines below it, all centred."""
    top = y + (height - LINE * (len(lines) + 1)) // 2 + 14
    middle = x + width // 2
    return [
        f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='4' fill='{colour}' "
        f"stroke='{INK}'/>",
        *([text(middle, top, title, weight="bold")] if title else []),
        *(text(middle, top + LINE * n, words) for n, words in enumerate(lines, 1)),
    ]


def room(x: int, y: int, width: int, height: int, step: str, name: str, *lines: str) -> list[str]:
    """A step that a room of the kit makes. Raises ValueError if there is no such room."""
    if not (ROOT / name).is_dir():
        raise ValueError(f"{name}: there is no such room")
    shown = name.removeprefix("grader/")
    return box(x, y, width, height, TRUSTED, f"{step} {shown}/".strip(), *lines)


def arrow(x1: int, y1: int, x2: int, y2: int, words: str = "", dy: int = -6) -> list[str]:
    """A straight arrow, and words beside its middle."""
    drawn = [f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{INK}' stroke-width='2' "
             "marker-end='url(#head)'/>"]  # fmt: skip
    return [*drawn, text((x1 + x2) // 2, (y1 + y2) // 2 + dy, words, 12)] if words else drawn


def before_the_judge() -> list[str]:
    """Steps 1 and 2: from what was handed in to programs."""
    return [
        *box(20, 40, 130, 70, PAPER, "handed in", ".cu, folder, zip"),
        *arrow(150, 75, 190, 75),
        *room(190, 40, 150, 70, "1", "grader/intake", "one .cu file"),
        *arrow(340, 75, 380, 75),
        *room(380, 40, 170, 70, "2", "grader/compiling", "only what it may see"),
        *arrow(550, 75, 650, 75),
        *box(650, 50, 270, 50, SHUT, "compiler", "nvcc, or g++ after grader/cpu/"),
        *arrow(785, 100, 785, 130),
    ]


def sandbox() -> list[str]:
    """Where nothing is trusted: the compiler and all workers."""
    rows = (
        ("worker", "the submission", SHUT),
        ("worker, checked", "the same under the checker", SHUT),
        ("worker, counted", "the same under the counter", SHUT),
        ("control", "a worker without a submission", TRUSTED),
        ("yardstick", "the reference as a worker", TRUSTED),
    )
    drawn = [
        f"<rect x='625' y='16' width='318' height='444' rx='8' fill='none' stroke='{EDGE}' "
        "stroke-width='2' stroke-dasharray='8 5'/>",
        text(785, 38, "sandbox: no network, no checkout, no judge", 12),
    ]
    for number, (title, words, colour) in enumerate(rows):
        drawn += box(650, 130 + 64 * number, 270, 54, colour, title, words)
    return drawn


def judging() -> list[str]:
    """Steps 3 to 6: the judge asks, workers answer with bytes."""
    holds = ("tests, oracle, hidden inputs,", "clock and verdict")
    lines = (
        "4  tests each stage: in three thread orders,",
        "    then once under the checker; after a crash",
        "    the control says whether the machine works",
        "5  counts the memory requests of one call",
        "6  times, on a GPU: submission and yardstick",
        "    in turns; every output is checked",
    )
    return [
        *room(20, 170, 150, 90, "3", "grader/judging", "starts a judge", "for each stage"),
        *arrow(170, 215, 220, 215),
        *box(220, 150, 300, 250, TRUSTED, ""),
        *room(220, 150, 300, 80, "", "grader/judge", *holds),
        *(text(232, 262 + 22 * n, line, 12, "start") for n, line in enumerate(lines)),
        *arrow(520, 210, 645, 210),
        text(575, 202, "arguments", 12),
        *arrow(645, 250, 520, 250),
        text(575, 242, "bytes", 12),
        text(575, 272, "wire/", 12, weight="bold"),
        *arrow(370, 400, 370, 485),
        text(380, 448, "report: verdict, message, counts, times", 12, "start"),
    ]


def after_the_judge() -> list[str]:
    """Steps 7 and 8: from reports to a result, and from the result to everything else."""
    return [
        *room(270, 490, 200, 80, "7", "grader/grading", "verdicts become points,", "or stay open"),
        *arrow(470, 530, 520, 530),
        *box(520, 500, 150, 60, PAPER, "result.json", "one document"),
        *arrow(670, 530, 720, 530),
        *room(720, 490, 200, 80, "8", "report/drawing", "speedup.svg,", "from result.json alone"),
    ]


def legend() -> list[str]:
    drawn: list[str] = []
    for number, (colour, words) in enumerate(
        ((TRUSTED, "the kit: trusted"), (SHUT, "the submission: not trusted"), (PAPER, "files"))
    ):
        y = 500 + 26 * number
        drawn.append(
            f"<rect x='20' y='{y}' width='18' height='18' fill='{colour}' stroke='{INK}'/>"
        )
        drawn.append(text(46, y + 14, words, 12, "start"))
    return drawn


def picture() -> str:
    """The drawing as SVG."""
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' "
        f"viewBox='0 0 {WIDTH} {HEIGHT}'>",
        "<defs><marker id='head' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' "
        f"markerHeight='7' orient='auto'><path d='M0 0 L10 5 L0 10 z' fill='{INK}'/></marker>"
        "</defs>",
        f"<rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>",
        *sandbox(),
        *before_the_judge(),
        *judging(),
        *after_the_judge(),
        *legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE)
