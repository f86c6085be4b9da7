#include "kernels/sim/machine.h"

#include <utility>

#include "kernels/sim/state.h"

// Defined where the instrumented accesses are watched (access_hooks.cc), null in other programs.
extern "C" [[gnu::weak]] const int oddtile_kernels_are_instrumented;

namespace oddtile::sim {

namespace {

constexpr size_t kHazardsMax = 16;  // one defect often repeats in every lane
constexpr uintptr_t kReadGranule = 16;

}  // namespace

const char* hazard_name(HazardKind kind) {
  constexpr const char* kNames[] = {"out_of_bounds",
                                    "misaligned",
                                    "deadlock",
                                    "barrier_divergence",
                                    "collective_divergence",
                                    "pending_copies_at_exit",
                                    "kernel_exception",
                                    "bad_launch",
                                    "shared_race",
                                    "global_race",
                                    "proxy_race",
                                    "uninitialised_shared_read",
                                    "barrier_count",
                                    "barrier_misuse",
                                    "asynchronous_misuse",
                                    "leftover_at_exit"};
  return kNames[int(kind)];
}

std::string Hazard::text() const {
  std::string all = std::string(hazard_name(kind)) + " in " + kernel;
  if (line > 0) all += " at " + file + ":" + std::to_string(line);
  all += " (block " + std::to_string(block) + ", thread " + std::to_string(thread) + ", step " +
         std::to_string(step) + "): " + detail;
  if (other.line > 0) all += "; the other is at " + other.file + ":" + std::to_string(other.line);
  return all;
}

void Counters::add(const Counters& other) {
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  flops += other.flops;
  prefetches += other.prefetches;
  launches += other.launches;
  blocks += other.blocks;
}

Machine::Machine() : state_(new State) {
  detect_races(&oddtile_kernels_are_instrumented != nullptr);
}
Machine::~Machine() {
  delete state_;
}

void Machine::begin(uint64_t schedule) {
  state_->regions.clear();
  state_->hot_region = 0;
  state_->total = {};
  state_->counters = {};
  state_->launch_schedule = simulator::Schedule(schedule);
}

void Machine::allow(const void* address, int64_t bytes, const std::string& name) {
  if (bytes <= 0) return;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + uintptr_t(bytes);
  state_->regions.push_back({begin, end, begin & ~(kReadGranule - 1),
                             (end + kReadGranule - 1) & ~(kReadGranule - 1), name});
}

void Machine::set_arithmetic(const Arithmetic& arithmetic) {
  state_->arithmetic = arithmetic;
}

void Machine::use_threads(int count) {
  state_->thread_count = count;
}

void Machine::detect_races(bool wanted) {
  if (wanted == (state_->races != nullptr)) return;
  state_->races = wanted ? std::make_unique<simulator::Races>(*state_) : nullptr;
}
bool Machine::detects_races() const {
  return state_->races != nullptr;
}
int64_t Machine::accesses_watched() const {
  return state_->races ? state_->races->accesses() : 0;
}

void Machine::without(const std::string& file_suffix, int line) {
  state_->sites.without(file_suffix, line);
}
void Machine::with_everything() {
  state_->sites.with_everything();
}
void Machine::list_synchronisation(bool wanted) {
  state_->sites.list(wanted);
}
std::vector<SynchronisationSite> Machine::synchronisation_sites() const {
  return state_->sites.listed();
}

const std::vector<Hazard>& Machine::hazards() const {
  return state_->total.hazards;
}
const Counters& Machine::counters() const {
  return state_->counters;
}
uint64_t Machine::trace_hash() const {
  return state_->total.trace;
}
std::string Machine::schedule_text() const {
  return state_->launch_schedule.text();
}

void Machine::State::report(HazardKind kind, Site site, std::string detail, HazardPlace other) {
  add_hazard(&hazards, {kind, launch->kernel_name, simulator::repository_path(site.file), site.line,
                        simulator::place.block, simulator::place.thread, step_count,
                        std::move(detail), std::move(other)});
}

void Machine::State::add_hazard(std::vector<Hazard>* to, Hazard hazard) {
  for (const Hazard& known : *to) {
    if (known.kind == hazard.kind && known.line == hazard.line && known.file == hazard.file &&
        known.other.line == hazard.other.line && known.other.file == hazard.other.file &&
        known.kernel == hazard.kernel) {
      return;
    }
  }
  if (to->size() < kHazardsMax) to->push_back(std::move(hazard));
}

}  // namespace oddtile::sim
