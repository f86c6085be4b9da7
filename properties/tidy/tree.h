// The tree as text: every file of the repository that a person wrote, and what a check found in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace oddtile::tidy {

struct File {
  std::string path;  // from the root, with slashes
  std::vector<std::string> lines;
};

struct Tree {
  std::vector<File> files;  // in order of path
};

struct Finding {
  std::string path;
  int line;  // 0: the file as a whole
  std::string message;
};

// Skips what begins with a dot, build trees (a folder `build` or one with a CMakeCache.txt) and
// __pycache__. Does not ask git: the tree is also checked where it was copied without history.
Tree read_tree(const std::filesystem::path& root);

File make_file(std::string path, std::string_view text);

// `path:line: message`
std::string to_text(const Finding& finding);

std::string folder_of(std::string_view path);
std::string name_of(std::string_view path);
bool has_suffix(std::string_view text, std::string_view suffix);
bool is_code(std::string_view path);     // C, C++ or CUDA
bool is_header(std::string_view path);   // .h or .cuh
bool is_written(std::string_view path);  // text that a person wrote, code or not

// A pattern is a prefix of a path, or `*` and a suffix.
bool matches(std::string_view path, std::string_view pattern);
bool matches_any(std::string_view path, const std::vector<std::string>& patterns);

std::string trim(std::string_view text);
std::vector<std::string> words_of(std::string_view text);

}  // namespace oddtile::tidy
