#include "reports/measure/mutants.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace oddtile::reports {
namespace {

namespace fs = std::filesystem;

// name, kernel and promise, with tabs between.
bool read_line(const std::string& line, Mutant* mutant) {
  const size_t first = line.find('\t');
  const size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
  if (second == std::string::npos) return false;
  mutant->name = line.substr(0, first);
  mutant->kernel = line.substr(first + 1, second - first - 1);
  mutant->promise = line.substr(second + 1);
  return !mutant->name.empty() && !mutant->kernel.empty();
}

}  // namespace

std::vector<Mutant> load_mutants(const std::string& folder, std::string* reason, bool* built) {
  const fs::path index = fs::path(folder) / "index.txt";
  std::ifstream file(index);
  *built = bool(file);
  if (!file) {
    *reason = fmt::format("no {}: the target mutant_plugins was not built", index.string());
    return {};
  }
  std::vector<Mutant> mutants;
  for (std::string line; std::getline(file, line);) {
    Mutant mutant;
    if (!read_line(line, &mutant)) {
      *reason = fmt::format("{} is malformed: {}", index.string(), line);
      return {};
    }
    const std::string library = (fs::path(folder) / (mutant.name + ".so")).string();
    mutant.table = properties::load_plugin(library, reason);
    if (mutant.table == nullptr) return {};
    mutants.push_back(std::move(mutant));
  }
  if (mutants.empty()) *reason = index.string() + " lists nothing";
  return mutants;
}

std::string mutants_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / "mutants").string();
}

}  // namespace oddtile::reports
