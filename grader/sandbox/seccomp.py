"""The system calls that programs in the sandbox may make: an allow-list for each use.

bwrap loads the list as a seccomp filter. libseccomp turns names into the numbers of this machine's
processor. Every call that is not named, calls of the 32-bit and x32 tables included, fails with
ENOSYS, as on a kernel without it. The C library then takes an older call, so no process is killed.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..machine.requirements import LIBSECCOMP

PACKAGE = "libseccomp2"
NOT_INSTALLED = f"{PACKAGE} is not installed"

# Memory, files, threads, processes, signals, clocks: what every program and compiler needs. Names
# of older calls are there for processors that have them.
COMMON = """
    access arch_prctl brk chdir chmod clock_getres clock_gettime clock_nanosleep close close_range
    copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait
    epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2
    fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fcntl fdatasync fgetxattr flistxattr flock
    fork fstat fstatfs fsync ftruncate futex futex_waitv getcpu getcwd getdents getdents64 getegid
    geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority
    getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
    gettimeofday getuid getxattr kill lgetxattr link linkat listxattr llistxattr lstat madvise
    map_shadow_stack membarrier mincore mkdir mkdirat mlock mlock2 mmap mprotect mremap mseal msync
    munlock munmap nanosleep newfstatat open openat openat2 pause pipe pipe2 poll ppoll prctl
    pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read readahead readlink
    readlinkat readv recvfrom recvmmsg recvmsg rename renameat renameat2 restart_syscall rmdir rseq
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
    sched_setaffinity sched_yield select sendfile sendmmsg sendmsg sendto set_robust_list
    set_tid_address setitimer setpgid setpriority setrlimit setsid setsockopt shutdown sigaltstack
    signalfd signalfd4 stat statfs statx symlink symlinkat sync_file_range sysinfo tgkill time
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
    timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat
    utimes vfork wait4 waitid write writev alarm get_robust_list
""".split()
# CUDA's driver and NVIDIA's tools talk to helpers through local sockets, place memory on NUMA
# nodes and set priorities of their threads.
GPU = """
    accept accept4 bind connect get_mempolicy listen mbind sched_setattr sched_setparam
    sched_setscheduler set_mempolicy
""".split()

NEW_NAMESPACES = 0x7E02_0000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
AF_UNIX = 1
PER_LINUX, ASK_PERSONALITY = 0, 0xFFFF_FFFF
WORD = 0xFFFF_FFFF  # the kernel looks at 32 bits of these arguments, whatever else is in a register
TERMINAL = 0x54  # the second byte of a terminal's ioctls
# Of a terminal's ioctls only questions, and what holds for any descriptor: never TIOCSTI and
# TIOCLINUX, which type into the terminal of whoever looks on. TCGETS, TIOCGPGRP, TIOCGWINSZ,
# FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC, TCGETS2.
IOCTLS = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452, 0x802C_542A)

USES = ("compiler", "cpu", "gpu")


class Unavailable(Exception):
    """There is no filter here; the text is the reason."""


@dataclass(frozen=True)
class Condition:
    """A call is allowed if argument `number`, masked, has this value."""

    number: int
    mask: int
    value: int


Rule = tuple[str, Condition | None]
# A descriptor that is neither 1 nor 2: 0, 3, or one with a higher bit. Where the output ends tells
# the host how much a kernel has printed, which would be a copy that nobody sees.
NOT_WHAT_IS_PRINTED = [Condition(0, WORD, 0), Condition(0, WORD, 3),
                       *(Condition(0, 1 << bit, 1 << bit) for bit in range(2, 32))]  # fmt: skip


def rules(use: str) -> Iterator[Rule]:
    """The calls that `use` may make. One with several rules is allowed if any of them holds."""
    for name in COMMON + (GPU if use == "gpu" else []):
        yield name, None
    for condition in [None] if use == "compiler" else NOT_WHAT_IS_PRINTED:
        yield "lseek", condition
    yield "clone", Condition(0, NEW_NAMESPACES, 0)
    for value in (PER_LINUX, ASK_PERSONALITY):
        yield "personality", Condition(0, WORD, value)
    for name in ("socket", "socketpair"):
        yield name, Condition(0, WORD, AF_UNIX)
    for value in IOCTLS:
        yield "ioctl", Condition(1, WORD, value)
    if use == "gpu":  # any device's ioctl: the second byte differs from a terminal's in some bit
        for name, mode in (("mknod", 1), ("mknodat", 2)):  # compute-sanitizer makes pipes
            yield name, Condition(mode, stat.S_IFMT(WORD), stat.S_IFIFO)
        for bit in (1 << shift for shift in range(8, 16)):
            yield "ioctl", Condition(1, bit, ~(TERMINAL << 8) & bit)


@cache
def described() -> str:
    """The filter in words, for a result. Raises Unavailable."""
    known = _library().seccomp_version().contents
    return f"seccomp {known.major}.{known.minor}.{known.micro}"


@cache
def filter_file(use: str) -> str:
    """The path of the compiled filter of a use. Raises Unavailable.

    It is an unnamed file of this process, so no program can change it and none is left behind.
    """
    library = _library()
    context = library.seccomp_init(_refused(errno.ENOSYS))
    if not context:
        raise Unavailable("libseccomp cannot make a filter")
    try:
        _require(library.seccomp_attr_set(context, _BAD_ARCHITECTURE, _refused(errno.ENOSYS)))
        # A call is found by bisection: a worker on a GPU is timed with the filter.
        library.seccomp_attr_set(context, _OPTIMIZE, 2)  # libseccomp before 2.5 cannot
        for rule in rules(use):
            _add(library, context, *rule)
        file = os.memfd_create(f"seccomp-{use}")
        _require(library.seccomp_export_bpf(context, file))
    finally:
        library.seccomp_release(context)
    return f"/proc/{os.getpid()}/fd/{file}"


class _Comparison(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int),
                ("mask", ctypes.c_uint64), ("value", ctypes.c_uint64))  # fmt: skip


class _Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("micro", ctypes.c_uint))


# From seccomp.h.
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_BAD_ARCHITECTURE, _OPTIMIZE = 2, 8
_MASKED_EQUAL = 7


def _refused(number: int) -> int:
    return _ERRNO | number


@cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(LIBSECCOMP)
    except OSError as error:
        raise Unavailable(NOT_INSTALLED) from error
    library.seccomp_version.restype = ctypes.POINTER(_Version)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = (ctypes.c_uint32,)
    library.seccomp_release.argtypes = (ctypes.c_void_p,)
    library.seccomp_release.restype = None
    library.seccomp_attr_set.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32)
    library.seccomp_syscall_resolve_name.argtypes = (ctypes.c_char_p,)
    library.seccomp_export_bpf.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Comparison)
    )  # fmt: skip
    return library


def _add(library: ctypes.CDLL, context: int, name: str, only: Condition | None) -> None:
    """Allow a call."""
    number = library.seccomp_syscall_resolve_name(name.encode())
    if number < 0:  # unknown to this libseccomp, or not a call of this processor
        return
    compared = (_Comparison * 1)()
    if only:
        compared[0] = _Comparison(only.number, _MASKED_EQUAL, only.mask, only.value)
    _require(library.seccomp_rule_add_array(context, _ALLOW, number, 1 if only else 0, compared))


def _require(done: int) -> None:
    if done != 0:
        raise Unavailable(f"libseccomp: {os.strerror(-done)}")
