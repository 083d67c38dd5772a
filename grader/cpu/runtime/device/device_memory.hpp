// The memory that cudaMalloc returns: one reserved range of addresses, so that a device pointer can
// be recognised by its value.
//
//   | guard | buffer, 256-byte aligned | slack + guard | guard | buffer | ...
//
// While host code runs the range is closed (PROT_NONE) for the first launches of a process, or for
// as many as guard() says; and with it the shared memory of blocks and the variables of the device.
// What is to be written meanwhile is deferred until the range next opens: nobody can look before.
#pragma once

#include <cerrno>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/own_mutex.hpp"
#include "cuda_on_cpu/control.hpp"
#include "device/free_chunks.hpp"

namespace cuda_on_cpu {

constexpr int kUninitialised = 0xff;  // what memory is filled with; in random order see allocate

// __device__ and __constant__ variables, if the linker gave them pages of their own; data() is null
// if it did not.
std::span<char> device_variables();

class DeviceMemory {
 public:
  static DeviceMemory &instance();

  // An allocation needs the buffers, a copy what its ends are in, and a launch all.
  enum Opens : unsigned { nothing = 0, buffers = 1, variables = 2, shared_memory = 4, all = 7 };
  // Keeps the memory open while the object exists. Such objects may nest and overlap. errno is the
  // host's: a kernel's log(-1) sets it here, and on a GPU does not.
  class Access {
   public:
    Access(DeviceMemory &memory, unsigned opens) : memory_(memory) { memory_.open(opens); }
    ~Access() {
      memory_.close();
      errno = errno_;
    }
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;

   private:
    DeviceMemory &memory_;
    const int errno_ = errno;
  };
  Access open_for_copy() { return Access(*this, buffers | variables); }
  Access open_for_copy(const void *to, const void *from) {
    return Access(*this, kind_of(to) | kind_of(from));
  }
  Access open_for_launch();  // counts launches: after the last guarded one the memory stays open
  void guard(int launches);

  void *allocate(std::size_t bytes);  // null when the device is full
  void fill(void *to, int value, std::size_t bytes);
  // See adopt_device_memory() in control.hpp.
  std::vector<void *> adopt(int file, const std::vector<LentSpan> &spans);
  void abandon(void *buffer);         // only the first one of an adopted piece; others are ignored
  // Shared memory of blocks: closed with the device's memory, and opened by the launch that needs
  // it. With a checker by each: it reports what a kernel does there, and the kernel goes on.
  void add_arena(char *pages, std::size_t bytes);
  void remove_arena(char *pages);
  void open_arena(char *pages);
  bool is_other(const void *address);  // memory of the device elsewhere: that, and variables
  // Full from now on, even if memory is free, but for so many allocations.
  void refuse(bool refuse, unsigned granted);
  bool release(
      void *pointer);  // reports overwritten guards; false when `pointer` is not a live buffer
  bool contains(const void *address) const {
    return address >= base_ && address < base_ + capacity_;
  }
  bool holds(const void *address, std::size_t bytes);  // all of it inside one live buffer
  bool is_variable(const void *address);
  // A variable whose address the program asked for: from then on it is memory of the device, also
  // where it has no pages of its own.
  void add_symbol(const void *symbol, std::size_t bytes);
  void remove_symbol(const void *symbol);
  std::size_t total_bytes() const { return capacity_; }
  const char *base() const { return base_; }
  bool maps(const void *address) const { return address >= base_ && address < high_water_; }
  std::size_t free_bytes();
  std::size_t live_buffers();
  std::optional<DamagedBuffer> find_damaged();  // or one that was freed since the last call

 private:
  // Closing and opening 4 MiB costs 130 us per launch. 64 launches are enough to find every program
  // that dereferences a device pointer on the host, and do not slow down a program of 10 000
  // launches.
  static constexpr int kGuardedLaunches = 64;
  static constexpr std::size_t kGuardBytes = 256;  // on each side of a buffer
  static constexpr std::size_t kReturnToSystemBytes = std::size_t{1} << 20;

  DeviceMemory();
  static std::size_t chunk_bytes_for(std::size_t bytes);  // a buffer with its guards and its slack
  Opens kind_of(const void *address) const;
  void open(unsigned wanted);
  void close();
  bool closes_now();
  void open_buffers();
  void open_variables();
  void close_all();
  char *end_of_use() const;
  bool open_until(char *end);  // false: the system refuses
  // What is kept here can be changed by the host: so there are numbers, and no functions to call.
  enum class Does { prepares, ends, fills };
  struct Write {
    Does does;
    char *buffer;
    std::size_t bytes;
    int value;
  };
  bool defers(const char *from, std::size_t bytes) const;
  void write_when_open(const Write &write);
  void do_deferred();
  void write_now(const Write &write);
  void prepare(char *buffer, std::size_t bytes);
  void wipe(char *buffer, std::size_t bytes);
  bool grants_allocation();
  void *add_buffer(char *chunk, std::size_t bytes);
  void end_buffer(std::map<char *, std::size_t>::iterator buffer);
  char *take_closed_chunk(std::size_t chunk_bytes);
  char *take_chunk(std::size_t chunk_bytes);
  void return_chunk(char *chunk, std::size_t bytes);
  std::optional<DamagedBuffer> damage_of(char *buffer, std::size_t bytes) const;
  bool adopt_piece(int file, std::span<const LentSpan> spans, std::vector<void *> &buffers);

  OwnMutex mutex_;
  char *base_ = nullptr;
  std::size_t capacity_ = 0;
  char *high_water_ = nullptr;          // addresses from here on were never used
  std::map<char *, std::size_t> live_;  // buffer -> requested bytes
  struct Piece {                        // of a file: the pages, and the chunk that they are in
    char *chunk, *pages;
    std::size_t chunk_bytes, page_bytes;
    std::vector<char *> buffers;
  };
  std::map<char *, Piece> pieces_;  // by its first buffer
  std::set<char *> adopted_;        // all buffers in pieces
  FreeChunks free_chunks_;
  struct Arena {
    std::size_t bytes;
    bool is_open;
  };
  static bool protect_arena(char *pages, Arena &arena, bool opened);
  std::map<char *, Arena> arenas_;
  std::map<const char *, std::size_t> symbols_;
  std::size_t live_bytes_ = 0;
  int users_ = 0;  // Access objects alive
  int guarded_launches_ = kGuardedLaunches;
  int closings_ = 0;  // since guard()
  bool opened_ = false, opened_variables_ = true;
  char *closed_from_ = nullptr, *open_to_ = nullptr;  // see open_buffers()
  char *opened_once_ = nullptr;  // pages before it are an own mapping
  std::vector<Write> deferred_;
  char *deferred_to_ = nullptr;  // no deferred write goes beyond
  bool refused_ = false;
  unsigned granted_ = 0;  // allocations, although the others are refused
  std::optional<DamagedBuffer> damaged_when_freed_;
};

}  // namespace cuda_on_cpu
