// Who may include whom: layering.txt for our own folders, third_parties.txt for everybody else's
// headers. Both are read at test time, so the text is the rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/tidy/tree.h"

namespace oddtile::tidy {

// `from [tests] : to ...`. `from` is a folder; with `tests` the arrow is for its *_test.cc,
// *_benchmark.cc and litmus/ only, and takes no part in the search for cycles.
struct Arrow {
  std::string from;
  bool tests;
  std::vector<std::string> to;
};

// `a/{b,c}` stands for a/b and a/c on either side. Throws std::runtime_error on a line that is not
// an arrow.
std::vector<Arrow> parse_layering(const File& file);

// Every quoted include of every source, from the root, to a file that exists and an allowed folder.
std::vector<Finding> check_includes(const Tree& tree, const std::vector<Arrow>& arrows);

// No folder reaches itself through the arrows.
std::vector<Finding> check_acyclic(const std::vector<Arrow>& arrows);

// `header-prefix ... : path-pattern ...`
struct ThirdParty {
  std::vector<std::string> headers;
  std::vector<std::string> rooms;
};

std::vector<ThirdParty> parse_third_parties(const File& file);

// Every <include> that is not the standard library's stands in third_parties.txt, and in its room.
std::vector<Finding> check_third_parties(const Tree& tree, const std::vector<ThirdParty>& parties);

// Every folder of an arrow, on either side, holds a file: a name of nothing permits nothing, and
// would permit what somebody puts there later.
std::vector<Finding> check_rooms(const Tree& tree, const std::vector<Arrow>& arrows);

// How many includes of either kind there are; a check that saw none has checked nothing.
int count_includes(const Tree& tree);

}  // namespace oddtile::tidy
