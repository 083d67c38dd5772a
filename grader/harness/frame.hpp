// A frame on a stream: the message's length in bytes (64 bits), then the message.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <span>

#include "message.hpp"

namespace warpwise {

/// Sends all bytes; false when the other side is gone.
inline bool send_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Fills all bytes; false when the other side closed or the receive failed.
inline bool receive_all(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

inline bool send_frame(int fd, std::span<const std::byte> message) {
  const std::uint64_t size = message.size();
  return send_all(fd, std::as_bytes(std::span(&size, 1))) && send_all(fd, message);
}

}  // namespace warpwise
