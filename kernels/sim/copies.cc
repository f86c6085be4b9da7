// Asynchronous copies. The source is read and the destination written when the copy lands, and when
// that is, the schedule says: a copy that is awaited too late is then a wrong result.
#include <cstring>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kCopyBytes = 16;
constexpr int kPieceBytes = 4;
constexpr unsigned kAllPieces = 0xF;

// The source stays within its region (checked at issue); the region is rounded out for reads.
__attribute__((no_sanitize("address"))) void fetch_bytes(std::byte* to, const std::byte* from,
                                                         int bytes) {
  for (int byte = 0; byte < bytes; ++byte) to[byte] = from[byte];
}

void check_copy(sim::Machine::State& machine, void* to, uintptr_t from, int valid_bytes, Site site,
                bool* reads, bool* writes) {
  *writes = machine.block->shared.contains(to, kCopyBytes);
  *reads = valid_bytes > 0 && valid_bytes <= kCopyBytes;
  if (!*writes) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "copies 16 bytes to outside the block's shared memory");
  } else if (reinterpret_cast<uintptr_t>(to) % kCopyBytes != 0) {
    *writes = false;
    machine.report(sim::HazardKind::misaligned, site, "copies 16 bytes to an odd shared address");
  }
  if (valid_bytes < 0 || valid_bytes > kCopyBytes) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "copies 16 bytes of which " + std::to_string(valid_bytes) + " are valid");
  }
  if (from % kCopyBytes != 0) {
    *reads = false;
    machine.report(sim::HazardKind::misaligned, site,
                   machine.explain_access("copies", from, kCopyBytes));
  } else if (*reads && !machine.readable(from, valid_bytes)) {
    *reads = false;
    machine.report(sim::HazardKind::out_of_bounds, site,
                   machine.explain_access("copies", from, valid_bytes));
  }
}

// A copy is a generic access of its own agent: the lane's groups, counted from 1.
void watch(sim::Machine::State& machine, const PendingCopy& copy, Site site) {
  Races& races = *machine.races;
  const int lane = machine.lane_index();
  const Operation operation =
      races.issue(races.copies_of(lane), Epoch(copy.group + 1), Proxy::generic, lane, site);
  races.access(operation, reinterpret_cast<uintptr_t>(copy.to), kCopyBytes, Access::write);
  if (copy.from == kBadBytes) return;
  races.access(operation, reinterpret_cast<uintptr_t>(copy.from), copy.valid_bytes, Access::read);
}

}  // namespace

void copy_async(void* to, uintptr_t from, int valid_bytes, Site site) {
  sim::Machine::State& machine = *running;
  machine.step(Word::copy_async);
  if (machine.pending_copies != 0 || !machine.in_flight.empty()) machine.land_something();
  bool reads = false;
  bool writes = false;
  check_copy(machine, to, from, valid_bytes, site, &reads, &writes);
  Lane& self = machine.lane();
  self.last_copy_group = self.groups_committed;
  self.last_copy_site = site;
  if (!writes) return;
  PendingCopy copy{static_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
                   self.groups_committed, uint8_t(reads ? valid_bytes : 0), kAllPieces};
  if (reads) {
    machine.counters.bytes_read += valid_bytes;
  } else if (valid_bytes != 0) {  // a bad source gives 0xFF, as a bad load does
    copy.from = kBadBytes;
    copy.valid_bytes = kCopyBytes;
  }
  if (machine.races) watch(machine, copy, site);
  if (machine.schedule.completes_at_issue()) {
    machine.land(copy, kAllPieces);
    return;
  }
  self.copies.push_back(copy);
  ++machine.pending_copies;
}

void commit_copies(Site site) {
  if (!running->passes(Word::commit_copies, site)) return;
  running->step(Word::commit_copies);
  ++running->lane().groups_committed;
}

void wait_copy_groups(int pending, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::wait_copies, site)) return;
  machine.step(Word::wait_copies);
  if (machine.pending_copies != 0 || !machine.in_flight.empty()) machine.land_something();
  Lane& self = machine.lane();
  const int64_t awaited = self.groups_committed - pending;
  if (awaited > self.groups_awaited) self.groups_awaited = awaited;
  if (machine.races && awaited > 0) {
    machine.races->complete_copies(machine.lane_index(), Epoch(awaited));
  }
  size_t kept = 0;
  for (PendingCopy& copy : self.copies) {
    if (copy.group < awaited) {
      machine.land(copy, copy.pieces);
    } else {
      self.copies[kept++] = copy;
    }
  }
  machine.pending_copies -= int64_t(self.copies.size() - kept);
  self.copies.resize(kept);
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

void Machine::State::land(simulator::PendingCopy& copy, unsigned pieces) {
  alignas(16) std::byte bytes[simulator::kCopyBytes] = {};
  simulator::fetch_bytes(bytes, copy.from, copy.valid_bytes);
  if (pieces == simulator::kAllPieces) {
    std::memcpy(copy.to, bytes, simulator::kCopyBytes);
  } else {
    for (int piece = 0; piece < 4; ++piece) {
      if (!(pieces >> piece & 1)) continue;
      const int offset = piece * simulator::kPieceBytes;
      std::memcpy(copy.to + offset, bytes + offset, simulator::kPieceBytes);
    }
  }
  copy.pieces = uint8_t(copy.pieces & ~pieces);
}

void Machine::State::land_something() {
  if (!schedule.lands_pieces() || !schedule.lands_now()) return;
  land_a_piece();
  if (pending_copies == 0) return;
  const uint32_t rank = blocks_together == 1 ? 0 : schedule.below(uint32_t(blocks_together));
  Lane& owner = blocks[rank]->lanes[schedule.below(uint32_t(launch->threads))];
  if (owner.copies.empty()) return;
  const uint32_t chosen = schedule.below(uint32_t(owner.copies.size()));
  simulator::PendingCopy& copy = owner.copies[chosen];
  land(copy, copy.pieces & (1u + schedule.below(15)));
  if (copy.pieces != 0) return;
  copy = owner.copies.back();
  owner.copies.pop_back();
  --pending_copies;
}

void Machine::State::forget_copies() {
  for (int thread = 0; thread < launch->threads; ++thread) {
    Lane& owner = block->lanes[thread];
    owner.copies.clear();
    owner.groups_committed = 0;
    owner.groups_awaited = 0;
    owner.last_copy_group = -1;
  }
}

}  // namespace oddtile::sim
