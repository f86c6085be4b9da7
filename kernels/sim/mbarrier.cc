#include "kernels/sim/mbarrier.h"

#include <cstring>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kObjectBytes = 8;
constexpr int32_t kArrivalsMax = (1 << 20) - 1;
constexpr int64_t kBytesMax = (1 << 20) - 1;

void show_bits(sim::Machine::State& machine, const MbarrierObject& object) {
  const uint64_t bits = object.count.bits();
  std::memcpy(machine.block->shared.begin() + object.address, &bits, kObjectBytes);
}

void misuse(sim::Machine::State& machine, Site site, std::string what) {
  machine.report(sim::HazardKind::barrier_misuse, site, std::move(what));
}

bool holds_a_barrier(sim::Machine::State& machine, const void* barrier, Site site) {
  if (!machine.block->shared.contains(barrier, kObjectBytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "a barrier outside the block's shared memory");
    return false;
  }
  if (shared_address(machine, barrier) % kObjectBytes == 0) return true;
  machine.report(sim::HazardKind::misaligned, site, "a barrier that is not 8-byte aligned");
  return false;
}

// For the report of a hazard that `what` names, if it does.
void report_count(sim::Machine::State& machine, const MbarrierObject& object, const char* what,
                  Site site) {
  if (what == nullptr) return;
  machine.report(sim::HazardKind::barrier_count, site,
                 std::string(what) + ": " + object.state_text());
}

}  // namespace

const char* MbarrierCount::finish(bool* completes) {
  *completes = pending == 0 && bytes == 0;
  if (*completes) {
    ++phase;
    pending = expected;
  }
  return pending == 0 && bytes < 0 ? "more bytes than were expected" : nullptr;
}

const char* MbarrierCount::arrive(int32_t count, bool* completes) {
  *completes = false;
  if (count < 1 || count > pending) return "more arrivals than the phase waits for";
  pending -= count;
  return finish(completes);
}

const char* MbarrierCount::expect(int64_t more) {
  if (more < 0 || more > kBytesMax) return "expects an impossible number of bytes";
  bytes += more;
  return bytes > kBytesMax ? "expects more bytes than a barrier can count" : nullptr;
}

const char* MbarrierCount::receive(int64_t received, bool* completes) {
  bytes -= received;
  *completes = false;
  if (bytes < -kBytesMax) return "receives more bytes than a barrier can count";
  return finish(completes);
}

uint64_t MbarrierCount::bits() const {
  const uint64_t figures =
      uint64_t(pending) | uint64_t(expected) << 20 | (uint64_t(bytes) & 0x1FFFFF) << 40;
  return figures | uint64_t(phase & 1) << 61;  // never all ones, which is untouched memory
}

std::string MbarrierCount::text() const {
  return "phase " + std::to_string(phase) + ", " + std::to_string(pending) + " of " +
         std::to_string(expected) + " arrivals and " + std::to_string(bytes) + " bytes missing";
}

std::string MbarrierObject::state_text() const {
  std::string text = "mbarrier at +" + std::to_string(address) + ": " + count.text();
  if (in_flight != 0) text += ", " + std::to_string(in_flight) + " bytes in flight";
  return text;
}

MbarrierObject* Mbarriers::find(uint32_t address) {
  const auto found = objects_.find(address);
  return found == objects_.end() ? nullptr : found->second.get();
}

MbarrierObject& Mbarriers::add(uint32_t address) {
  std::unique_ptr<MbarrierObject>& object = objects_[address];
  object = std::make_unique<MbarrierObject>();
  object->address = address;
  return *object;
}

void Mbarriers::fence(int lane) {
  for (auto& [address, object] : objects_) object->fenced |= object->initialiser == lane;
}

MbarrierObject* barrier_at(sim::Machine::State& machine, const void* barrier, Site site) {
  if (!holds_a_barrier(machine, barrier, site)) return nullptr;
  MbarrierObject* object = machine.block->hopper.mbarriers.find(shared_address(machine, barrier));
  if (object == nullptr) {
    misuse(machine, site, "no barrier was initialised here");
    return nullptr;
  }
  const uint64_t expected = object->count.bits();
  if (std::memcmp(barrier, &expected, kObjectBytes) != 0) {
    misuse(machine, site, "something else was written over the " + object->state_text());
    show_bits(machine, *object);
  }
  // Lanes of other blocks look anew each time.
  const bool own = machine.block_first_lane == machine.block->rank * machine.launch->threads;
  const size_t thread = size_t(machine.thread_index());
  if (machine.races && !(own && object->seen_by.test(thread))) {
    if (own) object->seen_by.set(thread);
    machine.races->access_shared(machine.lane_index(), reinterpret_cast<uintptr_t>(barrier),
                                 kObjectBytes, Access::read, machine.races->where(site));
  }
  return object;
}

// Whether who completes the phase has heard of the wait: of the lane since, or of another one of
// its warp since they met.
static bool knows_of_wait(const MbarrierObject& object, const MbarrierObject::Wait& wait,
                          int first_lane, int thread) {
  const auto knows = [&](int lane, Epoch epoch) {
    return object.arriving.happened.at(Agent(lane)) >= epoch ||
           object.causes.at(Agent(lane)) >= epoch;
  };
  if (knows(first_lane + thread, wait.epoch)) return true;
  const int warp_first = first_lane + thread / kWarpLanes * kWarpLanes;
  for (size_t lane = 0; lane < wait.warp.size(); ++lane) {
    if (knows(warp_first + int(lane), wait.warp[lane])) return true;
  }
  return false;
}

// A lane that has waited for phase n could have come later: if phase n + 1 can end before, it waits
// for phase n + 2 without knowing. Whoever completes n + 1 must have heard of the lane's wait.
static void check_waits(sim::Machine::State& machine, const MbarrierObject& object) {
  const int first_lane = machine.block->rank * machine.launch->threads;
  for (size_t thread = 0; thread < object.waits.size(); ++thread) {
    const MbarrierObject::Wait& wait = object.waits[thread];
    if (wait.phase != object.count.phase - 2) continue;  // the phase that ends now is phase - 1
    if (knows_of_wait(object, wait, first_lane, int(thread))) continue;
    machine.report(
        sim::HazardKind::shared_race, wait.site,
        "thread " + std::to_string(thread) + " waits for phase " + std::to_string(wait.phase) +
            ", and nothing keeps the next one from ending before it looks: " + object.state_text());
    return;
  }
}

// What a lane adds to the phase that goes on would have counted in the one before, had that not
// been over: the lane must infer that it was, from its end or from all who arrived in it.
static void check_addition(sim::Machine::State& machine, const MbarrierObject& object,
                           const char* verb, Site site) {
  if (object.count.phase == 0) return;
  const int lane = machine.lane_index();
  if (machine.races->infers(lane, object.agent, Epoch(object.count.phase))) return;
  bool knows = !object.arrivals_before.bytes;
  for (const auto& [arrived, epoch] : object.arrivals_before.lanes) {
    knows = knows && machine.races->infers(lane, arrived, epoch);
  }
  if (knows) return;
  machine.report(sim::HazardKind::shared_race, site,
                 "thread " + std::to_string(machine.thread_index()) + " " + verb + " in phase " +
                     std::to_string(object.count.phase) +
                     ", and nothing keeps it from doing so before the phase before has ended: " +
                     object.state_text());
}

static void note_wait(sim::Machine::State& machine, MbarrierObject& object, Site site) {
  if (object.waits.empty()) object.waits.resize(size_t(machine.launch->threads));
  object.waits[size_t(machine.thread_index())] = {
      object.count.phase - 1, machine.races->epoch_of(machine.lane_index()), site, {}};
  machine.warp().waits.emplace_back(object.address, machine.thread_index());
}

void meet_after_waits(sim::Machine::State& machine, Warp& warp) {
  const int first = machine.first_lane(machine.current_warp);
  std::vector<Epoch> epochs;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    epochs.push_back(machine.races->epoch_of(first + lane));
  }
  for (const auto& [address, thread] : warp.waits) {
    MbarrierObject* object = machine.block->hopper.mbarriers.find(address);
    if (object != nullptr && !object->waits.empty()) object->waits[size_t(thread)].warp = epochs;
  }
  warp.waits.clear();
  machine.races->infer_together(first, kWarpLanes);
}

void complete_phase(sim::Machine::State& machine, MbarrierObject& object) {
  if (machine.races) {
    check_waits(machine, object);
    object.completed = std::move(object.arriving);
    object.completed.inferred.join(object.causes);
    object.causes = {};
    object.arriving = {};
    object.arrivals_before = std::move(object.arrivals);
    object.arrivals = {};
    if (object.agent != 0) {
      machine.races->complete(object.agent, Epoch(object.count.phase), object.completed);
    }
  }
  machine.wake(object);
}

void receive_bytes(sim::Machine::State& machine, MbarrierObject& object, int64_t bytes,
                   int64_t phase, Site site) {
  object.in_flight -= bytes;
  const bool late = object.count.phase != phase;
  bool completes = false;
  const char* wrong = object.count.receive(bytes, &completes);
  if (late) wrong = "bytes of a copy arrive after its phase has ended";
  report_count(machine, object, wrong, site);
  if (completes) complete_phase(machine, object);
  show_bits(machine, object);
}

void mbarrier_init(void* barrier, int32_t arrivals, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::barrier_init);
  if (!holds_a_barrier(machine, barrier, site)) return;
  const uint32_t address = shared_address(machine, barrier);
  if (machine.block->hopper.mbarriers.find(address) != nullptr) {
    misuse(machine, site, "initialises a barrier that is in use");
    return;
  }
  if (arrivals < 1 || arrivals > kArrivalsMax) {
    machine.report(sim::HazardKind::barrier_count, site,
                   "a barrier for " + std::to_string(arrivals) + " arrivals");
    return;
  }
  MbarrierObject& object = machine.block->hopper.mbarriers.add(address);
  object.count.expected = object.count.pending = arrivals;
  object.initialiser = machine.lane_index();
  object.seen_by.set(size_t(machine.thread_index()));
  show_bits(machine, object);
  if (!machine.races) return;
  object.agent = machine.races->new_agent();
  machine.races->access_shared(object.initialiser, reinterpret_cast<uintptr_t>(barrier),
                               kObjectBytes, Access::write, machine.races->where(site));
}

void fence_mbarrier_init(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::fence_barrier_init, site)) return;
  machine.begin_word(Word::fence_barrier_init);
  machine.block->hopper.mbarriers.fence(machine.lane_index());
}

void mbarrier_invalidate(void* barrier, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::barrier_init);
  MbarrierObject* object = barrier_at(machine, barrier, site);
  if (object == nullptr) return;
  if (object->in_flight != 0 || !object->waiting.empty()) {
    misuse(machine, site, "invalidates a barrier in use, " + object->state_text());
    return;
  }
  if (machine.races) {
    machine.races->access_shared(machine.lane_index(), reinterpret_cast<uintptr_t>(barrier),
                                 kObjectBytes, Access::write, machine.races->where(site));
  }
  machine.block->hopper.mbarriers.remove(object->address);
}

void arrive_and_expect(sim::Machine::State& machine, void* barrier, int32_t count, int64_t bytes,
                       Site site) {
  MbarrierObject* object = barrier_at(machine, barrier, site);
  if (object == nullptr) return;
  if (machine.races) check_addition(machine, *object, count > 0 ? "arrives" : "expects", site);
  if (bytes >= 0) {
    report_count(machine, *object, object->count.expect(bytes), site);
    object->arrivals.bytes = true;
  }
  object->last_site = site;
  if (count > 0) {
    if (machine.races) {
      const int lane = machine.lane_index();
      object->arrivals.lanes.emplace_back(Agent(lane), machine.races->epoch_of(lane));
      machine.races->release(object->arriving, lane);
    }
    bool completes = false;
    report_count(machine, *object, object->count.arrive(count, &completes), site);
    if (completes) complete_phase(machine, *object);
  }
  show_bits(machine, *object);
}

static void arrive_and_expect(Word word, void* barrier, int32_t count, int64_t bytes, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(word, site)) return;
  machine.begin_word(word);
  arrive_and_expect(machine, barrier, count, bytes, site);
}

void mbarrier_arrive(void* barrier, int32_t count, Site site) {
  arrive_and_expect(Word::barrier_arrive, barrier, count, -1, site);
}

void mbarrier_expect(void* barrier, int64_t bytes, Site site) {
  arrive_and_expect(Word::barrier_expect, barrier, 0, bytes, site);
}

void mbarrier_arrive_expect(void* barrier, int64_t bytes, Site site) {
  arrive_and_expect(Word::barrier_expect, barrier, 1, bytes, site);
}

static void wait_for_parity(sim::Machine::State& machine, void* barrier, uint32_t parity,
                            Site site) {
  MbarrierObject* object = barrier_at(machine, barrier, site);
  if (object == nullptr) return;
  if (parity > 1) misuse(machine, site, "waits for parity " + std::to_string(parity));
  const int64_t phase = object->count.phase;
  if (uint32_t(phase & 1) == (parity & 1)) {
    while (object->count.phase == phase) {
      machine.wait_on(*object, Word::barrier_wait, site);
      object = machine.block->hopper.mbarriers.find(shared_address(machine, barrier));
      if (object == nullptr) return misuse(machine, site, "its barrier went away meanwhile");
    }
    if (object->count.phase > phase + 1) {
      misuse(machine, site,
             "waits for phase " + std::to_string(phase) +
                 ", but before it could look the next one ended, too: " + object->state_text());
    }
  }
  if (!machine.races) return;
  machine.races->acquire(object->completed, machine.lane_index());
  note_wait(machine, *object, site);
}

// A test may give up whether its phase is over or not. Sooner or later one waits, so that a loop of
// them for what never comes is a deadlock.
static bool gives_up(sim::Machine::State& machine, const void* barrier, uint32_t parity) {
  if (!machine.schedule.yields_after_barrier()) return false;
  const MbarrierObject* object =
      machine.block->hopper.mbarriers.find(shared_address(machine, barrier));
  const bool over = object == nullptr || uint32_t(object->count.phase & 1) != (parity & 1);
  return machine.schedule.below(over ? 4 : 2) == 0;
}

bool mbarrier_try_wait(void* barrier, uint32_t parity, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::barrier_wait, site)) return true;
  machine.begin_word(Word::barrier_wait);
  if (gives_up(machine, barrier, parity)) {
    machine.give_way();
    return false;
  }
  wait_for_parity(machine, barrier, parity, site);
  return true;
}

void mbarrier_wait(void* barrier, uint32_t parity, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::barrier_wait, site)) return;
  machine.begin_word(Word::barrier_wait);
  wait_for_parity(machine, barrier, parity, site);
}

}  // namespace oddtile::simulator
