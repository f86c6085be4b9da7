#include "properties/harness/synchronisation.h"

#include "kernels/base/assert.h"
#include "kernels/sim/machine.h"

namespace oddtile::properties {
namespace {

// What `stream` points at on a simulator (kernels/sim/machine.h).
sim::Machine& simulator_of(Machine& machine) {
  ODDTILE_ASSERT(machine.name() == "sim");
  return *static_cast<sim::Machine*>(machine.stream());
}

}  // namespace

void list_synchronisation(Machine& machine, bool wanted) {
  simulator_of(machine).list_synchronisation(wanted);
}

std::vector<SynchronisationWord> synchronisation_words(Machine& machine) {
  std::vector<SynchronisationWord> words;
  for (const sim::SynchronisationSite& site : simulator_of(machine).synchronisation_sites()) {
    words.push_back({site.word, site.file, site.line, site.count});
  }
  return words;
}

bool watches_races(Machine& machine) {
  return simulator_of(machine).detects_races();
}

Without::Without(Machine& machine, const SynchronisationWord& which) : machine_(machine) {
  simulator_of(machine).without(which.file, which.line);
}

Without::~Without() {
  simulator_of(machine_).with_everything();
}

}  // namespace oddtile::properties
