#include "properties/tidy/layering.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

namespace oddtile::tidy {
namespace {

struct Include {
  std::string header;
  bool quoted;
  int line;
};

std::vector<Include> includes_of(const File& file) {
  std::vector<Include> includes;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    std::string line = trim(file.lines[i]);
    if (!line.starts_with('#')) continue;
    line = trim(std::string_view(line).substr(1));
    if (!line.starts_with("include")) continue;
    line = trim(std::string_view(line).substr(7));
    if (line.empty() || (line[0] != '"' && line[0] != '<')) continue;  // ODDTILE_... : a macro
    const bool quoted = line[0] == '"';
    const size_t end = line.find(quoted ? '"' : '>', 1);
    includes.push_back({line.substr(1, end - 1), quoted, static_cast<int>(i) + 1});
  }
  return includes;
}

// The lines `left : right` of a rule file; `#` begins a comment.
std::vector<std::pair<std::string, std::string>> rules_of(const File& file) {
  std::vector<std::pair<std::string, std::string>> rules;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string line = trim(file.lines[i].substr(0, file.lines[i].find('#')));
    if (line.empty()) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)).empty()) {
      throw std::runtime_error(file.path + ":" + std::to_string(i + 1) + ": no `left : right`");
    }
    rules.emplace_back(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
  return rules;
}

std::vector<std::string> expand(const std::string& word) {
  const size_t open = word.find('{'), close = word.find('}');
  if (open == std::string::npos || close == std::string::npos) return {word};
  std::vector<std::string> expanded;
  for (size_t at = open + 1; at <= close;) {
    const size_t end = std::min(word.find(',', at), close);
    expanded.push_back(word.substr(0, open) + word.substr(at, end - at) + word.substr(close + 1));
    at = end + 1;
  }
  return expanded;
}

bool is_inside(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// The deepest folder with an arrow that holds `path`; empty: none.
std::string room_of(std::string_view path, const std::vector<Arrow>& arrows) {
  std::string room;
  for (const Arrow& arrow : arrows) {
    if (is_inside(path, arrow.from) && arrow.from.size() > room.size()) room = arrow.from;
  }
  return room;
}

bool is_test(std::string_view path) {
  return has_suffix(path, "_test.cc") || has_suffix(path, "_test.c") ||
         has_suffix(path, "_benchmark.cc") || path.find("/litmus/") != std::string_view::npos;
}

bool is_allowed(const std::string& path, const std::string& from, const std::string& to,
                const std::vector<Arrow>& arrows) {
  if (from == to) return true;
  for (const Arrow& arrow : arrows) {
    if (arrow.from != from || (arrow.tests && !is_test(path))) continue;
    for (const std::string& target : arrow.to) {
      if (target == to) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Arrow> parse_layering(const File& file) {
  std::vector<Arrow> arrows;
  for (const auto& [left, right] : rules_of(file)) {
    const std::vector<std::string> words = words_of(left);
    const bool tests = words.size() == 2 && words[1] == "tests";
    if (words.size() != 1 && !tests) throw std::runtime_error(file.path + ": `" + left + "`?");
    std::vector<std::string> to;
    for (const std::string& word : words_of(right)) {
      for (const std::string& target : expand(word)) to.push_back(target);
    }
    for (const std::string& from : expand(words[0])) arrows.push_back({from, tests, to});
  }
  return arrows;
}

std::vector<Finding> check_includes(const Tree& tree, const std::vector<Arrow>& arrows) {
  std::set<std::string> paths;
  for (const File& file : tree.files) paths.insert(file.path);
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    if (!is_code(file.path)) continue;
    const std::string from = room_of(file.path, arrows);
    if (from.empty()) findings.push_back({file.path, 0, "its folder is not in layering.txt"});
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string stem = include.header.substr(0, include.header.rfind('.'));
      const bool generated = paths.contains(stem + ".cmake");  // its script stands beside it
      if (!generated && !paths.contains(include.header)) {
        findings.push_back(
            {file.path, include.line, "no file " + include.header + " (paths begin at the root)"});
        continue;
      }
      const std::string to = room_of(include.header, arrows);
      if (!from.empty() && !is_allowed(file.path, from, to, arrows)) {
        findings.push_back(
            {file.path, include.line,
             from + " may not include " + to + " (layering.txt): " + include.header});
      }
    }
  }
  return findings;
}

std::vector<Finding> check_acyclic(const std::vector<Arrow>& arrows) {
  std::map<std::string, std::set<std::string>> next;
  for (const Arrow& arrow : arrows) {
    if (!arrow.tests) next[arrow.from].insert(arrow.to.begin(), arrow.to.end());
  }
  std::vector<Finding> findings;
  for (const Arrow& arrow : arrows) {
    const std::string& start = arrow.from;
    if (arrow.tests) continue;
    std::set<std::string> seen;
    const std::function<bool(const std::string&)> returns = [&](const std::string& at) {
      for (const std::string& to : next[at]) {
        if (to == start || (seen.insert(to).second && returns(to))) return true;
      }
      return false;
    };
    if (returns(start)) {
      findings.push_back({"properties/tidy/layering.txt", 0, start + " reaches itself"});
    }
  }
  return findings;
}

std::vector<ThirdParty> parse_third_parties(const File& file) {
  std::vector<ThirdParty> parties;
  for (const auto& [left, right] : rules_of(file)) {
    parties.push_back({words_of(left), words_of(right)});
  }
  return parties;
}

std::vector<Finding> check_third_parties(const Tree& tree, const std::vector<ThirdParty>& parties) {
  std::vector<Finding> findings;
  for (const File& file : tree.files) {
    if (!is_code(file.path)) continue;
    for (const Include& include : includes_of(file)) {
      if (include.quoted || include.header.find_first_of("./") == std::string::npos) continue;
      const ThirdParty* party = nullptr;
      for (const ThirdParty& candidate : parties) {
        if (matches_any(include.header, candidate.headers)) party = &candidate;
      }
      if (party == nullptr) {
        findings.push_back(
            {file.path, include.line, "<" + include.header + "> is not in third_parties.txt"});
      } else if (!matches_any(file.path, party->rooms)) {
        findings.push_back({file.path, include.line,
                            "<" + include.header + "> enters elsewhere (third_parties.txt)"});
      }
    }
  }
  return findings;
}

std::vector<Finding> check_rooms(const Tree& tree, const std::vector<Arrow>& arrows) {
  std::set<std::string> rooms;
  for (const Arrow& arrow : arrows) {
    rooms.insert(arrow.from);
    rooms.insert(arrow.to.begin(), arrow.to.end());
  }
  for (const File& file : tree.files) {
    std::erase_if(rooms, [&](const std::string& room) {
      return file.path.size() > room.size() && is_inside(file.path, room);
    });
  }
  std::vector<Finding> findings;
  for (const std::string& room : rooms) {
    findings.push_back({"properties/tidy/layering.txt", 0, "there is no folder " + room});
  }
  return findings;
}

int count_includes(const Tree& tree) {
  size_t count = 0;
  for (const File& file : tree.files) {
    if (is_code(file.path)) count += includes_of(file).size();
  }
  return static_cast<int>(count);
}

}  // namespace oddtile::tidy
