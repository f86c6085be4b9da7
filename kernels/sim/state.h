// The state of a machine and of the blocks that it runs now. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/block.h"
#include "kernels/sim/cluster.h"
#include "kernels/sim/fiber.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/machine.h"
#include "kernels/sim/race.h"
#include "kernels/sim/schedule.h"
#include "kernels/sim/sites.h"
#include "kernels/sim/turns.h"

namespace oddtile::simulator {

// What a bad read gives: NaN in every floating-point format.
alignas(16) inline constexpr std::byte kBadBytes[16] = {
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF),
    std::byte(0xFF), std::byte(0xFF), std::byte(0xFF), std::byte(0xFF)};

struct AddressRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

struct Region {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t read_begin;  // rounded out to 16 bytes: covering aligned loads are allowed
  uintptr_t read_end;
  std::string name;
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
  size_t hot_region = 0;        // where the last access was
  simulator::TurnResult total;  // of all turns so far
  Counters counters;
  simulator::Schedule launch_schedule{0};

  // ---- the turn that is going on ----
  simulator::Schedule schedule{0};
  uint64_t trace = 0;
  int64_t step_count = 0;
  std::vector<Hazard> hazards;
  simulator::Turns* turns = nullptr;  // null: nobody else has one meanwhile
  int64_t current_turn = 0;

  // ---- the launch and the blocks that run now: one, or those of a cluster ----
  const simulator::Launch* launch = nullptr;
  simulator::AddressRange cleared_beside;                 // this launch, if that is early
  std::vector<std::unique_ptr<simulator::Block>> blocks;  // by rank; more than run now, maybe
  int blocks_together = 1;
  simulator::Block* block = nullptr;  // of the running lane, but see Visit
  int block_first_lane = 0;           // of the running lane's block, counted through the cluster
  int warp_count = 0;                 // of a block
  int64_t pending_copies = 0;
  int64_t until_interruption = 0;
  int current_warp = 0;  // within the block
  int current_lane = 0;  // within the warp
  simulator::Fiber host;

  std::vector<std::shared_ptr<simulator::Asynchronous>> in_flight;
  simulator::ClusterBarrier cluster_barrier;

  // ---- what begin() leaves as it is ----
  std::unique_ptr<simulator::Races> races;  // null: not looked for
  simulator::Sites sites;
  int thread_count = 1;
  std::vector<std::unique_ptr<State>> helpers;  // of other threads

  Warp& warp() { return block->warps[current_warp]; }
  Lane& lane() { return block->lanes[thread_index()]; }
  int thread_index() const { return current_warp * simulator::kWarpLanes + current_lane; }
  // Lanes are counted through the cluster where blocks meet: races, and what lanes wait for.
  int first_lane(int warp) const { return block_first_lane + warp * simulator::kWarpLanes; }
  int lane_index() const { return block_first_lane + thread_index(); }

  // ---- block.cc ----
  bool run(const simulator::Launch& wanted);
  void make_blocks(int count);             // with lanes for the launch
  void run_together(int64_t first_block);  // a cluster: one block, or several
  void begin_block(simulator::Block& fresh, int64_t number);
  void start_lanes();  // returns when all have exited or were abandoned
  void restart_abandoned(simulator::Block& left);
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
  int next_block();  // rank of one where a lane can run
  bool nobody_can_run() const;
  int exited_lanes() const;           // of all blocks that run now
  void enter_block(int rank);         // the next lane is one of its
  [[noreturn]] void abandon_block();  // with all of its cluster

  // ---- turns.cc ----
  void run_turns(int64_t count);
  simulator::TurnResult run_turn(int64_t turn);
  void run_in_parallel(int64_t first, int64_t count);
  void take_turns(simulator::Turns& from);
  void follow(const State& owner);  // of the launch
  void add(simulator::TurnResult result);
  // Of an atomic word: blocks that come earlier in the schedule's order have done theirs.
  void await_earlier_blocks();

  // ---- rendezvous.cc ----
  // Whether a synchronisation word at this place is to do anything (Machine::without).
  bool passes(Word word, Site site) { return !sites.watches() || sites.pass(word, site); }
  // True for the last arriver of the warp: it does the work for all and then calls release(), or
  // park_warp(). The others wait here until the warp is released.
  bool arrive(Word word, Site site);
  void release() { release_warp(current_warp); }
  void release_warp(int which) { release_warp(*block, which); }
  void release_warp(simulator::Block& of, int which);
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
  bool touches(uintptr_t address, int bytes) const;  // some byte may be touched
  void check_awaited(uintptr_t address, int bytes, Site site);
  std::string explain_access(const char* verb, uintptr_t address, int bytes) const;
  std::string place_in_regions(uintptr_t address) const;  // "+16 of q (4096 bytes)"

  // ---- copies.cc ----
  void land(simulator::PendingCopy& copy, unsigned pieces);
  void land_something();  // at random: a copy, or a piece of other work
  void forget_copies();

  // ---- machine.cc ----
  void report(HazardKind kind, Site site, std::string detail, HazardPlace other = {});
  static void add_hazard(std::vector<Hazard>* to, Hazard hazard);  // unless it is one of them
};

namespace oddtile::simulator {

struct ProductTile;

bool same_site(Site a, Site b);

// ---- matrix words, by the last lane of a warp ----
// warp.matrix, from warp.matrix_row.
void read_rows(sim::Machine::State& machine, bool transposed, Site site);
// The tile's left operand from warp.a; warp.sum += that times block `block` of warp.b.
void begin_product(const Warp& warp, bool bfloat16, ProductTile* tile);
void add_product(Warp& warp, int block, bool bfloat16, const sim::Arithmetic& arithmetic,
                 ProductTile* tile);
// ---- and by each lane ----
const std::byte* checked_row(sim::Machine::State& machine, const void* row, Site site);
void file_load(sim::Machine::State& machine, uint32_t (&to)[4], const void* row, bool transposed,
               Site site);

// The machine whose lane runs now on this thread.
extern constinit thread_local sim::Machine::State* running;

// While it lives, words and work in flight find another block's shared memory and barriers.
class Visit {
 public:
  Visit(sim::Machine::State& machine, int rank) : machine_(machine), home_(machine.block) {
    machine.block = machine.blocks[size_t(rank)].get();
  }
  ~Visit() { machine_.block = home_; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  sim::Machine::State& machine_;
  Block* const home_;
};
}  // namespace oddtile::simulator
