#include "kernels/sim/wgmma.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRows = 16;  // of one warp
constexpr int kChunkBytes = 16;
constexpr uint32_t kSumInFlight = 0xFFF0DEAD;  // NaN

// Where lane `lane` keeps the accumulator of its `i`th register, in a tile of 16 x 8.
int tile_element(int lane, int i) {
  return (lane / 4 + 8 * (i >> 1 & 1)) * 8 + 2 * (lane % 4) + (i & 1);
}

__attribute__((no_sanitize("address"))) bool untouched(const float* sum, int length) {
  for (int i = 0; i < length; ++i) {
    if (std::bit_cast<uint32_t>(sum[i]) != kSumInFlight) return false;
  }
  return true;
}

// Takes the sums into the machine and leaves poison behind.
__attribute__((no_sanitize("address"))) void take_sums(Accumulator& accumulator) {
  for (int lane = 0; lane < kGroupLanes; ++lane) {
    for (int i = 0; i < accumulator.length; ++i) {
      accumulator.tiles[size_t(i / 4)].at[tile_element(lane, i)] = accumulator.sum[lane][i];
      accumulator.sum[lane][i] = std::bit_cast<float>(kSumInFlight);
    }
  }
}

__attribute__((no_sanitize("address"))) void give_sums(const Accumulator& accumulator, int lane) {
  for (int i = 0; i < accumulator.length; ++i) {
    accumulator.sum[lane][i] = accumulator.tiles[size_t(i / 4)].at[tile_element(lane, i)];
  }
}

__attribute__((no_sanitize("address"))) bool same_fragment(const Product& product, int warp,
                                                           int lane) {
  const uint32_t* now = product.a_from[warp][lane];
  for (int i = 0; i < 4; ++i) {
    if (now[i] != product.a[warp][i][lane]) return false;
  }
  return true;
}

class Execution : public Asynchronous {
 public:
  Execution(sim::Machine::State& machine, int warpgroup, int64_t number)
      : Asynchronous(1), machine_(machine), warpgroup_(warpgroup), number_(number) {}
  void land(int) override {
    machine_.block->hopper.warpgroup(warpgroup_).execute(machine_, number_ + 1);
  }

 private:
  sim::Machine::State& machine_;
  const int warpgroup_;
  const int64_t number_;
};

void misuse(sim::Machine::State& machine, Site site, const char* what) {
  machine.report(sim::HazardKind::asynchronous_misuse, site, what);
}

}  // namespace

std::string Warpgroup::state_text() const {
  std::string text = "products issued by its warps:";
  for (const WarpState& warp : warps) text += " " + std::to_string(warp.issued);
  return text;
}

int64_t Warpgroup::complete() const {
  int64_t least = warps[0].issued;
  for (const WarpState& warp : warps) least = std::min(least, warp.issued);
  return least;
}

void Warpgroup::forget_retired() {
  int64_t least = warps[0].retired;
  for (const WarpState& warp : warps) least = std::min(least, warp.retired);
  for (; first_product < least; ++first_product) products.pop_front();
}

namespace {

// The operands in shared memory, as this warp's lanes may see them: its own rows, all columns.
void check_operands(sim::Machine::State& machine, Warpgroup& group, const WgmmaOperands& operands,
                    int warp, int64_t number, Site site) {
  Races* races = machine.races.get();
  Operation operation;
  if (races != nullptr) {
    if (group.agent == 0) group.agent = races->new_agent();
    operation = races->issue(group.agent, Epoch(number + 1), Proxy::async,
                             machine.first_lane(machine.current_warp), site);
  }
  const auto check = [&](MatrixDescriptor descriptor, Major major, int first, int indices) {
    if (const char* wrong = descriptor_refusal(descriptor)) misuse(machine, site, wrong);
    bool outside = false;
    for_each_chunk(major, first, indices, [&](int index, int k) {
      const uint32_t address = operand_address(descriptor, major, index, k);
      const std::byte* chunk = machine.block->shared.begin() + address;
      if (!machine.block->shared.contains(chunk, kChunkBytes)) {
        outside = true;
      } else if (races != nullptr) {
        races->access(operation, reinterpret_cast<uintptr_t>(chunk), kChunkBytes, Access::read);
      }
    });
    if (outside) {
      machine.report(sim::HazardKind::out_of_bounds, site,
                     "an operand leaves the block's shared memory");
    }
  };
  if (operands.a_registers == nullptr) {
    check(operands.a, operands.a_major, kRows * warp, kRows);
  }
  check(operands.b, operands.b_major, 0, 2 * operands.length);
}

bool same_product(const WgmmaOperands& one, const WgmmaOperands& other) {
  const bool same_a = (one.a_registers == nullptr) == (other.a_registers == nullptr) &&
                      (one.a_registers != nullptr || one.a.bits == other.a.bits);
  return same_a && one.b.bits == other.b.bits && one.length == other.length &&
         one.a_major == other.a_major && one.b_major == other.b_major &&
         one.accumulate == other.accumulate && one.bfloat16 == other.bfloat16;
}

Accumulator* accumulator_of(sim::Machine::State& machine, Warpgroup::WarpState& warp,
                            const WgmmaOperands* operands, Site site) {
  for (const std::unique_ptr<Accumulator>& known : warp.accumulators) {
    if (known->sum[0] != operands[0].sum) continue;
    if (known->length != operands[0].length) misuse(machine, site, "sums of two shapes in flight");
    return known.get();
  }
  warp.accumulators.push_back(std::make_unique<Accumulator>());
  Accumulator& fresh = *warp.accumulators.back();
  fresh.length = operands[0].length;
  fresh.tiles.resize(size_t(fresh.length / 4));
  for (int lane = 0; lane < kGroupLanes; ++lane) fresh.sum[lane] = operands[lane].sum;
  take_sums(fresh);
  return &fresh;
}

// By the last lane of the warp.
void issue_product(sim::Machine::State& machine, const WgmmaOperands* operands, Site site) {
  const int group_number = machine.current_warp / kWarpgroupWarps;
  Warpgroup& group = machine.block->hopper.warpgroup(group_number);
  const int index = machine.current_warp % kWarpgroupWarps;
  Warpgroup::WarpState& warp = group.warps[index];
  const int64_t number = warp.issued++;
  warp.last_site = site;
  if (number - group.first_product == int64_t(group.products.size())) {
    group.products.emplace_back();
    group.products.back().operands = operands[0];
    group.products.back().site = site;
  }
  Product& product = group.product(number);
  if (!same_product(product.operands, operands[0])) {
    misuse(machine, site, "the warps of a warpgroup issue different products");
  }
  if (!warp.fenced) misuse(machine, site, "no wgmma_fence since the last wait, or at all");
  check_operands(machine, group, operands[0], index, number, site);
  Accumulator* accumulator = accumulator_of(machine, warp, operands, site);
  accumulator->last_product = number;
  accumulator->site = site;
  product.accumulator[index] = accumulator;
  if (operands[0].a_registers != nullptr) {
    for (int lane = 0; lane < kGroupLanes; ++lane) {
      product.a_from[index][lane] = operands[lane].a_registers;
      for (int i = 0; i < 4; ++i) product.a[index][i][lane] = operands[lane].a_registers[i];
    }
  }
  if (++product.issued < kWarpgroupWarps) return;
  product.work = std::make_shared<Execution>(machine, group_number, number);
  machine.start(product.work);
  machine.wake(group);
}

// Hands this warp the sums of products before number `end`, as far as none that follow add to them.
void deliver(sim::Machine::State& machine, Warpgroup& group, int index, int64_t end) {
  Warpgroup::WarpState& warp = group.warps[index];
  for (int64_t number = warp.retired; number < end; ++number) {
    const Product& product = group.product(number);
    if (product.a_from[index][0] == nullptr) continue;  // it came from shared memory
    for (int lane = 0; lane < kGroupLanes; ++lane) {
      if (same_fragment(product, index, lane)) continue;
      misuse(machine, product.site, "registers of an operand changed while in flight");
      break;
    }
  }
  for (size_t i = 0; i < warp.accumulators.size();) {
    const Accumulator& accumulator = *warp.accumulators[i];
    if (accumulator.last_product >= end) {
      ++i;
      continue;
    }
    for (int lane = 0; lane < kGroupLanes; ++lane) {
      if (untouched(accumulator.sum[lane], accumulator.length)) {
        give_sums(accumulator, lane);
      } else {
        misuse(machine, accumulator.site, "sums were written to while in flight");
      }
    }
    warp.accumulators.erase(warp.accumulators.begin() + int64_t(i));
  }
  warp.retired = end;
  if (!machine.races || end == 0) return;
  for (int lane = 0; lane < kGroupLanes; ++lane) {
    machine.races->complete(group.agent, Epoch(end),
                            machine.first_lane(machine.current_warp) + lane);
  }
}

// By the last lane of the warp. Everything is looked up again after each wait.
void wait_for_groups(sim::Machine::State& machine, int pending, Site site) {
  const int group_number = machine.current_warp / kWarpgroupWarps;
  const int index = machine.current_warp % kWarpgroupWarps;
  Warpgroup& group = machine.block->hopper.warpgroup(group_number);
  Warpgroup::WarpState& warp = group.warps[index];
  warp.fenced = false;
  const int64_t groups = int64_t(warp.group_ends.size()) - pending;
  if (groups <= 0) return;
  const int64_t end = warp.group_ends[size_t(groups - 1)];
  while (group.complete() < end) machine.wait_on(group, Word::wait_wgmma, site);
  if (end <= warp.retired) return;
  machine.force(*group.product(end - 1).work);
  group.execute(machine, end);
  deliver(machine, group, index, end);
  group.forget_retired();
}

}  // namespace

void wgmma(const WgmmaOperands& operands, Site site) {
  sim::Machine::State& machine = *running;
  Hopper& hopper = machine.block->hopper;
  hopper.wgmma_operands(machine.current_warp)[machine.current_lane] = operands;
  if (!machine.arrive(Word::wgmma, site)) return;
  // Asked for anew: a later warp may have moved them while this one gave way.
  issue_product(machine, hopper.wgmma_operands(machine.current_warp), site);
  machine.release();
}

void wgmma_fence(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::wgmma_fence, site) || !machine.arrive(Word::wgmma_fence, site)) return;
  Warpgroup& group = machine.block->hopper.warpgroup(machine.current_warp / kWarpgroupWarps);
  group.warps[machine.current_warp % kWarpgroupWarps].fenced = true;
  machine.release();
}

void wgmma_commit(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::commit_wgmma, site)) return;
  if (!machine.arrive(Word::commit_wgmma, site)) return;
  Warpgroup& group = machine.block->hopper.warpgroup(machine.current_warp / kWarpgroupWarps);
  Warpgroup::WarpState& warp = group.warps[machine.current_warp % kWarpgroupWarps];
  warp.group_ends.push_back(warp.issued);
  machine.release();
}

void wgmma_wait(int pending, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::wait_wgmma, site) || !machine.arrive(Word::wait_wgmma, site)) return;
  wait_for_groups(machine, pending, site);
  machine.release();
}

void wgmma_ready(const float* sum, Site site) {
  sim::Machine::State& machine = *running;
  const Warpgroup& group = machine.block->hopper.warpgroup(machine.current_warp / kWarpgroupWarps);
  for (const auto& known : group.warps[machine.current_warp % kWarpgroupWarps].accumulators) {
    if (known->sum[machine.current_lane] == sum) {
      misuse(machine, site, "a sum is used before its product was awaited");
    }
  }
}

}  // namespace oddtile::simulator
