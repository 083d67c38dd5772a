"""The compiler's state after CUDA's headers, which takes it a third of a short file's time.

g++ keeps it as a precompiled header. It stands for the headers only where a text has, byte for
byte, those that it was made of, so what is compiled is the same with it and without it. Who uses it
gives the flags that it was made with.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

_BEGIN = '# 0 "<command-line>"\n'  # g++ says so before the headers that it includes by itself
_END = '# 0 "<command-line>" 2\n'  # and after them


def keep(folder: Path, name: str, command: list[str], text: str) -> None:
    """Makes NAME.hpp, the headers of `text`, and NAME.gch, the state after them. `command` is the
    one that compiles `text`. Raises CalledProcessError."""
    header, state = folder / f"{name}.hpp", folder / f"{name}.gch"
    header.write_text(text[text.index(_BEGIN) : text.rindex(_END) + len(_END)], encoding="utf-8")
    made = ["-x", "c++-header", "-fpreprocessed", "-c", str(header), "-o", str(state)]
    subprocess.run([*command, *made], check=True)


def shortened(text: str, folder: str, name: str) -> str:
    """`text` for the command that was given to `keep`, with the state in place of its headers."""
    header, state = Path(folder, f"{name}.hpp"), Path(folder, f"{name}.gch")
    begin = text.find(_BEGIN)
    if not folder or begin < 0 or not header.is_file() or not state.is_file():
        return text
    kept = header.read_text(encoding="utf-8")
    # Nothing may come before a precompiled header, so there are only lines about lines.
    if not text.startswith(kept, begin) or not all(
        line.startswith("# ") for line in text[:begin].splitlines()
    ):
        return text
    return f'{text[:begin]}#pragma GCC pch_preprocess "{state}"\n{text[begin + len(kept) :]}'
