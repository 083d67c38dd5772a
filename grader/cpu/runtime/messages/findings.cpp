#include "messages/findings.hpp"

#include <algorithm>

#include "base/counts.hpp"
#include "base/hooks.hpp"
#include "base/own_mutex.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kMaxFindings = 1000;

OwnMutex findings_mutex;
bool fetched = false, kept_last = false;
unsigned cleared = 0;
std::size_t ended_launches = 0;  // by what is no finding, because an error of CUDA says it as well

std::vector<Finding> &all() {
  static auto *list = new std::vector<Finding>;  // read after the program's own destructors
  return *list;
}

// What findings call the runtime's kinds; "" for those that a CUDA error code also reports.
std::string finding_kind(const std::string &kind, const std::string &text) {
  if (text.starts_with("warning: ")) return "warning";
  if (kind == "warp") return "barrier";
  for (const char *known :
       {"error", "race", "memory", "uninitialised", "barrier", "warning", "leak", "entered"})
    if (kind == known) return kind;
  return "";
}

bool ends_a_launch(const std::string &kind) {
  return kind == "assert" || kind == "trap" || kind == "arithmetic" || kind == "shared";
}

}  // namespace

void keep_finding(const std::string &kind, const std::string &text) {
  const std::string known = hooks ? finding_kind(kind, text) : "";
  const std::lock_guard lock(findings_mutex);
  ended_launches += hooks && ends_a_launch(kind);
  kept_last = !known.empty() && all().size() < kMaxFindings;
  if (!kept_last) return;
  all().push_back({known, text, "", {}, {}});
  ++ChangeCounts()->findings;
}

void describe_race(const std::string &buffer, const RacingAccess &first,
                   const RacingAccess &second) {
  const std::lock_guard lock(findings_mutex);
  if (!kept_last) return;
  Finding &race = all().back();
  race.buffer = buffer;
  race.first = first;
  race.second = second;
}

std::size_t unfetched_errors() {
  const std::lock_guard lock(findings_mutex);
  if (fetched) return 0;
  const auto counts = [](const Finding &finding) {
    return finding.kind != "warning" && finding.kind != "leak";
  };
  return ended_launches + static_cast<std::size_t>(std::ranges::count_if(all(), counts));
}

unsigned times_cleared() {
  const std::lock_guard lock(findings_mutex);
  return cleared;
}

bool checking() { return hooks != nullptr; }

std::vector<Finding> findings() {
  const std::lock_guard lock(findings_mutex);
  fetched = true;
  // The list itself is ordinary memory of the program.
  if (all().size() != counts().findings)
    return {{"memory", "the program changed the list of what the checker had found", "", {}, {}}};
  return all();
}

void clear_findings() {
  const std::lock_guard lock(findings_mutex);
  all().clear();
  ended_launches = 0;
  ChangeCounts()->findings = 0;
  ++cleared;
}

void mark_accessible(const void *payload, std::size_t bytes, bool initialised, const char *name) {
  if (hooks) hooks->accessible(payload, bytes, initialised, name);
}

void mark_constant(const void *payload, std::size_t bytes) {
  if (hooks && hooks->constant) hooks->constant(payload, bytes);
}

}  // namespace cuda_on_cpu
