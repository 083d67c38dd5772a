// warpwise-data: makes, describes and converts data sets. `./lab data` runs it.
// Exit codes: 0 done, 2 the input cannot be used, 3 the machine failed; 2 and 3 come with a
// sentence on stderr.
#include <signal.h>
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <new>
#include <set>
#include <stdexcept>
#include <string>

#include "commands.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "output_file.hpp"

namespace {

const std::set<std::string> kFlags = {"--force", "--directed", "--undirected", "--scrambled",
                                      "--simple"};
constexpr int kInputError = 2;
constexpr int kMachineError = 3;

int complain(const char* sentence, int code) {
  std::fprintf(stderr, "%s\n", sentence);
  return code;
}

/// An interrupted program leaves no unfinished file. It then ends as the signal would have ended
/// it.
void end_cleanly(int number) {
  datasets::remove_unfinished_file();
  signal(number, SIG_DFL);
  raise(number);
}

void set_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, end_cleanly);
  signal(SIGXFSZ, SIG_IGN);  // then a file beyond the limit is an error of write()
}

/// A file may unpack to more than the machine can hold. Then an allocation fails, and the kernel
/// need not end this program, or another one.
void limit_memory() {
  std::ifstream known("/proc/meminfo");
  std::string name;
  rlim_t kibibytes = 0;
  while (known >> name >> kibibytes && name != "MemAvailable:") known.ignore(80, '\n');
  if (name != "MemAvailable:") return;
  const rlim_t bytes = kibibytes * 1024;
  rlimit limit = {};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= bytes) return;
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_DATA, &limit);
}

void run(datasets::Options& options) {
  const std::string command = options.words().empty() ? "" : options.words()[0];
  if (command == "make") return datasets::make(options);
  if (command == "info") return datasets::info(options);
  if (command == "convert") return datasets::convert(options);
  throw datasets::InputError("say make KIND, info FILE or convert FROM TO.");
}

}  // namespace

int main(int argc, char** argv) {
  set_signals();
  limit_memory();
  try {
    datasets::Options options(argc, argv, kFlags);
    run(options);
    if (std::fflush(stdout) != 0) return complain("the output cannot be written.", kMachineError);
    return 0;
  } catch (const datasets::InputError& error) {
    return complain(error.what(), kInputError);
  } catch (const std::invalid_argument& error) {  // an option, or a recipe that is no graph
    return complain(error.what(), kInputError);
  } catch (const std::bad_alloc&) {
    return complain("this machine has too little memory for that graph.", kMachineError);
  } catch (const std::exception& error) {
    return complain(error.what(), kMachineError);
  }
}
