// The worker: the process in which a submission runs. It answers the judge's requests
// (protocol.hpp) and decides nothing. The entry points that it calls are in the lab's entries.cpp.
#include <cuda_runtime.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "entry_table.hpp"
#include "frame.hpp"
#include "kept_memory.hpp"
#include "one_processor.hpp"
#include "protocol.hpp"
#include "staged.hpp"
#include "worker_backend.hpp"
#include "worker_clock.hpp"

// The linker sets both; addresses alone count.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_initialiser;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_initialiser;
}

namespace warpwise {
namespace {

/// A GPU takes a third of a second for it. Who asks for the device hears of its faults.
void get_device_ready() {
  if (cudaFree(nullptr)) cudaGetLastError();
}

class Worker {
 public:
  /// While no request is here: gets the device ready for the call that was announced.
  void get_ready() {
    if (std::exchange(expects_call_, false)) get_device_ready();
  }

  /// How long to look for the next request before going to sleep.
  Awake awake() const { return timed_ ? kWorkerAwake : kAsleep; }

  /// `lent` is the descriptor that came with the request, if any.
  Bytes answer(std::span<const std::byte> request, const Descriptor& lent) {
    const Bytes reply = carry_out(request, lent);
    const std::vector<Finding> found = findings();  // they may be the cause of a failure
    if (found.empty()) return reply;
    MessageWriter message;
    put_findings(message.put(Status::finding), found);
    return message.put(launches()).put_block(reply).bytes();
  }

 private:
  Bytes carry_out(std::span<const std::byte> request, const Descriptor& lent) {
    MessageReader reader(request);
    try {
      switch (reader.get<Operation>()) {
        case Operation::hello:
          return hello();
        case Operation::look_up:
          return look_up(reader.get_text());
        case Operation::lend:
          return borrow(reader, lent);
        case Operation::stage:
          return stage(reader);
        case Operation::run:
          return run(reader);
        case Operation::take_back:
          regions_.erase(reader.get<std::uint64_t>());
          return MessageWriter().put(Status::ok).bytes();
        case Operation::count:
          return count();
        case Operation::profile:
          return profile();
      }
      return failure(Status::bad_arguments, "unknown operation");
    } catch (const ArgumentMismatch& error) {
      return failure(Status::bad_arguments, error.what());
    } catch (const kit::CudaError& error) {
      return failure(Status::cuda_error, with_reason(error.what()));
    } catch (const std::exception& error) {
      return failure(Status::exception, error.what());
    }
  }

  /// An error of CUDA as the student reads it. The backend may know what was wrong with the call.
  static std::string with_reason(const std::string& text) {
    const std::string reason = failure_reason();
    return reason.empty() || text.ends_with(reason) ? text : text + ": " + reason;
  }

  static Bytes failure(Status status, const std::string& text) {
    return MessageWriter().put(status).put_text(text).put(launches()).bytes();
  }

  static Bytes hello() {
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, 0))
      return failure(Status::no_device, cudaGetErrorString(error));
    const kit::DeviceBuffer<std::byte> memory(1 << 20);  // a name is told by a broken device, too
    CUDA_CHECK(cudaMemset(memory.data(), 0, memory.size()));
    CUDA_CHECK(cudaDeviceSynchronize());
    return MessageWriter().put(Status::ok).put_text(properties.name).bytes();
  }

  /// Comes before anything is lent, because a worker without the entry point need not wait for a
  /// GPU.
  Bytes look_up(const std::string& name) {
    const Entry* const entry = find_entry(name);
    if (!entry) return failure(Status::unknown_entry, name);
    expects_call_ = entry->defined;
    return MessageWriter().put(Status::ok).put<std::uint32_t>(entry->defined).bytes();
  }

  static const Entry* find_entry(const std::string& name) {
    const auto& table = entry_table();
    const auto entry = std::ranges::find(table, name, &Entry::name);
    return entry == table.end() ? nullptr : &*entry;
  }

  Bytes stage(MessageReader& reader) {
    for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
      const auto id = reader.get<std::uint32_t>();
      const std::string name = reader.get_text();
      const Entry* const entry = find_entry(name);
      if (!entry || !entry->defined) return failure(Status::unknown_entry, name);
      slots_[id] = staged(*entry, id, reader);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return MessageWriter().put(Status::ok).bytes();
  }

  Slot staged(const Entry& entry, std::uint32_t id, MessageReader& reader) {
    Slot slot;
    slot.entry = &entry;
    const auto count = reader.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) stage_argument(slot, reader, buffer_number(id, i));
    return slot;
  }

  void stage_argument(Slot& slot, MessageReader& reader, std::uint64_t number) {
    const auto place = reader.get<Place>();
    const auto block = reader.get_block();
    if (place == Place::value) {
      slot.values.push_back(std::make_unique<Bytes>(block.begin(), block.end()));
      slot.arguments.push_back({false, nullptr, *slot.values.back()});
      slot.sealed_values.emplace_back(number, slot.values.back().get());
    } else if (place == Place::null) {
      slot.arguments.push_back({true, nullptr, {}});
    } else {
      const auto lent = MessageReader(block).get<LentBuffer>();
      const Region& region = regions_.at(lent.region);
      std::byte* const payload = region.payload(lent.index);
      slot.arguments.push_back({true, payload, {}});
      if (lent.sealed)
        slot.sealed_buffers.push_back({payload, region.payload_bytes(lent.index), number});
    }
  }

  /// Maps what the judge lends. The earlier region of that number is unmapped first.
  Bytes borrow(MessageReader& reader, const Descriptor& lent) {
    const auto number = reader.get<std::uint64_t>();
    const auto place = reader.get<Place>();
    const auto bytes = reader.get<std::uint64_t>();
    if (number < kFirstShared) slots_.clear();
    regions_.erase(number);
    Region region;
    std::vector<std::pair<LentAs, std::string>> marks;  // with the buffers' names
    for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
      const auto offset = reader.get<std::uint64_t>();
      region.spans.push_back({offset, reader.get<std::uint64_t>()});
      const auto how = reader.get<LentAs>();
      marks.emplace_back(how, reader.get_text());
    }
    const bool on_device = place == Place::device;
    region.images =
        on_device ? map_device(lent, bytes, region.spans) : map_host(lent, region.spans);
    for (std::uint32_t i = 0; on_device && i < marks.size(); ++i)
      mark_accessible(region.payload(i), region.payload_bytes(i), marks[i].first, marks[i].second);
    regions_[number] = std::move(region);
    return MessageWriter().put(Status::ok).bytes();
  }

  Bytes run(MessageReader& reader) {
    const auto how = reader.get<std::uint32_t>();
    const bool cold = how & kCold;
    std::vector<Slot*> slots(reader.get<std::uint32_t>());
    for (Slot*& slot : slots) slot = &slots_.at(reader.get<std::uint32_t>());
    const auto key = reader.get<std::uint64_t>();
    timed_ = key != 0;
    if (timed_) opener_.open(slots, key);
    if (cold && !flush_) flush_ = std::make_unique<CacheFlush>();
    std::vector<Event> events(how & kEvents ? 2 * slots.size() : 0);
    prepare_backend();

    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (cold) (*flush_)();
      const DeviceManner manner(how);
      const PinnedBuffers pinned = pin(how & kPinned);
      if (!events.empty()) events[2 * i].record();
      values.push_back(how & kRehearse ? 0 : slots[i]->entry->call(slots[i]->arguments));
      if (const std::string kernel = left_kernel(); !kernel.empty())
        return failure(Status::cuda_error, "kernel " + kernel + " was left by a jump");
      if (how & kPinned) CUDA_CHECK(cudaDeviceSynchronize());  // kernels may still use the buffers
      if (!events.empty()) events[2 * i + 1].record();
    }
    // A cudaMalloc that failed as it was told to may have left its error.
    if (const cudaError_t error = cudaGetLastError();
        error != cudaSuccess &&
        (error != cudaErrorMemoryAllocation || !(how & kNoMemory)))
      return failure(Status::cuda_error,  // a launch that was refused
                     with_reason(cudaGetErrorName(error) + std::string(": ") +
                                 cudaGetErrorString(error)));
    CUDA_CHECK(cudaDeviceSynchronize());  // a kernel that failed while it ran
    if (const std::string damage = damaged_buffer(); !damage.empty())
      return failure(Status::damaged_buffer, damage);

    MessageWriter reply;
    reply.put(Status::ok);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const float milliseconds =
          events.empty() ? 0 : events[2 * i + 1].milliseconds_since(events[2 * i]);
      reply.put(values[i]).put(milliseconds);
    }
    return reply.put(statistics()).put_text(launched_kernels()).bytes();
  }

  /// The buffers on the host, registered with CUDA while the result lives; none if not wanted.
  PinnedBuffers pin(bool wanted) {
    PinnedBuffers pinned;
    const auto lent = regions_.find(kBatchOnHost);
    if (!wanted || !kPinsLentMemory || lent == regions_.end()) return pinned;
    for (std::size_t i = 0; i < lent->second.spans.size(); ++i)
      pinned.add(lent->second.payload(i), lent->second.payload_bytes(i));
    return pinned;
  }

  static Bytes count() {
    MessageWriter reply;
    put_counters(reply.put(Status::ok), counters());
    return reply.bytes();
  }

  static Bytes profile() {
    MessageWriter reply;
    put_resources(reply.put(Status::ok), resources());
    return reply.bytes();
  }

  std::map<std::uint32_t, Slot> slots_;
  std::map<std::uint64_t, Region> regions_;
  std::unique_ptr<CacheFlush> flush_;
  bool timed_ = false;  // the last call
  bool expects_call_ = false;
  Opener opener_;
};

/// Moves the channel away from the number under which it came: only this function's caller knows
/// the new one.
Descriptor take_channel() {
  constexpr int kLowest = 64, kNumbers = 512;
  const auto chosen = static_cast<int>(std::random_device()() % kNumbers);
  Descriptor channel(fcntl(kWorkerChannel, F_DUPFD_CLOEXEC, kLowest + chosen));
  close(kWorkerChannel);
  return channel;
}

/// The submission's static initialisers, which the linker has kept out of the program's start
/// (initialisers.ld). Without that linker script they have already run, and there are none here.
void run_initialisers() {
  using Initialiser = void (*)(int, char**, char**);
  const auto* const last = reinterpret_cast<const Initialiser*>(&warpwise_last_initialiser);
  const auto* next = reinterpret_cast<const Initialiser*>(&warpwise_first_initialiser);
  static char name[] = "worker";
  static char* arguments[] = {name, nullptr};
  for (; next < last; ++next) (*next)(1, arguments, environ);
}

int serve(int channel) {
  Worker worker;
  for (;;) {
    std::uint64_t size = 0;
    Descriptor lent;
    if (receive_head(channel, size, lent, kNoDeadline, worker.awake()) != Transfer::done)
      return 0;
    Bytes request(size);
    if (receive_all(channel, request, kNoDeadline, worker.awake()) != Transfer::done) return 0;
    const Bytes reply = worker.answer(request, lent);
    if (send_frame(channel, reply, kNoDeadline, STDERR_FILENO) != Transfer::done) return 0;
    worker.get_ready();
  }
}

}  // namespace
}  // namespace warpwise

int main() {
  warpwise::keep_freed_memory();
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a line is known when the call ends, or the program
  const warpwise::Descriptor channel = warpwise::take_channel();
  warpwise::run_initialisers();  // nothing of the submission has run before
  warpwise::note_initialisers();
  if (!std::getenv("WARPWISE_UNTIMED")) warpwise::get_device_ready();
  // Only now, for two workers get ready side by side.
  if (const char* processor = std::getenv("WARPWISE_PROCESSOR"))
    warpwise::stay_on_processor(std::atoi(processor));
  return warpwise::serve(channel.get());
}
