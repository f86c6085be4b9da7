// Work in flight and waiting, with words made up for the purpose.
#include "kernels/sim/asynchronous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/state.h"

namespace oddtile::sim {
namespace {

using simulator::Asynchronous;
using simulator::Site;
using simulator::Waitable;
using simulator::Word;

struct Bell : Waitable {
  std::string state_text() const override { return "a bell that has not rung"; }
  bool rung = false;
};

struct Work : Asynchronous {
  Work(Machine::State& machine, Bell& bell, std::vector<int>* order)
      : Asynchronous(4), machine(machine), bell(bell), order(order) {}
  void land(int piece) override { order->push_back(piece); }
  void finish() override {
    bell.rung = true;
    machine.wake(bell);
  }
  Machine::State& machine;
  Bell& bell;
  std::vector<int>* order;
};

struct Parameters {
  Bell* bell;
  std::vector<int>* order;
  bool starts;
};

// One lane starts the work, all wait for it.
ODDTILE_KERNEL(64, 1) waits(Parameters p) {
  Machine::State& machine = *simulator::running;
  if (thread() == 40 && p.starts) {
    machine.start(std::make_shared<Work>(machine, *p.bell, p.order));
  }
  while (!p.bell->rung) machine.wait_on(*p.bell, Word::barrier_wait, Site::here());
  sync_block();
}

TEST(Asynchronous, lands_every_piece_once_under_every_schedule) {
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine;
    Bell bell;
    std::vector<int> order;
    machine.begin(seed);
    launch(waits, "waits", {1, 64, 0}, &machine, Parameters{&bell, &order, true});
    EXPECT_TRUE(machine.hazards().empty()) << machine.hazards()[0].text();
    EXPECT_TRUE(bell.rung);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  }
}

TEST(Asynchronous, nobody_rings) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Machine machine;
    Bell bell;
    std::vector<int> order;
    machine.begin(seed);
    launch(waits, "waits", {1, 64, 0}, &machine, Parameters{&bell, &order, false});
    ASSERT_EQ(machine.hazards().size(), 1u);
    EXPECT_EQ(int(machine.hazards()[0].kind), int(HazardKind::deadlock));
    EXPECT_NE(machine.hazards()[0].detail.find("64 lanes wait at barrier_wait "
                                               "(asynchronous_test.cc:"),
              std::string::npos)
        << machine.hazards()[0].detail;
    EXPECT_NE(machine.hazards()[0].detail.find("for a bell that has not rung"), std::string::npos);
    EXPECT_GT(machine.hazards()[0].line, 0);
  }
}

}  // namespace
}  // namespace oddtile::sim
