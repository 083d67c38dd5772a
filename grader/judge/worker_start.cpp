#include "worker_start.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "protocol.hpp"
#include "verdict.hpp"

namespace warpwise {
namespace {

// What a worker may know of its surroundings. The secret seed, for one, is not in it. By the mark
// WARPWISE_STARTED the grader's end finds a sandbox whose judge ended while it was being made:
// until bubblewrap's child has a user of its own, it does not die with its parent.
constexpr std::array kPassedOn = {"PATH",           "LD_LIBRARY_PATH",      "CUDA_VISIBLE_DEVICES",
                                  "CUDA_CACHE_PATH", "CUDA_MODULE_LOADING", "WARPWISE_WORKERS",
                                  "WARPWISE_DEVICE", "HOME",                "WARPWISE_STARTED"};

// The queues that a program has to the GPU; CUDA's own choice is 8. Kernels in more streams than
// queues may wait for each other without need, but answers are the same. On an H100, 16 programs
// that begin at once take 3.1 s with 8 queues, and 1.1 s with one.
[[maybe_unused]] constexpr int kQueues = 1, kTimedQueues = 4;

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// 64 bits that nobody guesses.
std::string drawn_mark() {
  std::random_device random;
  char text[20];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

std::vector<std::string> worker_environment(const WorkerOptions& options,
                                            [[maybe_unused]] const std::string& mark) {
  std::vector<std::string> environment;
  for (const char* name : kPassedOn)
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  environment.push_back("WARPWISE_ORDER=" + options.order);
  environment.push_back("WARPWISE_SEED=1");  // of the random order; the inputs' seed is a secret
  if (!options.timed) environment.push_back("WARPWISE_UNTIMED=1");
#ifdef WARPWISE_GPU
  const int queues = options.timed ? kTimedQueues : kQueues;
  environment.push_back("CUDA_DEVICE_MAX_CONNECTIONS=" + std::to_string(queues));
#else
  environment.push_back("WARPWISE_MARK=" + mark);  // its runtime takes it away
#endif
  if (options.processor >= 0)
    environment.push_back("WARPWISE_PROCESSOR=" + std::to_string(options.processor));
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What the new process needs to know, made before it begins: see start_worker.
struct Command {
  Command(const WorkerOptions& options, const std::string& mark)
      : program(std::filesystem::absolute(options.program)),
        has_launcher(!options.launcher.empty()),
        memory(options.memory),
        words(has_launcher ? options.launcher : std::vector<std::string>{program}),
        environment(worker_environment(options, mark)) {}

  std::string program;
  bool has_launcher;
  rlim_t memory;  // bytes
  std::vector<std::string> words, environment;
  std::vector<char*> word_pointers = pointers_to(words),
                     environment_pointers = pointers_to(environment);
};

/// Gives the descriptors the numbers 0, 1, 2, ... and closes all others. A detour over high numbers
/// keeps apart what has a low number now.
template <std::size_t kCount>
void become(std::array<int, kCount> descriptors) {
  for (int& descriptor : descriptors) descriptor = fcntl(descriptor, F_DUPFD, 100);
  for (std::size_t number = 0; number < kCount; ++number)
    dup2(descriptors[number], static_cast<int>(number));
  close_range(kCount, ~0U, 0);
}

/// When memory runs out, the kernel is to choose the submission and not the judge.
void offer_to_the_oom_killer() {
  const Descriptor score(open("/proc/self/oom_score_adj", O_WRONLY));
  if (score && write(score.get(), "1000", 4) < 0) return;  // then the kernel chooses by itself
}

/// Only system calls, because the memory is the judge's until execve.
[[noreturn]] void become_worker(const Command& command, int channel, int log, int status) {
  setsid();  // its own group, so that what it starts dies with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the judge's thread ends that has started it
  offer_to_the_oom_killer();
  const int nothing = open("/dev/null", O_RDONLY);
  const int program = open(command.program.c_str(), O_RDONLY);
  if (program < 0) _exit(127);
  static_assert(kWorkerChannel == 3 && kProgramDescriptor == 4 && kStatusDescriptor == 5);
  become(std::array{nothing, log, log, channel, program, status});
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kFileBytes);
  // Private writable memory. RLIMIT_AS would be the obvious limit, but the CUDA driver reserves
  // address space by the terabyte; RLIMIT_DATA counts only what can be written.
  limit(RLIMIT_DATA, command.memory);
  if (!command.has_launcher) close_range(kProgramDescriptor, ~0U, 0);
  execve(command.words.front().c_str(), command.word_pointers.data(),
         command.environment_pointers.data());
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", command.words.front().c_str(), strerror(errno));
  _exit(127);
}

[[noreturn]] void cannot(const char* what) {
  throw StageFailure(Verdict::infrastructure_error,
                     std::string("cannot ") + what + ": " + strerror(errno));
}

}  // namespace

StartedWorker start_worker(const WorkerOptions& options) {
  if (gettid() != getpid()) throw std::logic_error("a worker dies with the thread that starts it");
  int channel[2], status[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    cannot("make a socket for the worker");
  StartedWorker started;
  started.channel = Descriptor(channel[0]);
  const Descriptor theirs(channel[1]);
  if (pipe2(status, O_CLOEXEC | O_NONBLOCK) != 0) cannot("make a pipe for the worker");
  started.status = Descriptor(status[0]);
  const Descriptor their_status(status[1]);
  started.log = Descriptor(memfd_create("worker output", MFD_CLOEXEC));
  if (!started.log) cannot("make a file for the worker's output");
  // Not fork: it copies what the judge has pinned for a device, and write-protects all the rest.
  // With the graphs of a comparison that took up to half a second.
  started.mark = drawn_mark();
  const Command command(options, started.mark);
  started.pid = vfork();
  if (started.pid < 0) cannot("start a worker process");
  if (started.pid == 0)
    become_worker(command, theirs.get(), started.log.get(), their_status.get());
  return started;
}

}  // namespace warpwise
