#include "properties/tidy/functions.h"

#include <array>
#include <cctype>

namespace oddtile::tidy {
namespace {

// Blanks out, line by line, what is no code; a state survives the end of a line.
class Blanker {
 public:
  std::string operator()(const std::string& line) {
    if (state_ == State::kCode && (continued_ || trim(line).starts_with('#'))) {
      continued_ = line.ends_with('\\');
      return std::string(line.size(), ' ');
    }
    std::string out;
    for (at_ = 0; at_ < line.size(); ++at_) out += step(line);
    if (state_ == State::kLineComment) state_ = State::kCode;
    out.resize(line.size(), ' ');
    return out;
  }

 private:
  enum class State { kCode, kLineComment, kBlockComment, kString, kCharacter, kRawString };

  bool follows(const std::string& line, std::string_view text) const {
    return line.compare(at_, text.size(), text) == 0;
  }

  char step(const std::string& line) {
    const char c = line[at_];
    switch (state_) {
      case State::kCode:
        return code(line, c);
      case State::kLineComment:
        return ' ';
      case State::kBlockComment:
        if (follows(line, "*/")) leave(1);
        return ' ';
      case State::kRawString:
        if (follows(line, raw_end_)) leave(raw_end_.size() - 1);
        return ' ';
      case State::kString:
      case State::kCharacter:
        if (c == '\\') {
          ++at_;
        } else if (c == (state_ == State::kString ? '"' : '\'')) {
          state_ = State::kCode;
        }
        return ' ';
    }
    return c;
  }

  char code(const std::string& line, char c) {
    const bool after_word = at_ > 0 && std::isalnum(static_cast<unsigned char>(line[at_ - 1]));
    if (follows(line, "//")) {
      state_ = State::kLineComment;
    } else if (follows(line, "/*")) {
      state_ = State::kBlockComment;
    } else if (follows(line, "R\"") && line.find('(', at_) != std::string::npos) {
      const size_t open = line.find('(', at_);
      raw_end_ = ")" + line.substr(at_ + 2, open - at_ - 2) + "\"";
      state_ = State::kRawString;
      at_ = open;
    } else if (c == '"') {
      state_ = State::kString;
    } else if (c == '\'' && !after_word) {  // after a digit it separates
      state_ = State::kCharacter;
    } else {
      return c;
    }
    return ' ';
  }

  void leave(size_t skip) {
    state_ = State::kCode;
    at_ += skip;
  }

  State state_ = State::kCode;
  std::string raw_end_;
  size_t at_ = 0;
  bool continued_ = false;
};

// `template <...>` and attributes say nothing about what the braces are.
std::string without_template(std::string head) {
  head = trim(head);
  while (head.starts_with("template")) {
    size_t at = head.find('<');
    if (at == std::string::npos) return head;
    int depth = 0;
    for (; at < head.size(); ++at) {
      depth += head[at] == '<' ? 1 : head[at] == '>' ? -1 : 0;
      if (depth == 0) break;
    }
    head = trim(std::string_view(head).substr(std::min(at + 1, head.size())));
  }
  return head;
}

enum class Scope { kOpen, kFunction, kOpaque };  // open: namespaces and types

Scope scope_of(const std::string& raw_head) {
  const std::string head = without_template(raw_head);
  static constexpr std::array<std::string_view, 6> kOpeners = {"namespace", "class", "struct",
                                                               "union",     "enum",  "extern"};
  for (const std::string& word : words_of(head)) {
    if (word == "inline" || word == "static" || word == "constexpr" || word == "typedef") continue;
    for (std::string_view opener : kOpeners) {
      if (word == opener && (opener != "extern" || head.find('(') == std::string::npos)) {
        return Scope::kOpen;
      }
    }
    break;
  }
  if (head.find('(') == std::string::npos || head.ends_with('=')) return Scope::kOpaque;
  return Scope::kFunction;
}

}  // namespace

std::vector<std::string> code_only(const std::vector<std::string>& lines) {
  std::vector<std::string> code;
  Blanker blank;
  for (const std::string& line : lines) code.push_back(blank(line));
  return code;
}

std::vector<Function> functions_of(const File& file) {
  std::vector<Function> functions;
  std::vector<std::pair<Scope, Function>> scopes;
  std::string head;
  int head_line = 0;
  const std::vector<std::string> code = code_only(file.lines);
  for (size_t i = 0; i < code.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    for (char c : code[i] + ' ') {
      if (c == '{') {
        const bool open = scopes.empty() || scopes.back().first == Scope::kOpen;
        const Scope scope = open ? scope_of(head) : Scope::kOpaque;
        scopes.push_back({scope, {head_line == 0 ? line : head_line, 0, trim(head)}});
      } else if (c == '}' && !scopes.empty()) {
        auto& [scope, function] = scopes.back();
        function.last_line = line;
        if (scope == Scope::kFunction) functions.push_back(function);
        scopes.pop_back();
      }
      if (c == '{' || c == '}' || c == ';') {
        head.clear();
        head_line = 0;
      } else {
        if (head_line == 0 && !std::isspace(static_cast<unsigned char>(c))) head_line = line;
        head += c;
      }
    }
  }
  return functions;
}

}  // namespace oddtile::tidy
