#include "properties/tidy/tree.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace oddtile::tidy {
namespace {

bool is_skipped(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (name.front() == '.' || entry.is_symlink()) return true;
  if (!entry.is_directory()) return false;
  return name == "build" || name == "__pycache__" ||
         std::filesystem::exists(entry.path() / "CMakeCache.txt");
}

std::string extension_of(std::string_view path) {
  return std::filesystem::path(name_of(path)).extension().string();
}

template <size_t count>
bool contains(const std::array<std::string_view, count>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

Tree read_tree(const std::filesystem::path& root) {
  Tree tree;
  for (auto at = std::filesystem::recursive_directory_iterator(root);
       at != std::filesystem::recursive_directory_iterator(); ++at) {
    if (is_skipped(*at)) {
      at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file()) continue;
    const std::string path = at->path().lexically_relative(root).generic_string();
    std::string text;
    if (is_written(path)) {
      std::ifstream in(at->path(), std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(in), {});
    }
    tree.files.push_back(make_file(path, text));
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return tree;
}

File make_file(std::string path, std::string_view text) {
  File file{std::move(path), {}};
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

std::string to_text(const Finding& finding) {
  const std::string where =
      finding.line == 0 ? finding.path : finding.path + ":" + std::to_string(finding.line);
  return where + ": " + finding.message;
}

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

bool has_suffix(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix);
}

bool is_code(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kCode = {".h", ".cc", ".c", ".cu", ".cuh"};
  return contains(kCode, extension_of(path));
}

bool is_header(std::string_view path) {
  return has_suffix(path, ".h") || has_suffix(path, ".cuh");
}

bool is_written(std::string_view path) {
  static constexpr std::array<std::string_view, 9> kOther = {
      ".py", ".md", ".txt", ".cmake", ".json", ".mutants", ".case", ".mustache", ".sh"};
  return is_code(path) || contains(kOther, extension_of(path));
}

bool matches(std::string_view path, std::string_view pattern) {
  if (pattern.starts_with('*')) return path.ends_with(pattern.substr(1));
  return path.starts_with(pattern);
}

bool matches_any(std::string_view path, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(path, pattern); });
}

std::string trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace oddtile::tidy
