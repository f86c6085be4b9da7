// Barrier objects in shared memory (mbarrier): arrivals and bytes, phase by phase.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/race.h"

namespace oddtile::simulator {

// The figures alone. A phase is complete when nobody and nothing is waited for any more; the next
// one begins at once.
struct MbarrierCount {
  int64_t phase = 0;     // that is going on
  int32_t expected = 0;  // arrivals in each phase
  int32_t pending = 0;
  int64_t bytes = 0;  // expected in this phase and not there yet; negative: there, not yet expected

  // Each returns null, or what is wrong; `completes` tells whether the phase ended.
  const char* arrive(int32_t count, bool* completes);
  const char* expect(int64_t more);
  const char* receive(int64_t received, bool* completes);
  uint64_t bits() const;  // as the object in memory shows it
  std::string text() const;

 private:
  const char* finish(bool* completes);
};

struct Warp;

class MbarrierObject : public Waitable {
 public:
  std::string state_text() const override;

  uint32_t address = 0;  // within shared memory
  MbarrierCount count;
  Published arriving;     // into the phase that is going on
  Published completed;    // of the phase before
  Agent agent = 0;        // of the copies that complete here
  int64_t in_flight = 0;  // bytes of copies that were issued and have not landed
  int initialiser = 0;    // lane
  Site last_site;         // of an arrival or expectation
  bool fenced = false;    // its initialisation is visible to copies
  struct Wait {
    int64_t phase = -2;  // that was awaited; the first may be number -1
    Epoch epoch = 0;
    Site site;
    std::vector<Epoch> warp;  // of its lanes when they met next; empty: they have not
  };
  std::vector<Wait> waits;  // the last of each thread of the block, where races are looked for
  Clock causes;             // what those know that issued copies into the phase that goes on
  struct Arrivals {         // of a phase, where races are looked for
    std::vector<std::pair<Agent, Epoch>> lanes;
    bool bytes = false;  // it waits for copies, too
  };
  Arrivals arrivals;          // of the phase that is going on
  Arrivals arrivals_before;   // of the phase before
  std::bitset<1024> seen_by;  // threads of the block that were found ordered after that
};

class Mbarriers {
 public:
  void forget() { objects_.clear(); }
  MbarrierObject* find(uint32_t address);
  MbarrierObject& add(uint32_t address);
  void remove(uint32_t address) { objects_.erase(address); }
  // Another one that overlaps these eight bytes.
  bool crowded(uint32_t address) const;
  // The lane's initialisations become visible to copies.
  void fence(int lane);
  const std::map<uint32_t, std::unique_ptr<MbarrierObject>>& all() const { return objects_; }

 private:
  std::map<uint32_t, std::unique_ptr<MbarrierObject>> objects_;
};

// The object behind a kernel's pointer; null, and a report, where there is none.
MbarrierObject* barrier_at(sim::Machine::State& machine, const void* barrier, Site site);
// The running lane arrives `count` times after expecting `bytes`; 0 and -1: it does not.
void arrive_and_expect(sim::Machine::State& machine, void* barrier, int32_t count, int64_t bytes,
                       Site site);
// The lanes of a warp meet: each has done its waits so far.
void meet_after_waits(sim::Machine::State& machine, Warp& warp);
// Bytes of a copy that was issued in phase `phase` have landed.
void receive_bytes(sim::Machine::State& machine, MbarrierObject& object, int64_t bytes,
                   int64_t phase, Site site);

}  // namespace oddtile::simulator
