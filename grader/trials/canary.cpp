// The canary: tries, one by one, what a submission must not be able to do, and prints what it
// could. `./lab doctor` starts it in the sandbox that submissions get; arguments: a file that must
// not be seen, how many processes may be started at most, and a text that the environment of what
// started the sandbox contains. With one more argument: also the system calls that a filter must
// refuse.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "refused_calls.hpp"

namespace {

int broken = 0;

void must_fail(bool done, const char* what) {
  if (!done) return;
  std::printf("%s\n", what);
  ++broken;
}

/// Connecting to a test address that nobody answers at: without a network there is not even a way.
bool finds_a_network() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
  const bool way = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ||
                   errno == EINPROGRESS;
  close(fd);
  return way;
}

bool opens(const char* path, int flags) {
  const int fd = open(path, flags, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool writes_outside() {
  for (const char* path : {"/canary", "/usr/canary", "/dev/canary", "/etc/canary"})
    if (opens(path, O_WRONLY | O_CREAT)) return unlink(path) == 0;
  return false;
}

/// On a folder of its own: without a sandbox, for root, it succeeds, and must not hide the
/// machine's.
bool mounts_something() {
  char folder[] = "/tmp/canary.XXXXXX";
  if (!mkdtemp(folder)) return false;
  const bool mounted = mount("none", folder, "tmpfs", 0, "") == 0;
  if (mounted) umount2(folder, MNT_DETACH);
  rmdir(folder);
  return mounted;
}

bool has_entries(const char* path) {
  DIR* const folder = opendir(path);
  if (!folder) return false;
  int entries = 0;
  while (readdir(folder)) ++entries;
  closedir(folder);
  return entries > 2;
}

/// Processes in sight: the sandbox's first one, and this one.
int visible_processes() {
  DIR* const folder = opendir("/proc");
  if (!folder) return 0;
  int count = 0;
  while (const dirent* entry = readdir(folder)) count += std::isdigit(entry->d_name[0]) != 0;
  closedir(folder);
  return count;
}

/// The variables of the sandbox's first process: what started it had a secret among them. Without a
/// sandbox it is the environment of whatever started the canary.
bool reads_a_secret(const char* secret) {
  const int first = open("/proc/1/environ", O_RDONLY);
  std::string text(1 << 16, '\0');
  const ssize_t got = first < 0 ? -1 : read(first, text.data(), text.size());
  close(first);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  for (char** variable = environ; *variable; ++variable) text += *variable;
  return text.find(secret) != std::string::npos;
}

bool knows_the_host() {
  utsname system{};
  return uname(&system) != 0 || std::string(system.nodename) != "sandbox" ||
         opens("/etc/hostname", O_RDONLY) || opens("/etc/hosts", O_RDONLY);
}

bool inherits_descriptors() {
  for (int fd = 3; fd < 64; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) return true;
  return false;
}

/// Starts processes that wait, until it may not or has `most`.
bool starts_processes(int most) {
  std::vector<pid_t> children;
  while (static_cast<int>(children.size()) < most) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      pause();
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return static_cast<int>(children.size()) == most;
}

/// Writes a file in small pieces until it may not, or to its end.
bool fills(const char* path, long megabytes) {
  const int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) return false;
  signal(SIGXFSZ, SIG_IGN);
  const std::vector<char> piece(1 << 20);
  long written = 0;
  while (written < megabytes && write(fd, piece.data(), piece.size()) == 1 << 20) ++written;
  close(fd);
  unlink(path);
  return written == megabytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  must_fail(finds_a_network(), "it reaches a network");
  must_fail(opens(argv[1], O_RDONLY), "it reads the checkout");
  must_fail(has_entries("/home") || has_entries("/root"), "it sees homes");
  must_fail(opens("/etc/passwd", O_RDONLY), "it reads /etc/passwd");
  must_fail(writes_outside(), "it writes outside /tmp");
  must_fail(visible_processes() > 2, "it sees other processes");
  must_fail(kill(getppid(), 0) == 0 && getppid() > 1, "it may signal what started it");
  must_fail(inherits_descriptors(), "it inherits open files");
  must_fail(reads_a_secret(argv[3]), "it reads the grader's environment");
  must_fail(knows_the_host(), "it knows this machine's name");
  must_fail(unshare(CLONE_NEWUSER) == 0, "it makes namespaces of its own");
  must_fail(mounts_something(), "it mounts file systems");
  must_fail(starts_processes(std::atoi(argv[2])), "it starts processes without end");
  must_fail(fills("/tmp/flood", 256), "it fills /tmp without end");
  must_fail(fills("/dev/shm/flood", 256), "it fills /dev/shm without end");
  const std::string calls = argc == 5 ? warpwise::calls_that_reach_the_kernel() : "";
  must_fail(!calls.empty(), ("the kernel answers its calls:" + calls).c_str());
  return broken ? 1 : 0;
}
