"""In run mode: between two barriers the threads of a block are a loop, where the text shows that
all of them come to the same barriers. Then no thread waits on a stack of its own.

    const int t = threadIdx.x;          for_each_thread([&](unsigned turn) { const int t = ...;
    tile[t] = keys[t];                  tile[t] = keys[t]; });
    __syncthreads();                    pass_barrier();
    keys[t] = tile[n - 1 - t];          for_each_thread([&](unsigned turn) { const int t = ...; ...

The first thread of a block runs the function for all. What decides which barrier comes next must
have one value for all threads: it is computed once. Of the other variables each part computes again
what it can, and gets the rest from the part before (include/cuda_on_cpu/whole_block.hpp). Between
two barriers there is one such loop, and every thread does in it what it did before, in the same
order of threads: a barrier that is missing stays missing. Variables that all threads share are
constants to them: what is read wrongly here does not compile, and then the text is compiled as it
is. So it is where a thread may wait for another one without a barrier, and where the text can tell
a constant from a variable.

    functions.py      which functions of a text can be loops: those of one chain of calls together
    parts.py          a function's body, cut at its barriers
    expressions.py    which expressions have one value for all threads of a block
    operators.py      its tokens as C++ reads them
    names.py          what is known of the names outside of functions
    variables.py      what is declared, and how a part may have it that comes later
    analysis.py       what each part of a function declares, needs and changes
    telling.py        where it can tell whether a variable is a constant
    writing.py        the text
"""

from .functions import with_loops

__all__ = ["with_loops"]
