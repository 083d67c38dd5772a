// Listens to Catch2 and keeps, for every test case, the verdict the student gets. Included by
// judge_main.cpp alone: Catch2 version 2 shows its listeners only to the file that defines its
// main.
#pragma once

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_translate_exception.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#ifdef WARPWISE_CATCH2_IS_COMPILED
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#else
#define CATCH_CONFIG_RUNNER
#endif
#include <catch2/catch.hpp>
namespace Catch {
using EventListenerBase = TestEventListenerBase;
}
#endif

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "case_record.hpp"

namespace warpwise {

#ifdef WARPWISE_CATCH2_IS_COMPILED
extern "C" int __real_main(int, char**);  // the linker's name for Catch2's main
#endif

/// Runs the tests that Catch2's command line names.
inline void run_catch(int count, const char* const* words) {
#ifdef WARPWISE_CATCH2_IS_COMPILED
  __real_main(count, const_cast<char**>(words));
#else
  Catch::Session().run(count, words);
#endif
}

inline std::vector<CaseRecord>& case_records() {
  static std::vector<CaseRecord> records;
  return records;
}

/// Adds to a failure what else is known of the call.
inline std::function<StageFailure(const StageFailure&)>& completed() {
  static std::function<StageFailure(const StageFailure&)> complete =
      [](const StageFailure& failure) { return failure; };
  return complete;
}

/// Called when a case has failed.
inline std::function<void()>& after_failure() {
  static std::function<void()> call = [] {};
  return call;
}

inline void record_failure(const StageFailure& failure) {
  CaseRecord& record = case_records().back();
  if (record.verdict != Verdict::passed) return;  // the first mistake is the one to read about
  record.verdict = failure.verdict();
  record.message = completed()(failure).what();
  after_failure()();
}

class CaseRecorder : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    case_records().push_back({info.name, Verdict::passed, "", 0});
    start_ = std::chrono::steady_clock::now();
  }

  // Version 2 wants a bool back, version 3 nothing; a return type of its own serves both.
  using AssertionEnded = decltype(std::declval<Catch::EventListenerBase&>().assertionEnded(
      std::declval<const Catch::AssertionStats&>()));
  AssertionEnded assertionEnded(const Catch::AssertionStats& stats) override {
    const auto& result = stats.assertionResult;
    if (!result.isOk() && result.hasExpression())
      record_failure({Verdict::wrong_answer, std::string(result.getExpression()) + " is not so: " +
                                                 std::string(result.getExpandedExpression())});
    return AssertionEnded(true);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    case_records().back().seconds = elapsed.count();
    // Failed, and neither a StageFailure nor an assertion said why: the test itself is broken.
    if (!stats.totals.assertions.allPassed() && case_records().back().verdict == Verdict::passed)
      record_failure({Verdict::infrastructure_error, "the test threw an exception of its own"});
  }

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace warpwise

using warpwise::CaseRecorder;  // the macro makes a name of its argument: no :: in it
CATCH_REGISTER_LISTENER(CaseRecorder)

CATCH_TRANSLATE_EXCEPTION(const warpwise::StageFailure& failure) {
  warpwise::record_failure(failure);
  return failure.what();
}
