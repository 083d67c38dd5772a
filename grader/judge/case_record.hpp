// What became of each test case of a stage, and which of them decides.
#pragma once

#include <string>
#include <vector>

#include "verdict.hpp"

namespace warpwise {

struct CaseRecord {
  std::string name;
  Verdict verdict = Verdict::passed;
  std::string message;
  double seconds = 0;
};

/// The first case that failed; but a broken test judges nobody, wherever it is. Where all have
/// passed: the last one.
inline CaseRecord deciding(const std::vector<CaseRecord>& records) {
  CaseRecord first;
  for (const CaseRecord& record : records) {
    if (record.verdict == Verdict::infrastructure_error) return record;
    if (first.verdict == Verdict::passed) first = record;
  }
  return first;
}

}  // namespace warpwise
