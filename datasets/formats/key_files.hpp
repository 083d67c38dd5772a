// Arrays of keys in files: .f32 (floats, little-endian, nothing else), .npy (NumPy), .txt (one key
// per line).
#pragma once

#include <string>
#include <vector>

namespace datasets {

/// Whether the suffix is that of a key file; for reading, .txt counts as a graph.
bool is_key_file(const std::string& path);

/// Writes keys; replaces an existing file if `force`. Throws InputError or MachineError.
void write_keys(const std::vector<float>& keys, const std::string& path, bool force);

/// Reads .f32 or .npy. Throws InputError if the file is neither.
std::vector<float> read_keys(const std::string& path);

}  // namespace datasets
