// Loading somebody else's table. What is checked here is what must hold before a single function of
// it may be called; whether the kernels are right is for the checks.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "properties/harness/harness.h"
#include "properties/harness/own_symbols.h"

namespace oddtile::properties {
namespace {

// A library that has no table says why through a function of this name, if it has one.
constexpr const char* kReasonSymbol = "oddtile_text";
using ReasonFunction = const char* (*)();

// So that a library's calls reach its own functions, where this program exports some of the same
// name: without it a library of oddtile's kernels would run those of the program. The sanitizers'
// run time refuses the flag.
int own_functions_first() {
  return dlsym(RTLD_DEFAULT, "__asan_init") == nullptr ? RTLD_DEEPBIND : 0;
}

std::string why_without_table(void* library) {
  const auto reason = reinterpret_cast<ReasonFunction>(dlsym(library, kReasonSymbol));
  const char* text = reason != nullptr ? reason() : nullptr;
  if (text != nullptr) return fmt::format("offers no table: {}", text);
  return fmt::format("does not support version {} of the table", ODDTILE_ABI_VERSION);
}

std::string why_unusable(const oddtile_implementation* table) {
  if (table->abi_version != ODDTILE_ABI_VERSION) {
    return fmt::format("has version {} of the table, this program version {}", table->abi_version,
                       ODDTILE_ABI_VERSION);
  }
  if (table->struct_size != sizeof(oddtile_implementation)) {
    return fmt::format("has a table of {} bytes, this program one of {}", table->struct_size,
                       sizeof(oddtile_implementation));
  }
  if (table->name == nullptr || table->configurations == nullptr || table->describe == nullptr ||
      table->workspace_bytes == nullptr || table->status_text == nullptr) {
    return "leaves a field of its table empty (only kernels that it lacks may be empty)";
  }
  return {};
}

// Tables are told apart by address: two plug-ins may have the same name, and one may be "fused".
std::map<const oddtile_implementation*, std::string>& loaded_from() {
  static std::map<const oddtile_implementation*, std::string> paths;
  return paths;
}

}  // namespace

const oddtile_implementation* load_plugin(const std::string& path, std::string* reason) {
  const auto fail = [&](const std::string& text) {
    if (reason != nullptr) *reason = "plug-in " + path + " " + text;
    return nullptr;
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return fail("does not exist");
  // An absolute path, since dlopen looks a bare file name up among the system's libraries.
  const std::string absolute = std::filesystem::absolute(path).string();
  void* library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL | own_functions_first());
  if (library == nullptr) return fail(fmt::format("cannot be loaded: {}", dlerror()));
  const auto entry =
      reinterpret_cast<oddtile_plugin_function>(dlsym(library, ODDTILE_PLUGIN_SYMBOL));
  if (entry == nullptr) return fail("does not export " ODDTILE_PLUGIN_SYMBOL);
  const std::string foreign = symbol_of_another(library);
  if (!foreign.empty()) {
    return fail(
        fmt::format("would use another library's {}: build it with -fvisibility=hidden", foreign));
  }
  const oddtile_implementation* table = entry(ODDTILE_ABI_VERSION);
  if (table == nullptr) return fail(why_without_table(library));
  const std::string unusable = why_unusable(table);
  if (!unusable.empty()) return fail(unusable);
  loaded_from()[table] = absolute;
  return table;  // the library stays loaded for the life of the process
}

std::string plugin_path(const oddtile_implementation& which) {
  const auto found = loaded_from().find(&which);
  return found == loaded_from().end() ? std::string() : found->second;
}

}  // namespace oddtile::properties
