#include "key_files.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "byte_source.hpp"
#include "errors.hpp"
#include "output_file.hpp"

static_assert(std::endian::native == std::endian::little, "key files are little-endian");

namespace datasets {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY\x01\x00", 8);  // version 1.0
constexpr std::size_t kNpyHeader = 128;                        // a multiple of 64, padded by spaces

/// The head of a .npy file for n floats: magic, the length of the rest, a Python dictionary.
std::string npy_header(std::size_t n) {
  std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(n) + ",), }";
  text.resize(kNpyHeader - kNpyMagic.size() - 2 - 1, ' ');
  const char length[2] = {static_cast<char>(text.size() + 1), 0};
  return std::string(kNpyMagic) + std::string(length, 2) + text + '\n';
}

std::string all_bytes(const std::string& path) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto source = open_file(path);
  std::string bytes;
  for (std::size_t count = kPart; count == kPart;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPart);
    count = source->read(bytes.data() + before, kPart);
    bytes.resize(before + count);
  }
  return bytes;
}

}  // namespace

bool is_key_file(const std::string& path) {
  return path.ends_with(".f32") || path.ends_with(".npy");
}

void write_keys(const std::vector<float>& keys, const std::string& path, bool force) {
  const bool text = path.ends_with(".txt");
  if (!text && !is_key_file(path))
    throw InputError(path + ": unknown suffix; for keys use .f32, .npy or .txt.");
  check_writable(path, force);
  OutputFile file(path, false);
  if (path.ends_with(".npy")) file << npy_header(keys.size());
  if (text)
    for (const float key : keys) file << key << '\n';
  else
    file.write(keys.data(), keys.size() * sizeof(float));
  file.commit();
}

std::vector<float> read_keys(const std::string& path) {
  const std::string bytes = all_bytes(path);
  std::size_t head = 0;
  if (path.ends_with(".npy")) {
    head = kNpyHeader;
    const std::size_t floats = bytes.size() < head ? 0 : (bytes.size() - head) / sizeof(float);
    if (!bytes.starts_with(npy_header(floats)))
      throw InputError(path + " is not a complete one-dimensional .npy array of floats ('<f4').");
  }
  if ((bytes.size() - head) % sizeof(float) != 0)
    throw InputError(path + ": " + std::to_string(bytes.size()) +
                     " bytes are not a whole number of floats: the file is truncated.");
  std::vector<float> keys((bytes.size() - head) / sizeof(float));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(head), bytes.end(),
            reinterpret_cast<char*>(keys.data()));
  return keys;
}

}  // namespace datasets
