// The judge's one output: a report is whole, or it is not there.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>

namespace warpwise {

/// Writes under a temporary name and renames; false, and a sentence on stderr, if it cannot.
inline bool write_report(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary);
    file << text << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "judge: cannot write %s; is the disk full?\n", temporary.c_str());
      return false;
    }
  }
  return std::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace warpwise
