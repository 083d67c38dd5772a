#include "source_line.hpp"

#include <execinfo.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <vector>

#include "base/load_address.hpp"

extern char **environ;

namespace cuda_on_cpu::check {

const std::uintptr_t loaded_at = load_address();

namespace {

std::string read_all(int descriptor) {
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

// `options`: "-i", with more letters perhaps.
std::string run_addr2line(const char *options, const std::vector<std::uint32_t> &sites) {
  char program[4096] = "";
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
  std::vector<std::string> addresses;
  for (const std::uint32_t site : sites) {
    char address[32];
    std::snprintf(address, sizeof address, "%#x", site);
    addresses.push_back(address);
  }
  std::vector<const char *> arguments = {"addr2line", options, "-e", program};
  for (const std::string &address : addresses) arguments.push_back(address.c_str());
  arguments.push_back(nullptr);
  int channel[2];
  if (pipe(channel) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, channel[0]);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr,
                                 const_cast<char **>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  const std::string text = error ? "" : read_all(channel[0]);
  close(channel[0]);
  if (!error) waitpid(child, nullptr, 0);
  return text;
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

// addr2line prints the innermost function first. Functions inlined from our own headers (atomicAdd,
// __hadd2) are skipped, and those of the C++ library (std::max) where the caller is known: the
// student looks at the line that calls them.
std::vector<std::string> choose_lines(const std::string &answer, bool *is_of_library = nullptr) {
  std::istringstream lines(answer);
  std::vector<std::string> chosen, of_library;
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "/cpu/include/") || line.starts_with("??")) continue;
    (contains(line, "/include/c++/") || contains(line, "/cccl/") ? of_library : chosen)
        .push_back(line.substr(line.rfind('/') + 1));
  }
  if (is_of_library) *is_of_library = chosen.empty();
  return chosen.empty() ? of_library : chosen;
}

bool has_number(const std::string &place) {
  const std::size_t colon = place.rfind(':');
  return colon != std::string::npos && place.find_first_of("123456789", colon) == colon + 1;
}

// clang has no line for an instruction that it has made of two, such as the first and the later
// loads of a loop's condition. What it does with the value comes next, in the same function, and
// has it.
std::vector<std::string> lines_after(std::uint32_t site) {
  constexpr std::uint32_t kFarthest = 32;  // bytes
  std::vector<std::uint32_t> sites;
  for (std::uint32_t more = 0; more <= kFarthest; ++more) sites.push_back(site + more);
  std::istringstream lines(run_addr2line("-if", sites));
  std::string own, function, place;
  while (std::getline(lines, function) && std::getline(lines, place)) {
    if (own.empty()) own = function;
    if (function != own && !contains(place, "/include/")) break;
    if (std::vector<std::string> found = choose_lines(place);
        !found.empty() && has_number(found[0]))
      return found;
  }
  return {};
}

struct Source {
  std::vector<std::string> places;
  bool is_of_library = false;
  std::string line = "?";  // of the first of them
};

// Never destroyed: the last word is spoken after the destructors.
std::map<std::uint32_t, Source> &known_sources() {
  static auto &known = *new std::map<std::uint32_t, Source>;
  return known;
}

// `answer`: what addr2line printed for the site.
Source source_of(std::uint32_t site, const std::string &answer) {
  Source source;
  source.places = choose_lines(answer, &source.is_of_library);
  if (!source.places.empty() && !has_number(source.places.front()))
    if (std::vector<std::string> near = lines_after(site); !near.empty()) source.places = near;
  if (!source.places.empty()) source.line = line_of_place(source.places.front());
  return source;
}

const Source &asked(std::uint32_t site) {
  look_up({site});
  return known_sources()[site];
}

}  // namespace

void look_up(std::vector<std::uint32_t> sites) {
  std::erase_if(sites, [](std::uint32_t site) { return known_sources().contains(site); });
  if (sites.empty()) return;
  // With -a each answer begins with the address that was asked for.
  std::istringstream lines(run_addr2line("-ai", sites));
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0x") && !contains(line, ":"))
      answers.emplace_back();
    else if (!answers.empty())
      answers.back() += line + '\n';
  answers.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i)
    known_sources()[sites[i]] = source_of(sites[i], answers[i]);
}

const std::vector<std::string> &source_places(std::uint32_t site) { return asked(site).places; }

std::string line_of_place(const std::string &place) {
  return place.substr(0, place.find(" (discriminator"));
}

const std::string &source_line(std::uint32_t site) { return asked(site).line; }

namespace {

// of the library function whose kernel runs, the innermost first
std::vector<std::uint32_t> callers;

std::vector<std::uint32_t> callers_of_this() {
  constexpr int kMost = 24;
  void *frames[kMost];
  const int count = backtrace(frames, kMost);
  std::vector<std::uint32_t> sites;
  for (int i = 0; i < count; ++i) sites.push_back(site_of(frames[i]));
  return sites;
}

}  // namespace

void note_library_call(bool is_library) {
  callers.clear();
  if (is_library) callers = callers_of_this();
}

// The frames of the runtime and the checker come first, and have no lines.
bool is_of_library(std::uint32_t site) { return asked(site).is_of_library; }

std::uint32_t site_in_program(std::uint32_t site) {
  if (!asked(site).is_of_library) return site;
  const std::vector<std::uint32_t> calls = callers_of_this();
  look_up(calls);
  for (const std::uint32_t caller : calls)
    if (const Source &source = asked(caller);
        !source.is_of_library && !source.places.empty() && has_number(source.places.front()))
      return caller;
  return site;
}

std::uint32_t library_call() {
  look_up(callers);
  for (const std::uint32_t caller : callers)
    if (const auto &places = source_places(caller); !places.empty() && has_number(places.front()))
      return caller;
  return 0;
}

std::string line_in_kernel(std::uint32_t site) {
  const Source &source = asked(site);
  if (const std::uint32_t call = source.places.empty() ? library_call() : 0)
    return source_line(call);
  if (source.places.size() < 2) return source.line;
  const std::string kernel = line_of_place(source.places.back());
  return kernel == source.line ? kernel : source.line + " (called from " + kernel + ")";
}

}  // namespace cuda_on_cpu::check
