// The last line of a contract header names the lab's entry points:
//
//     WARPWISE_ENTRY_POINTS(global, strided, stable)
//
// In a student's file the line expands to nothing. In the worker, the process that runs the file,
// it becomes the table through which the judge's calls arrive. The declarations there are weak: a
// file that leaves a stage out still links, and only that stage is "not attempted".
#pragma once

#ifndef WARPWISE_WORKER

#define WARPWISE_ENTRY_POINTS(...)

#else

#include "entry_table.hpp"

#define WARPWISE_ENTRY_POINT(name)                 \
  extern decltype(name) name __attribute__((weak)); \
  static const ::warpwise::EntryRegistration warpwise_entry_##name{#name, &name};

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
#define WARPWISE_ENTRY_POINTS(...) WARPWISE_EXPAND(WARPWISE_EACH(__VA_ARGS__))

#endif
