// Memory of the device in a program that is judged: closed to the host from the first call on. What
// the runtime writes there meanwhile, for an allocation, a fill or a free, is there at the next
// look.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "cuda_on_cpu/control.hpp"
#include "expect.cuh"

constexpr int kBytes = 100, kPages = 3 << 12;

struct Bytes {
  unsigned char of[kBytes];
};
bool are_all(const Bytes &bytes, int value, int from = 0, int to = kBytes) {
  return std::all_of(bytes.of + from, bytes.of + to, [&](int byte) { return byte == value; });
}

__device__ int flag = 3;
__global__ void write_from(unsigned char *buffer, int first, int count) {
  for (int i = 0; i < count; ++i) buffer[first + i] = 1;
}
__global__ void add(unsigned char *bytes) { bytes[threadIdx.x] += flag; }

// A child process asks: if it cannot, it ends.
bool can_be_read(const void *address) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);  // it says which line it was
    (void)*static_cast<const volatile char *>(address);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned char *allocate(size_t bytes = kBytes) {
  unsigned char *buffer = nullptr;
  EXPECT(cudaMalloc(&buffer, bytes) == cudaSuccess);
  return buffer;
}
Bytes content(const unsigned char *bytes) {
  return from_device(reinterpret_cast<const Bytes *>(bytes));
}

void check_fills() {
  unsigned char *bytes = allocate();
  EXPECT(are_all(content(bytes), 0xff));
  EXPECT(cudaMemset(bytes, 7, kBytes) == cudaSuccess && cudaMemset(bytes, 9, 10) == cudaSuccess);
  EXPECT(are_all(content(bytes), 9, 0, 10) && are_all(content(bytes), 7, 10));
  EXPECT(cudaMemset(bytes, 20, kBytes) == cudaSuccess);
  add<<<1, kBytes>>>(bytes);  // the fill comes first
  EXPECT(cudaMemset(bytes, 1, 1) == cudaSuccess);
  EXPECT(are_all(content(bytes), 1, 0, 1) && are_all(content(bytes), 23, 1));
  for (int i = 0; i < 1000; ++i) cudaMemset(bytes + i % kBytes, i % 5, 1);  // more than are kept
  EXPECT(content(bytes).of[7] == 907 % 5 && content(bytes).of[99] == 999 % 5);
  cudaFree(bytes);
}

// Filled, freed, and another's by now: each write in its turn.
void check_addresses_again() {
  unsigned char *const old = allocate();
  cudaMemset(old, 5, kBytes);
  EXPECT(cudaFree(old) == cudaSuccess);
  unsigned char *const bytes = allocate();
  EXPECT(bytes == old && are_all(content(bytes), 0xff));
  EXPECT(cudaFree(bytes) == cudaSuccess && cudaFree(bytes) == cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT(!cuda_on_cpu::find_damaged_buffer());
}

void check_damage() {
  unsigned char *const good = allocate(), *const bad = allocate();
  write_from<<<1, 1>>>(good, 0, kBytes);
  write_from<<<1, 1>>>(bad, kBytes - 1, 3);
  cudaFree(good);
  EXPECT(cudaFree(bad) == cudaSuccess);
  const auto damaged = cuda_on_cpu::find_damaged_buffer();
  EXPECT(damaged && damaged->pointer == bad && damaged->bytes_behind == 2 &&
         damaged->bytes_before == 0);
  EXPECT(!cuda_on_cpu::find_damaged_buffer());
}

void check_closed() {
  int host = 0;
  EXPECT(can_be_read(&host));
  unsigned char *const fresh = allocate(), *const last = allocate();
  EXPECT(!can_be_read(fresh) && !can_be_read(last));
  cudaMemset(fresh, 1, kBytes);
  EXPECT(!can_be_read(fresh));
  content(fresh);
  EXPECT(!can_be_read(fresh));
  EXPECT(cudaMemcpyFromSymbol(&host, flag, sizeof host) == cudaSuccess && host == 3);
  EXPECT(!can_be_read(fresh));
  add<<<1, 1>>>(fresh);
  EXPECT(!can_be_read(fresh));
  cudaFree(fresh);  // the first of two: what is after it stays closed
  EXPECT(!can_be_read(last));
  unsigned char *const again = allocate();
  EXPECT(again == fresh && !can_be_read(again));
  cudaFree(again);
  cudaFree(last);
}

// The pages before the first buffer in use stay open, those after the last one closed.
void check_ends(unsigned char *first) {
  unsigned char *const second = allocate(), *const last = allocate(kPages);
  cudaFree(last);
  content(second);  // opens what is written when `last` ends
  cudaFree(first);
  content(second);
  EXPECT(can_be_read(first) && !can_be_read(second));
  unsigned char *const again = allocate(kPages);
  EXPECT(again == first && !can_be_read(again));
  cudaFree(again);
  cudaFree(second);
}

int main() {
  cuda_on_cpu::guard_device_memory(1 << 30);
  unsigned char *const first = allocate(kPages);  // in use all the time, as what a judge lends
  check_fills();
  check_addresses_again();
  check_damage();
  check_closed();
  EXPECT(are_all(content(first), 0xff));
  check_ends(first);
  return failures();
}
