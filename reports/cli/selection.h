// From what was typed to a case, a machine and an implementation; everything that does not exist is
// wrong use, in one line that says what there is instead.
#pragma once

#include "properties/harness/harness.h"
#include "reports/cli/commands.h"

namespace oddtile::reports {

oracles::Case chosen_case(const Selection& selection);
properties::Machine& chosen_machine(const std::string& name);
const oddtile_implementation& chosen_implementation(const Selection& selection,
                                                    const properties::Machine& machine);

// The whole file as text.
std::string read_file(const std::string& path);

// Creates the folder and proves that files can be written there, before hours of work are spent.
void require_writable(const std::string& folder);

}  // namespace oddtile::reports
