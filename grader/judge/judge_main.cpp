// The judge: runs the tests of one stage against a worker and reports the verdict, or times it, or
// counts what it asks of memory.
// Exit codes: 0 the stage passed (or was measured), 1 it did not, 2 wrong usage, 3 no report
// written.
#include "case_recorder.hpp"
#include "case_number.hpp"

#include "control.hpp"
#include "json.hpp"
#include "judge.hpp"
#include "judge_options.hpp"
#include "kept_memory.hpp"
#include "measure.hpp"
#include "report_file.hpp"

namespace warpwise {
namespace {

std::unique_ptr<Judge> the_judge;

/// The stage's verdict is that of the case that decides, except that who changed nothing anywhere
/// has not tried.
CaseRecord summarize() {
  CaseRecord summary = deciding(case_records());
  if (summary.verdict == Verdict::infrastructure_error) return summary;
  if (case_records().empty() || judge().calls() == 0) {
    summary.verdict = Verdict::infrastructure_error;
    summary.message = "no test called the stage's entry point";
  }
  if (summary.verdict == Verdict::passed) try {
    judge().settle();
  } catch (const StageFailure& failure) {
    return {"", failure.verdict(), failure.what(), 0};
  }
  if (summary.verdict == Verdict::wrong_answer && !judge().left_a_trace()) {
    summary.verdict = Verdict::not_attempted;
    summary.message = kGpu || !judge().launched().empty() ? "no call wrote anything"
                                                          : "no call launched a kernel";
  }
  return summary;
}

std::string case_json(const CaseRecord& record) {
  return JsonObject()
      .text("name", record.name)
      .text("verdict", word(record.verdict))
      .text("message", record.message)
      .number("seconds", record.seconds)
      .str();
}

/// The test cases of one stage, or of several with commas between them.
void run_tests(const std::string& stages, bool to_first_failure) {
  std::string tag;
  std::istringstream names(stages);
  for (std::string name; std::getline(names, name, ',');)
    tag += (tag.empty() ? "[" : ",[") + name + "]";
  std::vector<const char*> arguments = {"judge", tag.c_str(), "--out", "/dev/null"};
  if (to_first_failure) arguments.push_back("--abort");
  run_catch(static_cast<int>(arguments.size()), arguments.data());
}

std::string expected_races_json() {
  std::vector<std::string> pairs;
  for (const auto& [race, lines] : judge().expected_races().seen())
    for (const std::string& line : lines)
      pairs.push_back(JsonObject()
                          .number("race", static_cast<double>(race))
                          .text("lines", line)
                          .str());
  return json_list(pairs, [](const std::string& pair) { return pair; });
}

int check_stage(const JudgeOptions& options) {
  CaseRecord summary;
  const std::string fault = options.known_well ? "" : machine_fault(options);
  if (fault.empty()) {
    completed() = [](const StageFailure& failure) { return judge().completed(failure); };
    after_failure() = [] { judge().hurry(); };
    run_tests(options.stage, options.to_first_failure);
    summary = summarize();
    const StageFailure cause = blamed(options, StageFailure(summary.verdict, summary.message));
    summary.verdict = cause.verdict();
    summary.message = cause.what();
  } else {
    summary = {"", Verdict::infrastructure_error, fault, 0};
  }
  const std::vector<std::string> launched(judge().launched().begin(), judge().launched().end());
  const std::vector<std::string> entered(judge().entered().begin(), judge().entered().end());
  const std::string report =
      JsonObject()
          .text("stage", options.stage)
          .text("verdict", word(summary.verdict))
          .text("message", summary.message)
          .text("case", summary.verdict == Verdict::passed ? "" : summary.name)
          .number("calls", static_cast<double>(judge().calls()))
          .number("seconds_in_calls", judge().seconds_in_calls())
          .number("seconds_of_waiting", judge().seconds_of_waiting())
          .raw("machine_was_well", fault.empty() ? "true" : "false")
          .raw("was_killed", judge().was_killed() ? "true" : "false")
          .raw("had_its_time", judge().had_its_time() ? "true" : "false")
          .raw("launched", json_list(launched, json_text))
          .raw("entered", json_list(entered, json_text))
          .raw("cases", json_list(case_records(), case_json))
          .raw("expected_races", expected_races_json())
          .str();
  if (!write_report(options.report, report)) return 3;
  return summary.verdict == Verdict::passed ? 0 : 1;
}

}  // namespace

Judge& judge() { return *the_judge; }

}  // namespace warpwise

#ifdef WARPWISE_CATCH2_IS_COMPILED
#define main __wrap_main  // the linker is told to begin here: main is Catch2's
extern "C"
#endif
int main(int argc, char** argv) {
  using namespace warpwise;
  const auto options = parse_options(argc, argv);
  if (!options) return 2;
  if (options->mode == JudgeOptions::Mode::list) return list_benches(options->report);
  keep_freed_memory();
  the_judge =
      std::make_unique<Judge>(worker_options(*options, options->worker), options->extent,
                              ExpectedRaces(options->races), options->host_bytes);
  const int code = options->mode == JudgeOptions::Mode::check ? check_stage(*options)
                                                              : measure_stage(*options);
  the_judge.reset();  // ends the worker before statics go
  return code;
}
