#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "errors.hpp"

#ifdef DATASETS_WITH_ZLIB
#include <zlib.h>
#endif

namespace datasets {
namespace {

/// The name under which a file is being written; empty if none is. It is for a signal handler, so
/// it is not a std::string. A longer path is not remembered.
char unfinished[4096] = "";

/// Makes a file of a new name, whose last letters replace those of `path`, and remembers it. A
/// signal waits until both are done: otherwise it would leave a file of which nobody knows.
int make_unfinished(std::string& path) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const int handle = mkstemp(path.data());
  const int error = errno;
  if (handle >= 0 && path.size() < sizeof unfinished) std::strcpy(unfinished, path.c_str());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return handle;
}

}  // namespace

void remove_unfinished_file() noexcept {
  if (unfinished[0]) unlink(unfinished);
}

void check_writable(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw InputError("the folder " + folder.string() + " does not exist; make it first.");
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status))
    throw InputError(path + " is not a regular file; name another one.");
  if (!force) throw InputError(path + " exists; give --force to overwrite it, or another name.");
}

#ifdef DATASETS_WITH_ZLIB
struct OutputFile::Zipper {
  z_stream stream = {};
  Zipper() {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;  // zlib's default
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw MachineError("zlib cannot be started.");
  }
  Zipper(const Zipper&) = delete;
  ~Zipper() { deflateEnd(&stream); }

  /// Compresses data, or with `last` ends the file, and passes each piece of the result to `put`.
  template <typename Put>
  void zip(const char* data, std::size_t size, bool last, const Put& put) {
    char piece[1 << 16];
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));  // zlib only reads it
    stream.avail_in = static_cast<uInt>(size);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece);
      stream.avail_out = sizeof piece;
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      put(piece, sizeof piece - stream.avail_out);
    } while (stream.avail_out == 0);
  }
};
#else
struct OutputFile::Zipper {
  Zipper() { throw MachineError("writing .gz needs zlib: install zlib1g-dev, or leave out .gz."); }
  template <typename Put>
  void zip(const char*, std::size_t, bool, const Put&) {}
};
#endif

OutputFile::OutputFile(const std::string& path, bool zipped) : path_(path) {
  if (zipped) zipper_ = std::make_unique<Zipper>();
  const std::filesystem::path place(path);
  temporary_ = (place.parent_path() / ("." + place.filename().string() + ".XXXXXX")).string();
  handle_ = make_unfinished(temporary_);
  if (handle_ < 0) fail();
  buffer_.reserve(kBuffer);
}

OutputFile::~OutputFile() {
  if (handle_ < 0) return;
  close(handle_);
  unlink(temporary_.c_str());
  unfinished[0] = 0;
}

void OutputFile::fail() const {
  throw MachineError("cannot write " + path_ + ": " + std::generic_category().message(errno) +
                     "; free some space or name another place. Nothing was left behind.");
}

void OutputFile::flush() {
  put(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void OutputFile::put(const char* data, std::size_t size) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
  if (!zipper_) return put_raw(data, size);
  for (; size > 0;) {
    const std::size_t part = std::min(size, kAtOnce);
    zipper_->zip(data, part, false, [&](const char* out, std::size_t n) { put_raw(out, n); });
    data += part;
    size -= part;
  }
}

void OutputFile::put_raw(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(handle_, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    data += count;
    size -= static_cast<std::size_t>(count);
  }
}

void OutputFile::commit() {
  flush();
  if (zipper_)
    zipper_->zip(nullptr, 0, true, [&](const char* out, std::size_t n) { put_raw(out, n); });
  const mode_t mask = umask(0);  // mkstemp made the file for its owner only
  umask(mask);
  fchmod(handle_, 0666 & ~mask);
  if (fsync(handle_) != 0 && errno != EINVAL) fail();  // a full disk may show only now
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  close(handle_);
  handle_ = -1;
  unfinished[0] = 0;
}

}  // namespace datasets
