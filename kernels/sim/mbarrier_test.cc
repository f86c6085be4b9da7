#include "kernels/sim/mbarrier.h"

#include <gtest/gtest.h>

namespace oddtile::simulator {
namespace {

MbarrierCount for_arrivals(int32_t expected) {
  MbarrierCount count;
  count.expected = count.pending = expected;
  return count;
}

TEST(MbarrierCount, a_phase_ends_with_its_last_arrival) {
  MbarrierCount count = for_arrivals(3);
  bool completes = true;
  EXPECT_EQ(count.arrive(1, &completes), nullptr);
  EXPECT_FALSE(completes);
  EXPECT_EQ(count.arrive(2, &completes), nullptr);
  EXPECT_TRUE(completes);
  EXPECT_EQ(count.phase, 1);
  EXPECT_EQ(count.pending, 3);
}

TEST(MbarrierCount, a_phase_waits_for_its_bytes_in_any_order) {
  for (const bool bytes_first : {false, true}) {
    MbarrierCount count = for_arrivals(1);
    bool completes = false;
    if (bytes_first) {
      EXPECT_EQ(count.receive(64, &completes), nullptr);  // negative until they are expected
      EXPECT_FALSE(completes);
      EXPECT_EQ(count.expect(64), nullptr);
      EXPECT_EQ(count.arrive(1, &completes), nullptr);
    } else {
      EXPECT_EQ(count.expect(64), nullptr);
      EXPECT_EQ(count.arrive(1, &completes), nullptr);
      EXPECT_FALSE(completes);
      EXPECT_EQ(count.receive(48, &completes), nullptr);
      EXPECT_FALSE(completes);
      EXPECT_EQ(count.receive(16, &completes), nullptr);
    }
    EXPECT_TRUE(completes);
    EXPECT_EQ(count.bytes, 0);
  }
}

TEST(MbarrierCount, too_much_of_anything_is_said) {
  bool completes = false;
  MbarrierCount count = for_arrivals(1);
  EXPECT_NE(count.arrive(2, &completes), nullptr);
  EXPECT_EQ(count.expect(16), nullptr);
  EXPECT_EQ(count.arrive(1, &completes), nullptr);
  EXPECT_NE(count.arrive(1, &completes), nullptr);    // the phase still waits for its bytes
  EXPECT_NE(count.receive(32, &completes), nullptr);  // nobody can expect them any more
  EXPECT_FALSE(completes);
  EXPECT_NE(for_arrivals(1).expect(1 << 20), nullptr);
  EXPECT_NE(for_arrivals(1).expect(-16), nullptr);
}

TEST(MbarrierCount, bits_tell_states_apart_and_are_never_those_of_untouched_memory) {
  MbarrierCount one = for_arrivals(2);
  const uint64_t fresh = one.bits();
  bool completes = false;
  one.arrive(1, &completes);
  EXPECT_NE(one.bits(), fresh);
  one.arrive(1, &completes);
  EXPECT_NE(one.bits(), fresh);  // the phase's parity
  EXPECT_NE(for_arrivals((1 << 20) - 1).bits(), ~uint64_t(0));
}

TEST(Mbarriers, are_found_by_their_address_until_they_are_removed) {
  Mbarriers barriers;
  barriers.add(64).initialiser = 3;
  EXPECT_EQ(barriers.find(72), nullptr);
  ASSERT_NE(barriers.find(64), nullptr);
  barriers.fence(4);
  EXPECT_FALSE(barriers.find(64)->fenced);
  barriers.fence(3);
  EXPECT_TRUE(barriers.find(64)->fenced);
  barriers.remove(64);
  EXPECT_EQ(barriers.find(64), nullptr);
}

}  // namespace
}  // namespace oddtile::simulator
