#include "reports/cli/selection.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "properties/search/emulated.h"

namespace oddtile::reports {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// No case's text has either of the two.
void refuse_path(const std::string& text) {
  if (text.find('/') == std::string::npos && text.find(".so.") == std::string::npos) return;
  throw WrongUse(fmt::format(
      "'{}' is no case; a library's path ends in .so, a file of cases begins with @", text));
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

std::vector<CaseLine> case_lines(const std::vector<std::string>& cases) {
  std::vector<CaseLine> lines;
  for (const std::string& text : cases) {
    if (!text.starts_with('@')) {
      refuse_path(text);
      lines.push_back({text, "case"});
      continue;
    }
    const std::string path = text.substr(1);
    std::istringstream file(read_file(path));
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos || line[first] == '#') continue;
      lines.push_back({line, fmt::format("{}, line {}", path, number)});
    }
  }
  return lines;
}

oracles::Case chosen_case(const Selection& selection) {
  std::string text = joined(selection.words);
  std::string where = "case";
  const bool named = text.starts_with('@');
  if (named || text.ends_with(".case")) {
    where = named ? text.substr(1) : text;
    text = read_file(where);
  }
  return case_of(text, where);
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
  // Emulations run on the host's memory, which is the simulator's.
  if (wanted == properties::emulated().name && machine.name() == "sim") {
    return properties::emulated();
  }
  return implementation_named(wanted, machine);
}

void choose_arithmetic(const Selection& selection, properties::Machine& machine) {
  const std::string& name = selection.arithmetic;
  if (name.empty()) return;
  const oracles::HardwareProfile* hardware = nullptr;
  if (name != "plain") {
    hardware = oracles::hardware_profile(name);
    if (hardware == nullptr) {
      throw WrongUse(fmt::format("unknown arithmetic '{}'; there are: plain {}", name,
                                 joined(oracles::hardware_names())));
    }
  }
  if (!machine.imitate(hardware)) {
    throw WrongUse(fmt::format("the machine '{}' has no arithmetic but its own", machine.name()));
  }
}

void require_writable(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw WrongUse(fmt::format("cannot create the folder {}: {}", folder,
                               error ? error.message() : "it is a file"));
  }
  for (const char* name : {"record.json", "summary.md", "index.html"}) {
    const std::filesystem::path taken = std::filesystem::path(folder) / name;
    if (std::filesystem::is_directory(taken, error)) {
      throw WrongUse(taken.string() + " is a folder: nothing can be written in its place");
    }
  }
  const std::filesystem::path probe = std::filesystem::path(folder) / "record.json.part";
  std::ofstream file(probe);
  if (!file) throw WrongUse("cannot write into the folder " + folder);
  file.close();
  std::filesystem::remove(probe, error);
}

}  // namespace oddtile::reports
