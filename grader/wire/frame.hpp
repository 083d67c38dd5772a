// A frame on a stream: the message's length in bytes (64 bits), then the message. Both sides wait
// until a deadline and no longer: who is on the other side may have stopped in the middle of a
// word. A frame may bring a file descriptor, which travels beside its first byte. The judge lends
// one to the worker. The worker's frames all bring one: a submission may know the channel's number,
// but by the functions that it may use it can only write bytes there, and bring no descriptor.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>

#include "descriptor.hpp"
#include "message.hpp"

namespace warpwise {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

enum class Transfer { done, closed, late };

/// In a virtual machine a processor that went to sleep takes up to 400 us to wake, as long as many
/// a kernel runs. So both sides of a call that is timed look for a while before they sleep: the
/// judge while the call runs, the worker from its last answer to the next request, and no longer,
/// for then another worker is timed. Whatever is not timed leaves the processor to others at once,
/// and so do kernels on the CPU backend, which need the processors themselves.
using Awake = std::chrono::milliseconds;
inline constexpr Awake kAsleep{0};
#ifdef WARPWISE_GPU
inline constexpr Awake kJudgeAwake{20}, kWorkerAwake{1};
#else
inline constexpr Awake kJudgeAwake = kAsleep, kWorkerAwake = kAsleep;
#endif

/// Looks whether `fd` is ready for `events`, for so long at most.
inline bool ready_while_awake(int fd, short events, Awake awake) {
  const auto asleep = std::chrono::steady_clock::now() + awake;
  pollfd waiting{fd, events, 0};
  while (std::chrono::steady_clock::now() < asleep) {
    if (poll(&waiting, 1, 0) > 0) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Waits until `fd` is ready for `events`, or has been closed.
inline Transfer wait_for(int fd, short events, Deadline deadline, Awake awake) {
  if (ready_while_awake(fd, events, awake)) return Transfer::done;
  for (;;) {
    int milliseconds = -1;
    if (deadline != kNoDeadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return Transfer::late;
      milliseconds = static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30));
    }
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, milliseconds);
    if (ready > 0) return Transfer::done;
    if (ready < 0 && errno != EINTR) return Transfer::closed;
  }
}

/// Moves all bytes by `move(data, size)`, which must not wait.
template <typename Byte, typename Move>
Transfer transfer_all(int fd, short events, std::span<Byte> bytes, Deadline deadline, Awake awake,
                      Move move) {
  while (!bytes.empty()) {
    if (const Transfer ready = wait_for(fd, events, deadline, awake); ready != Transfer::done)
      return ready;
    const ssize_t moved = move(bytes.data(), bytes.size());
    if (moved < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (moved <= 0) return Transfer::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
  return Transfer::done;
}

inline Transfer send_all(int fd, std::span<const std::byte> bytes, Deadline deadline) {
  const auto send_some = [fd](const std::byte* data, std::size_t size) {
    return ::send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  };
  return transfer_all(fd, POLLOUT, bytes, deadline, kAsleep, send_some);
}

inline Transfer receive_all(int fd, std::span<std::byte> bytes, Deadline deadline, Awake awake) {
  const auto receive_some = [fd](std::byte* data, std::size_t size) {
    return ::recv(fd, data, size, MSG_DONTWAIT);
  };
  return transfer_all(fd, POLLIN, bytes, deadline, awake, receive_some);
}

/// One descriptor beside the bytes of a message, as the system wants it.
class DescriptorMessage {
 public:
  DescriptorMessage(void* data, std::size_t size) : bytes_{data, size} {
    header_.msg_iov = &bytes_;
    header_.msg_iovlen = 1;
    header_.msg_control = room_;
    header_.msg_controllen = sizeof room_;
  }
  msghdr* header() { return &header_; }
  void put(int descriptor) {
    cmsghdr* const control = CMSG_FIRSTHDR(&header_);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  Descriptor take() {
    const cmsghdr* const control = CMSG_FIRSTHDR(&header_);
    if (!control || control->cmsg_type != SCM_RIGHTS) return {};
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
    return Descriptor(descriptor);
  }

 private:
  iovec bytes_;
  msghdr header_{};
  alignas(cmsghdr) char room_[CMSG_SPACE(sizeof(int))] = {};
};

/// Sends a frame, with the descriptor `lent` if it is not negative.
inline Transfer send_frame(int fd, std::span<const std::byte> message, Deadline deadline,
                           int lent = -1) {
  std::uint64_t size = message.size();
  const auto send_some = [&](const std::byte* data, std::size_t left) -> ssize_t {
    if (lent < 0) return ::send(fd, data, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    DescriptorMessage head(const_cast<std::byte*>(data), left);
    head.put(lent);
    const ssize_t sent = ::sendmsg(fd, head.header(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) lent = -1;
    return sent;
  };
  const Transfer sent = transfer_all(fd, POLLOUT, std::as_bytes(std::span(&size, 1)), deadline,
                                     kAsleep, send_some);
  return sent == Transfer::done ? send_all(fd, message, deadline) : sent;
}

/// Receives the length of a frame, and the descriptor that came with its first byte. That byte is
/// received alone: otherwise a descriptor that comes with a later one could be taken for its.
inline Transfer receive_head(int fd, std::uint64_t& size, Descriptor& lent, Deadline deadline,
                             Awake awake) {
  const auto receive_first = [&](std::byte* data, std::size_t) {
    DescriptorMessage head(data, 1);
    const ssize_t received = ::recvmsg(fd, head.header(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received > 0)
      if (Descriptor taken = head.take()) lent = std::move(taken);
    return received;
  };
  const auto bytes = std::as_writable_bytes(std::span(&size, 1));
  const Transfer first = transfer_all(fd, POLLIN, bytes.first(1), deadline, awake, receive_first);
  return first == Transfer::done ? receive_all(fd, bytes.subspan(1), deadline, awake) : first;
}

}  // namespace warpwise
