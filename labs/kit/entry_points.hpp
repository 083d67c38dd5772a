// The last line of a contract header names the lab's entry points:
//
//     WARPWISE_ENTRY_POINTS(global, strided, stable)
//
// In a student's file the line expands to nothing. In the worker, the process that runs the file,
// it becomes the table through which the judge's calls arrive. The declarations there are weak: a
// file that leaves a stage out still links, and only that stage is "not attempted".
//
// Who checks one stage need not wait for the compiler to make the others. Their entry points are in
// WARPWISE_NOT_CALLED, and become inline functions: without a call they, and what only they use,
// are read, but not made.
#pragma once

#ifdef WARPWISE_WORKER

#include "entry_table.hpp"

#define WARPWISE_ENTRY_POINT(name)                 \
  extern decltype(name) name __attribute__((weak)); \
  static const ::warpwise::EntryRegistration warpwise_entry_##name{#name, &name};
#define WARPWISE_ENTRY_POINTS(...) WARPWISE_EACH_OF(__VA_ARGS__)

#elif defined WARPWISE_NOT_CALLED

#define WARPWISE_ENTRY_POINT(name) inline decltype(name) name;
#define WARPWISE_ENTRY_POINTS(...) WARPWISE_EACH_OF(WARPWISE_NOT_CALLED)

#else

#define WARPWISE_ENTRY_POINTS(...)

#endif

// Applies WARPWISE_ENTRY_POINT to each name; three rounds of expansion serve up to 27 names.
#define WARPWISE_PARENTHESES ()
#define WARPWISE_EXPAND(...) WARPWISE_EXPAND2(WARPWISE_EXPAND2(WARPWISE_EXPAND2(__VA_ARGS__)))
#define WARPWISE_EXPAND2(...) WARPWISE_EXPAND1(WARPWISE_EXPAND1(WARPWISE_EXPAND1(__VA_ARGS__)))
#define WARPWISE_EXPAND1(...) WARPWISE_EXPAND0(WARPWISE_EXPAND0(WARPWISE_EXPAND0(__VA_ARGS__)))
#define WARPWISE_EXPAND0(...) __VA_ARGS__
#define WARPWISE_EACH(name, ...)        \
  WARPWISE_ENTRY_POINT(name)            \
  __VA_OPT__(WARPWISE_EACH_AGAIN WARPWISE_PARENTHESES(__VA_ARGS__))
#define WARPWISE_EACH_AGAIN() WARPWISE_EACH
#define WARPWISE_EACH_OF(...) WARPWISE_EXPAND(WARPWISE_EACH(__VA_ARGS__))
