// From text to a case, a machine and an implementation, for the program and for the C interface.
// What does not exist is wrong use, in one line that says what there is instead.
#pragma once

#include <stdexcept>
#include <string>

#include "properties/harness/harness.h"

namespace oddtile::reports {

// The user's fault: one line, code 2. Any other exception is our own fault.
struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How many bytes of host memory something about takes for a case: here a check, or a time.
using HostBytes = double (*)(const oracles::Case&);
double host_bytes_of_check(const oracles::Case& subject);

// `where` begins the complaint: a file's name, or "case". More memory than this host has is wrong
// use, too.
oracles::Case case_of(const std::string& text, const std::string& where = "case",
                      HostBytes needed = host_bytes_of_check);

properties::Machine& machine_named(const std::string& name);

const oddtile_implementation& implementation_named(const std::string& name,
                                                   const properties::Machine& machine);

}  // namespace oddtile::reports
