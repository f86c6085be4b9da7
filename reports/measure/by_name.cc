#include "reports/measure/by_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include "oracles/case/text.h"
#include "reports/measure/amounts.h"

namespace oddtile::reports {
namespace {

// Beyond the memory the machine would start to swap or end the process without a word.
void require_memory(double needed) {
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (needed > present) {
    throw WrongUse(
        fmt::format("the case needs about {:.0f} GB of host memory, here there are {:.0f}",
                    needed * 1e-9, present * 1e-9));
  }
}

}  // namespace

// A check keeps about four sets of tensors.
double host_bytes_of_check(const oracles::Case& subject) {
  return 4 * double(data_bytes(subject));
}

oracles::Case case_of(const std::string& text, const std::string& where, HostBytes needed) {
  const auto parsed = oracles::parse(text);
  if (const auto* error = std::get_if<oracles::TextError>(&parsed)) {
    throw WrongUse(fmt::format("{}, at byte {}: {}", where, error->position, error->message));
  }
  require_memory(needed(std::get<oracles::Case>(parsed)));
  return std::get<oracles::Case>(parsed);
}

properties::Machine& machine_named(const std::string& name) {
  if (name == "sim") return properties::sim_machine();
  if (name != "cuda") {
    throw WrongUse(fmt::format("unknown machine '{}'; machines: sim, cuda", name));
  }
  properties::Machine* machine = properties::cuda_machine();
  if (machine == nullptr) {
    throw WrongUse("the machine 'cuda' is not here: " + properties::cuda_absence_reason());
  }
  return *machine;
}

const oddtile_implementation& implementation_named(const std::string& name,
                                                   const properties::Machine& machine) {
  std::string known;
  for (const oddtile_implementation* which : machine.implementations()) {
    if (name == which->name) return *which;
    known += (known.empty() ? "" : ", ") + std::string(which->name);
  }
  throw WrongUse(
      fmt::format("unknown implementation '{}'; on {} there are: {}", name, machine.name(), known));
}

}  // namespace oddtile::reports
