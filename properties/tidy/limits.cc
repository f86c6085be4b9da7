#include "properties/tidy/limits.h"

#include <algorithm>
#include <array>
#include <set>

#include "properties/tidy/functions.h"

namespace oddtile::tidy {
namespace {

using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int columns_of(std::string_view line) {  // UTF-8: continuation bytes are no columns
  return static_cast<int>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool has_limited_columns(std::string_view path) {
  return is_code(path) || has_suffix(path, ".py") || has_suffix(path, ".cmake") ||
         name_of(path) == "CMakeLists.txt";
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts(1);
  for (char c : name) {
    if (c == '_' || c == '-' || c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> folders_of(std::string_view path) {  // "a/b/c.h": a, b
  std::vector<std::string> folders;
  for (size_t at = 0, end; (end = path.find('/', at)) != std::string_view::npos; at = end + 1) {
    folders.emplace_back(path.substr(at, end - at));
  }
  return folders;
}

bool is_source_with_logic(std::string_view path) {
  if (!has_suffix(path, ".cc") || has_suffix(path, "_test.cc")) return false;
  if (has_suffix(path, "_benchmark.cc") || name_of(path) == "main.cc") return false;
  if (path.starts_with("fuzz/targets/") || path.starts_with("properties/suites/")) return false;
  return path.starts_with("oracles/") || path.starts_with("properties/") ||
         path.starts_with("fuzz/") || path.starts_with("reports/");
}

}  // namespace

int lines_max(std::string_view path) {
  if (path == "README.md") return 150;
  if (name_of(path) == "README.md") return 200;
  if (path.starts_with("fuzz/targets/") && is_code(path)) return 80;
  if (has_suffix(path, ".h")) return 250;
  if (has_suffix(path, ".cu") || has_suffix(path, ".cuh")) return 450;
  if (has_suffix(path, ".cc") || has_suffix(path, ".c") || has_suffix(path, ".py")) return 400;
  return 0;
}

std::vector<Finding> check_sizes(const Tree& tree) {
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    const int lines = static_cast<int>(file.lines.size()), most = lines_max(file.path);
    if (most > 0 && lines > most) {
      findings.push_back({file.path, 0,
                          std::to_string(lines) + " lines, at most " + std::to_string(most) +
                              ": split it by concept"});
    }
    if (has_limited_columns(file.path)) {
      for (size_t i = 0; i < file.lines.size(); ++i) {
        const int columns = columns_of(file.lines[i]);
        if (columns > kColumnsMax && file.lines[i].find("://") == std::string::npos) {
          findings.push_back({file.path, static_cast<int>(i) + 1,
                              std::to_string(columns) + " columns, at most 100"});
        }
      }
    }
    if (!is_code(file.path)) continue;
    for (const Function& function : functions_of(file)) {
      const int length = function.last_line - function.first_line + 1;
      if (length > kFunctionLinesMax) {
        findings.push_back({file.path, function.first_line,
                            "a function of " + std::to_string(length) + " lines, at most 70"});
      }
    }
  }
  return findings;
}

std::vector<Finding> check_names(const Tree& tree) {
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    const std::vector<std::string> folders = folders_of(file.path);
    std::vector<std::string> names = folders;
    names.push_back(name_of(file.path));
    for (const std::string& name : names) {
      for (const std::string& part : parts_of(name)) {
        if (is_one_of(part, {"util", "utils", "common", "helper", "helpers", "misc", "manager",
                             "new", "old", "v2", "gtest", "googletest", "catch2"})) {
          findings.push_back({file.path, 0, "`" + part + "` in a name: name the concept"});
        }
      }
    }
    for (const std::string& folder : folders) {
      if (is_one_of(folder, {"tools", "docs", "doc", "cmake", "third_party", "include", "src"})) {
        findings.push_back({file.path, 0, "a folder `" + folder + "`: put it beside its subject"});
      }
    }
    const std::string top = folders.empty() ? file.path : folders[0];
    const bool known =
        folders.empty()
            ? is_one_of(top, {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE",
                              "compile_commands.json"})
            : is_one_of(top, {"kernels", "oracles", "properties", "fuzz", "corpus", "reports"});
    if (!known) findings.push_back({file.path, 0, "the top level is fixed: it does not go here"});
  }
  return findings;
}

std::vector<Finding> check_readmes(const Tree& tree) {
  std::set<std::string> paths, rooms;
  for (const File& file : tree.files) {
    paths.insert(file.path);
    const std::vector<std::string> folders = folders_of(file.path);
    if (folders.empty()) continue;
    rooms.insert(folders[0]);
    if (folders.size() > 1 && folders[0] != "corpus") rooms.insert(folders[0] + "/" + folders[1]);
  }
  std::vector<Finding> findings;
  for (const std::string& room : rooms) {
    if (!paths.contains(room + "/README.md")) findings.push_back({room, 0, "no README.md"});
  }
  return findings;
}

std::vector<Finding> check_headers(const Tree& tree) {
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    if (!is_header(file.path)) continue;
    std::vector<std::string> directives;
    for (const std::string& line : file.lines) {
      if (trim(line).starts_with('#')) directives.push_back(trim(line));
    }
    const bool once = !directives.empty() && directives[0] == "#pragma once";
    const bool guard = directives.size() > 1 && directives[0].starts_with("#ifndef ") &&
                       directives[1] == "#define " + directives[0].substr(8);
    if (!once && !guard) findings.push_back({file.path, 0, "its first directive: #pragma once"});
  }
  return findings;
}

std::vector<Finding> check_tested(const Tree& tree, const File& known) {
  std::set<std::string> paths, untested;
  for (const File& file : tree.files) paths.insert(file.path);
  for (const std::string& path : paths) {
    const std::string test = path.substr(0, path.rfind('.')) + "_test.cc";
    if (is_source_with_logic(path) && !paths.contains(test)) untested.insert(path);
  }
  std::vector<Finding> findings;
  for (size_t i = 0; i < known.lines.size(); ++i) {
    const std::string path = trim(known.lines[i].substr(0, known.lines[i].find('#')));
    if (!path.empty() && untested.erase(path) == 0) {
      findings.push_back({known.path, static_cast<int>(i) + 1,
                          path + " has a test now or is gone: remove the line"});
    }
  }
  for (const std::string& path : untested) {
    findings.push_back({path, 0, "no test beside it, and " + known.path + " may only shrink"});
  }
  return findings;
}

}  // namespace oddtile::tidy
