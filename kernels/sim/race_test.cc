// The two clocks, driven step by step: one lane plays all of them, since lanes are only numbers
// here. What words make of it, the litmus kernels show.
#include "kernels/sim/race.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/state.h"

namespace oddtile::sim {
namespace {

using simulator::Access;
using simulator::Agent;
using simulator::Memory;
using simulator::Operation;
using simulator::Proxy;
using simulator::Published;
using simulator::Races;
using simulator::Site;

struct Stage {
  Races& races;
  uintptr_t shared;

  void write(int lane, int line, int64_t bytes = 16) {
    races.access_shared(lane, shared, bytes, Access::write, races.where(Site{"plain", line}));
  }
  void read(int lane, int line, int64_t bytes = 16) {
    races.access_shared(lane, shared, bytes, Access::read, races.where(Site{"plain", line}));
  }
  void operate(Agent agent, int lane, Access access, int line, uint32_t epoch = 1) {
    const Operation operation =
        races.issue(agent, epoch, Proxy::async, lane, Site{"asynchronous", line});
    races.access(operation, shared, 16, access);
  }
  void order(int from, int to) {
    Published through;
    races.release(through, from);
    races.acquire(through, to);
  }
};

using Play = void (*)(Stage&);
struct Parameters {
  Play play;
};

ODDTILE_KERNEL(64, 1) stage(Parameters p) {
  if (thread() != 0) return;
  Stage here{*simulator::running->races, reinterpret_cast<uintptr_t>(shared_memory())};
  p.play(here);
}

// The kinds of the hazards, in order, as one text.
std::string hazards_of(Play play) {
  Machine machine;
  machine.detect_races(true);
  machine.begin(0);
  EXPECT_TRUE(launch(stage, "stage", {1, 64, 64}, &machine, Parameters{play}));
  std::string text;
  for (const Hazard& hazard : machine.hazards()) {
    text += std::string(text.empty() ? "" : " ") + hazard_name(hazard.kind);
  }
  return text;
}

TEST(Races, unordered_lanes_race) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.read(2, 20);
            }),
            "shared_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.order(1, 2);
              s.read(2, 20);
              s.order(2, 1);
              s.write(1, 30);
            }),
            "");
}

TEST(Races, order_is_transitive_and_one_way) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.order(1, 2);
              s.order(2, 3);
              s.read(3, 20);
              s.write(1, 30);  // knows nothing of the reader
            }),
            "shared_race");
}

TEST(Races, what_comes_after_the_release_is_not_covered) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              Published through;
              s.races.release(through, 1);
              s.write(1, 20);
              s.races.acquire(through, 2);
              s.read(2, 30);
            }),
            "shared_race");
}

TEST(Races, every_reader_counts) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(0, 5);
              s.races.rendezvous(0, 64);
              for (int lane = 0; lane < 64; ++lane) s.read(lane, 10);
              for (int lane = 1; lane < 64; ++lane) {
                if (lane != 40) s.order(lane, 0);
              }
              s.write(0, 20);
            }),
            "shared_race");
}

TEST(Races, a_rendezvous_orders_its_lanes_only) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(3, 10);
              s.races.rendezvous(0, 32);
              s.read(31, 20);
              s.read(32, 30);
            }),
            "shared_race");
}

TEST(Races, nobody_wrote) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10, 8);
              s.read(1, 20, 8);
              s.read(1, 30, 9);
            }),
            "uninitialised_shared_read");
}

// generic write, asynchronous read (a bulk store, a product's operand)
TEST(Races, an_asynchronous_read_needs_a_fence) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.order(1, 2);
              s.operate(s.races.new_agent(), 2, Access::read, 20);
            }),
            "proxy_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.races.fence_proxy_async(1, Memory::shared);
              s.order(1, 2);
              s.operate(s.races.new_agent(), 2, Access::read, 20);
            }),
            "");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.races.fence_proxy_async(1, Memory::global);  // of the other memory
              s.order(1, 2);
              s.operate(s.races.new_agent(), 2, Access::read, 20);
            }),
            "proxy_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.races.fence_proxy_async(1, Memory::shared);  // too early
              s.write(1, 10);
              s.order(1, 2);
              s.operate(s.races.new_agent(), 2, Access::read, 20);
            }),
            "proxy_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.races.fence_proxy_async(1, Memory::shared);  // fenced, but not ordered
              s.operate(s.races.new_agent(), 2, Access::read, 20);
            }),
            "shared_race");
}

// generic read, asynchronous write (a stage that is filled anew)
TEST(Races, an_asynchronous_write_needs_a_fence_behind_reads) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 5);
              s.races.fence_proxy_async(1, Memory::shared);
              s.order(1, 2);
              s.read(2, 10);
              s.order(2, 1);
              s.operate(s.races.new_agent(), 1, Access::write, 20);
            }),
            "proxy_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 5);
              s.races.fence_proxy_async(1, Memory::shared);
              s.order(1, 2);
              s.read(2, 10);
              s.races.fence_proxy_async(2, Memory::shared);
              s.order(2, 1);
              s.operate(s.races.new_agent(), 1, Access::write, 20);
            }),
            "");
}

TEST(Races, what_an_operation_wrote_is_there_when_it_has_completed) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              const Agent agent = s.races.new_agent();
              s.operate(agent, 1, Access::write, 10);
              s.read(1, 20);  // its own issuer knows no more than others
            }),
            "shared_race");
  EXPECT_EQ(hazards_of([](Stage& s) {
              const Agent agent = s.races.new_agent();
              s.operate(agent, 1, Access::write, 10);
              Published barrier;
              s.races.complete(agent, 1, barrier);
              s.races.acquire(barrier, 2);
              s.read(2, 20);
              s.operate(agent, 2, Access::read, 30, 2);  // the other proxy needs no fence for it
            }),
            "");
  EXPECT_EQ(hazards_of([](Stage& s) {
              const Agent agent = s.races.new_agent();
              s.operate(agent, 1, Access::write, 10, 2);
              s.races.complete(agent, 1, 1);  // the operation before
              s.read(1, 20);
            }),
            "shared_race");
}

TEST(Races, completion_does_not_publish_what_the_issuer_did) {
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              const Agent agent = s.races.new_agent();
              Published barrier;
              s.races.complete(agent, 1, barrier);
              s.races.acquire(barrier, 2);
              s.read(2, 20);
            }),
            "shared_race");
}

TEST(Races, atomics_and_device_fences_order) {
  constexpr uintptr_t kCounter = 4096 * 7;
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.races.fence_device(1);
              s.races.atomic(1, kCounter, 4, Site{"atomic", 1});
              s.races.atomic(2, kCounter, 4, Site{"atomic", 2});
              s.races.fence_device(2);
              s.read(2, 20);
            }),
            "");
  EXPECT_EQ(hazards_of([](Stage& s) {
              s.write(1, 10);
              s.races.atomic(1, kCounter, 4, Site{"atomic", 1});  // not fenced
              s.races.atomic(2, kCounter, 4, Site{"atomic", 2});
              s.races.fence_device(2);
              s.read(2, 20);
            }),
            "shared_race");
}

TEST(Races, name_both_ends_once) {
  Machine machine;
  machine.detect_races(true);
  machine.begin(0);
  const Play play = [](Stage& s) {
    s.write(1, 10);
    for (int lane = 2; lane < 20; ++lane) s.read(lane, 20);
  };
  launch(stage, "stage", {3, 64, 64}, &machine, Parameters{play});
  ASSERT_EQ(machine.hazards().size(), 1u);
  const Hazard& hazard = machine.hazards()[0];
  EXPECT_EQ(hazard.file, "plain");
  EXPECT_EQ(hazard.line, 20);
  EXPECT_EQ(hazard.other.file, "plain");
  EXPECT_EQ(hazard.other.line, 10);
  EXPECT_EQ(hazard.other.thread, 1);
}

}  // namespace
}  // namespace oddtile::sim
