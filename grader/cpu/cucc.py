"""The command `cucc.py`: compiles CUDA for the CPU. compiler/driver.py says how it is used."""

import sys

from compiler.driver import main  # beside this file, so it is found wherever the folder is copied

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
