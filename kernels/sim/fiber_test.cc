#include "kernels/sim/fiber.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace oddtile::simulator {
namespace {

// A ring of fibers that hand over to one another and write down who ran.
struct Ring {
  Fiber host;
  std::vector<std::unique_ptr<Fiber>> members;
  std::vector<size_t> ran;
  size_t turns = 0;

  struct Seat {
    Ring* ring;
    size_t index;
  };
  std::vector<std::unique_ptr<Seat>> seats;

  static void take_turns(void* argument) {
    const Seat seat = *static_cast<Seat*>(argument);
    Ring& ring = *seat.ring;
    for (;;) {
      ring.ran.push_back(seat.index);
      Fiber& self = *ring.members[seat.index];
      if (ring.ran.size() == ring.turns) {
        switch_fiber(self, ring.host);
      } else {
        switch_fiber(self, *ring.members[(seat.index + 1) % ring.members.size()]);
      }
    }
  }

  explicit Ring(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      members.push_back(std::make_unique<Fiber>());
      seats.push_back(std::make_unique<Seat>(Seat{this, i}));
      members[i]->start_over(take_turns, seats[i].get());
    }
  }
};

TEST(Fiber, hands_over_directly_and_comes_back) {
  Ring ring(3);
  ring.turns = 7;
  switch_fiber(ring.host, *ring.members[0]);
  EXPECT_EQ(ring.ran, (std::vector<size_t>{0, 1, 2, 0, 1, 2, 0}));
  ring.turns = 9;  // the one that gave way to the host goes on where it was
  switch_fiber(ring.host, *ring.members[1]);
  EXPECT_EQ(ring.ran, (std::vector<size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(Fiber, starts_over_in_the_middle_of_frames) {
  Ring ring(2);
  for (int round = 0; round < 100; ++round) {
    ring.ran.clear();
    ring.turns = 3;
    switch_fiber(ring.host, *ring.members[0]);
    EXPECT_EQ(ring.ran, (std::vector<size_t>{0, 1, 0}));
    for (size_t i = 0; i < 2; ++i)
      ring.members[i]->start_over(Ring::take_turns, ring.seats[i].get());
  }
}

TEST(Fiber, carries_exceptions_within_itself) {
  struct Thrower {
    Fiber host, fiber;
    std::string caught;
    static void run(void* argument) {
      Thrower& self = *static_cast<Thrower*>(argument);
      for (;;) {
        try {
          throw std::runtime_error("inside");
        } catch (const std::exception& error) {
          self.caught += error.what();
        }
        switch_fiber(self.fiber, self.host);
      }
    }
  } thrower;
  thrower.fiber.start_over(Thrower::run, &thrower);
  for (int round = 0; round < 3; ++round) switch_fiber(thrower.host, thrower.fiber);
  EXPECT_EQ(thrower.caught, "insideinsideinside");
}

// Whatever the compiler keeps in registers or on the stack over a switch is there afterwards.
TEST(Fiber, keeps_its_locals_while_others_run) {
  struct Counting {
    Fiber host;
    Fiber fibers[3];
    int next = 0;
    int64_t result[3] = {};
    static void run(void* argument) {
      Counting& all = *static_cast<Counting*>(argument);
      const int self = all.next;
      int64_t a = self, b = 2 * self, c = 3 * self, d = 4 * self, e = 5 * self, f = 6 * self;
      double sum = self;  // a vector register: spilled to an aligned place, or lost
      for (;;) {
        all.result[self] = a + b + c + d + e + f + int64_t(sum);
        ++a, b += 2, c += 3, d += 4, e += 5, f += 6, sum += 7;
        all.next = (self + 1) % 3;
        Fiber& to = all.next == 0 ? all.host : all.fibers[all.next];
        switch_fiber(all.fibers[self], to);
      }
    }
  } all;
  for (Fiber& fiber : all.fibers) fiber.start_over(Counting::run, &all);
  for (int64_t round = 0; round < 5; ++round) {
    switch_fiber(all.host, all.fibers[0]);
    for (int64_t self = 0; self < 3; ++self) EXPECT_EQ(all.result[self], 22 * self + 28 * round);
  }
}

// More than one slab of stacks, given back in another order than taken, and taken again.
TEST(Fiber, stacks_are_handed_out_once_at_a_time) {
  for (int round = 0; round < 3; ++round) {
    Ring ring(70);
    ring.turns = 141;
    switch_fiber(ring.host, *ring.members[0]);
    for (size_t turn = 0; turn < ring.turns; ++turn) ASSERT_EQ(ring.ran[turn], turn % 70);
    std::swap(ring.members.front(), ring.members.back());
  }
}

TEST(FiberDeathTest, overflow_of_a_stack_meets_the_guard_page) {
  struct Recursive {
    static int descend(int depth) {
      volatile char frame[4096];
      frame[0] = char(depth);
      return depth == 0 ? frame[0] : descend(depth - 1) + frame[0];
    }
    static void run(void*) { descend(1 << 20); }
  };
  EXPECT_DEATH(
      {
        Fiber host;
        Fiber fiber;
        fiber.start_over(Recursive::run, nullptr);
        switch_fiber(host, fiber);
      },
      "");
}

TEST(Fiber, knows_how_deep_its_stack_was) {
  Ring ring(1);
  EXPECT_LE(ring.members[0]->touched_bytes(), 8192u);
  ring.turns = 1;
  switch_fiber(ring.host, *ring.members[0]);
  EXPECT_GE(ring.members[0]->touched_bytes(), 4096u);
  EXPECT_EQ(Fiber().touched_bytes(), 0u);
}

}  // namespace
}  // namespace oddtile::simulator
