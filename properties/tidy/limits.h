// Sizes, names and places: what keeps a folder an index that a reader can take in.
#pragma once

#include <string_view>
#include <vector>

#include "properties/tidy/tree.h"

namespace oddtile::tidy {

// The most lines a file may have; 0: no limit.
int lines_max(std::string_view path);
constexpr int kFunctionLinesMax = 70;
constexpr int kColumnsMax = 100;

std::vector<Finding> check_sizes(const Tree& tree);    // files, functions, columns
std::vector<Finding> check_names(const Tree& tree);    // words that say nothing; the top level
std::vector<Finding> check_readmes(const Tree& tree);  // each room and each of its folders has one
std::vector<Finding> check_headers(const Tree& tree);  // #pragma once, or a guard

// Sources with logic in oracles, properties, fuzz and reports without a `<name>_test.cc` beside
// them. `known` lists those that are accepted so far; it may only shrink, so an entry that is no
// longer true is a finding as well.
std::vector<Finding> check_tested(const Tree& tree, const File& known);

}  // namespace oddtile::tidy
