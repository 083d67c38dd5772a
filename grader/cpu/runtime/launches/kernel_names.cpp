#include "launches/kernel_names.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/load_address.hpp"
#include "base/own_mutex.hpp"

namespace cuda_on_cpu {
namespace {

template <class T>
std::vector<T> read_table(std::ifstream &file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<T> table(bytes / sizeof(T));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char *>(table.data()),
            static_cast<std::streamsize>(table.size() * sizeof(T)));
  if (!file) table.clear();
  return table;
}

// The mangled name of the function that begins at an address of the running program.
std::string symbol_at(std::uintptr_t address) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const auto headers = read_table<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (headers.empty()) return "";
  const std::uint64_t count = headers[0].e_shnum;
  const auto sections =
      read_table<Elf64_Shdr>(file, headers[0].e_shoff, count * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr &strings = sections[section.sh_link];
    std::vector<char> names = read_table<char>(file, strings.sh_offset, strings.sh_size);
    names.push_back('\0');
    for (const auto &symbol : read_table<Elf64_Sym>(file, section.sh_offset, section.sh_size))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value == address &&
          symbol.st_name < names.size())
        return names.data() + symbol.st_name;
  }
  return "";
}

// "sorts::scale<float>" from "void sorts::scale<float>(float*, int)".
std::string readable(const std::string &symbol) {
  int status = 0;
  char *text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(anonymous)) != std::string::npos;)
    name.erase(at, anonymous.size());
  int depth = 0;  // of template arguments, which may hold both spaces and parentheses
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (depth == 0 && name[i] == ' ') begin = i + 1;
    if (depth == 0 && name[i] == '(') return name.substr(begin, i - begin);
  }
  return name;
}

}  // namespace

const char *name_of_kernel(const void *kernel, const char *otherwise) {
  static OwnMutex mutex;
  static auto *names = new std::map<const void *, std::string>;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = names->try_emplace(kernel);
  if (is_new)
    place->second = readable(symbol_at(reinterpret_cast<std::uintptr_t>(kernel) - load_address()));
  return place->second.empty() ? otherwise : place->second.c_str();
}

}  // namespace cuda_on_cpu
