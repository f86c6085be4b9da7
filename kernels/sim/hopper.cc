#include "kernels/sim/hopper.h"

#include "kernels/sim/state.h"

namespace oddtile::simulator {

uint32_t shared_address(const sim::Machine::State& machine, const void* pointer) {
  return uint32_t(static_cast<const std::byte*>(pointer) - machine.block->shared.begin());
}

void Hopper::begin_block(int warps) {
  mbarriers.forget();
  for (NamedBarrier& barrier : named_barriers) {
    if (barrier.threads != 0) barrier = {};
  }
  registers.reset(warps);
  elected_lane = -1;
  bulk_.clear();
  warpgroups_.clear();
}

BulkGroups& Hopper::bulk_groups(int lane) {
  if (size_t(lane) >= bulk_.size()) bulk_.resize(size_t(lane + 1));
  return bulk_[size_t(lane)];
}

Warpgroup& Hopper::warpgroup(int number) {
  if (size_t(number) >= warpgroups_.size()) warpgroups_.resize(size_t(number + 1));
  std::unique_ptr<Warpgroup>& group = warpgroups_[size_t(number)];
  if (group == nullptr) group = std::make_unique<Warpgroup>();
  return *group;
}

WgmmaOperands* Hopper::wgmma_operands(int warp) {
  const size_t end = size_t(warp + 1) * kWarpLanes;
  if (end > operands_.size()) operands_.resize(end);
  return &operands_[end - kWarpLanes];
}

void Hopper::report_bulk(sim::Machine::State& machine) {
  if (size_t(machine.thread_index()) >= bulk_.size()) return;
  const BulkGroups& groups = bulk_[size_t(machine.thread_index())];
  if (groups.last_group < groups.reads_awaited) return;
  machine.report(sim::HazardKind::leftover_at_exit, groups.last_site,
                 "exits while its bulk store may still read shared memory");
}

void Hopper::report_products(sim::Machine::State& machine) {
  const size_t number = size_t(machine.current_warp / kWarpgroupWarps);
  if (number >= warpgroups_.size() || warpgroups_[number] == nullptr) return;
  const Warpgroup::WarpState& warp =
      warpgroups_[number]->warps[machine.current_warp % kWarpgroupWarps];
  if (warp.retired == warp.issued) return;
  machine.report(sim::HazardKind::leftover_at_exit, warp.last_site,
                 "exits without having awaited this product");
}

void Hopper::exit_lane(sim::Machine::State& machine) {
  if (!bulk_.empty()) report_bulk(machine);
  if (!warpgroups_.empty()) report_products(machine);
}

void Hopper::end_block(sim::Machine::State& machine) {
  for (const auto& [address, object] : mbarriers.all()) {
    if (object->in_flight == 0 && object->count.bytes == 0) continue;
    machine.report(sim::HazardKind::leftover_at_exit, object->last_site,
                   "the block ends before the bytes are there, " + object->state_text());
  }
  for (int id = 0; id < 16; ++id) {
    if (named_barriers[id].arrived == 0) continue;
    machine.report(sim::HazardKind::leftover_at_exit, named_barriers[id].last_site,
                   "the block ends while " + std::to_string(named_barriers[id].arrived) + " of " +
                       std::to_string(named_barriers[id].threads) +
                       " lanes have arrived at named barrier " + std::to_string(id));
  }
  for (const BulkGroups& groups : bulk_) {
    for (const BulkGroups::Store& store : groups.stores) store.finish(machine);
  }
}

}  // namespace oddtile::simulator
