// The memory of calls: lent to the worker, copied when it has answered, and checked.

#include <chrono>
#include <utility>

#include "image.hpp"
#include "judge.hpp"
#include "seal.hpp"

namespace warpwise {
namespace {

Place place_of(const Argument& argument) {
  switch (argument.access) {
    case Argument::Access::value:
      return Place::value;
    case Argument::Access::null:
      return Place::null;
    case Argument::Access::host:
      return Place::host;
    default:
      return Place::device;
  }
}

/// A timed call's inputs are; results and host memory are not.
bool is_sealed(const Argument& argument) {
  return argument.access == Argument::Access::in || argument.access == Argument::Access::in_out;
}

}  // namespace

/// What the worker kept is gone with it. What it had given back may be lent to the next one.
void Judge::forget_worker() {
  std::erase_if(shared_, [](const auto& each) { return each.second.lent; });
  for (Loan* const loan : {&device_loan_, &host_loan_}) loan->forget_memory();
}

/// Fills the memory of a loan, and lends it.
void Judge::lend(Loan& loan, const std::string& what) {
  asking_.worker();  // gets ready meanwhile
  loan.write();
  hand_over(loan, what);
}

void Judge::hand_over(const Loan& loan, const std::string& what) {
  asking_.ask(loan.request(), kReplyBytes, what, {.lent = loan.descriptor()});
}

/// The region in which the worker keeps what the argument shares; lent the first time.
std::uint64_t Judge::share(const Argument& argument, const std::string& description) {
  std::uint64_t region = kFirstShared;
  for (auto& [known, kept] : shared_) {
    if (kept.argument.shared == argument.shared) {
      if (!std::exchange(kept.lent, true)) {
        kept.loan.write_again();
        hand_over(kept.loan, description);
      }
      return known;
    }
    region = known + 1;
  }
  // Below the seeds of call_batch's guards, which count upwards.
  const std::uint64_t guard_seed = guard_seed_ - 1 - region;
  SharedArgument& kept =
      shared_
          .emplace(region, SharedArgument{argument, description, guard_seed,
                                          Loan(region, Place::device)})
          .first->second;
  kept.loan.add({&kept.argument, guard_seed});
  lend(kept.loan, description);
  return region;
}

void Judge::send_shared(const PreparedCall& call) {
  for (const Argument& argument : call.arguments)
    if (argument.shared) share(argument, call.description);
}

/// Lends the buffers of all calls, the last call's first, and names the arguments of each.
void Judge::stage_all(Calls calls, const GuardSeed& guard_seed, std::uint64_t key) {
  device_loan_.clear();
  host_loan_.clear();
  lent_index_.clear();
  for (auto slot = static_cast<std::uint32_t>(calls.size()); slot-- > 0;) {
    std::uint64_t seed = guard_seed(slot);
    for (std::uint32_t i = 0; i < calls[slot]->arguments.size(); ++i) {
      const Argument& argument = calls[slot]->arguments[i];
      if (!argument.is_buffer() || argument.shared) continue;
      const std::uint64_t number = buffer_number(slot, i);
      lent_index_[number] = loan_of(argument).add(
          {&argument, ++seed, is_sealed(argument) ? key : 0, number});
    }
  }
  for (Loan* const loan : {&device_loan_, &host_loan_})
    if (!loan->empty()) lend(*loan, calls.front()->description);
  // One request: a batch may have a thousand calls, and each answer takes 0.1 ms to arrive.
  MessageWriter request;
  request.put(Operation::stage).put<std::uint32_t>(calls.size());
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot)
    describe(request, slot, *calls[slot], key);
  asking_.ask(request, kReplyBytes, calls.front()->description);
}

/// Puts the arguments of a call into the request. What it shares is lent first, if it is not yet.
void Judge::describe(MessageWriter& request, std::uint32_t slot, const PreparedCall& call,
                     std::uint64_t key) {
  request.put(slot).put_text(call.entry).put<std::uint32_t>(call.arguments.size());
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    const std::uint64_t number = buffer_number(slot, i);
    request.put(place_of(argument));
    if (!argument.is_buffer()) {
      Bytes value = argument.payload;
      if (key) seal(value, key, number);
      request.put_block(value);
      continue;
    }
    const LentBuffer lent =
        argument.shared ? LentBuffer{share(argument, call.description), 0, 0}
                        : LentBuffer{loan_of(argument).region(), lent_index_.at(number),
                                     is_sealed(argument)};
    request.put_block(std::as_bytes(std::span(&lent, 1)));
  }
}

/// The judge's own copy of all buffers, taken as soon as the reply is here: what is written later
/// does not count. Returns the seconds until the first bytes were here, if that is timed. On a GPU,
/// work that still goes on although the worker said that it had finished may hold them up. The
/// seconds of the whole copy would say less: they differ by half a millisecond, depending on where
/// the judge's memory is.
double Judge::take_copies(bool timed) {
  const auto start = std::chrono::steady_clock::now();
  if (timed && !device_loan_.empty()) device_loan_.touch();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  for (Loan* const loan : {&device_loan_, &host_loan_})
    if (!loan->empty()) loan->take_copy();
  return waited.count();
}

/// Takes the buffers of a slot from the copy, and checks what no test should have to check.
PreparedCall Judge::take_over(std::uint32_t slot, const PreparedCall& call,
                              std::uint64_t guard_seed) {
  PreparedCall returned{call.entry, call.description, {}, call.how};
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    if (!argument.is_buffer() || argument.shared) {
      returned.arguments.push_back(argument);
      continue;
    }
    const auto image = loan_of(argument).image(lent_index_.at(buffer_number(slot, i)));
    const auto payload = payload_of(image);
    const Guards guards(++guard_seed);
    const bool touched = !guards.are_around(image) || !same_bytes(payload, argument.payload);
    if (touched) left_a_trace_ = true;
    if (touched) changed_ = true;
    check_guards(argument, guards, image, call.description);
    if (argument.access == Argument::Access::in || argument.access == Argument::Access::host)
      check_unchanged(argument, payload, call.description);
    returned.arguments.push_back({argument.access, argument.name, argument.element_bytes,
                                  {payload.begin(), payload.end()}});
  }
  return returned;
}

void Judge::return_shared() {
  take_back_shared();
  shared_.clear();
}

/// What is kept of it here can be lent again: it was found to be as it was.
void Judge::take_back_shared() {
  for (auto& [region, kept] : shared_) {
    if (!kept.lent) continue;
    kept.loan.take_copy();
    const auto image = kept.loan.image(0);
    const MessageWriter request = MessageWriter().put(Operation::take_back).put(region);
    asking_.ask(request, kReplyBytes, kept.description);
    check_guards(kept.argument, Guards(kept.guard_seed), image, kept.description);
    check_unchanged(kept.argument, payload_of(image), kept.description);
    kept.loan.forget_memory();
    kept.lent = false;
  }
}

}  // namespace warpwise
