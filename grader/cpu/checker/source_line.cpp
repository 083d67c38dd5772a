#include "source_line.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <vector>

#include "load_address.hpp"

extern char **environ;

namespace cuda_on_cpu::check {
namespace {

const std::uintptr_t loaded_at = load_address();

std::string read_all(int descriptor) {
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

std::string run_addr2line(std::uint32_t site) {
  char program[4096] = "", address[32];
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return "";
  std::snprintf(address, sizeof address, "%#x", site);
  const char *arguments[] = {"addr2line", "-i", "-e", program, address, nullptr};
  int channel[2];
  if (pipe(channel) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, channel[0]);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr,
                                 const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  const std::string text = error ? "" : read_all(channel[0]);
  close(channel[0]);
  if (!error) waitpid(child, nullptr, 0);
  return text;
}

// addr2line prints the innermost function first. Functions inlined from our own headers (atomicAdd,
// __hadd2) are skipped: the student looks at the line that calls them.
std::vector<std::string> choose_lines(const std::string &answer) {
  std::istringstream lines(answer);
  std::vector<std::string> chosen;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/cpu/include/") == std::string::npos && !line.starts_with("??"))
      chosen.push_back(line.substr(line.rfind('/') + 1));
  }
  return chosen;
}

}  // namespace

std::uint32_t site_of(const void *return_address) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address) -
                                    loaded_at - 1);
}

const std::vector<std::string> &source_places(std::uint32_t site) {
  // Never destroyed: the last word is spoken after the destructors.
  static auto &known = *new std::map<std::uint32_t, std::vector<std::string>>;
  auto [places, is_new] = known.try_emplace(site);
  if (is_new) places->second = choose_lines(run_addr2line(site));
  return places->second;
}

std::string line_of_place(const std::string &place) {
  return place.substr(0, place.find(" (discriminator"));
}

const std::string &source_line(std::uint32_t site) {
  static auto &known = *new std::map<std::uint32_t, std::string>;
  auto [line, is_new] = known.try_emplace(site, "?");
  if (const auto &places = source_places(site); is_new && !places.empty())
    line->second = line_of_place(places.front());
  return line->second;
}

}  // namespace cuda_on_cpu::check
