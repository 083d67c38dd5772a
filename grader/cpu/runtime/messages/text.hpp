// Positions as text for the reports.
#pragma once

#include <string>

#include "cuda_runtime.h"

namespace cuda_on_cpu {

inline std::string text_of(const uint3 &index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}
inline std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}
inline std::string text_of(Site site) {
  if (!site.file) return "an unknown line";
  return std::string(site.file) + ":" + std::to_string(site.line);
}
inline std::string file_and_line(Site site) {  // without the folder
  const std::string text = text_of(site);
  return text.substr(text.rfind('/') + 1);
}

}  // namespace cuda_on_cpu
