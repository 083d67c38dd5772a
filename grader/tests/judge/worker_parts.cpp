// Parts of the worker and of the wire that need no submission: the table of entry points, and
// frames on a channel that is not ready at once.
#include <sys/socket.h>

#include <cerrno>
#include <climits>

#include "check.hpp"
#include "entry_table.hpp"
#include "frame.hpp"

namespace warpwise {

std::vector<Entry>& entry_table() {
  static std::vector<Entry> table;
  return table;
}

namespace {

int half_of(const float* pointer, int number) { return pointer ? -1 : number / 2; }

template <typename Value>
StagedArgument plain(const Value& value) {
  return {false, nullptr, std::as_bytes(std::span(&value, 1))};
}

bool is_refused(const Entry& entry, const std::vector<StagedArgument>& arguments) {
  try {
    entry.call(arguments);
  } catch (const ArgumentMismatch&) {
    return true;
  }
  return false;
}

/// Judge and worker may be of different builds: what does not fit is refused, and never read.
void arguments_fit() {
  const EntryRegistration here("half_of", half_of);
  const EntryRegistration missing("missing", static_cast<void (*)()>(nullptr));
  const Entry &entry = entry_table().at(0), &absent = entry_table().at(1);
  CHECK(entry.defined && !absent.defined && entry.name == "half_of");
  const StagedArgument null{true, nullptr, {}};
  const int nine = 9;
  const long long wide = 9;
  const short narrow = 9;
  // The value of an int is in the first four bytes of a reply.
  CHECK(entry.call(std::vector{null, plain(nine)}) == 4);
  CHECK(is_refused(entry, {null, plain(wide)}) && is_refused(entry, {null, plain(narrow)}));
  CHECK(is_refused(entry, {plain(nine), plain(nine)}) && is_refused(entry, {null, null}));
  CHECK(is_refused(entry, {null}) && is_refused(entry, {null, plain(nine), plain(nine)}));
  CHECK(is_refused(entry, {null, {true, nullptr, std::as_bytes(std::span(&nine, 1))}}));
}

/// A poll may say that a channel is ready, and the call after it that it is not, or was
/// interrupted.
Transfer after_error(int error) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return Transfer::late;
  const Descriptor one(ends[0]), other(ends[1]);
  int calls = 0;
  const auto move = [&](const char*, std::size_t size) -> ssize_t {
    errno = error;
    return ++calls == 1 ? -1 : static_cast<ssize_t>(size);
  };
  const char bytes[] = "four";
  return transfer_all(one.get(), POLLOUT, std::span<const char>(bytes), kNoDeadline, kAsleep, move);
}

Transfer from_closed() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return Transfer::late;
  const Descriptor one(ends[0]);
  Descriptor other(ends[1]);
  other.reset();
  std::byte bytes[4];
  const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  return receive_all(one.get(), bytes, soon, kAsleep);
}

/// Whether a frame's head comes with a descriptor, if somebody wrote some bytes before it.
bool brings_descriptor(std::size_t written_before) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  const Descriptor one(ends[0]), other(ends[1]);
  const std::byte forged[16] = {}, reply[4] = {};
  const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  send_all(one.get(), std::span(forged).first(written_before), soon);
  send_frame(one.get(), reply, soon, STDERR_FILENO);
  std::uint64_t size = 0;
  Descriptor brought;
  const bool done = receive_head(other.get(), size, brought, soon, kAsleep) == Transfer::done;
  return done && brought;
}

void channels() {
  CHECK(brings_descriptor(0));
  CHECK(!brings_descriptor(1) && !brings_descriptor(7) && !brings_descriptor(8));
  CHECK(after_error(EAGAIN) == Transfer::done && after_error(EINTR) == Transfer::done);
  CHECK(after_error(EPIPE) == Transfer::closed && from_closed() == Transfer::closed);
}

}  // namespace

void check_worker_parts() {
  arguments_fit();
  channels();
}

}  // namespace warpwise
