#include "properties/harness/own_symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace oddtile::properties {
namespace {

// What of a library's dynamic section says which symbols it has.
struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* hash = nullptr;  // the GNU form, which alone knows how many there are
};

SymbolTable table_of(const link_map& map) {
  SymbolTable table;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto* at = reinterpret_cast<const void*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) table.symbols = static_cast<const ElfW(Sym)*>(at);
    if (entry->d_tag == DT_STRTAB) table.names = static_cast<const char*>(at);
    if (entry->d_tag == DT_GNU_HASH) table.hash = static_cast<const uint32_t*>(at);
  }
  return table;
}

// One past the last symbol that can be looked up: the end of the chain that begins last.
uint32_t count_of(const uint32_t* hash) {
  const uint32_t buckets = hash[0], first = hash[1], bloom_words = hash[2];
  const uint32_t* bucket = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chain = bucket + buckets;
  const uint32_t last = buckets == 0 ? 0 : *std::max_element(bucket, bucket + buckets);
  if (last < first) return first;
  uint32_t end = last;
  while ((chain[end - first] & 1) == 0) ++end;
  return end + 1;
}

std::string readable(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

// The standard library's own, which all share: not what has one of its types for an argument. After
// _Z a guard, a local or a nested name may be said to be one.
bool is_of_the_language(std::string_view name) {
  if (!name.starts_with("_Z")) return false;
  name.remove_prefix(std::min(name.find_first_not_of("GVZNK", 2), name.size()));
  const bool is_std = name.size() > 1 && name[0] == 'S' && name[1] >= 'a' && name[1] <= 'z';
  return is_std || name.starts_with("9__gnu_cxx");
}

// A thread's own variable has no address to compare before a thread has it.
bool can_be_anothers(const ElfW(Sym) & symbol) {
  return ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE &&
         ELF64_ST_TYPE(symbol.st_info) != STT_TLS && symbol.st_shndx != SHN_UNDEF;
}

}  // namespace

std::string symbol_of_another(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  const SymbolTable table = table_of(*map);
  if (table.symbols == nullptr || table.names == nullptr || table.hash == nullptr) return {};
  const uint32_t count = count_of(table.hash);
  for (uint32_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    const char* name = table.names + symbol.st_name;
    if (!can_be_anothers(symbol) || is_of_the_language(name)) continue;
    const auto own = map->l_addr + symbol.st_value;
    if (reinterpret_cast<ElfW(Addr)>(dlsym(library, name)) != own) return readable(name);
  }
  return {};
}

}  // namespace oddtile::properties
