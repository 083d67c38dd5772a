// What to say when the process dies while a kernel runs.
#pragma once

namespace cuda_on_cpu {

class Block;

// The first installs the handlers, once; the second also gives the calling operating-system thread
// a stack to handle a stack overflow on.
void install_signal_handlers();
void watch_signals_of(const Block *block);
void unwatch_signals_of(const Block *block);

}  // namespace cuda_on_cpu
