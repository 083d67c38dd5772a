// The worker: the process in which a submission runs. It answers the judge's requests
// (protocol.hpp) and decides nothing. WARPWISE_CONTRACT names the lab's contract header, whose last
// line fills the table of entry points.
#define WARPWISE_WORKER
#include WARPWISE_CONTRACT

#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "entry_table.hpp"
#include "frame.hpp"
#include "protocol.hpp"
#include "worker_backend.hpp"
#include "worker_clock.hpp"

namespace warpwise {
namespace {

/// One staged call: the memory its pointers point into, and the arguments.
struct Slot {
  const Entry* entry = nullptr;
  std::vector<kit::DeviceBuffer<std::byte>> device;
  std::vector<std::unique_ptr<Bytes>> host;
  std::vector<StagedArgument> arguments;
};

class Worker {
 public:
  Bytes answer(std::span<const std::byte> request) {
    const Bytes reply = carry_out(request);
    const auto [kind, text] =
        first_finding();  // says more than the failure that it may have caused
    return kind.empty()
               ? reply
               : MessageWriter().put(Status::finding).put_text(kind).put_text(text).bytes();
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
    Slot slot{.entry = &*entry, .device = {}, .host = {}, .arguments = {}};
    const auto count = reader.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) stage_argument(slot, reader);
    CUDA_CHECK(cudaDeviceSynchronize());
    slots_[id] = std::move(slot);
    return MessageWriter().put(Status::ok).bytes();
  }

  void stage_argument(Slot& slot, MessageReader& reader) {
    const auto place = reader.get<Place>();
    const bool initialised = reader.get<std::uint32_t>() != 0;
    const std::string name = reader.get_text();
    const auto block = reader.get_block();
    if (place == Place::value) {
      slot.host.push_back(std::make_unique<Bytes>(block.begin(), block.end()));
      slot.arguments.push_back({false, nullptr, *slot.host.back()});
    } else if (place == Place::null) {
      slot.arguments.push_back({true, nullptr, {}});
    } else if (place == Place::host) {
      slot.host.push_back(std::make_unique<Bytes>(block.begin(), block.end()));
      slot.arguments.push_back({true, slot.host.back()->data() + kGuardBytes, {}});
    } else {
      slot.device.emplace_back(block);
      std::byte* const payload = slot.device.back().data() + kGuardBytes;
      mark_accessible(payload, block.size() - 2 * kGuardBytes, initialised, name);
      slot.arguments.push_back({true, payload, {}});
    }
  }

  Bytes run(MessageReader& reader) {
    const bool cold = reader.get<std::uint32_t>() != 0;
    std::vector<Slot*> slots(reader.get<std::uint32_t>());
    for (Slot*& slot : slots) slot = &slots_.at(reader.get<std::uint32_t>());
    if (cold && !flush_) flush_ = std::make_unique<CacheFlush>();
    std::vector<Event> events(2 * slots.size());
    prepare_backend();

    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (cold) (*flush_)();
      events[2 * i].record();
      values.push_back(slots[i]->entry->call(slots[i]->arguments));
      events[2 * i + 1].record();
    }
    CUDA_CHECK(cudaGetLastError());       // a launch that was refused
    CUDA_CHECK(cudaDeviceSynchronize());  // a kernel that failed while it ran
    if (const std::string damage = damaged_buffer(); !damage.empty())
      return failure(Status::damaged_buffer, damage);

    MessageWriter reply;
    reply.put(Status::ok);
    for (std::size_t i = 0; i < slots.size(); ++i)
      reply.put(values[i]).put(events[2 * i + 1].milliseconds_since(events[2 * i]));
    return reply.put(statistics()).bytes();
  }

  Bytes fetch(MessageReader& reader) {
    const auto id = reader.get<std::uint32_t>();
    Slot slot = std::move(slots_.at(id));
    slots_.erase(id);
    MessageWriter reply;
    reply.put(Status::ok).put<std::uint32_t>(slot.device.size());
    for (const auto& buffer : slot.device) {
      Bytes image(buffer.size());
      buffer.copy_to(image);
      reply.put_block(image);
    }
    return reply.bytes();
  }

  std::map<std::uint32_t, Slot> slots_;
  std::unique_ptr<CacheFlush> flush_;
};

bool receive(std::span<std::byte> bytes) {
  return receive_all(kWorkerChannel, bytes, kNoDeadline) == Transfer::done;
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

int main() { return warpwise::serve(); }
