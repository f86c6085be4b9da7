// Words of a cluster: the barrier of all its blocks, and loads, stores and arrivals in the shared
// memory of another one.
#include "kernels/sim/cluster.h"

#include <cstring>
#include <string>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/mbarrier.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRankShift = 24;  // above every offset in shared memory
constexpr int kBarrierBytes = 8;

int all_warps(const sim::Machine::State& machine) {
  return machine.warp_count * machine.blocks_together;
}

// A warp that is gone and will not arrive in the phase that is going on.
bool misses_a_warp(const sim::Machine::State& machine) {
  for (int rank = 0; rank < machine.blocks_together; ++rank) {
    for (int which = 0; which < machine.warp_count; ++which) {
      const Warp& warp = machine.blocks[size_t(rank)]->warps[which];
      if (warp.exited == kAllLanes && warp.cluster_arrivals <= machine.cluster_barrier.phase) {
        return true;
      }
    }
  }
  return false;
}

// By the last lane of a warp: what it does wrong at the cluster's barrier, or null.
const char* wrong_arrival(const sim::Machine::State& machine, const Warp& warp) {
  if (warp.cluster_arrivals != warp.cluster_waits) return "arrives twice without having waited";
  if (machine.cluster_barrier.exited_warps == 0 || !misses_a_warp(machine)) return nullptr;
  return "arrives at the cluster's barrier, where a warp that has exited is missing";
}

void diverge(sim::Machine::State& machine, Site site, const char* what) {
  machine.report(sim::HazardKind::barrier_divergence, site, what);
  machine.abandon_block();
}

void open_cluster_barrier(sim::Machine::State& machine) {
  ClusterBarrier& barrier = machine.cluster_barrier;
  ++barrier.phase;
  barrier.arrived_warps = 0;
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving = {};
  for (const auto& [rank, warp] : barrier.parked) {
    const int first = rank * machine.launch->threads + warp * kWarpLanes;
    if (machine.races) machine.races->acquire(barrier.completed, first, kWarpLanes);
    machine.release_warp(*machine.blocks[size_t(rank)], warp);
  }
  barrier.parked.clear();
}

void report_exited(sim::Machine::State& machine, const char* verb, int64_t number, Site site) {
  machine.report(machine.races ? sim::HazardKind::shared_race : sim::HazardKind::out_of_bounds,
                 site,
                 std::string(verb) + " shared memory of block " + std::to_string(number) +
                     ", which has exited");
}

// The bytes behind a cluster's address; null, and a report, where there are none.
std::byte* reach(sim::Machine::State& machine, uint32_t address, int bytes, const char* verb,
                 Site site, bool awaited = false) {
  const int rank = int(address >> kRankShift);
  const uint32_t offset = address & ((1u << kRankShift) - 1);
  if (!reach_block(machine, rank, verb, site, awaited)) return nullptr;
  const Block& home = *machine.blocks[size_t(rank)];
  std::byte* const at = home.shared.begin() + offset;
  const bool inside = home.shared.contains(at, bytes);
  if (inside && offset % uint32_t(bytes) == 0) return at;
  machine.report(inside ? sim::HazardKind::misaligned : sim::HazardKind::out_of_bounds, site,
                 std::string(verb) + " " + std::to_string(bytes) + " bytes at +" +
                     std::to_string(offset) + " of shared memory of block " +
                     std::to_string(home.number));
  return nullptr;
}

void watch(sim::Machine::State& machine, std::byte* at, int bytes, Access access, Site site) {
  if (!machine.races) return;
  machine.races->access_shared(machine.lane_index(), reinterpret_cast<uintptr_t>(at), bytes, access,
                               machine.races->where(site));
}

}  // namespace

bool reach_block(sim::Machine::State& machine, int rank, const char* verb, Site site,
                 bool awaited) {
  if (rank < 0 || rank >= machine.blocks_together) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   std::string(verb) + " shared memory of block " + std::to_string(rank) +
                       " of a cluster of " + std::to_string(machine.blocks_together));
    return false;
  }
  const Block& home = *machine.blocks[size_t(rank)];
  if (home.exited_lanes == machine.launch->threads) {
    report_exited(machine, verb, home.number, site);
    return false;
  }
  const int own = machine.block_first_lane / machine.launch->threads;
  if (!machine.races || rank == own) return true;
  if (awaited) {
    machine.races->reach_awaited(machine.lane_index(), rank, site);
  } else {
    machine.races->reach(machine.lane_index(), rank, site);
  }
  return true;
}

void cluster_arrive(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::cluster_arrive, site)) return;
  if (!machine.arrive(Word::cluster_arrive, site)) return;
  Warp& warp = machine.warp();
  ClusterBarrier& barrier = machine.cluster_barrier;
  const char* wrong = wrong_arrival(machine, warp);
  if (wrong != nullptr) diverge(machine, site, wrong);
  ++warp.cluster_arrivals;
  barrier.last_site = site;
  if (machine.races) {
    machine.races->release(barrier.arriving, machine.first_lane(machine.current_warp), kWarpLanes);
  }
  if (++barrier.arrived_warps == all_warps(machine)) open_cluster_barrier(machine);
  machine.release();
}

void cluster_wait(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::cluster_wait, site)) return;
  if (!machine.arrive(Word::cluster_wait, site)) return;
  Warp& warp = machine.warp();
  ClusterBarrier& barrier = machine.cluster_barrier;
  if (warp.cluster_arrivals == warp.cluster_waits) {
    diverge(machine, site, "waits at the cluster's barrier without having arrived");
  }
  ++warp.cluster_waits;
  if (barrier.phase < warp.cluster_arrivals) {
    barrier.parked.emplace_back(machine.block->rank, machine.current_warp);
    machine.park_warp();
    return;
  }
  if (machine.races) {
    machine.races->acquire(barrier.completed, machine.first_lane(machine.current_warp), kWarpLanes);
  }
  machine.release();
}

void exit_warp(sim::Machine::State& machine) {
  ClusterBarrier& barrier = machine.cluster_barrier;
  ++barrier.exited_warps;
  if (barrier.arrived_warps == 0 || machine.warp().cluster_arrivals > barrier.phase) return;
  diverge(machine, barrier.last_site, "a warp exits while others of its cluster have arrived here");
}

void exit_block(sim::Machine::State& machine) {
  if (machine.races) machine.races->exit_block(machine.block->rank);
}

uint32_t map_shared_rank(const void* own, int rank, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.block->shared.contains(own, 0) || rank < 0 || rank >= machine.blocks_together) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "no shared memory of this block, or block " + std::to_string(rank) +
                       " of a cluster of " + std::to_string(machine.blocks_together));
    return ~0u;
  }
  return uint32_t(rank) << kRankShift | shared_address(machine, own);
}

void read_cluster(void* to, uint32_t from, int bytes, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::load_cluster);
  std::byte* const at = reach(machine, from, bytes, "reads", site);
  if (at != nullptr) watch(machine, at, bytes, Access::read, site);
  std::memcpy(to, at != nullptr ? at : kBadBytes, size_t(bytes));
}

void write_cluster(uint32_t to, const void* from, int bytes, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::store_cluster);
  std::byte* const at = reach(machine, to, bytes, "writes", site);
  if (at == nullptr) return;
  watch(machine, at, bytes, Access::write, site);
  std::memcpy(at, from, size_t(bytes));
}

void mbarrier_arrive_cluster(uint32_t barrier, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::barrier_arrive, site)) return;
  machine.begin_word(Word::barrier_arrive);
  std::byte* const at = reach(machine, barrier, kBarrierBytes, "arrives at a barrier in", site);
  if (at == nullptr) return;
  const Visit visit(machine, int(barrier >> kRankShift));
  arrive_and_expect(machine, at, 1, -1, site);
}

// A value on its way to another block: it lands, and then the barrier there hears of it.
class RemoteStore : public Asynchronous {
 public:
  RemoteStore(sim::Machine::State& machine, std::byte* to, const void* from, int bytes,
              const MbarrierObject& barrier, Site site)
      : Asynchronous(1),
        machine_(machine),
        to_(to),
        bytes_(bytes),
        barrier_(barrier.address),
        phase_(barrier.count.phase),
        site_(site) {
    std::memcpy(value_, from, size_t(bytes));
  }

  void land(int) override {
    std::memcpy(to_, value_, size_t(bytes_));
    MbarrierObject* object = machine_.block->hopper.mbarriers.find(barrier_);
    if (object != nullptr) receive_bytes(machine_, *object, bytes_, phase_, site_);
  }

 private:
  sim::Machine::State& machine_;
  std::byte* const to_;
  std::byte value_[16];
  const int bytes_;
  const uint32_t barrier_;
  const int64_t phase_;
  const Site site_;
};

void store_async(uint32_t to, const void* from, int bytes, uint32_t barrier, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::store_async);
  if (to >> kRankShift != barrier >> kRankShift) {
    machine.report(sim::HazardKind::asynchronous_misuse, site,
                   "stores to one block and tells a barrier of another");
    return;
  }
  std::byte* const at = reach(machine, to, bytes, "stores to", site, true);
  std::byte* const there =
      reach(machine, barrier, kBarrierBytes, "stores for a barrier in", site, true);
  if (at == nullptr || there == nullptr) return;
  const int lane = machine.lane_index();
  const Visit visit(machine, int(to >> kRankShift));
  MbarrierObject* object = barrier_at(machine, there, site);
  if (object == nullptr) return;
  if (!object->fenced) {
    machine.report(sim::HazardKind::barrier_misuse, site,
                   "a store completes at a barrier whose initialisation is not fenced");
  }
  object->in_flight += bytes;
  if (Races* races = machine.races.get()) {
    const Operation operation =
        races->issue(object->agent, Epoch(object->count.phase + 1), Proxy::generic, lane, site);
    races->access(operation, reinterpret_cast<uintptr_t>(at), bytes, Access::write);
    races->witness(object->causes, lane);
    races->release(object->arriving, lane);
  }
  // Until it lands, its place holds nothing that anybody could use.
  std::memset(at, 0xFF, size_t(bytes));
  machine.start(std::make_shared<RemoteStore>(machine, at, from, bytes, *object, site));
}

}  // namespace oddtile::simulator
