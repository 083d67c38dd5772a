// Parts of judge and clock that need no worker: messages, seals, medians, and what a ratio earns.
#include <unistd.h>

#include <cmath>
#include <mutex>
#include <set>

#include "batch.hpp"
#include "case_record.hpp"
#include "check.hpp"
#include "comparison.hpp"
#include "fresh_workers.hpp"
#include "loan.hpp"
#include "message.hpp"
#include "right_calls.hpp"
#include "seal.hpp"
#include "statistics.hpp"

namespace warpwise {
namespace {

/// Whether a message of `length` bytes holds a block that says it has `size`.
bool is_whole(std::uint64_t size, std::size_t length) {
  MessageWriter message;
  message.put(size);
  for (std::size_t i = 0; i < length; ++i) message.put(std::byte{1});
  const Bytes bytes = message.bytes();
  try {
    return MessageReader(bytes).get_block().size() == size;
  } catch (const MessageError&) {
    return false;
  }
}

void messages() {
  CHECK(is_whole(0, 0) && is_whole(9, 9) && is_whole(9, 12));
  CHECK(!is_whole(10, 9) && !is_whole(1, 0) && !is_whole(UINT64_MAX, 9));
  const Bytes text = MessageWriter().put_text("two").put<int>(5).bytes();
  MessageReader reader(text);
  CHECK(reader.get_text() == "two" && reader.get<int>() == 5);
}

Bytes sealed(std::size_t bytes, std::uint64_t key, std::uint64_t buffer) {
  Bytes payload(bytes, std::byte{0});
  seal(payload, key, buffer);
  return payload;
}

/// No argument of any slot shares its stream, every byte is changed by chance, and twice is not at
/// all.
void seals() {
  std::set<std::uint64_t> numbers;
  for (std::uint32_t slot = 0; slot < 8; ++slot)
    for (std::uint32_t argument = 0; argument < 8; ++argument)
      numbers.insert(buffer_number(slot, argument));
  CHECK(numbers.size() == 64);
  CHECK(sealed(16, 1, 0) != sealed(16, 2, 0) && sealed(16, 1, 0) != sealed(16, 1, 1));
  const Bytes odd = sealed(13, 3, 4), whole = sealed(16, 3, 4);
  CHECK(std::equal(odd.begin(), odd.end(), whole.begin()));
  CHECK(std::set<std::byte>(whole.begin(), whole.end()).size() > 8);
  Bytes again = odd;
  seal(again, 3, 4);
  CHECK(again == Bytes(13, std::byte{0}));
}

void medians() {
  CHECK(median({3}) == 3 && median({5, 1, 3}) == 3 && median({4, 1, 2, 9}) == 3);
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Interval often = median_interval(values, 0.5), seldom = median_interval(values, 0.01);
  CHECK(often.low <= 6 && 6 <= often.high && often.low < often.high);
  CHECK(seldom.low < often.low && often.high < seldom.high);
  // Half of all resamples have a median from 5 to 7: Student's interval of error 1 is the middle.
  CHECK(often.low == 5 && often.high == 7);
  const Interval sure = median_interval(values, 1);
  CHECK(sure.low == 6 && sure.high == 6);
}

void bars() {
  const SpeedBar bar{.full = 2, .none = 8, .seconds = 1};
  CHECK(earned_share(bar, 2) == 1 && earned_share(bar, 1) == 1);
  CHECK(earned_share(bar, 8) == 0 && earned_share(bar, 9) == 0);
  CHECK(std::abs(earned_share(bar, 4) - 0.5) < 1e-12);
  CHECK(is_decided(bar, {1, 2}, 8) && is_decided(bar, {8, 99}, 8) && is_decided(bar, {4, 4.05}, 8));
  CHECK(!is_decided(bar, {2, 8}, 8) && is_decided(bar, {3.9, 4.1}, 8));
  CHECK(!is_decided(bar, {3.8, 4.2}, 8) && !is_decided(bar, {3.8, 4.2}, 256));
  CHECK(is_decided(bar, {1, 1.9}, 4) && is_decided(bar, {8.45, 99}, 4));
  CHECK(!is_decided(bar, {1, 1.9}, 3) && !is_decided(bar, {8.45, 99}, 3));
  CHECK(!is_decided(bar, {1, 1.95}, 4) && !is_decided(bar, {8.35, 99}, 4));
  CHECK(!is_decided(bar, {4, 4}, 7) && !is_decided(bar, {1, 99}, 4) &&
        is_decided(bar, {1, 1.9}, 8));
}

Bytes lent_bytes(const Loan& loan) {
  Bytes bytes(loan.used());
  CHECK(pread(loan.descriptor(), bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()));
  return bytes;
}

/// A worker can write after its buffers, up to the end of the page. The next one must not find it.
void lent_again() {
  Argument argument;
  argument.name = "keys";
  argument.access = Argument::Access::in;
  argument.payload = Bytes(10, std::byte{7});
  Loan loan(7, Place::host);
  loan.add({.argument = &argument, .guard_seed = 5});
  loan.write();
  const Bytes written = lent_bytes(loan);
  const std::size_t end = 10 + 2 * kGuardBytes;
  CHECK(end < written.size());
  const Bytes message(written.size() - end, std::byte{1});
  CHECK(pwrite(loan.descriptor(), message.data(), message.size(), off_t(end)) ==
        ssize_t(message.size()));
  CHECK(lent_bytes(loan) != written);
  loan.take_copy();
  loan.forget_memory();
  loan.write_again();
  CHECK(lent_bytes(loan) == written);
}

void keys_of_seals() {
  std::set<std::uint64_t> keys;
  for (int i = 0; i < 8; ++i) keys.insert(random_key());
  CHECK(keys.size() == 8 && !keys.contains(0));
}

void every_call_of_a_batch_has_an_input_of_its_own() {
  std::mutex lock;
  std::set<std::uint64_t> seeds;
  const auto make = [&](std::uint64_t seed) {
    const std::lock_guard held(lock);
    seeds.insert(seed);
    return TimedCall{};
  };
  CHECK(make_batch(make, 4, 10).size() == 4);
  CHECK(seeds == std::set<std::uint64_t>{10, 11, 12, 13});
}

void broken_tests_come_first() {
  using enum Verdict;
  const CaseRecord good{"a", passed, "", 0}, wrong{"b", wrong_answer, "", 0};
  const CaseRecord late{"c", crashed, "", 0}, broken{"d", infrastructure_error, "", 0};
  CHECK(deciding({good, wrong, good, late}).name == "b");
  CHECK(deciding({good, wrong, late, broken, good}).name == "d");
  CHECK(deciding({good, good}).verdict == passed && deciding({}).verdict == passed);
}

void workers_are_new_now_and_then() {
  for (std::size_t round = 0; round < 9; ++round)
    CHECK(FreshWorkers::begin(round) == (round != 1 && round != 3));
}

/// A call with these numbers after a buffer in `access`.
PreparedCall call_of(std::vector<int> numbers, Argument::Access access = Argument::Access::in_out,
                     const char* entry = "a::sort") {
  std::vector<Argument> arguments = {{access, "keys", 4, {}}};
  for (const int number : numbers)
    arguments.push_back({Argument::Access::value, std::to_string(number), 4, {}});
  return describe_call(entry, std::move(arguments));
}

/// What is closest to the last one of these calls.
std::string closest(const std::vector<PreparedCall>& calls) {
  RightCalls right;
  for (const PreparedCall& call : calls) right.begin(call);
  return right.closest();
}

void right_calls() {
  using enum Argument::Access;
  CHECK(closest({call_of({32}), call_of({1024}), call_of({33}), call_of({1025})}) ==
        "a::sort(keys, 1024)");
  CHECK(closest({call_of({2049}), call_of({1025})}).empty() && closest({call_of({1025})}).empty());
  CHECK(closest({call_of({8}, host), call_of({9})}).empty());
  CHECK(closest({without_memory(call_of({8})), call_of({9})}).empty());
  CHECK(closest({call_of({8}, in_out, "a::other"), call_of({9})}).empty());
  CHECK(closest({call_of({8, 3}), call_of({9, 3})}) == "a::sort(keys, 8, 3)");
  CHECK(closest({call_of({8, 2}), call_of({9, 3})}).empty());
  RightCalls right;
  right.begin(call_of({8}));
  right.forget();  // this one has failed
  right.begin(call_of({9}));
  CHECK(right.closest().empty());
}

}  // namespace

void check_parts() {
  right_calls();
  workers_are_new_now_and_then();
  keys_of_seals();
  every_call_of_a_batch_has_an_input_of_its_own();
  broken_tests_come_first();
  check_worker_parts();
  messages();
  seals();
  medians();
  bars();
  lent_again();
}

}  // namespace warpwise
