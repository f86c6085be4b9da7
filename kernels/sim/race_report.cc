// Races as hazards, and the places in the source that they name.
#include <string>

#include "kernels/sim/place.h"
#include "kernels/sim/race.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr size_t kPlacesMax = 0xFFFF;

std::string bytes_text(uint16_t mask) {
  const int count = __builtin_popcount(mask);
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

uint16_t Races::number_of(uint64_t key, const SourcePlace& place) {
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  if (places_.size() == kPlacesMax) return 0;  // unknown
  if (places_.empty()) places_.push_back({"", 0, nullptr});
  places_.push_back(place);
  return numbers_[key] = uint16_t(places_.size() - 1);
}

uint16_t Races::where(Site site) {
  const uint64_t file = reinterpret_cast<uintptr_t>(site.file);
  return number_of((file << 16 ^ uint64_t(site.line)) << 1, {site.file, site.line, nullptr});
}

uint16_t Races::where(const void* return_address) {
  const uint64_t address = reinterpret_cast<uintptr_t>(return_address);
  return number_of(address << 1 | 1, {"", 0, return_address});
}

Site Races::site(uint16_t where) {
  SourcePlace& place = places_[where];
  if (place.return_address == nullptr) return {place.file, place.line};
  const SourceLine& found = source_line(place.return_address);
  return {found.file.c_str(), found.line};  // of a table that stays
}

int Races::threads() const {
  return machine_.launch->threads;
}

std::string Races::thread_text(int32_t first_block, int lane, bool tells_block) const {
  std::string text = "thread " + std::to_string(lane % threads());
  if (tells_block) text += " of block " + std::to_string(first_block + lane / threads());
  return text;
}

void Races::report(const Record& before, const Record& now, const Accessor& accessor,
                   const ShadowRange* shared, uintptr_t cell) {
  const bool in_order = before.block == now.block &&
                        happened(*accessor.clocks, accessor.lane, before.agent) >= before.epoch;
  const bool same_block =
      before.block == now.block && before.thread / threads() == now.thread / threads();
  sim::HazardKind kind =
      shared != nullptr ? sim::HazardKind::shared_race : sim::HazardKind::global_race;
  if (in_order && now.async && !before.async) kind = sim::HazardKind::proxy_race;
  const uint16_t overlap = before.bytes & now.bytes;
  const uintptr_t address = cell + uintptr_t(__builtin_ctz(overlap));
  std::string detail = now.write ? "writes " : "reads ";
  detail += bytes_text(overlap);
  detail += " at " + (shared != nullptr
                          ? "+" + std::to_string(address - shared->begin()) + " of shared memory"
                          : machine_.place_in_regions(address));
  if (now.async) detail += " asynchronously";
  detail += before.write ? ", written" : ", read";
  if (before.async || before.agent != before.thread) detail += " asynchronously";
  detail += " by " + thread_text(int32_t(before.block), before.thread, !same_block);
  detail += kind == sim::HazardKind::proxy_race ? ", without a proxy fence in between"
                                                : ", and nothing orders the two";
  const Site other = site(before.where);
  machine_.report(kind, site(now.where), std::move(detail),
                  {repository_path(other.file), other.line, int(before.thread) % threads()});
}

void Races::report_unwritten(const Record& now, uint16_t missing, const ShadowRange& shared,
                             uintptr_t cell) {
  const uintptr_t address = cell + uintptr_t(__builtin_ctz(missing));
  machine_.report(sim::HazardKind::uninitialised_shared_read, site(now.where),
                  "reads " + bytes_text(missing) + " at +" +
                      std::to_string(address - shared.begin()) +
                      " of shared memory that nobody wrote");
}

void Races::reach(int lane, int rank, Site site) {
  residents_[size_t(rank)].visitors[lane] = {lanes_[size_t(lane)].own, where(site)};
  reach_awaited(lane, rank, site);
}

void Races::reach_awaited(int lane, int rank, Site site) {
  const LaneClocks& clocks = lanes_[size_t(lane)];
  const int first = rank * threads();
  for (int other = first; other < first + threads(); ++other) {
    if (clocks.happened.at(Agent(other)) != 0) return;
  }
  machine_.report(sim::HazardKind::shared_race, site,
                  "touches shared memory of block " + std::to_string(block_ + rank) +
                      ", of which nothing tells that it has started");
}

void Races::exit_lane(int lane) {
  release(residents_[size_t(lane / threads())].exited, lane);
}

void Races::exit_block(int rank) {
  const Resident& gone = residents_[size_t(rank)];
  for (const auto& [lane, visitor] : gone.visitors) {
    if (gone.exited.happened.at(Agent(lane)) >= visitor.epoch) continue;
    const Site place = site(visitor.where);
    machine_.report(sim::HazardKind::shared_race, place,
                    "touches shared memory of block " + std::to_string(block_ + rank) + " from " +
                        thread_text(block_, lane, true) +
                        ", and nothing lets that block wait for it before it exits");
  }
}

}  // namespace oddtile::simulator
