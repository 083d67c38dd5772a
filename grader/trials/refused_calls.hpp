// System calls that the sandbox's filter must refuse, each tried with arguments that do no harm
// where they are not refused, not even to root.
#pragma once

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace warpwise {

/// Whether the kernel itself answered: success, or an error other than a refusal.
inline bool answered(long result) { return result >= 0 || (errno != ENOSYS && errno != EPERM); }

namespace refused_calls {

constexpr long kBad = 1;    // an address that nothing is mapped at
constexpr long kNone = -1;  // a descriptor that is not open, or flags that no kernel knows

struct Call {
  const char* name;
  long number;
  long first = kNone, second = kBad, third = kBad, fourth = kBad, fifth = kBad;
};

#define WARPWISE_CALL(name, ...) {#name, SYS_##name __VA_OPT__(, ) __VA_ARGS__}

inline constexpr Call kCalls[] = {
    WARPWISE_CALL(userfaultfd, kNone),
    WARPWISE_CALL(io_uring_setup, 1, kBad),
    WARPWISE_CALL(io_uring_enter, kNone, 0, 0, 0, 0),
    WARPWISE_CALL(io_uring_register, kNone, 0, 0, 0),
    WARPWISE_CALL(io_setup, 1, kBad),
    WARPWISE_CALL(ptrace, PTRACE_PEEKDATA, 0),
    WARPWISE_CALL(process_vm_readv, 0, 0, 0, 0, 0),
    WARPWISE_CALL(process_vm_writev, 0, 0, 0, 0, 0),
    WARPWISE_CALL(kcmp, 0, 0, 0, 0, 0),
    WARPWISE_CALL(pidfd_open, 0, 0),
    WARPWISE_CALL(pidfd_getfd, kNone, 0, 0),
    WARPWISE_CALL(bpf, kNone, 0, 0),
    WARPWISE_CALL(perf_event_open, kBad, 0, 0, kNone, 0),
    WARPWISE_CALL(keyctl, 9999),
    WARPWISE_CALL(add_key, kBad, kBad, kBad, 1),
    WARPWISE_CALL(request_key, kBad, kBad, kBad, 0),
    WARPWISE_CALL(unshare, 0),
    WARPWISE_CALL(setns, kNone, 0),
    WARPWISE_CALL(clone3, kBad, 0),
    WARPWISE_CALL(mount, kBad, kBad),
    WARPWISE_CALL(umount2, kBad, 0),
    WARPWISE_CALL(pivot_root, kBad, kBad),
    WARPWISE_CALL(chroot, kBad),
    WARPWISE_CALL(open_tree, kNone, kBad, 0),
    WARPWISE_CALL(move_mount, kNone, kBad, kNone, kBad, 0),
    WARPWISE_CALL(fsopen, kBad, 0),
    WARPWISE_CALL(fsconfig, kNone, 0, 0, 0, 0),
    WARPWISE_CALL(fsmount, kNone, 0, 0),
    WARPWISE_CALL(fspick, kNone, kBad, 0),
    WARPWISE_CALL(name_to_handle_at, kNone, kBad, kBad, kBad, 0),
    WARPWISE_CALL(open_by_handle_at, kNone, kBad, 0),
    WARPWISE_CALL(fanotify_init, kNone, 0),
    WARPWISE_CALL(fanotify_mark, kNone, 0, 0, 0, 0),
    WARPWISE_CALL(inotify_init1, kNone),
    WARPWISE_CALL(quotactl, kNone, kBad, 0, kBad),
    WARPWISE_CALL(swapon, kBad, 0),
    WARPWISE_CALL(swapoff, kBad),
    WARPWISE_CALL(reboot, 0, 0, 0, 0),
    WARPWISE_CALL(kexec_load, 0, 0, 0, kNone),
    WARPWISE_CALL(init_module, kBad, 0, kBad),
    WARPWISE_CALL(finit_module, kNone, kBad, 0),
    WARPWISE_CALL(delete_module, kBad, 0),
    WARPWISE_CALL(acct, kBad),
    WARPWISE_CALL(settimeofday, kBad, 0),
    WARPWISE_CALL(clock_settime, 0, kBad),
    WARPWISE_CALL(adjtimex, kBad),
    WARPWISE_CALL(sethostname, kBad, 1),
    WARPWISE_CALL(syslog, kNone, 0, 0),
    WARPWISE_CALL(personality, 0x0040000),  // addresses that are not random, of this process only
    WARPWISE_CALL(shmget, 0, 0, 0),
    WARPWISE_CALL(semget, 0, 0, 0),
    WARPWISE_CALL(msgget, kNone, 0),
    WARPWISE_CALL(mq_open, kBad, 0, 0, 0),
    WARPWISE_CALL(vmsplice, kNone, 0, 0, 0),
    WARPWISE_CALL(splice, kNone, 0, kNone, 0, 0),
    WARPWISE_CALL(mknodat, kNone, kBad, 0, 0),
    WARPWISE_CALL(memfd_create, kBad, kNone),
    WARPWISE_CALL(setuid, kNone),
    WARPWISE_CALL(setxattr, kBad, kBad, 0, 0, 0),
    WARPWISE_CALL(process_madvise, kNone, 0, 0, 0, 0),
    WARPWISE_CALL(move_pages, 0, 0, 0, 0, 0),
#ifdef SYS_kexec_file_load
    WARPWISE_CALL(kexec_file_load, kNone, kNone, 0, 0, kNone),
#endif
#ifdef SYS_memfd_secret
    WARPWISE_CALL(memfd_secret, kNone),
#endif
#ifdef SYS_landlock_create_ruleset
    WARPWISE_CALL(landlock_create_ruleset, 0, 0, 1),
#endif
#ifdef SYS_mount_setattr
    WARPWISE_CALL(mount_setattr, kNone, kBad, 0, kBad, 0),
#endif
#ifdef SYS_quotactl_fd
    WARPWISE_CALL(quotactl_fd, kNone, kNone, 0, 0),
#endif
#ifdef SYS_lookup_dcookie
    WARPWISE_CALL(lookup_dcookie, 0, 0, 0),
#endif
#ifdef SYS_modify_ldt
    WARPWISE_CALL(modify_ldt, 0, 0, 0),
#endif
#ifdef SYS_iopl
    WARPWISE_CALL(iopl, 9),
    WARPWISE_CALL(ioperm, kNone, 1, 0),
#endif
};

#undef WARPWISE_CALL

/// Flags that contradict each other: without a filter EINVAL, and no process in either case.
inline bool clones_into_new_namespaces() {
  for (const long flags : {CLONE_NEWUSER | CLONE_FS, CLONE_NEWNS | CLONE_FS}) {
    const long child = syscall(SYS_clone, flags, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
    if (answered(child)) return true;
  }
  return false;
}

inline std::vector<int> open_families() {
  std::vector<int> found;
  for (int family = 0; family < 48; ++family) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET}) {
      const int opened = family == AF_UNIX ? -1 : socket(family, type, 0);
      if (opened < 0) continue;
      close(opened);
      found.push_back(family);
      break;
    }
  }
  return found;
}

/// The kernel sees only the low half of the request, so both are the same to it.
inline bool types_into_terminals() {
  constexpr std::uint64_t kLinuxConsole = 0x541C, kHigh = std::uint64_t{1} << 40;
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, kLinuxConsole, kHigh | TIOCSTI})
    if (answered(syscall(SYS_ioctl, -1, request, "x"))) return true;
  return false;
}

#ifdef __x86_64__
/// Where the kernel lacks that table, the instruction ends the process.
inline bool calls_from_the_32_bit_table() {
  const pid_t child = fork();
  if (child == 0) {
    long result = 20;  // getpid
    asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    _exit(result > 0 ? 1 : 0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 1;
}

inline bool calls_from_the_x32_table() { return syscall(0x4000'0000 | SYS_getpid) > 0; }
#else
inline bool calls_from_the_32_bit_table() { return false; }
inline bool calls_from_the_x32_table() { return false; }
#endif

}  // namespace refused_calls

/// The names of the calls that were not refused, each after a space.
inline std::string calls_that_reach_the_kernel() {
  using namespace refused_calls;
  std::string found;
  for (const Call& call : kCalls)
    if (answered(
            syscall(call.number, call.first, call.second, call.third, call.fourth, call.fifth)))
      found += std::string(" ") + call.name;
  if (clones_into_new_namespaces()) found += " clone(CLONE_NEW...)";
  for (const int family : open_families()) found += " socket(" + std::to_string(family) + ")";
  if (types_into_terminals()) found += " ioctl(TIOCSTI)";
  if (calls_from_the_32_bit_table()) found += " those of the 32-bit table";
  if (calls_from_the_x32_table()) found += " those of the x32 table";
  return found;
}

}  // namespace warpwise
