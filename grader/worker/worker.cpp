// The worker: the process in which a submission runs. It answers the judge's requests
// (protocol.hpp) and decides nothing. The entry points that it calls are in the lab's entries.cpp.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <variant>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "entry_table.hpp"
#include "frame.hpp"
#include "kept_memory.hpp"
#include "one_processor.hpp"
#include "protocol.hpp"
#include "seal.hpp"
#include "worker_backend.hpp"
#include "worker_clock.hpp"

namespace warpwise {
namespace {

/// The image of one buffer, in device memory or on the host.
using Image = std::variant<kit::DeviceBuffer<std::byte>, Bytes>;

/// One staged call: the memory its pointers point into, and the arguments. An image's bytes stay
/// where they are when the slot or its vector moves.
struct Slot {
  const Entry* entry = nullptr;
  std::vector<Image> images;
  std::vector<std::unique_ptr<Bytes>> values;
  std::vector<StagedArgument> arguments;
  // What is opened when the clock runs, if the judge sealed the call: content and plain values.
  std::vector<SealedBuffer> sealed_buffers;
  std::vector<std::pair<std::uint64_t, Bytes*>> sealed_values;
};

class Worker {
 public:
  Bytes answer(std::span<const std::byte> request) {
    const Bytes reply = carry_out(request);
    const std::vector<Finding> found = findings();  // they may be the cause of a failure
    if (found.empty()) return reply;
    MessageWriter message;
    put_findings(message.put(Status::finding), found);
    return message.put_block(reply).bytes();
  }

 private:
  Bytes carry_out(std::span<const std::byte> request) {
    MessageReader reader(request);
    try {
      switch (reader.get<Operation>()) {
        case Operation::hello:
          return hello();
        case Operation::stage:
          return stage(reader);
        case Operation::run:
          return run(reader);
        case Operation::fetch:
          return fetch(reader);
        case Operation::share:
          return share(reader);
        case Operation::unshare:
          return unshare(reader);
        case Operation::count:
          return count();
        case Operation::profile:
          return profile();
      }
      return failure(Status::bad_arguments, "unknown operation");
    } catch (const ArgumentMismatch& error) {
      return failure(Status::bad_arguments, error.what());
    } catch (const kit::CudaError& error) {
      return failure(Status::cuda_error, error.what());
    } catch (const std::exception& error) {
      return failure(Status::exception, error.what());
    }
  }

  static Bytes failure(Status status, const std::string& text) {
    return MessageWriter().put(status).put_text(text).bytes();
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

  Bytes stage(MessageReader& reader) {
    const auto id = reader.get<std::uint32_t>();
    const std::string name = reader.get_text();
    const auto& table = entry_table();
    const auto entry = std::find_if(table.begin(), table.end(),
                                    [&](const Entry& candidate) { return candidate.name == name; });
    if (entry == table.end()) return failure(Status::unknown_entry, name);
    if (!entry->defined) return failure(Status::missing_entry, name);
    Slot slot;
    slot.entry = &*entry;
    const auto count = reader.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) stage_argument(slot, reader, buffer_number(id, i));
    CUDA_CHECK(cudaDeviceSynchronize());
    slots_[id] = std::move(slot);
    return MessageWriter().put(Status::ok).bytes();
  }

  void stage_argument(Slot& slot, MessageReader& reader, std::uint64_t number) {
    const auto place = reader.get<Place>();
    const bool initialised = reader.get<std::uint32_t>() != 0;
    const std::string name = reader.get_text();
    const auto block = reader.get_block();
    if (place == Place::value) {
      slot.values.push_back(std::make_unique<Bytes>(block.begin(), block.end()));
      slot.arguments.push_back({false, nullptr, *slot.values.back()});
      slot.sealed_values.emplace_back(number, slot.values.back().get());
    } else if (place == Place::shared) {
      const auto shared = MessageReader(block).get<std::uint64_t>();
      slot.arguments.push_back({true, shared_.at(shared).data() + kGuardBytes, {}});
    } else if (place == Place::null) {
      slot.arguments.push_back({true, nullptr, {}});
    } else if (place == Place::host) {
      Bytes& image = std::get<Bytes>(slot.images.emplace_back(Bytes(block.begin(), block.end())));
      slot.arguments.push_back({true, image.data() + kGuardBytes, {}});
    } else {
      kit::DeviceBuffer<std::byte> image(block);
      std::byte* const payload = image.data() + kGuardBytes;
      slot.images.emplace_back(std::move(image));
      mark_accessible(payload, block.size() - 2 * kGuardBytes, initialised, name);
      slot.arguments.push_back({true, payload, {}});
      if (initialised)
        slot.sealed_buffers.push_back({payload, block.size() - 2 * kGuardBytes, number});
    }
  }

  Bytes run(MessageReader& reader) {
    const auto how = reader.get<std::uint32_t>();
    const bool cold = how & kCold;
    std::vector<Slot*> slots(reader.get<std::uint32_t>());
    for (Slot*& slot : slots) slot = &slots_.at(reader.get<std::uint32_t>());
    if (const auto key = reader.get<std::uint64_t>()) open(slots, key);
    if (cold && !flush_) flush_ = std::make_unique<CacheFlush>();
    std::vector<Event> events(how & kEvents ? 2 * slots.size() : 0);
    prepare_backend();

    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (cold) (*flush_)();
      const MemoryRefusal refusal(how & kNoMemory);
      if (!events.empty()) events[2 * i].record();
      values.push_back(how & kRehearse ? 0 : slots[i]->entry->call(slots[i]->arguments));
      if (!events.empty()) events[2 * i + 1].record();
    }
    // A cudaMalloc that failed as it was told to may have left its error behind.
    if (const cudaError_t error = cudaGetLastError();
        error != cudaErrorMemoryAllocation || !(how & kNoMemory))
      CUDA_CHECK(error);  // a launch that was refused
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

  void open(const std::vector<Slot*>& slots, std::uint64_t key) {
    std::vector<SealedBuffer> buffers;
    std::uint64_t largest = 0;
    for (Slot* const slot : slots) {
      for (const auto& [number, value] : slot->sealed_values) seal(*value, key, number);
      for (const SealedBuffer& buffer : slot->sealed_buffers) {
        buffers.push_back(buffer);
        largest = std::max(largest, buffer.bytes);
      }
    }
    if (buffers.size() > descriptors_.size())  // the rehearsal's request came first: not timed
      descriptors_ = kit::DeviceBuffer<SealedBuffer>(buffers.size());
    descriptors_.copy_from(buffers);
    open_sealed(descriptors_.data(), static_cast<std::uint32_t>(buffers.size()), largest, key);
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  Bytes fetch(MessageReader& reader) {
    const auto id = reader.get<std::uint32_t>();
    Slot slot = std::move(slots_.at(id));
    slots_.erase(id);
    MessageWriter reply;
    reply.put(Status::ok).put<std::uint32_t>(slot.images.size());
    for (const Image& image : slot.images) reply.put_block(content(image));
    return reply.bytes();
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

  static Bytes content(const Image& image) {
    if (const auto* host = std::get_if<Bytes>(&image)) return *host;
    const auto& device = std::get<kit::DeviceBuffer<std::byte>>(image);
    Bytes bytes(device.size());
    device.copy_to(bytes);
    return bytes;
  }

  Bytes share(MessageReader& reader) {
    const auto number = reader.get<std::uint64_t>();
    const std::string name = reader.get_text();
    const auto block = reader.get_block();
    kit::DeviceBuffer<std::byte> buffer(block);
    mark_accessible(buffer.data() + kGuardBytes, block.size() - 2 * kGuardBytes, true, name);
    shared_[number] = std::move(buffer);
    return MessageWriter().put(Status::ok).bytes();
  }

  Bytes unshare(MessageReader& reader) {
    const auto kept = shared_.extract(reader.get<std::uint64_t>());
    if (kept.empty()) return failure(Status::bad_arguments, "nothing is shared by that number");
    Bytes image(kept.mapped().size());
    kept.mapped().copy_to(image);
    return MessageWriter().put(Status::ok).put_block(image).bytes();
  }

  std::map<std::uint32_t, Slot> slots_;
  std::map<std::uint64_t, kit::DeviceBuffer<std::byte>> shared_;
  std::unique_ptr<CacheFlush> flush_;
  kit::DeviceBuffer<SealedBuffer> descriptors_;
};

bool receive(std::span<std::byte> bytes) {
  return receive_all(kWorkerChannel, bytes, kNoDeadline, kWorkerAwake) == Transfer::done;
}

int serve() {
  Worker worker;
  for (;;) {
    std::uint64_t size = 0;
    if (!receive(std::as_writable_bytes(std::span(&size, 1)))) return 0;
    Bytes request(size);
    if (!receive(request)) return 0;
    if (send_frame(kWorkerChannel, worker.answer(request), kNoDeadline) != Transfer::done) return 0;
  }
}

}  // namespace
}  // namespace warpwise

int main() {
  warpwise::keep_freed_memory();
  if (cudaFree(nullptr)) cudaGetLastError();  // gets the device ready; who asks for it hears of faults
  // Only now, for two workers get ready side by side.
  if (const char* processor = std::getenv("WARPWISE_PROCESSOR"))
    warpwise::stay_on_processor(std::atoi(processor));
  return warpwise::serve();
}
