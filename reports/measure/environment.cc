#include "reports/measure/environment.h"

#include <ctime>

#include "properties/harness/harness.h"
#include "reports/measure/commit.h"  // written by the build, see commit.cmake
#include "reports/measure/timer.h"

namespace oddtile::reports {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string compiler() {
#if defined(__clang__)
  std::string version = std::string("clang ") + __clang_version__;
  while (version.ends_with(' ')) version.pop_back();
  return version;
#else
  return std::string("gcc ") + __VERSION__;
#endif
}

}  // namespace

Environment environment() {
  Environment result;
  result.commit = kCommit;
  result.date = now_utc();
  result.compiler = compiler();
  result.build = kBuild;
  const properties::Machine& sim = properties::sim_machine();
  result.machines.push_back({sim.name(), sim.description()});
  if (const properties::Machine* cuda = properties::cuda_machine()) {
    result.machines.push_back({cuda->name(), cuda->description()});
    const DeviceFacts facts = device_facts();
    result.device = facts.device;
    result.driver = facts.driver;
    result.toolkit = facts.toolkit;
  } else {
    result.no_device = properties::cuda_absence_reason();
  }
  return result;
}

}  // namespace oddtile::reports
