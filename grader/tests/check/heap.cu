// What kernels take from malloc and `new`, and give back.
#include "case.cuh"
__global__ void never_written(int *out, bool bug) {
  int *p = static_cast<int *>(malloc(4 * sizeof(int)));
  if (!bug)
    for (int i = 0; i < 4; ++i) p[i] = i;
  out[threadIdx.x] = p[2];  // BUG uninitialised heap_never_written
  free(p);
}
CASE(heap_never_written) {
  Buffer<int> out(4);
  never_written<<<1, 4>>>(out, bug);
}
__global__ void new_never_written(int *out, bool bug) {
  int *p = bug ? new int[4] : new int[4]{};
  out[threadIdx.x] = p[threadIdx.x];  // BUG uninitialised new_never_written
  delete[] p;
}
CASE(new_never_written) {
  Buffer<int> out(4);
  new_never_written<<<1, 4>>>(out, bug);
}
__global__ void freed_twice(int *out, bool bug) {
  int *p = static_cast<int *>(malloc(16));
  p[0] = 1;
  out[threadIdx.x] = p[0];
  free(p);
  if (bug) free(p);  // BUG memory heap_freed_twice
}
CASE(heap_freed_twice) {
  Buffer<int> out(4);
  freed_twice<<<1, 4>>>(out, bug);
}
__global__ void deleted_twice(int *out, bool bug) {
  int *p = new int(3);
  int *volatile again = p;
  int *same = again;
  out[threadIdx.x] = *p;
  delete p;
  if (bug) delete same;  // BUG memory deleted_twice
}
CASE(deleted_twice) {
  Buffer<int> out(4);
  deleted_twice<<<1, 4>>>(out, bug);
}
__global__ void freed_by_other(int *out, bool bug) {
  __shared__ int *p;
  const int t = threadIdx.x;
  if (t == 0) {
    p = static_cast<int *>(malloc(64 * sizeof(int)));
    for (int i = 0; i < 64; ++i) p[i] = i;
  }
  __syncthreads();
  const int v = p[t];  // BUG race freed_while_read
  if (!bug) __syncthreads();
  if (t == 0) free(p);  // BUG race freed_while_read
  out[t] = v;
}
CASE(freed_while_read) {
  Buffer<int> out(64);
  freed_by_other<<<1, 64>>>(out, bug);
}
__global__ void used_after(int *out, bool bug) {
  int *p = static_cast<int *>(malloc(16));
  p[0] = 1;
  if (bug) free(p);
  out[threadIdx.x] = p[0];  // BUG memory heap_after_free
  if (!bug) free(p);
}
CASE(heap_after_free) {
  Buffer<int> out(1);
  used_after<<<1, 1>>>(out, bug);
}
__global__ void leaks(int *out, bool bug) {
  int *p = static_cast<int *>(malloc(16));  // BUG leak heap_leaked
  p[0] = 1;
  out[threadIdx.x] = p[0];
  if (!bug) free(p);
}
CASE(heap_leaked) {
  Buffer<int> out(4);
  leaks<<<1, 4>>>(out, bug);
}
__global__ void past_end(int *out, bool bug) {
  int *p = new int[8];
  for (int i = 0; i < 8; ++i) p[i] = i;
  if (bug) p[8] = 3;  // BUG memory new_past_end
  out[threadIdx.x] = p[7];
  delete[] p;
}
CASE(new_past_end) {
  Buffer<int> out(4);
  past_end<<<1, 4>>>(out, bug);
}
struct Node {
  int value;
  Node *next;
};
__device__ Node *head;
__global__ void push(bool bug) {
  Node *n = new Node;
  n->value = threadIdx.x;
  if (bug) {
    n->next = head;  // BUG race list_push
    head = n;        // BUG race list_push
  } else {
    unsigned long long old = atomicAdd((unsigned long long *)&head, 0ull), seen;
    do {
      seen = old;
      n->next = (Node *)seen;
      old = atomicCAS((unsigned long long *)&head, seen, (unsigned long long)n);
    } while (old != seen);
  }
}
__global__ void drop() {
  while (head) {
    Node *n = head;
    head = n->next;
    delete n;
  }
}
CASE(list_push) {
  push<<<1, 8>>>(bug);
  drop<<<1, 1>>>();
}
__global__ void null_unchecked(int *out, bool bug) {
  int *p = static_cast<int *>(malloc(size_t(1) << 36));
  if (!bug && !p) return;
  p[0] = 1;  // BUG memory heap_exhausted
  out[0] = p[0];
}
CASE(heap_exhausted) {
  Buffer<int> out(1);
  null_unchecked<<<1, 1>>>(out, bug);
}
__device__ int *kept;
__global__ void keep() {
  kept = static_cast<int *>(malloc(64));
  kept[0] = 5;
}
__global__ void use(int *out) {
  out[0] = kept[0];
  free(kept);
}
CASE(host_frees_heap) {
  Buffer<int> out(1);
  keep<<<1, 1>>>();
  if (bug) {
    int *p;
    cudaMemcpyFromSymbol(&p, kept, sizeof p);
    cudaFree(p);  // BUG memory host_frees_heap
  } else
    use<<<1, 1>>>(out);
}
CASE(host_copies_heap) {
  Buffer<int> out(1);
  keep<<<1, 1>>>();
  if (bug) {
    int *p, v;
    cudaMemcpyFromSymbol(&p, kept, sizeof p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);  // BUG memory host_copies_heap
  }
  use<<<1, 1>>>(out);
}
__global__ void race_heap(int *out, bool bug) {
  __shared__ int *p;
  if (threadIdx.x == 0) p = new int[1]();
  __syncthreads();
  if (bug)
    *p += 1;  // BUG race heap_counter
  else
    atomicAdd(p, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = *p;
    delete[] p;
  }
}
CASE(heap_counter) {
  Buffer<int> out(1);
  race_heap<<<1, 64>>>(out, bug);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
