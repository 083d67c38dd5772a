// Kernels of courses on grids: stencils, convolutions, transposition, the game of life, pictures, bodies.
#include "case.cuh"

constexpr int R = 3;
// ---- stencils
__global__ void stencil(const int *in, int *out, int n, bool bug_barrier, bool bug_start) {
  __shared__ int s[64 + 2 * R];
  const int i = blockIdx.x * 64 + threadIdx.x, l = threadIdx.x + R;
  s[l] = i < n ? in[i] : 0;
  if (threadIdx.x < R) {
    s[l - R] = bug_start || i >= R ? in[i - R] : 0;  // BUG memory halo_before_start
    s[l + 64] = i + 64 < n ? in[i + 64] : 0;  // BUG race halo_no_barrier
  }
  if (!bug_barrier) __syncthreads();
  int sum = 0;
  for (int d = -R; d <= R; ++d) sum += s[l + d];  // BUG race halo_no_barrier
  if (i < n) out[i] = sum;
}
void smooth(bool barrier, bool start, bool bug) {
  Up<int> in(std::vector<int>(100, 1));
  Buffer<int> out(100);
  stencil<<<2, 64>>>(in, out, 100, barrier, start);
  EXPECT(down<int>(out, 100)[50] == 7 && down<int>(out, 100)[0] == 4);
}
CASE(halo_no_barrier) { smooth(bug, false, bug); }
CASE(halo_before_start) { smooth(false, bug, bug); }
__global__ void laplace(const float *in, float *out, int w, int h, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= (bug ? h : h - 1)) return;
  out[y * w + x] = (in[y * w + x - 1] + in[y * w + x + 1] +
                    in[(y - 1) * w + x] + in[(y + 1) * w + x]) / 4;  // BUG memory laplace_last_row
}
CASE(laplace_last_row) {
  Up<float> in(std::vector<float>(20 * 10, 4));
  Buffer<float> out(20 * 10);
  laplace<<<dim3(2, 2), dim3(16, 8)>>>(in, out, 20, 10, bug);
  EXPECT(down<float>(out, 200)[8 * 20 + 5] == 4 && down<float>(out, 200)[9 * 20 + 5] == 0);
}
__global__ void heat_step(const float *in, float *out, int n, float alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  out[i] = in[i] + alpha * (in[i - 1] - 2 * in[i] + in[i + 1]);  // BUG race buffers_not_swapped
}
CASE(buffers_not_swapped) {
  Up<float> a(std::vector<float>(100, 1)), b(std::vector<float>(100, 1));
  float *now = a, *next = b;
  for (int step = 0; step < 4; ++step) {
    heat_step<<<4, 32>>>(now, next, 100, 0.1f);
    if (bug) now = next;
    else std::swap(now, next);
  }
  EXPECT(down<float>(now, 100)[50] == 1);
}
__global__ void stencil_3d(const float *in, float *out, int w, int h, int d, bool bug) {
  __shared__ float plane[10][10];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 1; z < d - 1; ++z) {
    plane[y][x] = in[(z * h + y) * w + x];  // BUG race planes_no_second_barrier
    __syncthreads();
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
      out[(z * h + y) * w + x] = plane[y][x - 1] + plane[y][x + 1] +
                                 plane[y - 1][x] + plane[y + 1][x] +  // BUG race planes_no_second_barrier
                                 in[((z - 1) * h + y) * w + x] + in[((z + 1) * h + y) * w + x];
    if (!bug) __syncthreads();
  }
}
CASE(planes_no_second_barrier) {
  Up<float> in(std::vector<float>(10 * 10 * 5, 1));
  Buffer<float> out(10 * 10 * 5);
  stencil_3d<<<1, dim3(10, 10)>>>(in, out, 10, 10, 5, bug);
  EXPECT(down<float>(out, 500)[(2 * 10 + 5) * 10 + 5] == 6);
}
// ---- convolution
__constant__ float mask[2 * R + 1];
__global__ void convolve(const float *in, float *out, int n, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < taps; ++t) {
    const int at = i + t - R;
    if (at >= 0 && at < n) sum += in[at] * mask[t];  // BUG memory one_tap_too_many
  }
  out[i] = sum;
}
CASE(one_tap_too_many) {
  const float ones[2 * R + 1] = {1, 1, 1, 1, 1, 1, 1};
  cudaMemcpyToSymbol(mask, ones, sizeof ones);
  Up<float> in(std::vector<float>(50, 1));
  Buffer<float> out(50);
  convolve<<<2, 32>>>(in, out, 50, bug ? 2 * R + 2 : 2 * R + 1);
  EXPECT(down<float>(out, 50)[20] == 7);
}
__global__ void columns(const float *in, float *out, int w, int h, bool bug) {
  __shared__ float s[16 + 2][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const int l = threadIdx.y + 1;
  s[l][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0;
  if (threadIdx.y == 0) s[0][threadIdx.x] = x < w && y > 0 ? in[(y - 1) * w + x] : 0;
  if (threadIdx.y == 15 && (!bug || y + 1 < h))
    s[17][threadIdx.x] = x < w && y + 1 < h ? in[(y + 1) * w + x] : 0;
  __syncthreads();
  const float sum = s[l - 1][threadIdx.x] + s[l][threadIdx.x] +
                    s[l + 1][threadIdx.x];  // BUG uninitialised last_halo_row
  if (x < w && y < h) out[y * w + x] = sum;
}
CASE(last_halo_row) {
  Up<float> in(std::vector<float>(16 * 16, 1));
  Buffer<float> out(16 * 16);
  columns<<<dim3(2, 1), dim3(8, 16)>>>(in, out, 16, 16, bug);
  EXPECT(down<float>(out, 256)[8 * 16] == 3 && down<float>(out, 256)[15 * 16] == 2);
}
// ---- transposition
__global__ void transpose(const float *in, float *out, int w, int h, bool bug_barrier, bool bug_stride) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];  // BUG race transpose_no_barrier
  if (!bug_barrier) __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w)
      out[(y + j) * (bug_stride ? w : h) + x] =  // BUG memory transpose_wrong_stride
          tile[threadIdx.x][threadIdx.y + j];  // BUG race transpose_no_barrier
}
void turn(bool barrier, bool stride, bool bug) {
  Up<float> in(counting<float>(40 * 34));
  Buffer<float> out(40 * 34);
  transpose<<<dim3(2, 2), dim3(32, 8)>>>(in, out, 40, 34, barrier, stride);
  EXPECT(down<float>(out, 40 * 34)[39 * 34 + 33] == 40 * 34 - 1);
}
CASE(transpose_no_barrier) { turn(bug, false, bug); }
CASE(transpose_wrong_stride) { turn(false, bug, bug); }
// ---- game of life
__global__ void life(const char *now, char *next, int w, int h, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      if (!dx && !dy) continue;
      const int nx = bug ? x + dx : (x + dx + w) % w, ny = bug ? y + dy : (y + dy + h) % h;
      alive += now[ny * w + nx];  // BUG memory no_wrap
    }
  next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}
CASE(no_wrap) {
  std::vector<char> field(16 * 16);
  field[0] = field[1] = field[2] = 1;
  Up<char> now(field);
  Buffer<char> next(16 * 16);
  life<<<dim3(2, 2), dim3(8, 8)>>>(now, next, 16, 16, bug);
  EXPECT(down<char>(next, 256)[1] == 1 && down<char>(next, 256)[17] == 1 && down<char>(next, 256)[0] == 0);
}
__global__ void life_tiles(const char *now, char *next, int w, bool bug) {
  __shared__ char s[10][10];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  const auto at = [&](int cx, int cy) { return now[(cy + w) % w * w + (cx + w) % w]; };
  s[ty + 1][tx + 1] = at(x, y);
  if (tx == 0) s[ty + 1][0] = at(x - 1, y), s[ty + 1][9] = at(x + 8, y);
  if (ty == 0) s[0][tx + 1] = at(x, y - 1), s[9][tx + 1] = at(x, y + 8);
  if (!bug && tx == 0 && ty == 0)
    s[0][0] = at(x - 1, y - 1), s[0][9] = at(x + 8, y - 1), s[9][0] = at(x - 1, y + 8), s[9][9] = at(x + 8, y + 8);
  __syncthreads();
  int alive = -s[ty + 1][tx + 1];
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) alive += s[ty + dy][tx + dx];  // BUG uninitialised corners_missing
  next[y * w + x] = alive == 3 || (alive == 2 && s[ty + 1][tx + 1]);
}
CASE(corners_missing) {
  std::vector<char> field(16 * 16);
  field[0] = field[1] = field[2] = 1;
  Up<char> now(field);
  Buffer<char> next(16 * 16);
  life_tiles<<<dim3(2, 2), dim3(8, 8)>>>(now, next, 16, bug);
  EXPECT(down<char>(next, 256)[1] == 1 && down<char>(next, 256)[17] == 1 && down<char>(next, 256)[0] == 0);
}
// ---- pictures
__global__ void mandelbrot(unsigned char *image, int w, int h, int channels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = 3.0f * x / w - 2, ci = 2.0f * y / h - 1;
  float zr = 0, zi = 0;
  int i = 0;
  for (; i < 50 && zr * zr + zi * zi < 4; ++i) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
  }
  for (int c = 0; c < channels; ++c) image[(y * w + x) * channels + c] = i;  // BUG memory rgba_in_rgb
}
CASE(rgba_in_rgb) {
  Buffer<unsigned char> image(30 * 20 * 3);
  mandelbrot<<<dim3(2, 3), dim3(16, 8)>>>(image, 30, 20, bug ? 4 : 3);
  EXPECT(down<unsigned char>(image, 1800)[(10 * 30 + 20) * 3] == 50);
}
__global__ void blur(const unsigned char *in, unsigned char *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0, count = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
        sum += in[(y + dy) * w + x + dx], ++count;  // BUG race blur_in_place
  out[y * w + x] = sum / count;  // BUG race blur_in_place
}
CASE(blur_in_place) {
  Up<unsigned char> in(std::vector<unsigned char>(30 * 20, 9));
  Buffer<unsigned char> out(30 * 20);
  blur<<<dim3(2, 3), dim3(16, 8)>>>(in, bug ? in : out, 30, 20);
  EXPECT(down<unsigned char>(out, 600)[599] == 9);
}
// ---- n bodies
__global__ void forces(const float4 *bodies, float3 *acceleration, int n, bool bug) {
  extern __shared__ float4 near[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 a = make_float3(0, 0, 0);
  for (int tile = 0; tile < n; tile += blockDim.x) {
    const int j = tile + threadIdx.x;
    near[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);  // BUG race bodies_no_second_barrier
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x; ++k) {
      const float4 other = near[k];  // BUG race bodies_no_second_barrier
      const float dx = other.x - me.x, r = rsqrtf(dx * dx + 1e-3f);
      a.x += other.w * dx * r * r * r;
    }
    if (!bug) __syncthreads();
  }
  if (i < n) acceleration[i] = a;
}
CASE(bodies_no_second_barrier) {
  Up<float4> bodies(std::vector<float4>(60, float4{1, 2, 3, 1}));
  Buffer<float3> acceleration(60);
  forces<<<2, 32, 32 * sizeof(float4)>>>(bodies, acceleration, 60, bug);
  EXPECT(fabsf(down<float3>(acceleration, 60)[3].x) < 1e3f);
}
__global__ void move(float *x, float *v, int n, float dt, const float *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = 0;
  for (int j = 0; j < n; ++j) a += from[j] - from[i];  // BUG race bodies_moved_in_place
  v[i] += a * dt;
  x[i] += v[i] * dt;  // BUG race bodies_moved_in_place
}
CASE(bodies_moved_in_place) {
  Up<float> x(std::vector<float>(64, 1)), old(std::vector<float>(64, 1));
  Buffer<float> v(64);
  move<<<2, 32>>>(x, v, 64, 0.1f, bug ? x : old);
  EXPECT(down<float>(x, 64)[63] == 1);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
