// What the tree does not say, what it says instead, and where it may be said after all: bans.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/tidy/tree.h"

namespace oddtile::tidy {

struct Ban {
  std::string text;  // found as it stands, but not inside a longer word or path
  std::string instead;
  std::vector<std::string> rooms;  // path patterns where it is allowed
};

// Lines `text ;; instead [;; room ...]`; a line that begins with `## ` is a comment. Throws
// std::runtime_error on anything else.
std::vector<Ban> parse_bans(const File& file);

std::vector<Finding> check_bans(const Tree& tree, const std::vector<Ban>& bans);

}  // namespace oddtile::tidy
