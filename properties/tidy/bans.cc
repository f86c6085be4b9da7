#include "properties/tidy/bans.h"

#include <cctype>
#include <stdexcept>

namespace oddtile::tidy {
namespace {

constexpr std::string_view kSeparator = ";;";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool is_found(std::string_view line, std::string_view text) {
  for (size_t at = line.find(text); at != std::string_view::npos; at = line.find(text, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const char after = at + text.size() < line.size() ? line[at + text.size()] : ' ';
    const bool inside_path = text[0] == '/' && (is_word(before) || before == '.' || before == '}');
    const bool inside_word =
        (is_word(text.front()) && is_word(before)) || (is_word(text.back()) && is_word(after));
    if (!inside_path && !inside_word) return true;
  }
  return false;
}

// `#  define` is `#define`.
std::string normalised(const std::string& line) {
  const std::string text = trim(line);
  if (!text.starts_with('#') || text.size() < 2 || text[1] != ' ') return line;
  return "#" + trim(std::string_view(text).substr(1));
}

}  // namespace

std::vector<Ban> parse_bans(const File& file) {
  std::vector<Ban> bans;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (trim(line).empty() || line.starts_with("## ")) continue;
    const size_t first = line.find(kSeparator);
    if (first == std::string::npos || trim(line.substr(0, first)).empty()) {
      throw std::runtime_error(file.path + ":" + std::to_string(i + 1) + ": no `text ;; instead`");
    }
    const size_t second = line.find(kSeparator, first + 2);
    Ban ban{trim(line.substr(0, first)), trim(line.substr(first + 2, second - first - 2)), {}};
    if (second != std::string::npos) ban.rooms = words_of(line.substr(second + 2));
    bans.push_back(ban);
  }
  return bans;
}

std::vector<Finding> check_bans(const Tree& tree, const std::vector<Ban>& bans) {
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const std::string line = normalised(file.lines[i]);
      for (const Ban& ban : bans) {
        if (is_found(line, ban.text) && !matches_any(file.path, ban.rooms)) {
          findings.push_back(
              {file.path, static_cast<int>(i) + 1, "`" + ban.text + "`: " + ban.instead});
        }
      }
    }
  }
  return findings;
}

}  // namespace oddtile::tidy
