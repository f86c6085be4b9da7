#include "reports/measure/long_buffers.h"

#include <gtest/gtest.h>

#include "properties/harness/buffers.h"
#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

using oracles::Case;
using oracles::SoftmaxCase;
using oracles::VectorAddCase;

MadeUpClock made_up_clock() {
  return MadeUpClock([](size_t, int) { return 1.0; });
}

const oddtile_implementation& fused() {
  return *properties::sim_machine().implementations()[0];
}

TEST(LongBuffers, HowMuchIsMade) {
  const auto made = [](const oracles::SoftmaxCase& c, int64_t elements) {
    return length_to_make({.problem = c}, elements);
  };
  EXPECT_EQ(made({.rows = 1000, .columns = 8}, 1200), 128) << "multiples of 64 rows";
  EXPECT_EQ(made({.rows = 1000, .columns = 80}, 1200), 15);
  EXPECT_EQ(made({.rows = 1000, .columns = 8000}, 1200), 1);
  EXPECT_EQ(made({.rows = 100, .columns = 8}, 1200), 100) << "all of a short one";
  EXPECT_EQ(made({.rows = 1000, .columns = 8, .x_layout = oracles::RowLayout::reversed}, 1200),
            1000);
  EXPECT_EQ(length_to_make({.problem = VectorAddCase{.n = 1000}}, 200), 192);
  EXPECT_EQ(length_to_make({.problem = oracles::AttentionCase{.seq_q = 1000}}, 200), 1);
}

// Runs a case from a part of it, and holds every repetition against a run of that part alone.
void expect_repeated(const Case& subject, int64_t elements) {
  properties::Machine& machine = properties::sim_machine();
  MadeUpClock clock = made_up_clock();
  const Case part = with_length(subject, length_to_make(subject, elements));
  const oracles::Workload made = oracles::materialise(part, oracles::Poison::nan);
  LongBuffers buffers(made, subject, machine, clock);
  ASSERT_TRUE(buffers.ready());
  // Eager asks for a workspace, and each of its rows has the same bits wherever it lies.
  const oddtile_implementation& eager = *machine.implementations()[1];
  const int32_t id = properties::configurations_of(eager, buffers.problem()).at(0);
  ASSERT_TRUE(buffers.add_workspace(eager.workspace_bytes(&buffers.problem(), id)));
  ASSERT_EQ(buffers.launching(eager, id)(), oddtile_ok);
  EXPECT_TRUE(machine.hazards().empty());
  const properties::Outcome alone = properties::run_workload(made, eager, machine, 0);
  ASSERT_TRUE(alone.clean());
  int64_t elements_seen = 0;
  const int output = int(made.tensors.size()) - 1;
  for (int64_t i = 0; i < buffers.repetitions(); ++i) {
    EXPECT_TRUE(same_output_bits(made, buffers.outputs_of(i), alone.buffers)) << i;
    elements_seen += buffers.extent_of(i, output).count();
  }
  EXPECT_GT(buffers.repetitions(), 1);
  EXPECT_EQ(elements_seen, length_of(subject) * elements_of_unit(subject));
}

TEST(LongBuffers, RepetitionsAreAsTheirPart) {
  expect_repeated({.problem = SoftmaxCase{.rows = 300, .columns = 7}}, 7 * 64);
  expect_repeated({.problem = SoftmaxCase{.rows = 300,
                                          .columns = 7,
                                          .x_pad = 3,
                                          .y_pad = 1,
                                          .x_offset = 5,
                                          .y_offset = 2,
                                          .mask = oracles::MaskKind::half}},
                  7 * 64);
  expect_repeated({.problem = SoftmaxCase{.rows = 10, .columns = 40, .alias = oracles::Alias::x}},
                  40 * 3);
  expect_repeated({.problem = SoftmaxCase{.rows = 10,
                                          .columns = 40,
                                          .mask = oracles::MaskKind::half,
                                          .mask_layout = oracles::MaskLayout::row_broadcast,
                                          .x_layout = oracles::RowLayout::broadcast}},
                  40);
  expect_repeated({.problem = VectorAddCase{.dtype = oddtile_bf16,
                                            .n = 1000,
                                            .x_offset = 1,
                                            .out_offset = 3,
                                            .mask = oracles::MaskKind::half}},
                  64);
}

TEST(LongBuffers, EachByteOfAnInputIsWatched) {
  properties::Machine& machine = properties::sim_machine();
  MadeUpClock clock = made_up_clock();
  const Case subject = {.problem = SoftmaxCase{.rows = 300,
                                               .columns = 7,
                                               .x_pad = 3,
                                               .y_pad = 1,
                                               .x_offset = 5,
                                               .mask = oracles::MaskKind::half}};
  const oracles::Workload made =
      oracles::materialise(with_length(subject, 64), oracles::Poison::nan);
  LongBuffers buffers(made, subject, machine, clock);
  const oddtile_softmax_problem& problem = buffers.problem().softmax;
  auto* x = static_cast<uint32_t*>(const_cast<void*>(problem.x));
  auto* mask = const_cast<uint8_t*>(problem.mask);
  EXPECT_EQ(buffers.changed_input(), "");
  static_cast<float*>(problem.y)[0] = 1;
  EXPECT_EQ(buffers.changed_input(), "") << "an output is none";
  // Before the rows, first, between two rows, where a part ends and begins, last.
  for (const int64_t at : {-1, 0, 8, 63 * 10 + 6, 64 * 10, 299 * 10 + 6}) {
    x[at] ^= 1;
    EXPECT_EQ(buffers.changed_input(), "x") << at;
    buffers.restore();
    EXPECT_EQ(buffers.changed_input(), "") << at;
  }
  mask[299 * problem.mask_row_stride + 6] ^= 1;
  EXPECT_EQ(buffers.changed_input(), "mask");
}

TEST(LongBuffers, WhatAnOutputReplacesMayChange) {
  MadeUpClock clock = made_up_clock();
  const Case subject = {.problem = VectorAddCase{.n = 10, .alias = oracles::Alias::x}};
  const oracles::Workload made = oracles::materialise(subject, oracles::Poison::nan);
  LongBuffers buffers(made, subject, properties::sim_machine(), clock);
  const oddtile_vector_add_problem& problem = buffers.problem().vector_add;
  static_cast<uint32_t*>(problem.out)[3] ^= 1;
  EXPECT_EQ(buffers.changed_input(), "");
  static_cast<uint32_t*>(const_cast<void*>(problem.y))[9] ^= 1;
  EXPECT_EQ(buffers.changed_input(), "y");
}

// Of the first one again only what a shorter last one lacks.
TEST(LongBuffers, EachRepetitionIsCopiedOnce) {
  class Counting : public StandIn {
   public:
    Counting() : StandIn({&fused()}) {}
    void copy_out(void* to, const void* from, int64_t bytes) override {
      copied += bytes;
      StandIn::copy_out(to, from, bytes);
    }
    int64_t copied = 0;
  };
  Counting machine;
  MadeUpClock clock = made_up_clock();
  const Case subject = {.problem = VectorAddCase{.n = 1000}};  // 15 times 64, 40
  const oracles::Workload made =
      oracles::materialise(with_length(subject, 64), oracles::Poison::nan);
  const LongBuffers buffers(made, subject, machine, clock);
  for (int64_t i = 0; i < buffers.repetitions(); ++i) buffers.outputs_of(i);
  const auto first = int64_t(made.tensors.back().bytes.size());
  EXPECT_EQ(machine.copied, first + 15 * 64 * int64_t(sizeof(float)));
}

TEST(LongBuffers, TheFarEnd) {
  properties::Machine& machine = properties::sim_machine();
  MadeUpClock clock = made_up_clock();
  const Case subject = {.problem = SoftmaxCase{.rows = 640, .columns = 8}};
  const oracles::Workload made =
      oracles::materialise(with_length(subject, 64), oracles::Poison::nan);
  LongBuffers buffers(made, subject, machine, clock);
  EXPECT_TRUE(buffers.far_end_is_right(buffers.launching(fused(), 0)));
  EXPECT_FALSE(buffers.far_end_is_right([] { return oddtile_launch_failed; }));
  const Launch first_row_alone = [&] {
    *static_cast<float*>(buffers.problem().softmax.y) = 1;
    return oddtile_ok;
  };
  EXPECT_FALSE(buffers.far_end_is_right(first_row_alone));
}

TEST(LongBuffers, NoMemory) {
  class NoMemory : public StandIn {
   public:
    NoMemory() : StandIn({}) {}
    void* allocate(int64_t) override { return nullptr; }
  };
  NoMemory machine;
  MadeUpClock clock = made_up_clock();
  const Case subject = {.problem = VectorAddCase{.n = 10}};
  const oracles::Workload made = oracles::materialise(subject, oracles::Poison::nan);
  EXPECT_FALSE(LongBuffers(made, subject, machine, clock).ready());
  EXPECT_FALSE(CopyBuffers(machine, 10).ready());
}

}  // namespace
}  // namespace oddtile::reports
