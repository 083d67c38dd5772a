#include "byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "errors.hpp"

#ifdef DATASETS_WITH_ZLIB
#include <zlib.h>

#include <vector>
#endif

namespace datasets {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path) {
    // Opening a pipe would wait for a writer that may never come; a device may never end.
    const int handle = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (handle < 0 && errno == ENOENT) throw InputError(path + ": no such file; check the path.");
    if (handle < 0) throw InputError(path + " cannot be opened: " + reason(errno) + ".");
    file_.reset(fdopen(handle, "rb"));
    if (!file_) throw MachineError(path + " cannot be read: " + reason(errno) + ".");
    struct stat status = {};
    if (fstat(handle, &status) != 0)
      throw MachineError(path + " cannot be read: " + reason(errno) + ".");
    if (S_ISDIR(status.st_mode)) throw InputError(path + " is a folder; give a file.");
    if (!S_ISREG(status.st_mode))
      throw InputError(path + " is a device, pipe or socket; give a regular file.");
    // Its content will be held in memory, in any format. A sparse file costs its author nothing.
    if (static_cast<std::uint64_t>(status.st_size) > memory_bytes())
      throw InputError(path + " has " + std::to_string(status.st_size) +
                       " bytes, more than this machine's memory; give a smaller file.");
  }

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::fread(to, 1, size, file_.get());
    if (count < size && std::ferror(file_.get()))
      throw MachineError(path_ + " cannot be read: " + reason(errno) + ".");
    return count;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

#ifdef DATASETS_WITH_ZLIB

class UnzippedSource : public ByteSource {
 public:
  UnzippedSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(1 << 16) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw MachineError("zlib cannot be started.");
  }
  UnzippedSource(const UnzippedSource&) = delete;
  ~UnzippedSource() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !finished_) done += inflate_some(to + done, size - done);
    return done;
  }

 private:
  std::size_t inflate_some(char* to, std::size_t size) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    if (stream_.avail_in == 0) refill();
    if (stream_.avail_in == 0) {
      if (!between_members_) damaged("it ends too early: it is truncated");
      finished_ = true;
      return 0;
    }
    between_members_ = false;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min(size, kMost));
    const uInt room = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (status == Z_MEM_ERROR) {
      throw MachineError("not enough memory to unpack " + name_ + ".");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      damaged(stream_.msg ? stream_.msg : "zlib cannot unpack it");
    }
    return room - stream_.avail_out;
  }

  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(compressed_->read(input_.data(), input_.size()));
  }

  [[noreturn]] void damaged(const std::string& what) const {
    throw InputError(name_ + " is not a valid gzip file: " + what + ".");
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_ = {};
  bool between_members_ = false;  // must be true at the file's end
  bool finished_ = false;
};

#endif

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> unzipped([[maybe_unused]] std::unique_ptr<ByteSource> compressed,
                                     std::string name) {
#ifdef DATASETS_WITH_ZLIB
  return std::make_unique<UnzippedSource>(std::move(compressed), std::move(name));
#else
  throw MachineError(name + " needs zlib: install zlib1g-dev, or unpack it with gunzip first.");
#endif
}

}  // namespace datasets
