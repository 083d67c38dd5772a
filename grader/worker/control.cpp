// The control: a worker in which no entry point is defined. main() and all the rest come from the
// lab's worker library; linking needs one file of its own, and this is it.
