#include "worker_process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace warpwise {
namespace {

constexpr std::size_t kLastWords = 1500;  // characters quoted from the worker's output
constexpr std::size_t kOutputLines = 10, kOutputWidth = 160;  // shown of what one call prints
constexpr off_t kOutputBytes = 16 * 1024;
constexpr int kGraceMilliseconds = 300;   // SIGTERM to SIGKILL: to name the kernel
// to leave once the channel is closed; tools that watch a worker write their summary then
constexpr int kFarewellMilliseconds = 5000;
constexpr int kKillMilliseconds = 30'000;  // from SIGKILL to the end: a driver may have to clean up
constexpr int kShellSignal = 128;  // a launcher passes a signal on as this much more, as shells do

std::string printable(std::string text) {
  constexpr unsigned char kDelete = 0x7f;  // from there on bytes of UTF-8, or of anything
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '\n' && (byte < ' ' || byte == kDelete)) c = '?';
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string ended_by(int signal) {
  const char* const name = sigabbrev_np(signal);
  const std::string abbreviation = std::string("SIG") + (name ? name : "?");
  if (signal == SIGSEGV || signal == SIGBUS)
    return "the program was ended by an invalid memory access (" + abbreviation + ")";
  if (signal == SIGXFSZ)
    return "the program was ended because it printed too much, more than " +
           std::to_string(kFileBytes >> 20) + " MiB (" + abbreviation + ")";
  return "the program was ended by signal " + std::to_string(signal) + " (" + abbreviation + ")";
}

/// Has the process ended after at most so many milliseconds? It is waited for then.
bool has_ended(pid_t process, int* status, int milliseconds) {
  for (int waited = 0; waited < milliseconds; ++waited) {
    if (waitpid(process, status, WNOHANG) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerOptions& options)
    : pid_(-1), launcher_(Descriptor()), has_launcher_(!options.launcher.empty()) {
  StartedWorker started = start_worker(options);
  pid_ = started.pid;
  channel_ = std::move(started.channel);
  log_ = std::move(started.log);
  own_line_ = "warpwise " + started.mark + ": ";
  launcher_ = LauncherStatus(std::move(started.status));
}

WorkerProcess::~WorkerProcess() {
  dismiss();
  reap(kFarewellMilliseconds);
}

Bytes WorkerProcess::ask(std::span<const std::byte> request, std::uint64_t largest_reply,
                         double seconds, int lent, Awake awake) {
  TimeLimit limit(seconds, schedule_);
  require(send_frame(channel_.get(), request, limit.end(), lent), limit, seconds);
  require(wait_for_reply(channel_.get(), limit, awake), limit, seconds);
  std::uint64_t size = 0;
  Descriptor brought;
  require(receive_head(channel_.get(), size, brought, limit.end(), awake), limit, seconds);
  if (!brought)
    throw StageFailure(Verdict::crashed,
                       "the program wrote to the channel of its answers, which is the worker's");
  if (size > largest_reply)
    throw StageFailure(Verdict::crashed, "the program answered with more than was asked for");
  Bytes reply(size);
  require(receive_all(channel_.get(), reply, limit.end(), awake), limit, seconds);
  return reply;
}

pid_t WorkerProcess::program() { return has_launcher_ ? launcher_.program() : pid_; }

void WorkerProcess::require(Transfer transfer, TimeLimit& limit, double seconds) {
  if (transfer == Transfer::closed) report_death();
  if (transfer == Transfer::done) return;
  had_its_time_ = limit.was_given();
  report_timeout(seconds);
}

void WorkerProcess::report_death() {
  const std::string cause = reap(kGraceMilliseconds);
  const std::string words = last_words();
  if (has_launcher_ && !launcher_.program_started())
    throw StageFailure(Verdict::infrastructure_error, "the sandbox did not come up: " + words);
  throw StageFailure(Verdict::crashed, cause + (words.empty() ? "" : "; it last said:\n" + words));
}

void WorkerProcess::report_timeout(double seconds) {
  // The CPU backend then says which kernel was running.
  if (const pid_t asked = program(); asked > 0) kill(asked, SIGTERM);
  reap(kGraceMilliseconds);
  char limit_text[64];
  std::snprintf(limit_text, sizeof limit_text, "the call did not return within %.3g s", seconds);
  const std::string words = last_words();
  throw StageFailure(Verdict::timed_out,
                     limit_text + (words.empty() ? "" : "; it last said:\n" + words));
}

// Waits for the worker for the time of grace, then kills all that belongs to it. A sandbox is
// killed from inside, so that its end is the end of every process in it; the launcher notices.
std::string WorkerProcess::reap(int grace_milliseconds) {
  if (pid_ < 0) return "the program is gone";
  int status = 0;
  const bool by_itself = has_ended(pid_, &status, grace_milliseconds);
  if (by_itself || !has_launcher_ || !launcher_.kill_all()) kill(-pid_, SIGKILL);
  const bool dead = by_itself || has_ended(pid_, &status, kKillMilliseconds);
  pid_ = -1;
  if (!dead) return "the program cannot be killed: a driver holds it";
  if (!by_itself) return "the program closed its channel before the call returned";
  const std::string cause = cause_of_death(status);
  was_killed_ = cause == ended_by(SIGKILL);
  return cause;
}

std::string WorkerProcess::cause_of_death(int status) const {
  if (WIFSIGNALED(status)) return ended_by(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (has_launcher_ && code > kShellSignal && sigabbrev_np(code - kShellSignal))
    return ended_by(code - kShellSignal);
  return "the program ended by itself with exit code " + std::to_string(code) +
         " before the call returned";
}

std::string WorkerProcess::log_between(off_t first, off_t end) const {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, end - first)), '\0');
  const ssize_t got = pread(log_.get(), text.data(), text.size(), first);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

void WorkerProcess::begin_output() { output_begin_ = lseek(log_.get(), 0, SEEK_END); }

std::string WorkerProcess::output() const {
  const off_t end = lseek(log_.get(), 0, SEEK_END);
  std::istringstream lines(
      printable(log_between(output_begin_, std::min(end, output_begin_ + kOutputBytes))));
  std::string text;
  std::size_t shown = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(own_line_)) continue;  // the kit's own words are in the verdict
    if (++shown > kOutputLines) break;
    text += "\n  " + line.substr(0, kOutputWidth);
  }
  if (shown > kOutputLines || end > output_begin_ + kOutputBytes) text += "\n  ...";
  return text;
}

// The end of the worker's output; a line of the kit's own CPU backend says more than what surrounds
// it, so then it alone is quoted.
std::string WorkerProcess::last_words() const {
  const off_t size = lseek(log_.get(), 0, SEEK_END);
  std::string text = log_between(std::max<off_t>(0, size - 64 * 1024), size);
  const std::size_t ours = text.rfind(own_line_);
  if (ours != std::string::npos) {
    const std::size_t line = ours + own_line_.size();
    return printable(text.substr(line, text.find('\n', line) - line));
  }
  if (text.size() > kLastWords) text = "..." + text.substr(text.size() - kLastWords);
  return printable(text);
}

}  // namespace warpwise
