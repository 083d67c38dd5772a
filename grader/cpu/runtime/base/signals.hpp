// What is reported when the process dies while a kernel runs.
#pragma once

namespace cuda_on_cpu {

class Block;

// The first function installs the handlers, once. The second also gives the calling
// operating-system thread a stack on which a stack overflow can be handled.
void install_signal_handlers();
void watch_signals_of(const Block *block);
void unwatch_signals_of(const Block *block);

}  // namespace cuda_on_cpu
