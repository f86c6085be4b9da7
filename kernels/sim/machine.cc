#include "kernels/sim/machine.h"

#include <cstring>
#include <string_view>

#include "kernels/sim/state.h"

namespace oddtile::sim {

namespace {

constexpr size_t kHazardsMax = 16;  // one defect often repeats in every lane
constexpr uintptr_t kReadGranule = 16;

const char* kind_name(HazardKind kind) {
  switch (kind) {
    case HazardKind::out_of_bounds:
      return "out_of_bounds";
    case HazardKind::misaligned:
      return "misaligned";
    case HazardKind::deadlock:
      return "deadlock";
    case HazardKind::barrier_divergence:
      return "barrier_divergence";
    case HazardKind::collective_divergence:
      return "collective_divergence";
    case HazardKind::pending_copies_at_exit:
      return "pending_copies_at_exit";
    case HazardKind::kernel_exception:
      return "kernel_exception";
    case HazardKind::bad_launch:
      return "bad_launch";
  }
  return "?";
}

// The path from the repository's root: what this file's own path has in front is cut off.
const char* repository_path(const char* file) {
  constexpr std::string_view kOwnPath = "kernels/sim/machine.cc";
  constexpr std::string_view kOwnFile = __FILE__;
  constexpr std::string_view kRoot = kOwnFile.substr(0, kOwnFile.size() - kOwnPath.size());
  return std::string_view(file).substr(0, kRoot.size()) == kRoot ? file + kRoot.size() : file;
}

}  // namespace

std::string Hazard::text() const {
  std::string line_text = std::string(kind_name(kind)) + " in " + kernel;
  if (line > 0) line_text += " at " + file + ":" + std::to_string(line);
  return line_text + " (block " + std::to_string(block) + ", thread " + std::to_string(thread) +
         ", step " + std::to_string(step) + "): " + detail;
}

Machine::Machine() : state_(new State) {}
Machine::~Machine() {
  delete state_;
}

void Machine::begin(uint64_t schedule) {
  state_->regions.clear();
  state_->hot_region = 0;
  state_->hazards.clear();
  state_->counters = {};
  state_->schedule = simulator::Schedule(schedule);
  state_->trace = 0;
  state_->step_count = 0;
}

void Machine::allow(const void* address, int64_t bytes, const std::string& name) {
  if (bytes <= 0) return;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + uintptr_t(bytes);
  state_->regions.push_back({begin, end, begin & ~(kReadGranule - 1),
                             (end + kReadGranule - 1) & ~(kReadGranule - 1), name});
}

const std::vector<Hazard>& Machine::hazards() const {
  return state_->hazards;
}
const Counters& Machine::counters() const {
  return state_->counters;
}
uint64_t Machine::trace_hash() const {
  return state_->trace;
}

void Machine::State::report(HazardKind kind, Site site, std::string detail) {
  const char* file = repository_path(site.file);
  for (const Hazard& known : hazards) {
    if (known.kind == kind && known.line == site.line && known.file == file &&
        known.kernel == launch->kernel_name) {
      return;
    }
  }
  if (hazards.size() == kHazardsMax) return;
  hazards.push_back({kind, launch->kernel_name, file, site.line, simulator::place.block,
                     simulator::place.thread, step_count, std::move(detail)});
}

}  // namespace oddtile::sim
