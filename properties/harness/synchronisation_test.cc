#include "properties/harness/synchronisation.h"

#include <gtest/gtest.h>

namespace oddtile::properties {
namespace {

// 256 threads to a row, so that partial sums meet in shared memory behind a barrier.
oracles::Case long_row() {
  oracles::SoftmaxCase c;
  c.columns = 5001;  // no whole vectors: not one of the forms for few rows
  c.values = oracles::Values::rising;
  return {c};
}

TEST(Synchronisation, a_word_is_listed_and_missed_when_it_is_switched_off) {
  Machine& machine = sim_machine();
  const oddtile_implementation& fused = *machine.implementations()[0];
  list_synchronisation(machine, true);
  const Outcome whole = run_case(long_row(), fused, machine);
  const auto words = synchronisation_words(machine);
  list_synchronisation(machine, false);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].word, "sync_block");
  EXPECT_EQ(words[0].file, "kernels/tile/row_reduction.cuh");
  EXPECT_GT(words[0].count, 0);
  {
    const Without without(machine, words[0]);
    EXPECT_NE(run_case(long_row(), fused, machine).buffers, whole.buffers);
  }
  EXPECT_EQ(run_case(long_row(), fused, machine).buffers, whole.buffers);
  EXPECT_EQ(synchronisation_words(machine)[0].count, words[0].count);
}

}  // namespace
}  // namespace oddtile::properties
