"""Examples for `./lab COMMAND --help`: what people type, and what it does."""

import shutil

EXIT_CODES = "Exit codes: 0 all passed, 1 some failed, 2 usage, 3 infrastructure, 4 refused."
OF_CLASS = ("Exit codes: 0 done, 2 usage, 3 stopped or without a result, 4 something to import was "
            "refused.")  # fmt: skip
Example = tuple[str, str]  # the words after ./lab, and what they do

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "next": (("next", "the first unsolved stage of the lab that you checked last"),),
    "list": (("list --json", "all labs and stages, for a program"),),
    "hint": (("hint 01.stable", "the first hint"),
             ("hint 01.stable --level 2", "one that says more")),
    "watch": (("watch", "the stage that is next, on one screen"),
              ("watch 02.registers", "one stage of lab 02"),
              ("watch --backend cpu", "on the CPU, although there is a GPU")),
    "check": (("check 01.stable", "one stage"),
              ("check 01", "a whole lab, with its speedup figure"),
              ("check labs/01-rank-sort/rank_sort.cu", "the same, by its path"),
              ("check", "the lab of this folder, or all labs"),
              ("check 01 --on gpu-box", "on another machine, by ssh"),
              ("check 01 --on slurm", "on a GPU of this cluster")),
    "why": (("why 01.tiled", "what costs most, and one thing to try"),),
    "bench": (("bench 01", "the time of every stage"),
              ("bench 01.tiled --explain", "and what bounds it"),
              ("bench 01 --sizes 2^10,2^20", "at other sizes")),
    "save": (("save 01 --note 'before tiles'", "keep the file as it is now"),),
    "restore": (("restore 01", "list what is kept"),
                ("restore 01.stable", "the newest text of this stage that passed"),
                ("restore 01 --version 3", "the whole file of version 3")),
    "reset": (("reset 01.tiled", "begin one stage again"),
              ("reset 01", "begin the lab again; a backup is kept")),
    "submit": (("submit 01 --id ann", "pack lab 01 to hand it in"),),
    "upgrade": (("upgrade --check", "what would change"),
                ("upgrade", "new handouts and tests; what you wrote stays")),
    "run": (("run prog.cu --mode check", "find races and wrong accesses"),
            ("run prog.cu -- 1000 fast", "with arguments for the program")),
    "grade": (("grade ann.zip --lab 01", "somebody else's file, in a sandbox"),),
    "plot": (("plot report/out/ann", "draw the figures of a result again"),),
    "editor": (("editor", "then open the checkout in an editor with clangd"),),
    "completion": (("completion >> ~/.bashrc", "for bash; or zsh, fish"),),
    "report": (("report 01", "the page of lab 01"),
               ("report", "a page for every lab that was checked")),
    "demo": (("demo", "one lab, about a minute"), ("demo --all", "every lab")),
    "doctor": (("doctor", "what is missing, and how to get it"),),
    "decide": (("decide report/out/ann 2 --points 10 --because 'seen: it is the technique'",
                "ten points for stage 2"),),
    "release": (("release ../handout --check", "and prove that it grades"),
                ("release ../handout --labs 01,02 --hints 1", "two labs, the first hint of each "
                 "stage")),
    "figures": (("figures sort", "keys per second, over many sizes"),
                ("figures sssp --scales 10-16", "smaller graphs only"),
                ("figures sssp --shapes rmat,uniform,grid,road", "what a graph's shape decides")),
    "data": (("data make rmat --scale 20 --out g.wsg", "a graph of 2^20 vertices"),
             ("data info g.wsg", "what is in it"),
             ("data convert road.gr road.wsg", "from one format to another")),
    "data make": (("data make rmat --scale 20 --out g.wsg", "a graph of 2^20 vertices"),),
    "data info": (("data info g.wsg", "vertices, arcs, weights"),),
    "data convert": (("data convert road.gr road.wsg", "by the suffixes"),),
    "cut": (("cut", "after an edit of a reference"), ("cut --check", "in CI")),
    "new": (("new 06-scan", "then: CONTRIBUTING.md, the tutorial"),),
    "dev": (("dev check 03", "everything that must be true of lab 03"),
            ("dev mistakes 03", "after a wrong file was added")),
    "dev check": (("dev check", "every lab"), ("dev check 03", "one lab")),
    "dev exemplars": (("dev exemplars 03 --out times.json", "on a GPU"),),
    "dev mistakes": (("dev mistakes 03", "after a wrong file was added"),
                     ("dev mistakes 03 --again", "after its tests were changed")),
    "test": (("test", "everything"), ("test --unit", "what builds nothing: seconds"),
             ("test --changed", "what depends on your edits"),
             ("test grader/tests/test_points.py", "one file")),
    "class": (("class new ~/course", "a folder for the course"),
              ("class roster students.csv", "who takes it"),
              ("class import downloads.zip", "what they handed in"),
              ("class grade", "all that has no result yet"),
              ("class export moodle --lab 01", "marks for another system")),
    "class new": (("class new ~/course", "then edit course.toml there"),),
    "class roster": (("class roster students.csv", "read it"), ("class roster", "show it")),
    "class seed": (("class seed new", "a secret for the hidden tests"),),
    "class seed new": (("class seed new", "once, before anything is graded"),),
    "class import": (("class import submissions.zip", "as Moodle or Canvas gave it"),
                     ("class import scans/ --lab 02", "all of it is lab 02")),
    "class grade": (("class grade", "what has no result yet"),
                    ("class grade --lab 01 --gpus all", "one lab, on every GPU")),
    "class status": (("class status", "how many are graded"),
                     ("class status --review", "what a person must look at")),
    "class decide": (("class decide ann 01.tiled --points 20 --because 'works on the H100'",
                      "a stage's points"),
                     ("class decide ann 01 --as-graded --because 'was wrong'", "take it back")),
    "class accept": (("class accept --lab 01 --because 'the new kit is right'",
                      "let other verdicts count"),),
    "class excuse": (("class excuse ann 03 --because ill", "the lab does not count"),),
    "class extend": (("class extend ann 03 --until 2026-12-01 --because ill", "a later date"),),
    "class explain": (("class explain ann 01", "line by line"),),
    "class report": (("class report", "one page, without any other file"),),
    "class index": (("class index", "then: sqlite3 gradebook.sqlite"),),
    "class export": (("class export canvas grades.csv --lab 01", "into the sheet from Canvas"),
                     ("class export csv", "all marks")),
}  # fmt: skip


def epilog(command: str) -> str:
    """The end of a command's help: its examples and the exit codes, as wide as the terminal.

    `command` is all its words, such as `class grade`. What does not fit beside an example comes in
    the next line.
    """
    rows = [(f"./lab {words}", meaning) for words, meaning in EXAMPLES.get(command, ())]
    room = shutil.get_terminal_size().columns - 2
    width = max((len(words) for words, _ in rows), default=0)
    beside = all(2 + width + 2 + len(meaning) <= room for _, meaning in rows)
    lines = [f"  {words:<{width}}  {meaning}" if beside else f"  {words}\n      {meaning}"
             for words, meaning in rows]  # fmt: skip
    codes = OF_CLASS if command.partition(" ")[0] == "class" else EXIT_CODES
    return "\n".join([*(["examples:", *lines, ""] if lines else []), codes])
