"""Examples for `./lab COMMAND --help`: what people type, and what it does."""

EXIT_CODES = "Exit codes: 0 all passed, 1 some failed, 2 usage, 3 infrastructure, 4 refused."

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "next": (("next", "the first stage that you have not solved"),),
    "list": (("list --json", "all labs and stages, for a program"),),
    "hint": (("hint 01.stable", "the first hint"),
             ("hint 01.stable --level 2", "one that says more")),
    "watch": (("watch", "the first unsolved lab, on one screen"),
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
                ("upgrade", "new handouts and tests; your stages stay")),
    "run": (("run prog.cu --mode check", "find races and wrong accesses"),
            ("run prog.cu -- 1000 fast", "with arguments for the program")),
    "grade": (("grade ann.zip --lab 01", "somebody else's file, in a sandbox"),),
    "plot": (("plot report/out/ann", "draw the figures of a result again"),),
    "editor": (("editor", "then open the checkout in an editor with clangd"),),
    "completion": (('completion >> ~/.bashrc', "for bash; or zsh, fish"),),
}  # fmt: skip


def epilog(command: str) -> str:
    """The end of a command's help: its examples and the exit codes."""
    rows = [(f"./lab {words}", meaning) for words, meaning in EXAMPLES.get(command, ())]
    width = max((len(words) for words, _ in rows), default=0)
    lines = [f"  {words:<{width}}  {meaning}" for words, meaning in rows]
    return "\n".join([*(["examples:", *lines, ""] if lines else []), EXIT_CODES])
