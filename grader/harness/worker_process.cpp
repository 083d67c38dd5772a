#include "worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "frame.hpp"
#include "protocol.hpp"

namespace warpwise {
namespace {

// Private writable memory. RLIMIT_AS would be the obvious limit, but the CUDA driver reserves
// address space by the terabyte; RLIMIT_DATA counts only what can be written.
constexpr rlim_t kDataBytes = rlim_t{12} << 30;
constexpr rlim_t kLogBytes = rlim_t{64} << 20;  // nobody reads more, and a disk must not fill
constexpr std::size_t kLastWords = 1500;        // characters quoted from the worker's output
constexpr int kGraceMilliseconds = 300;         // SIGTERM to SIGKILL: to name the kernel
constexpr int kFarewellMilliseconds = 5000;  // to leave once the channel is closed; tools that watch
                                             // a worker write their summary then

// What a worker may know of its surroundings. The secret seed, for one, is not in it.
constexpr std::array kPassedOn = {"PATH",           "LD_LIBRARY_PATH",      "CUDA_VISIBLE_DEVICES",
                                  "CUDA_CACHE_PATH", "CUDA_MODULE_LOADING", "WARPWISE_WORKERS",
                                  "HOME"};

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

std::vector<std::string> worker_environment(const WorkerOptions& options) {
  std::vector<std::string> environment;
  for (const char* name : kPassedOn)
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  environment.push_back("WARPWISE_ORDER=" + options.order);
  environment.push_back("WARPWISE_SEED=" + std::to_string(options.seed));
  return environment;
}

std::string printable(std::string text) {
  for (char& c : text)
    if (c != '\n' && (c < ' ' || c > '~')) c = '?';
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string cause_of_death(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGSEGV || signal == SIGBUS)
      return "the program was ended by an invalid memory access (SIG" +
             std::string(sigabbrev_np(signal)) + ")";
    return "the program was ended by signal " + std::to_string(signal) + " (SIG" +
           std::string(sigabbrev_np(signal)) + ")";
  }
  return "the program ended by itself with exit code " + std::to_string(WEXITSTATUS(status)) +
         " before the call returned";
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerOptions& options)
    : program_(std::filesystem::absolute(options.program)), seconds_(options.seconds) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw StageFailure(Verdict::infrastructure_error, "cannot make a socket for the worker");
  log_ = memfd_create("worker output", MFD_CLOEXEC);
  pid_ = fork();
  if (pid_ < 0) throw StageFailure(Verdict::infrastructure_error, "cannot start a worker process");
  if (pid_ == 0) become_worker(ends[1], options);
  close(ends[1]);
  channel_ = ends[0];
}

WorkerProcess::~WorkerProcess() {
  if (channel_ >= 0) close(channel_);
  reap(kFarewellMilliseconds);
  if (log_ >= 0) close(log_);
}

void WorkerProcess::become_worker(int channel, const WorkerOptions& options) const {
  setsid();  // its own group, so that what it starts dies with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log_, STDOUT_FILENO);
  dup2(log_, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  // Both may be number 3 themselves; a detour over a high number keeps them apart.
  const int high = fcntl(channel, F_DUPFD, 100);
  dup2(high, kWorkerChannel);
  close_range(kWorkerChannel + 1, ~0U, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kLogBytes);
  limit(RLIMIT_DATA, kDataBytes);

  std::vector<std::string> environment = worker_environment(options);
  std::vector<char*> pointers;
  for (auto& entry : environment) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  std::string name = program_;
  char* arguments[] = {name.data(), nullptr};
  execve(program_.c_str(), arguments, pointers.data());
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", program_.c_str(), strerror(errno));
  _exit(127);
}

Bytes WorkerProcess::ask(std::span<const std::byte> request, std::uint64_t largest_reply) {
  if (!send_frame(channel_, request)) report_death();
  if (!wait_for_reply(seconds_)) report_timeout();
  std::uint64_t size = 0;
  if (!receive_all(channel_, std::as_writable_bytes(std::span(&size, 1)))) report_death();
  if (size > largest_reply)
    throw StageFailure(Verdict::crashed, "the program answered with more than was asked for");
  Bytes reply(size);
  if (!receive_all(channel_, reply)) report_death();
  return reply;
}

bool WorkerProcess::wait_for_reply(double seconds) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const std::chrono::duration<double, std::milli> left =
        deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    pollfd waiting{channel_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()) + 1);
    if (ready > 0) return true;
  }
}

void WorkerProcess::report_death() {
  const std::string cause = reap(kGraceMilliseconds);
  const std::string words = last_words();
  throw StageFailure(Verdict::crashed, cause + (words.empty() ? "" : "; it last said:\n" + words));
}

void WorkerProcess::report_timeout() {
  kill(pid_, SIGTERM);
  reap(kGraceMilliseconds);
  char limit_text[64];
  std::snprintf(limit_text, sizeof limit_text, "the call did not return within %g s", seconds_);
  const std::string words = last_words();
  throw StageFailure(Verdict::timed_out,
                     limit_text + (words.empty() ? "" : "; it last said:\n" + words));
}

// Waits for the worker for the time of grace, then kills its whole group.
std::string WorkerProcess::reap(int grace_milliseconds) {
  if (pid_ < 0) return "the program is gone";
  int status = 0;
  pid_t ended = 0;
  for (int waited = 0; waited < grace_milliseconds && ended == 0; ++waited) {
    ended = waitpid(pid_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-pid_, SIGKILL);
  if (ended == 0) waitpid(pid_, &status, 0);
  pid_ = -1;
  return cause_of_death(status);
}

// The end of the worker's output; a line of the kit's own CPU backend ("warpwise: ...") says more
// than what surrounds it, so then it alone is quoted.
std::string WorkerProcess::last_words() const {
  const off_t size = lseek(log_, 0, SEEK_END);
  const off_t start = std::max<off_t>(0, size - 64 * 1024);
  std::string text(static_cast<std::size_t>(size - start), '\0');
  const ssize_t got = pread(log_, text.data(), text.size(), start);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  const std::size_t ours = text.rfind("warpwise: ");
  if (ours != std::string::npos) {
    const std::size_t line = ours + std::strlen("warpwise: ");
    return printable(text.substr(line, text.find('\n', line) - line));
  }
  if (text.size() > kLastWords) text = "..." + text.substr(text.size() - kLastWords);
  return printable(text);
}

}  // namespace warpwise
