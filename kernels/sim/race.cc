#include "kernels/sim/race.h"

#include <algorithm>
namespace oddtile::simulator {

namespace {

// Bytes [address, address + bytes) within the cell at `cell`.
uint16_t cell_mask(uintptr_t cell, uintptr_t address, int64_t bytes) {
  const int64_t first = std::max<int64_t>(int64_t(address - cell), 0);
  const int64_t end = std::min<int64_t>(int64_t(address - cell) + bytes, kCellBytes);
  return uint16_t((0xFFFFu >> (kCellBytes - (end - first))) << first);
}

void join(BlockClocks& into, const BlockClocks& from) {
  for (const auto& [block, clock] : from) into[block].join(clock);
}

}  // namespace

void Races::begin_launch() {
  global_.reset();
  atomics_.clear();
}

void Races::begin_blocks(int lanes, int32_t first_block) {
  lanes_.assign(size_t(lanes), {});
  next_agent_ = Agent(2 * lanes);
  block_ = first_block;
  memo_.clear();
  resident_count_ = 0;
}

void Races::add_block(uintptr_t shared, int64_t shared_bytes) {
  if (residents_.size() == resident_count_) residents_.emplace_back();
  Resident& added = residents_[resident_count_++];
  added.shared.reset(shared, shared_bytes);
  added.exited = {};
  added.visitors.clear();
}

ShadowRange* Races::shared_with(uintptr_t address, int64_t bytes) {
  for (size_t rank = 0; rank < resident_count_; ++rank) {
    ShadowRange& shared = residents_[rank].shared;
    if (shared.contains(address, bytes)) return &shared;
  }
  return nullptr;
}

Epoch Races::happened(const LaneClocks& clocks, int lane, Agent agent) const {
  const Epoch learned = clocks.happened.at(agent);
  if (agent == Agent(lane)) return std::max(learned, clocks.own);
  if (agent == copies_of(lane)) return std::max(learned, clocks.copies);
  return learned;
}

Epoch Races::fenced(const LaneClocks& clocks, Memory memory, int lane, Agent agent) const {
  const LaneClocks::Fenced& fenced = clocks.fenced[int(memory)];
  const Epoch learned = fenced.known.at(agent);
  if (agent == Agent(lane)) return std::max(learned, fenced.own);
  if (agent == copies_of(lane)) return std::max(learned, fenced.copies);
  return learned;
}

void Races::release(Published& into, int lane) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  if (!into.last_happened.shares(clocks.happened)) {
    into.happened.join(clocks.happened);
    into.last_happened = clocks.happened;
  }
  into.happened.raise(Agent(lane), clocks.own);
  if (clocks.copies != 0) into.happened.raise(copies_of(lane), clocks.copies);
  for (int memory = 0; memory < kMemories; ++memory) {
    const LaneClocks::Fenced& fenced = clocks.fenced[memory];
    if (!into.last_fenced[memory].shares(fenced.known)) {
      into.fenced[memory].join(fenced.known);
      into.last_fenced[memory] = fenced.known;
    }
    if (fenced.own != 0) into.fenced[memory].raise(Agent(lane), fenced.own);
    if (fenced.copies != 0) into.fenced[memory].raise(copies_of(lane), fenced.copies);
  }
  if (!into.last_inferred.shares(clocks.inferred)) {
    into.inferred.join(clocks.inferred);
    into.last_inferred = clocks.inferred;
  }
  ++clocks.own;
  if (clocks.device != nullptr) join(into.device, clocks.device->known);
}

bool Races::infers(int lane, Agent agent, Epoch epoch) const {
  const LaneClocks& clocks = lanes_[size_t(lane)];
  return happened(clocks, lane, agent) >= epoch || clocks.inferred.at(agent) >= epoch;
}

void Races::witness(Clock& into, int lane) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  into.join(clocks.happened);
  into.join(clocks.inferred);
  into.raise(Agent(lane), clocks.own++);
}

void Races::infer_together(int first, int count) {
  Published all;
  release(all, first, count);
  all.inferred.join(all.happened);
  for (int lane = first; lane < first + count; ++lane) lanes_[size_t(lane)].inferred = all.inferred;
}

void Races::acquire(const Published& from, int lane) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  if (!from.device.empty()) learn(clocks, from.device);
  memo_.join(clocks.happened, from.happened);
  for (int memory = 0; memory < kMemories; ++memory) {
    memo_.join(clocks.fenced[memory].known, from.fenced[memory]);
  }
  memo_.join(clocks.inferred, from.inferred);
}

void Races::release(Published& into, int first, int count) {
  for (int lane = first; lane < first + count; ++lane) release(into, lane);
}

void Races::acquire(const Published& from, int first, int count) {
  for (int lane = first; lane < first + count; ++lane) acquire(from, lane);
}

void Races::rendezvous(int first, int count) {
  Published all;
  release(all, first, count);
  for (int lane = first; lane < first + count; ++lane) {  // `all` holds what each of them knew
    lanes_[size_t(lane)].happened = all.happened;
    for (int memory = 0; memory < kMemories; ++memory) {
      lanes_[size_t(lane)].fenced[memory].known = all.fenced[memory];
    }
    lanes_[size_t(lane)].inferred = all.inferred;
    if (!all.device.empty()) learn(lanes_[size_t(lane)], all.device);
  }
}

void Races::fence_proxy_async(int lane, Memory memory) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  LaneClocks::Fenced& fenced = clocks.fenced[int(memory)];
  memo_.join(fenced.known, clocks.happened);
  fenced.own = clocks.own++;
  fenced.copies = clocks.copies;
}

void Races::learn(LaneClocks& clocks, const BlockClocks& device) {
  auto changed = std::make_shared<DeviceClocks>(clocks.device ? *clocks.device : DeviceClocks());
  join(changed->known, device);
  clocks.device = std::move(changed);
}

void Races::fence_device(int lane) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  auto changed = std::make_shared<DeviceClocks>(clocks.device ? *clocks.device : DeviceClocks());
  join(changed->known, changed->read);
  const auto own_block = changed->read.find(block_);
  if (own_block != changed->read.end()) memo_.join(clocks.happened, own_block->second);
  changed->read.clear();
  changed->published = changed->known;
  Clock& mine = changed->published[block_];
  mine.join(clocks.happened);
  mine.raise(Agent(lane), clocks.own++);
  if (clocks.copies != 0) mine.raise(copies_of(lane), clocks.copies);
  clocks.device = std::move(changed);
}

void Races::atomic(int lane, uintptr_t address, int64_t bytes, Site site) {
  LaneClocks& clocks = lanes_[size_t(lane)];
  Accessor accessor{&clocks, lane, Agent(lane), clocks.own, where(site), Proxy::generic};
  accessor.atomic = true;
  touch_range(accessor, address, bytes, Access::write, shared_with(address, bytes));
  BlockClocks& left = atomics_[address];
  auto changed = std::make_shared<DeviceClocks>(clocks.device ? *clocks.device : DeviceClocks());
  join(changed->read, left);
  join(left, changed->published);
  clocks.device = std::move(changed);
}

bool Races::ordered(const Record& before, const Record& now, const Accessor& accessor,
                    Memory memory) const {
  if (before.block != now.block) {
    const DeviceClocks* device = accessor.clocks->device.get();
    if (device == nullptr) return false;
    const auto known = device->known.find(before.block);
    return known != device->known.end() && known->second.at(before.agent) >= before.epoch;
  }
  const bool through_fence = accessor.proxy == Proxy::async && !before.async;
  const Epoch known = through_fence ? fenced(*accessor.clocks, memory, accessor.lane, before.agent)
                                    : happened(*accessor.clocks, accessor.lane, before.agent);
  if (known < before.epoch) return false;
  if (accessor.also_count == 0) return true;
  const Clock& first = lanes_[size_t(accessor.also_first)].happened;
  if (accessor.also_alike && first.at(before.agent) >= before.epoch) return true;
  for (int lane = accessor.also_first; lane < accessor.also_first + accessor.also_count; ++lane) {
    if (happened(lanes_[size_t(lane)], lane, before.agent) < before.epoch) return false;
  }
  return true;
}

// Blocks run one after the other, and of those that are over two readers of a byte suffice: whoever
// writes it then is of another block than one of them. The rest would pile up where all blocks read
// one place.
class Races::OldReaders {
 public:
  // False: this record adds nothing.
  bool keep(const Record& reader) {
    if ((reader.bytes & ~twice_) == 0) return false;
    if (reader.block == block_ && (reader.bytes & ~once_) == 0) return false;
    if (reader.block != block_) twice_ |= once_ & reader.bytes;
    if (once_ == 0) block_ = reader.block;
    once_ |= reader.bytes;
    return true;
  }

 private:
  uint16_t once_ = 0;
  uint16_t twice_ = 0;
  int32_t block_ = -1;
};

// Whether the agent has read these bytes in this epoch and nobody has written them since: usual
// where many lanes read one place again and again, and found without a search then.
bool Races::known_read(const std::vector<Record>& records, const Record& now) {
  if (now.write || records.empty()) return false;
  const size_t guess = Agent(now.agent - records[0].agent);
  const Record& known = guess < records.size() ? records[guess] : records.back();
  return known.agent == now.agent && known.epoch == now.epoch && known.block == now.block &&
         !known.write && (now.bytes & ~known.bytes) == 0;
}

void Races::touch(Cell& cell, Record now, const Accessor& accessor, const ShadowRange* shared,
                  uintptr_t address) {
  uint16_t written = 0;
  bool merged = false;
  std::vector<Record>& records = cell.records;
  if (known_read(records, now)) return;
  OldReaders old_readers;
  const Memory memory = shared != nullptr ? Memory::shared : Memory::global;
  for (size_t i = 0; i < records.size();) {
    Record& before = records[i];
    if (before.write) written |= before.bytes;
    const uint16_t overlap = before.bytes & now.bytes;
    if (overlap == 0) {
      ++i;
      continue;
    }
    const bool conflict = (before.write || now.write) && !(before.atomic && now.atomic);
    const bool in_order = ordered(before, now, accessor, memory);
    if (conflict && !in_order) report(before, now, accessor, shared, address);
    // A write replaces what was there; a read replaces reads of its proxy that came before it.
    if (now.write || (!before.write && before.async == now.async && in_order)) {
      before.bytes = uint16_t(before.bytes & ~now.bytes);
    }
    const bool old = !before.write && before.block != now.block;
    if (before.bytes != 0 && !(old && !old_readers.keep(before))) {
      ++i;
      continue;
    }
    before = records.back();
    records.pop_back();
  }
  if (shared != nullptr && !now.write && (now.bytes & ~written) != 0) {
    report_unwritten(now, uint16_t(now.bytes & ~written), *shared, address);
  }
  for (Record& known : records) {
    merged = known.agent == now.agent && known.epoch == now.epoch && known.where == now.where &&
             known.write == now.write && known.block == now.block;
    if (!merged) continue;
    known.bytes |= now.bytes;
    break;
  }
  if (!merged) records.push_back(now);
}

void Races::touch_range(const Accessor& accessor, uintptr_t address, int64_t bytes, Access access,
                        ShadowRange* shared) {
  Record now;
  now.agent = accessor.agent;
  now.epoch = accessor.epoch;
  now.where = accessor.where;
  now.thread = uint16_t(accessor.lane);
  now.write = access == Access::write;
  now.async = accessor.proxy == Proxy::async;
  now.atomic = accessor.atomic;
  now.block = uint32_t(block_);
  const uintptr_t end = address + uintptr_t(bytes);
  for (uintptr_t cell = address & ~uintptr_t(kCellBytes - 1); cell < end; cell += kCellBytes) {
    now.bytes = cell_mask(cell, address, bytes);
    touch(shared != nullptr ? shared->at(cell) : global_.at(cell), now, accessor, shared, cell);
  }
}

void Races::access_shared(int lane, uintptr_t address, int64_t bytes, Access access,
                          uint16_t where) {
  ShadowRange* const shared = shared_with(address, bytes);
  if (bytes <= 0 || shared == nullptr) return;
  ++accesses_;
  const LaneClocks& clocks = lanes_[size_t(lane)];
  touch_range({&clocks, lane, Agent(lane), clocks.own, where, Proxy::generic}, address, bytes,
              access, shared);
}

void Races::access_global(int lane, uintptr_t address, int64_t bytes, Access access,
                          uint16_t where) {
  const LaneClocks& clocks = lanes_[size_t(lane)];
  touch_range({&clocks, lane, Agent(lane), clocks.own, where, Proxy::generic}, address, bytes,
              access, nullptr);
}

void Races::access_row(int lane, uintptr_t address, int64_t bytes, int first, int count,
                       Site site) {
  ShadowRange* const shared = shared_with(address, bytes);
  if (shared == nullptr) return;
  bool alike = true;
  for (int other = first + 1; other < first + count; ++other) {
    alike = alike && lanes_[size_t(other)].happened.shares(lanes_[size_t(first)].happened);
  }
  const LaneClocks& clocks = lanes_[size_t(lane)];
  touch_range(
      {&clocks, lane, Agent(lane), clocks.own, where(site), Proxy::generic, first, count, alike},
      address, bytes, Access::read, shared);
}

Operation Races::issue(Agent agent, Epoch epoch, Proxy proxy, int lane, Site site) {
  return {agent, epoch, proxy, lane, where(site), lanes_[size_t(lane)]};
}

void Races::access(const Operation& operation, uintptr_t address, int64_t bytes, Access access) {
  if (bytes <= 0) return;
  touch_range({&operation.issuer, operation.lane, operation.agent, operation.epoch, operation.where,
               operation.proxy},
              address, bytes, access, shared_with(address, bytes));
}

void Races::complete(Agent agent, Epoch epoch, Published& into) {
  into.happened.raise(agent, epoch);
}

void Races::complete(Agent agent, Epoch epoch, int lane) {
  memo_.raise(lanes_[size_t(lane)].happened, agent, epoch);
}

void Races::complete_copies(int lane, Epoch groups) {
  Epoch& copies = lanes_[size_t(lane)].copies;
  copies = std::max(copies, groups);
}

}  // namespace oddtile::simulator
