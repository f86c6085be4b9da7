#include "reports/cli/selection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "oracles/case/text.h"
#include "reports/measure/amounts.h"

namespace oddtile::reports {
namespace {

// A check keeps about four sets of tensors; beyond the memory the machine would start to swap or
// end the process without a word.
void require_memory(const oracles::Case& subject) {
  const double needed = 4 * double(data_bytes(subject));
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (needed > present) {
    throw WrongUse(
        fmt::format("the case needs about {:.0f} GB of host memory, here there are {:.0f}",
                    needed * 1e-9, present * 1e-9));
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw WrongUse("there is no file " + path);
  if (!std::filesystem::is_regular_file(path, error)) throw WrongUse(path + " is not a file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw WrongUse("cannot read " + path);
  return text.str();
}

oracles::Case chosen_case(const Selection& selection) {
  std::string text = joined(selection.words);
  std::string where = "case";
  const bool named = text.starts_with('@');
  if (named || text.ends_with(".case")) {
    where = named ? text.substr(1) : text;
    text = read_file(where);
  }
  const auto parsed = oracles::parse(text);
  if (const auto* error = std::get_if<oracles::TextError>(&parsed)) {
    throw WrongUse(fmt::format("{}, at byte {}: {}", where, error->position, error->message));
  }
  require_memory(std::get<oracles::Case>(parsed));
  return std::get<oracles::Case>(parsed);
}

properties::Machine& chosen_machine(const std::string& name) {
  if (name == "sim") return properties::sim_machine();
  if (name != "cuda") {
    throw WrongUse(fmt::format("unknown machine '{}'; machines: sim, cuda", name));
  }
  properties::Machine* machine = properties::cuda_machine();
  if (machine == nullptr) {
    throw WrongUse("the machine 'cuda' is not here: " + properties::cuda_absence_reason());
  }
  return *machine;
}

const oddtile_implementation& chosen_implementation(const Selection& selection,
                                                    const properties::Machine& machine) {
  if (!selection.plugin.empty()) {
    std::string reason;
    const auto* loaded = properties::load_plugin(selection.plugin, &reason);
    if (loaded == nullptr) throw WrongUse(reason);
    if (!selection.implementation.empty() && selection.implementation != loaded->name) {
      throw WrongUse(fmt::format("the plug-in is called '{}', not '{}'", loaded->name,
                                 selection.implementation));
    }
    return *loaded;
  }
  const std::string wanted = selection.implementation.empty() ? "fused" : selection.implementation;
  std::string known;
  for (const oddtile_implementation* which : machine.implementations()) {
    if (wanted == which->name) return *which;
    known += (known.empty() ? "" : ", ") + std::string(which->name);
  }
  throw WrongUse(fmt::format("unknown implementation '{}'; on {} there are: {}", wanted,
                             machine.name(), known));
}

void require_writable(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw WrongUse(fmt::format("cannot create the folder {}: {}", folder,
                               error ? error.message() : "it is a file"));
  }
  const std::filesystem::path probe = std::filesystem::path(folder) / "record.json.part";
  std::ofstream file(probe);
  if (!file) throw WrongUse("cannot write into the folder " + folder);
  file.close();
  std::filesystem::remove(probe, error);
}

}  // namespace oddtile::reports
