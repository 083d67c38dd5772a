#include "variables.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/load_address.hpp"

// Of a worker's linker script, which joins the sections; addresses alone count.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_constant;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_constant;
}

namespace cuda_on_cpu::check {
namespace {

constexpr std::string_view kSections[] = {"warpwise_device", ".warpwise_variables",
                                          "warpwise_managed"};
constexpr std::string_view kConstants = "warpwise_device.constant";
constexpr std::string_view kVirtualTable = "_ZTV";
constexpr std::string_view kGap = "cuda_on_cpu_gap_";

// The program's own file, mapped; it stays mapped.
std::span<const char> own_file() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0) return {};
  void *mapped = MAP_FAILED;
  if (fstat(file, &status) == 0)
    mapped =
        mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return {};
  return {static_cast<const char *>(mapped), static_cast<std::size_t>(status.st_size)};
}

std::string readable(const char *symbol) {
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;  // `c` alone would be type char
  int status = 0;
  char *name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string text = status == 0 ? name : symbol;
  std::free(name);
  for (const std::string_view ours : {"cuda_on_cpu_device::", "[abi:warpwise_device]"})
    if (const auto at = text.find(ours); at != std::string::npos) text.erase(at, ours.size());
  return text;
}

bool is_of_device(std::string_view section) {
  return section.starts_with(kSections[0]) || section == kSections[1] || section == kSections[2];
}

}  // namespace

Variables read_variables() {
  Variables found;
  const auto file = own_file();
  if (file.size() < sizeof(Elf64_Ehdr)) return found;
  if (&warpwise_first_constant)
    found.constants.push_back({&warpwise_first_constant, &warpwise_last_constant});
  const auto at = [&]<class T>(std::size_t offset, T *) {
    return reinterpret_cast<const T *>(file.data() + offset);
  };
  const auto *header = at(0, static_cast<Elf64_Ehdr *>(nullptr));
  const auto *sections = at(header->e_shoff, static_cast<Elf64_Shdr *>(nullptr));
  const char *names = file.data() + sections[header->e_shstrndx].sh_offset;
  const auto *base = reinterpret_cast<const char *>(load_address());
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr &section = sections[i];
    const Variables::Stretch stretch{base + section.sh_addr,
                                     base + section.sh_addr + section.sh_size};
    if (is_of_device(names + section.sh_name)) found.sections.push_back(stretch);
    if (std::string_view(names + section.sh_name).starts_with(kConstants))
      found.constants.push_back(stretch);
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto *symbols = at(section.sh_offset, static_cast<Elf64_Sym *>(nullptr));
    const char *strings = file.data() + sections[section.sh_link].sh_offset;
    for (std::size_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
      const Elf64_Sym &symbol = symbols[s];
      const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx &&
                               symbol.st_shndx < header->e_shnum &&
                               is_of_device(names + sections[symbol.st_shndx].sh_name);
      const char *name = strings + symbol.st_name;
      if (symbol.st_shndx && std::string_view(name).starts_with(kVirtualTable))
        found.virtual_tables.push_back(
            {base + symbol.st_value, base + symbol.st_value + symbol.st_size});
      if (is_variable && std::string_view(name).find(kGap) == std::string_view::npos)
        found.all.push_back({base + symbol.st_value, symbol.st_size, readable(name)});
    }
  }
  if (found.all.empty()) found.sections.clear();  // stripped
  std::sort(found.all.begin(), found.all.end(),
            [](const Variable &a, const Variable &b) { return a.begin < b.begin; });
  std::sort(found.virtual_tables.begin(), found.virtual_tables.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  return found;
}

void Variables::open_constant(const char *address) {
  const Variable *variable = is_constant(address) ? nearest(address) : nullptr;
  if (!variable) return;
  const char *end = variable->begin + variable->bytes;
  std::vector<Stretch> closed;
  for (const Stretch &one : constants) {
    if (end <= one.begin || variable->begin >= one.end) {
      closed.push_back(one);
      continue;
    }
    if (one.begin < variable->begin) closed.push_back({one.begin, variable->begin});
    if (end < one.end) closed.push_back({end, one.end});
  }
  constants.swap(closed);
}

const Variable *Variables::nearest(const char *address) const {
  const Variable *best = nullptr;
  std::size_t closest = 4096;
  for (const Variable &variable : all) {
    const char *end = variable.begin + variable.bytes;
    const std::size_t away = address < variable.begin ? variable.begin - address
                             : address < end          ? 0
                                                      : address - end + 1;
    if (away < closest) closest = away, best = &variable;
  }
  return best;
}

}  // namespace cuda_on_cpu::check
