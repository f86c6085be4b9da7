// Timing in a build without CUDA: there is none, and the reason can be told.
#include "properties/harness/harness.h"
#include "reports/measure/timer.h"

namespace oddtile::reports {

std::unique_ptr<Timer> make_timer(properties::Machine& machine, std::string* reason) {
  *reason = "the machine '" + machine.name() + "' has no clock, and this build no CUDA side";
  return nullptr;
}

DeviceFacts device_facts() {
  return {};
}

}  // namespace oddtile::reports
