#include "arguments.hpp"

#include <utility>

namespace warpwise {

PreparedCall describe_call(const char* entry, std::vector<Argument> arguments) {
  const std::string full = entry;
  std::string description = full + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    description += (i ? ", " : "") + arguments[i].name;
    if (arguments[i].access == Argument::Access::host) description += " on the host";
  }
  const std::size_t scope = full.rfind("::");
  return {scope == std::string::npos ? full : full.substr(scope + 2), description + ")",
          std::move(arguments)};
}

}  // namespace warpwise
