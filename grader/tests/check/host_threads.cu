// Threads of the host: what one has waited for, another one knows only when it is told.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

#include "case.cuh"

__global__ void scale(int *x, int factor) {
  x[threadIdx.x] *= factor;  // BUG race two_streams_under_a_lock
}

struct Pinned {
  explicit Pinned(int count) {
    cudaMallocHost(&data, count * sizeof(int));
    std::fill_n(data, count, 0);
  }
  ~Pinned() { cudaFreeHost(data); }
  int *data;
};
struct Stream {
  Stream() { cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(handle); }
  void wait() const { cudaStreamSynchronize(handle); }
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle;
};
struct Sevens : Up<int> {
  Sevens() : Up<int>(std::vector<int>(32, 7)) { cudaDeviceSynchronize(); }
};

// ---- a thread brings a result and tells another one
template <class Tell, class Hear>
int handed_over(bool waits, Tell tell, Hear hear) {
  const Pinned host(32);
  const Sevens x;
  std::promise<void> read;
  std::thread worker([&] {
    const Stream s;
    cudaMemcpyAsync(host.data, x, 128, cudaMemcpyDeviceToHost, s);  // BUG race told_by_flag told_by_future told_under_a_lock
    if (waits) s.wait();
    tell();
    read.get_future().wait();
    s.wait();
  });
  hear();
  const int got = host.data[3];  // BUG race told_by_flag told_by_future told_under_a_lock
  read.set_value();
  worker.join();
  return got;
}
CASE(told_by_flag) {
  std::atomic<bool> done{false};
  const auto tell = [&] {
    done = true;
    done.notify_one();
  };
  const int got = handed_over(!bug, tell, [&] { done.wait(false); });
  EXPECT(got == 7);
}
CASE(told_by_future) {
  std::promise<void> done;
  const int got = handed_over(!bug, [&] { done.set_value(); }, [&] { done.get_future().wait(); });
  EXPECT(got == 7);
}
CASE(told_under_a_lock) {
  std::mutex lock;
  std::condition_variable told;
  bool done = false;
  const auto tell = [&] {
    {
      const std::lock_guard guard(lock);
      done = true;
    }
    told.notify_one();
  };
  const int got = handed_over(!bug, tell, [&] {
    std::unique_lock guard(lock);
    told.wait(guard, [&] { return done; });
  });
  EXPECT(got == 7);
}
CASE(quiet_told_by_others) {
  std::latch latch(1);
  handed_over(true, [&] { latch.count_down(); }, [&] { latch.wait(); });
  std::binary_semaphore semaphore(0);
  handed_over(true, [&] { semaphore.release(); }, [&] { semaphore.acquire(); });
  std::barrier<> both(2);
  handed_over(true, [&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
  volatile bool flag = false;
  handed_over(true, [&] { flag = true; }, [&] { while (!flag) std::this_thread::yield(); });
  std::shared_mutex lock;
  bool done = false;
  const auto tell = [&] { const std::unique_lock guard(lock); done = true; };
  handed_over(true, tell, [&] {
    for (bool heard = false; !heard; std::this_thread::yield()) {
      const std::shared_lock guard(lock);
      heard = done;
    }
  });
}

// ---- what one thread makes, all use
CASE(quiet_made_once) {
  static std::once_flag once;
  const Pinned host(32);
  const Sevens x;
  const auto bring = [&] {
    const Stream s;
    cudaMemcpyAsync(host.data, x, 128, cudaMemcpyDeviceToHost, s);
    s.wait();
    return host.data[0];
  };
  int sum = 0;
  const auto use = [&] {
    static const int first = bring();
    std::call_once(once, bring);
    static std::mutex lock;
    const std::lock_guard guard(lock);
    sum += first + host.data[1];
  };
  std::thread one(use), two(use);
  one.join();
  two.join();
  EXPECT(sum == 28);
}

// ---- a thread that ends, and one that is never joined in time
CASE(result_of_a_task) {
  const Pinned host(32);
  const Sevens x;
  const Stream s;
  auto task = std::async(std::launch::async, [&] {
    cudaMemcpyAsync(host.data, x, 128, cudaMemcpyDeviceToHost, s);  // BUG race result_of_a_task
    if (!bug) s.wait();
    return host.data;
  });
  const int *result = task.get();
  EXPECT(result[0] == 7);
  if (bug) std::printf("%d\n", result[0]);  // BUG race result_of_a_task
  s.wait();
}
CASE(another_one_has_waited) {
  const Pinned host(32);
  const Sevens x;
  const Stream s;
  cudaMemcpyAsync(host.data, x, 128, cudaMemcpyDeviceToHost, s);  // BUG race another_one_has_waited
  std::thread waiter([&] { s.wait(); });
  if (!bug) waiter.join();
  if (host.data[0] != 7) std::printf("not 7\n");  // BUG race another_one_has_waited
  if (bug) waiter.join();
}

// ---- a lock that ends before the work that it is to protect
CASE(two_streams_under_a_lock) {
  const Sevens x;
  std::mutex lock;
  const auto work = [&](int factor) {
    const Stream s;
    {
      const std::lock_guard guard(lock);
      scale<<<1, 32, 0, s>>>(x, factor);
      if (!bug) s.wait();
    }
    s.wait();
  };
  std::thread one(work, 2), two(work, 3);
  one.join();
  two.join();
  EXPECT(down<int>(x, 32)[0] == 42);
}
CASE(staged_under_a_lock) {
  const Pinned stage(32);
  const Sevens a, b;
  std::mutex lock;
  const auto upload = [&](int *to, int value) {
    const Stream s;
    {
      const std::lock_guard guard(lock);
      for (int i = 0; i < 32; ++i) stage.data[i] = value;  // BUG race staged_under_a_lock
      cudaMemcpyAsync(to, stage.data, 128, cudaMemcpyHostToDevice, s);  // BUG race staged_under_a_lock
      if (!bug) s.wait();
    }
    s.wait();
  };
  std::thread one(upload, a.data, 1), two(upload, b.data, 2);
  one.join();
  two.join();
  EXPECT(down<int>(a, 1)[0] == 1 && down<int>(b, 1)[0] == 2);
}

// ---- two buffers in turn, counted by two atomics
CASE(quiet_two_in_turn) {
  const Pinned host(2);
  const Sevens x;
  std::atomic<int> produced{0}, consumed{0};
  std::thread consumer([&] {
    const Stream s;
    for (int i = 0; i < 6; ++i) {
      while (produced <= i) std::this_thread::yield();
      cudaMemcpyAsync(x + i % 2, host.data + i % 2, 4, cudaMemcpyHostToDevice, s);
      s.wait();
      ++consumed;
    }
  });
  for (int i = 0; i < 6; ++i) {
    while (consumed + 2 <= i) std::this_thread::yield();
    host.data[i % 2] = i;
    ++produced;
  }
  consumer.join();
}

// ---- the library reads for the program
CASE(sorted_too_early) {
  const Pinned host(32);
  const Up<int> x(counting<int>(32));
  const Stream s;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(host.data, x, 128, cudaMemcpyDeviceToHost, s);  // BUG race sorted_too_early
  if (!bug) s.wait();
  std::sort(host.data, host.data + 32, std::greater<>());  // BUG race sorted_too_early
  EXPECT(host.data[0] == 31);
  s.wait();
}

int main(int count, char **arguments) { return run_case(count, arguments); }
