"""The command `cucc.py`: compiles CUDA for the CPU. compiler/driver.py says how to use it."""

import sys

from compiler.driver import main  # beside this file, so a copy of the folder works anywhere

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
