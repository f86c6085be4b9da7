// From what was typed to a case and an implementation, beside reports/measure/by_name.h, which the
// C interface shares.
#pragma once

#include "properties/harness/harness.h"
#include "reports/cli/commands.h"
#include "reports/measure/by_name.h"

namespace oddtile::reports {

oracles::Case chosen_case(const Selection& selection);
const oddtile_implementation& chosen_implementation(const Selection& selection,
                                                    const properties::Machine& machine);

// Sets the simulator's arithmetic; nothing selected leaves it as it is.
void choose_arithmetic(const Selection& selection, properties::Machine& machine);

// Texts of cases, where each may be @file instead: one a line, # begins a comment.
struct CaseLine {
  std::string text;
  std::string where;  // "case", or "points.txt, line 7": what a complaint begins with
};
std::vector<CaseLine> case_lines(const std::vector<std::string>& cases);

// The whole file as text.
std::string read_file(const std::string& path);

// Creates the folder and proves that files can be written there, before hours of work are spent.
void require_writable(const std::string& folder);

}  // namespace oddtile::reports
