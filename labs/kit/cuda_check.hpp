// Every CUDA call returns an error code, and a code that nobody reads is a bug that nobody sees.
// CUDA_CHECK(call) turns an error code into an exception that says what failed and where.
#pragma once

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <exception>

namespace kit {

/// What went wrong, in one line, made as printf makes it. The text is kept in the object: <string>
/// alone takes a compiler as long as all that CUDA's header brings along.
class Error : public std::exception {
 public:
  __attribute__((format(printf, 2, 3))) explicit Error(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text_, sizeof text_, format, values);
    va_end(values);
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[1024];
};

/// A CUDA call failed; what() reads "file:line: call: cudaErrorName: description".
class CudaError : public Error {
 public:
  CudaError(cudaError_t code, const char* call, const char* file, int line)
      : Error("%s:%d: %s: %s: %s", file, line, call, cudaGetErrorName(code),
              cudaGetErrorString(code)),
        code_(code) {}

  cudaError_t code() const noexcept { return code_; }

 private:
  cudaError_t code_;
};

inline void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears the error: it is reported here, not again by the next check
  throw CudaError(code, call, file, line);
}

/// For destructors, which must not throw: prints the error to stderr and goes on.
inline void check_noexcept(cudaError_t code, const char* call, const char* file,
                           int line) noexcept {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorName(code));
}

}  // namespace kit

#define CUDA_CHECK(call) ::kit::check((call), #call, __FILE__, __LINE__)
#define CUDA_CHECK_NOEXCEPT(call) ::kit::check_noexcept((call), #call, __FILE__, __LINE__)

/// A launch returns nothing; an error in its configuration is reported by the next call. Write this
/// line after every kernel<<<...>>>(...).
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
