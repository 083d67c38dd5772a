// Tries on a GPU what a judge and a worker do with lent memory: one process makes, fills and reads
// it, another one maps it and works on it.
//
//     lent-memory [COMMAND ...]    COMMAND starts the second process, for example a sandbox
//
// Exit code 0: all is right. Otherwise a line says what is wrong.
#include <cuda_runtime.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "frame.hpp"
#include "lent_images.hpp"
#include "lent_memory.hpp"
#include "protocol.hpp"

namespace warpwise {
namespace {

constexpr int kKeys = 1 << 20;
constexpr std::uint64_t kOffset = 3 * kImageAlignment;  // a buffer need not be the first one
constexpr const char* kSecond = "--second";

__global__ void twice(float* keys) { keys[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void clear(float* keys) { keys[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The worker: doubles all keys, answers, and clears them afterwards, which must not count.
int second() {
  CUDA_CHECK(cudaFree(nullptr));
  std::uint64_t bytes = 0;
  Descriptor lent;
  if (receive_head(kWorkerChannel, bytes, lent, kNoDeadline, Awake{0}) != Transfer::done) return 2;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<LentSpan> spans = {{kOffset, kKeys * sizeof(float)}};
  const auto images = map_device(lent, bytes, spans);
  const double mapped = milliseconds_since(start);
  auto* const keys = reinterpret_cast<float*>(images->at(0));
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, keys));
  twice<<<kKeys / 256, 256>>>(keys);
  CUDA_CHECK(cudaDeviceSynchronize());
  const double reply[] = {mapped, attributes.type == cudaMemoryTypeDevice ? 1.0 : 0.0};
  if (send_frame(kWorkerChannel, std::as_bytes(std::span(reply)), kNoDeadline) != Transfer::done)
    return 2;
  std::uint64_t copied = 0;  // the judge says that it has its copy
  Descriptor none;
  receive_head(kWorkerChannel, copied, none, kNoDeadline, Awake{0});
  clear<<<kKeys / 256, 256>>>(keys);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}

pid_t start_second(std::vector<std::string> command, int channel) {
  const pid_t process = fork();
  if (process != 0) return process;
  dup2(channel, kWorkerChannel);
  command.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  command.push_back(kSecond);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

int wrong(const char* what) {
  std::printf("wrong: %s\n", what);
  return 1;
}

int first(const std::vector<std::string>& command) {
  int channel[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) return wrong("no socket");
  const pid_t process = start_second(command, channel[1]);
  close(channel[1]);
  auto start = std::chrono::steady_clock::now();
  const auto memory = lend_device_memory(kOffset + kKeys * sizeof(float));
  const double made = milliseconds_since(start);
  std::vector<std::byte> content(kOffset + kKeys * sizeof(float), std::byte{7});
  auto* const keys = reinterpret_cast<float*>(content.data() + kOffset);
  for (int i = 0; i < kKeys; ++i) keys[i] = static_cast<float>(i);
  memory->write(content);
  // A frame's length stands for the region's size; nothing follows it.
  std::uint64_t size = memory->bytes();
  DescriptorMessage head(&size, sizeof size);
  head.put(memory->descriptor());
  if (sendmsg(channel[0], head.header(), MSG_NOSIGNAL) != sizeof size) return wrong("nothing sent");
  double reply[2] = {};
  std::uint64_t length = 0;
  Descriptor none;
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  if (receive_head(channel[0], length, none, deadline, Awake{0}) != Transfer::done ||
      length != sizeof reply ||
      receive_all(channel[0], std::as_writable_bytes(std::span(reply)), deadline, Awake{0}) !=
          Transfer::done)
    return wrong("the second process gave no answer");
  start = std::chrono::steady_clock::now();
  memory->read(content);
  const double read = milliseconds_since(start);
  if (send(channel[0], &size, sizeof size, MSG_NOSIGNAL) < 0) return wrong("nothing sent");
  int status = 0;
  waitpid(process, &status, 0);
  if (status != 0) return wrong("the second process failed at its end");
  if (reply[1] != 1) return wrong("lent memory is not device memory to the runtime");
  for (int i = 0; i < kKeys; ++i)
    if (keys[i] != 2 * static_cast<float>(i)) return wrong("a key was not doubled");
  if (content.front() != std::byte{7}) return wrong("bytes before the buffer changed");
  memory->read(content);
  if (keys[1] != 0) return wrong("what was written later is not to be seen by reading again");
  std::printf("right: made in %.2f ms, mapped in %.2f ms, read 4 MiB in %.2f ms\n", made, reply[0],
              read);
  return 0;
}

}  // namespace
}  // namespace warpwise

int main(int count, char** words) try {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool is_second = !arguments.empty() && arguments.back() == warpwise::kSecond;
  return is_second ? warpwise::second() : warpwise::first(arguments);
} catch (const std::exception& error) {
  std::printf("wrong: %s\n", error.what());
  return 1;
}
