// Races, by vector clocks. Every lane holds two clocks: what happened before it (C), and what of
// that is fenced for the asynchronous proxy (P, one for shared and one for global memory).
// Synchronisation publishes all; a proxy fence makes P catch up with C. An access is a race unless
// what touched the same bytes before is in the clock that the pair of proxies asks for:
//
//   now \ before            generic                 asynchronous
//   generic                 C                       C
//   asynchronous read       P                       C
//   asynchronous write      P (reads, too)          C
//
// An asynchronous operation touches memory in the name of an agent of its own (see Operation), all
// at once when it is issued, since from then on it may happen at any time. Nothing here depends on
// when a schedule lets it land: the same race is found under every schedule that orders the
// accesses in the same way.
//
// Words ask `if (Races* races = running->races.get())`; without detection it is null.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/sim/clock.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/machine.h"
#include "kernels/sim/shadow.h"

namespace oddtile::simulator {

// What is known of blocks of this launch, through atomics and device fences: a clock of each.
using BlockClocks = std::map<int32_t, Clock>;

struct DeviceClocks {
  BlockClocks known;
  BlockClocks read;       // brought by atomics, known only after a device fence
  BlockClocks published;  // by the last device fence; what an atomic of the lane leaves behind
};

// A proxy fence is for accesses to shared memory, to global memory, or both.
enum class Memory : uint8_t { shared, global };
inline constexpr int kMemories = 2;

// What a synchronisation object holds: all that was released into it. Copy it for a phase.
struct Published {
  Clock happened;
  Clock fenced[kMemories];
  Clock inferred;

 private:
  friend class Races;
  Clock last_happened;  // joined last; most lanes bring the same
  Clock last_fenced[kMemories];
  Clock last_inferred;
  BlockClocks device;
};

// The clocks of a lane. Its own entries stand apart, so that `happened` can be shared.
struct LaneClocks {
  struct Fenced {
    Clock known;
    Epoch own = 0;
    Epoch copies = 0;
  };
  Clock happened;
  Fenced fenced[kMemories];
  // Beyond `happened`: what must have come before, although it orders no memory. Who sees a copy
  // complete knows that all that its issuer had waited for is over.
  Clock inferred;
  Epoch own = 1;
  Epoch copies = 0;                            // of the agent of its cp.async groups
  std::shared_ptr<const DeviceClocks> device;  // null until a lane has met an atomic
};

// An asynchronous operation between issue and completion. `agent` is not the lane: it stands for
// whatever the completion is awaited by (a barrier, a group of copies, a warpgroup's products), and
// `epoch` counts there: whoever has seen completion number n of the agent has seen all up to n.
struct Operation {
  Agent agent = 0;
  Epoch epoch = 0;
  Proxy proxy = Proxy::async;
  int lane = 0;  // the issuer, as an index into the lanes that run now
  uint16_t where = 0;
  LaneClocks issuer;  // at issue
};

class Races {
 public:
  explicit Races(sim::Machine::State& machine) : machine_(machine) {}

  // ---- called by the machine ----
  void begin_launch();
  // Blocks that run together, from number `first_block` on, with all their lanes; then each one's
  // shared memory, in order of rank.
  void begin_blocks(int lanes, int32_t first_block);
  void add_block(uintptr_t shared, int64_t shared_bytes);

  // ---- synchronisation ----
  // What the lane does now is known to whoever knows this epoch of it.
  Epoch epoch_of(int lane) const { return lanes_[size_t(lane)].own; }
  // Whether that came before what the lane does now, at any speed of the others.
  bool infers(int lane, Agent agent, Epoch epoch) const;
  // Adds what the lane knows and infers now, itself included.
  void witness(Clock& into, int lane);
  // Lanes [first, first + count) meet where no memory is ordered.
  void infer_together(int first, int count);
  void release(Published& into, int lane);
  void acquire(const Published& from, int lane);
  // The same for lanes [first, first + count).
  void release(Published& into, int first, int count);
  void acquire(const Published& from, int first, int count);
  // All of them wait for all of them: release and acquire at once.
  void rendezvous(int first, int count);
  void fence_proxy_async(int lane, Memory memory);
  // Between blocks, and within one: what came before a device fence and then an atomic is known
  // after an atomic of the same address that comes later and then a device fence.
  void fence_device(int lane);
  void atomic(int lane, uintptr_t address, int64_t bytes, Site site);

  // ---- plain accesses; `lane` is an index into the lanes that run now ----
  void access_shared(int lane, uintptr_t address, int64_t bytes, Access access, uint16_t where);
  void access_global(int lane, uintptr_t address, int64_t bytes, Access access, uint16_t where);
  // A row of ldmatrix: read by `lane`, and seen by the lanes [first, first + count), too.
  void access_row(int lane, uintptr_t address, int64_t bytes, int first, int count, Site site);

  // ---- clusters: shared memory of a block is there from its start to its exit ----
  // The lane touches shared memory of the block of this rank; call it before access_shared.
  void reach(int lane, int rank, Site site);
  // The same where the bytes are awaited there, at a barrier, and reported where they are not.
  void reach_awaited(int lane, int rank, Site site);
  void exit_lane(int lane);
  void exit_block(int rank);

  // ---- asynchronous operations ----
  // A source of completions, until the block ends. Lanes and their cp.async groups have one each.
  Agent new_agent() { return next_agent_++; }
  Agent copies_of(int lane) const { return Agent(lanes_.size() + size_t(lane)); }
  Operation issue(Agent agent, Epoch epoch, Proxy proxy, int lane, Site site);
  // Call it when the operation is issued, for every range that it will read or write.
  void access(const Operation& operation, uintptr_t address, int64_t bytes, Access access);
  // Completion, into a synchronisation object (mbarrier), or seen by a lane (wait_group). It does
  // not publish what the issuer did before.
  void complete(Agent agent, Epoch epoch, Published& into);
  void complete(Agent agent, Epoch epoch, int lane);
  // cp.async: groups are counted by the lane itself.
  void complete_copies(int lane, Epoch groups);

  // ---- places in the source ----
  uint16_t where(Site site);
  uint16_t where(const void* return_address);  // of an instrumented access
  Site site(uint16_t where);

  int64_t accesses() const { return accesses_; }  // plain ones to shared memory, ever

 private:
  struct Accessor {  // who makes an access, and what that knows
    const LaneClocks* clocks;
    int lane;
    Agent agent;
    Epoch epoch;
    uint16_t where;
    Proxy proxy;
    int also_first = 0;  // lanes that see what is read, too
    int also_count = 0;
    bool also_alike = false;  // they share one clock
    bool atomic = false;
  };
  struct SourcePlace {
    const char* file;
    int line;
    const void* return_address;  // null where file and line are known
  };
  struct Visitor {  // a lane's last access to another block's shared memory
    Epoch epoch = 0;
    uint16_t where = 0;
  };
  struct Resident {  // a block that runs
    ShadowRange shared;
    Published exited;                 // by its lanes
    std::map<int, Visitor> visitors;  // by lane
  };
  class OldReaders;
  static bool known_read(const std::vector<Record>& records, const Record& now);
  // The shared memory that holds these bytes; null: none does.
  ShadowRange* shared_with(uintptr_t address, int64_t bytes);
  int threads() const;  // of a block
  std::string thread_text(int32_t first_block, int lane, bool tells_block) const;
  void touch(Cell& cell, Record now, const Accessor& accessor, const ShadowRange* shared,
             uintptr_t at);
  void touch_range(const Accessor& accessor, uintptr_t address, int64_t bytes, Access access,
                   ShadowRange* shared);
  void learn(LaneClocks& clocks, const BlockClocks& device);
  bool ordered(const Record& before, const Record& now, const Accessor& accessor,
               Memory memory) const;
  void report(const Record& before, const Record& now, const Accessor& accessor,
              const ShadowRange* shared, uintptr_t cell);
  void report_unwritten(const Record& now, uint16_t missing, const ShadowRange& shared,
                        uintptr_t cell);
  uint16_t number_of(uint64_t key, const SourcePlace& place);
  Epoch happened(const LaneClocks& clocks, int lane, Agent agent) const;
  Epoch fenced(const LaneClocks& clocks, Memory memory, int lane, Agent agent) const;

  sim::Machine::State& machine_;
  std::vector<LaneClocks> lanes_;
  Agent next_agent_ = 0;
  int32_t block_ = 0;
  ClockMemo memo_;
  std::vector<Resident> residents_;
  size_t resident_count_ = 0;
  ShadowPages global_;
  std::map<uintptr_t, BlockClocks> atomics_;  // what was left behind at an address
  std::vector<SourcePlace> places_;
  std::unordered_map<uint64_t, uint16_t> numbers_;
  int64_t accesses_ = 0;
};

}  // namespace oddtile::simulator
