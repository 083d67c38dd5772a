// What the CPU backend's checker saw during a request, as it travels from the worker to the judge.
#pragma once

#include <string>
#include <vector>

#include "message.hpp"

namespace warpwise {

struct Finding {
  std::string kind, text;
  // Of a race: the buffer, and "read", "write" or "atomic" with its line, "rank_sort.cu:41".
  std::string buffer, first_verb, first_line, second_verb, second_line;
};

inline void put_findings(MessageWriter& message, const std::vector<Finding>& findings) {
  message.put<std::uint32_t>(findings.size());
  for (const Finding& finding : findings)
    for (const std::string* part :
         {&finding.kind, &finding.text, &finding.buffer, &finding.first_verb, &finding.first_line,
          &finding.second_verb, &finding.second_line})
      message.put_text(*part);
}

inline std::vector<Finding> get_findings(MessageReader& message) {
  std::vector<Finding> findings;
  for (auto left = message.get<std::uint32_t>(); left > 0; --left) {
    Finding finding;
    for (std::string* part : {&finding.kind, &finding.text, &finding.buffer, &finding.first_verb,
                              &finding.first_line, &finding.second_verb, &finding.second_line})
      *part = message.get_text();
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace warpwise
