// Arrays of keys in files: .f32 (floats, little-endian, nothing else), .npy (NumPy), .txt (a line
// each).
#pragma once

#include <string>
#include <vector>

namespace datasets {

/// Whether the suffix is one of a key file; .txt counts as a graph where it is to be read.
bool is_key_file(const std::string& path);

/// Writes keys; an existing file is replaced if `force`. Throws InputError or MachineError.
void write_keys(const std::vector<float>& keys, const std::string& path, bool force);

/// Reads .f32 or .npy. Throws InputError for what is no such file.
std::vector<float> read_keys(const std::string& path);

}  // namespace datasets
