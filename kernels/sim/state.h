// The state of a machine and of the block that it runs now. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/fiber.h"
#include "kernels/sim/hopper.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/machine.h"
#include "kernels/sim/race.h"
#include "kernels/sim/schedule.h"
#include "kernels/sim/shared_memory.h"
#include "kernels/sim/sites.h"

namespace oddtile::simulator {

inline constexpr int kWarpLanes = 32;
inline constexpr int kThreadsMax = 1024;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;
inline constexpr int64_t kSharedBytesMax = 227 * 1024;  // sm_90; sm_80 has 163 KiB

// What a bad read gives: NaN in every floating-point format.
alignas(16) inline constexpr std::byte kBadBytes[16] = {
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF)};

enum class Word : uint8_t {
  load,
  store,
  copy_async,
  commit_copies,
  wait_copies,
  sync_block,
  sync_warp,
  shuffle,
  vote,
  load_matrix,
  mma,
  exit,
  // of sm_90
  elect,
  barrier_init,
  barrier_arrive,
  barrier_expect,
  barrier_wait,
  fence_barrier_init,
  fence_proxy,
  bulk_load,
  bulk_store,
  commit_bulk,
  wait_bulk,
  wgmma_fence,
  wgmma,
  commit_wgmma,
  wait_wgmma,
  named_barrier_sync,
  named_barrier_arrive,
  set_registers,
  store_matrix,
  cluster_arrive,
  cluster_wait,
  atomic,
  fence_device
};
const char* word_name(Word word);

struct Region {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t read_begin;  // rounded out to 128 bytes: covering aligned loads are allowed
  uintptr_t read_end;
  std::string name;
};

struct PendingCopy {
  std::byte* to;
  const std::byte* from;
  int64_t group;
  uint8_t valid_bytes;
  uint8_t pieces;  // a bit for each four bytes that have not landed
};

struct Lane {
  Fiber fiber;
  std::vector<PendingCopy> copies;
  int64_t groups_committed = 0;
  int64_t groups_awaited = 0;
  int64_t last_copy_group = -1;  // group of the last copy issued, landed or not
  Site last_copy_site;
  const Waitable* waits_for = nullptr;
  Word wait_word = Word::exit;
  Site wait_site;
};

// A warp is always at one rendezvous at most: the lanes that have arrived wait for the others. The
// last one computes the result for all of them. Operands are stored structure-of-arrays in the
// order of the lanes, which is what makes the matrix words vector code.
struct Warp {
  uint32_t ready = 0;    // lanes that may run
  uint32_t arrived = 0;  // lanes that wait at `word`, `site`
  uint32_t exited = 0;
  Word word = Word::exit;
  Site site;

  uint32_t ballot = 0;
  uint32_t ballot_result = 0;
  uint8_t source_lane[kWarpLanes];
  uint64_t value[kWarpLanes];
  uint64_t value_result[kWarpLanes];
  const std::byte* matrix_row[kWarpLanes];
  alignas(32) uint32_t matrix[4][kWarpLanes];
  alignas(32) uint32_t a[4][kWarpLanes];
  alignas(32) uint32_t b[2][kWarpLanes];
  alignas(32) float sum[2][2 * kWarpLanes];  // upper and lower half of the 16x8 tile, row major
};

}  // namespace oddtile::simulator

// One class, spread over the files that it names: what the words of the running lane are made of.
struct oddtile::sim::Machine::State {
  using Lane = simulator::Lane;
  using Warp = simulator::Warp;
  using Word = simulator::Word;
  using Site = simulator::Site;

  Arithmetic arithmetic;

  // ---- what begin() resets ----
  std::vector<simulator::Region> regions;
  size_t hot_region = 0;  // where the last access was
  std::vector<Hazard> hazards;
  Counters counters;
  simulator::Schedule schedule{0};
  uint64_t trace = 0;
  int64_t step_count = 0;

  // ---- the launch and block that run now ----
  const simulator::Launch* launch = nullptr;
  simulator::SharedMemory shared;
  std::unique_ptr<Lane[]> lanes;
  int lane_capacity = 0;
  std::unique_ptr<Warp[]> warps;
  int warp_count = 0;
  uint32_t ready_warps = 0;
  int barrier_warps = 0;  // warps that have arrived at the block barrier
  int exited_lanes = 0;
  int64_t pending_copies = 0;
  int64_t until_interruption = 0;
  int current_warp = 0;
  int current_lane = 0;  // within the warp
  simulator::Fiber host;

  std::vector<std::shared_ptr<simulator::Asynchronous>> in_flight;
  simulator::Hopper hopper;

  // ---- what begin() leaves as it is ----
  std::unique_ptr<simulator::Races> races;  // null: not looked for
  simulator::Sites sites;

  Warp& warp() { return warps[current_warp]; }
  Lane& lane() { return lanes[current_warp * simulator::kWarpLanes + current_lane]; }
  int lane_index() const { return current_warp * simulator::kWarpLanes + current_lane; }

  // ---- block.cc ----
  bool run(const simulator::Launch& wanted);
  void run_block(int64_t block);
  void start_lanes();   // returns when all have exited or the block was abandoned
  bool enter_kernel();  // false: it threw
  void exit_lane();
  // Every word begins here: counts, traces, and lets the schedule interrupt.
  void step(Word word) {
    ++step_count;
    const uint64_t event = uint64_t(simulator::place.thread) | uint64_t(word) << 16;
    trace = ((trace << 7 | trace >> 57) ^ event) * 0x9E3779B97F4A7C15u;
    if (--until_interruption == 0) interrupt();
  }
  // The same for a word of one lane that is no rendezvous.
  void begin_word(Word word) {
    step(word);
    if (pending_copies != 0 || !in_flight.empty()) land_something();
  }
  void interrupt();
  // Chooses the next lane and gives way to it; the caller's own state must be filed before.
  void give_way();
  [[noreturn]] void abandon_block();

  // ---- rendezvous.cc ----
  // Whether a synchronisation word at this place is to do anything (Machine::without).
  bool passes(Word word, Site site) { return !sites.watches() || sites.pass(word, site); }
  // True for the last arriver of the warp: it does the work for all and then calls release(), or
  // park_warp(). The others wait here until the warp is released.
  bool arrive(Word word, Site site);
  void release() { release_warp(current_warp); }
  void release_warp(int which);
  void park_warp();   // until another lane releases this warp; for the last arriver
  void block_lane();  // not ready any more; give_way() must follow
  void wait_at_block_barrier(Site site);
  [[noreturn]] void diverged(Word word, Site site);
  void explain_divergence(Word word, Site site);
  [[noreturn]] void stuck();
  std::string who_waits_where() const;

  // ---- asynchronous.cc ----
  void start(std::shared_ptr<simulator::Asynchronous> work);
  void force(simulator::Asynchronous& work);  // it lands now, as far as it has not
  bool land_for_the_blocked();                // until somebody can run; false: nobody can
  void land_a_piece();                        // at random
  void forget_landed();
  // The running lane waits until wake(object); it then looks for itself whether what it waits for
  // is there (`while (!done) wait_on(...)`).
  void wait_on(simulator::Waitable& object, Word word, Site site);
  void wake(simulator::Waitable& object);

  // ---- memory.cc ----
  bool readable(uintptr_t address, int bytes);
  bool writable(uintptr_t address, int bytes);
  std::string explain_access(const char* verb, uintptr_t address, int bytes) const;
  std::string place_in_regions(uintptr_t address) const;  // "+16 of q (4096 bytes)"

  // ---- copies.cc ----
  void land(simulator::PendingCopy& copy, unsigned pieces);
  void land_something();  // at random: a copy, or a piece of other work
  void forget_copies();

  // ---- machine.cc ----
  void report(HazardKind kind, Site site, std::string detail, HazardPlace other = {});
};

namespace oddtile::simulator {
// The machine whose lane runs now on this thread.
extern constinit thread_local sim::Machine::State* running;
}  // namespace oddtile::simulator
