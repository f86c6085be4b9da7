// Comparisons on the simulator with a clock that is made up: what is tested is what surrounds it.
#include "reports/measure/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "oracles/case/text.h"
#include "reports/measure/stand_in.h"

namespace oddtile::reports {
namespace {

using oracles::Case;

const oddtile_implementation& fused() {
  return *properties::sim_machine().implementations()[0];
}

Case case_named(const std::string& text) {
  return std::get<oracles::Case>(oracles::parse(text));
}

// Library i takes 10 (i + 1) us, what follows the last one (the copy) 5; in the first round, which
// warms up, all of them ten times as long.
MadeUpClock clock_of(size_t libraries) {
  return MadeUpClock([=](size_t i, int round) {
    return (round == 0 ? 10.0 : 1.0) * (i < libraries ? 10.0 * double(i + 1) : 5.0);
  });
}

std::vector<ComparedEntry> compared(const std::string& text,
                                    std::vector<const oddtile_implementation*> tables,
                                    ComparisonOptions options = {},
                                    properties::Machine& machine = properties::sim_machine()) {
  std::vector<Library> libraries;
  for (size_t i = 0; i < tables.size(); ++i) {
    libraries.push_back({std::string(1, char('a' + i)), tables[i]});
  }
  MadeUpClock clock = clock_of(tables.size());
  options.rounds = 6;
  return compare(case_named(text), libraries, machine, clock, options);
}

// Ours, except that softmax is followed by `after`.
template <auto after>
oddtile_implementation softmax_with() {
  oddtile_implementation table = fused();
  table.softmax = [](const oddtile_softmax_problem* problem, int32_t id, void* space,
                     void* stream) {
    const oddtile_status status = fused().softmax(problem, id, space, stream);
    after(*problem);
    return status;
  };
  return table;
}

// The last bit of row 100, column 1: far beyond the first part, and within every bound.
void flip_a_bit(const oddtile_softmax_problem& problem) {
  static_cast<uint32_t*>(problem.y)[100 * problem.y_row_stride + 1] ^= 1;
}
void forget_the_last_element(const oddtile_softmax_problem& problem) {
  static_cast<float*>(problem.y)[problem.rows * problem.y_row_stride - 1] = 0;
}

std::set<const void*>& outputs_seen() {
  static std::set<const void*> seen;
  return seen;
}
void note_output(const oddtile_softmax_problem& problem) {
  outputs_seen().insert(problem.y);
}

constexpr const char* kSoftmax = "softmax rows=150 columns=8 values=noise";
constexpr ComparisonOptions kParts = {.elements_made = 8 * 64};  // 64 rows, 64, 22

TEST(Comparison, TheSameLibraryTwice) {
  const auto entries = compared(kSoftmax, {&fused(), &fused()}, kParts);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].baseline, "");
  EXPECT_TRUE(entries[0].bits.empty());
  EXPECT_EQ(entries[1].baseline, "a");
  EXPECT_DOUBLE_EQ(entries[1].slowdown, 2);
  EXPECT_DOUBLE_EQ(entries[1].slowdown_low, 2);
  ASSERT_EQ(entries[1].bits.size(), 1u);
  EXPECT_EQ(entries[1].bits[0].tensor, "y");
  EXPECT_EQ(entries[1].bits[0].elements, 2 * 150 * 8) << "the data, and those that show edges";
  EXPECT_EQ(entries[1].bits[0].differing, 0);
  for (const ComparedEntry& entry : entries) {
    EXPECT_EQ(entry.problem, "");
    EXPECT_EQ(entry.verdict, "pass");
    EXPECT_EQ(entry.us, std::vector<double>(6, entry.us_median));
    EXPECT_EQ(entry.us_upper, entry.us_median);
    EXPECT_EQ(entry.copy_us, 5);
    EXPECT_EQ(entry.copy_share, 5 / entry.us_median);
    EXPECT_EQ(entry.rate_unit, "");
    EXPECT_EQ(finding(entry, 0), "");
  }
  EXPECT_EQ(finding(entries[0], 0.5), "") << "the baseline is not slower than itself";
  EXPECT_EQ(finding(entries[1], 1.99), "slower than 1.99");
  EXPECT_EQ(finding(entries[1], 2), "");
}

TEST(Comparison, OtherBitsAreCountedAndAreNoFinding) {
  const oddtile_implementation other = softmax_with<flip_a_bit>();
  const auto entries = compared(kSoftmax, {&fused(), &other, &fused()}, kParts);
  EXPECT_EQ(entries[1].bits[0].differing, 2);
  EXPECT_EQ(entries[1].verdict, "pass");
  EXPECT_EQ(finding(entries[1], 0), "");
  EXPECT_EQ(entries[2].bits[0].differing, 0) << "the first is the baseline, not the one before";
  EXPECT_DOUBLE_EQ(entries[2].slowdown, 3);
}

TEST(Comparison, TheCopyMovesAsManyBytesAsTheWholeCase) {
  MadeUpClock clock = clock_of(1);
  const std::vector<Library> libraries = {{"a", &fused()}};
  ComparisonOptions options = kParts;
  options.rounds = 6;
  compare(case_named(kSoftmax), libraries, properties::sim_machine(), clock, options);
  EXPECT_EQ(clock.copied.count(150 * 8 * sizeof(float)), 1u) << "read, and as many written";
}

TEST(Comparison, AWrongAnswerIsAFindingWhereverItLies) {
  const oddtile_implementation wrong = softmax_with<forget_the_last_element>();
  const auto entries = compared(kSoftmax, {&wrong, &fused()}, kParts);
  EXPECT_EQ(entries[0].verdict, "fail");
  EXPECT_NE(entries[0].explanation.find("from row 128 on, y[row 21, column 7]: got 0"),
            std::string::npos)
      << entries[0].explanation;
  EXPECT_EQ(finding(entries[0], 0), "wrong output");
  EXPECT_EQ(entries[1].verdict, "pass");
  EXPECT_EQ(entries[1].bits[0].differing, 2);
}

// One row of 150, wherever it is among those that are made: all of them are judged.
template <int row>
void spoil_a_row(const oddtile_softmax_problem& problem) {
  static_cast<float*>(problem.y)[row * problem.y_row_stride + 3] += 0.25f;
}

TEST(Comparison, EveryRowThatIsMadeIsJudged) {
  const oddtile_implementation wrong[] = {softmax_with<spoil_a_row<37>>(),
                                          softmax_with<spoil_a_row<73>>(),
                                          softmax_with<spoil_a_row<101>>()};
  for (const oddtile_implementation& one : wrong) {
    EXPECT_EQ(compared(kSoftmax, {&one}, {.elements_made = 8 * 150})[0].verdict, "fail");
  }
}

void spoil_both_ends(const oddtile_softmax_problem& problem) {
  spoil_a_row<1>(problem);
  forget_the_last_element(problem);
}

TEST(Comparison, TheFirstFaultIsExplained) {
  const oddtile_implementation wrong = softmax_with<spoil_both_ends>();
  const auto entries = compared(kSoftmax, {&wrong}, kParts);
  EXPECT_EQ(entries[0].explanation.find("y[row 1, column 3]"), 0u) << entries[0].explanation;
}

TEST(Comparison, SuspectIsAFinding) {
  ComparedEntry entry;
  entry.verdict = "suspect";
  EXPECT_EQ(finding(entry, 0), "wrong output");
  entry.verdict = "pass, edges vacuous";
  EXPECT_EQ(finding(entry, 0), "");
}

// Edges alone: where the largest element of a row stands last.
void spoil_edges(const oddtile_softmax_problem& problem) {
  auto* y = static_cast<float*>(problem.y);
  if (y[7] > 0.9f) y[0] += 0.5f;
}

TEST(Comparison, AWrongAnswerOnEdgesIsAFinding) {
  const oddtile_implementation wrong = softmax_with<spoil_edges>();
  const auto entries = compared(kSoftmax, {&fused(), &wrong}, kParts);
  EXPECT_EQ(entries[1].verdict, "pass, edges fail");
  EXPECT_EQ(entries[1].explanation.find("edges y[row 0, column 0]"), 0u) << entries[1].explanation;
  EXPECT_EQ(finding(entries[1], 0), "wrong output");
}

void write_into_x(const oddtile_softmax_problem& problem) {  // far from the first part
  static_cast<float*>(const_cast<void*>(problem.x))[140 * problem.x_row_stride + 2] += 3;
}

TEST(Comparison, WhoWritesIntoAnInputHasTheFinding) {
  const oddtile_implementation writes = softmax_with<write_into_x>();
  for (size_t culprit = 0; culprit < 3; ++culprit) {
    std::vector<const oddtile_implementation*> tables(3, &fused());
    tables[culprit] = &writes;
    const auto entries = compared(kSoftmax, tables, kParts);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(entries[i].verdict, "pass") << i << entries[i].explanation;
      EXPECT_EQ(finding(entries[i], 0), i == culprit ? "writes into x, an input" : "") << i;
      for (const ComparedBits& bits : entries[i].bits) EXPECT_EQ(bits.differing, 0) << i;
    }
  }
  EXPECT_EQ(finding({.verdict = "fail", .overwritten = "y"}, 0),
            "wrong output, writes into y, an input");
}

TEST(Comparison, AllInTheSameBuffers) {
  const oddtile_implementation watched = softmax_with<note_output>();
  outputs_seen().clear();
  compared("softmax rows=5 columns=8", {&watched, &watched, &watched});
  EXPECT_LE(outputs_seen().size(), 2u) << "one for the data, one for those that show edges";
}

TEST(Comparison, InPlaceTheInputIsRestored) {
  const auto entries = compared("softmax rows=150 columns=8 alias=x values=noise",
                                {&fused(), &fused(), &fused()}, kParts);
  for (const ComparedEntry& entry : entries) {
    EXPECT_EQ(entry.verdict, "pass");
    for (const ComparedBits& bits : entry.bits) EXPECT_EQ(bits.differing, 0);
  }
  const auto sums = compared("vector_add n=100 alias=y mask=half values=noise",
                             {&fused(), properties::sim_machine().implementations()[1]});
  EXPECT_EQ(sums[1].verdict, "pass");
  EXPECT_EQ(sums[1].bits[0].differing, 0);
}

// How many launches found the first element of x as it was in the first launch.
int fresh_inputs = 0;
std::optional<float> first_input;
void note_input(const oddtile_vector_add_problem& problem) {
  const float x = *static_cast<const float*>(problem.x);
  if (!first_input) first_input = x;
  fresh_inputs += x == *first_input;
}

TEST(Comparison, InPlaceEachRoundBeginsWithTheCasesData) {
  oddtile_implementation watched = fused();
  watched.vector_add = [](const oddtile_vector_add_problem* problem, int32_t id, void* space,
                          void* stream) {
    note_input(*problem);
    return fused().vector_add(problem, id, space, stream);
  };
  compared("vector_add n=10 alias=x values=noise", {&watched});
  EXPECT_EQ(fresh_inputs, 1 + 7 + 1) << "the first launch, seven rounds, the one that is judged";
}

TEST(Comparison, AWorkspaceIsThere) {
  const auto* eager = properties::sim_machine().implementations()[1];
  const auto entries = compared(
      "attention seq_q=20 seq_k=30 head_dim=16 scores=noise contents=noise", {&fused(), eager});
  EXPECT_EQ(entries[1].problem, "");
  EXPECT_EQ(entries[1].verdict, "pass");
  oddtile_implementation little = fused();
  little.workspace_bytes = [](const oddtile_problem*, int32_t) { return int64_t(256); };
  EXPECT_EQ(compared("attention seq_q=20 seq_k=30 head_dim=16 scores=noise contents=noise",
                     {&little, eager, &little})[1]
                .verdict,
            "pass")
      << "the largest that anybody asks for";
}

TEST(Comparison, AttentionHasTwoOutputs) {
  oddtile_implementation other = fused();
  other.attention = [](const oddtile_attention_problem* problem, int32_t id, void* space,
                       void* stream) {
    const oddtile_status status = fused().attention(problem, id, space, stream);
    reinterpret_cast<uint32_t*>(problem->lse)[3] ^= 1;
    return status;
  };
  const auto entries = compared(
      "attention seq_q=20 seq_k=30 head_dim=16 scores=noise contents=noise", {&fused(), &other});
  ASSERT_EQ(entries[1].bits.size(), 2u);
  EXPECT_EQ(entries[1].bits[0].tensor, "o");
  EXPECT_EQ(entries[1].bits[0].elements, 2 * 20 * 16);
  EXPECT_EQ(entries[1].bits[0].differing, 0);
  EXPECT_EQ(entries[1].bits[1].tensor, "lse");
  EXPECT_EQ(entries[1].bits[1].differing, 2);
  EXPECT_EQ(entries[1].verdict, "pass");
  EXPECT_EQ(entries[0].copy_us, 0);
  EXPECT_EQ(entries[0].rate_unit, "TFLOP/s");
  const auto hidden = compared("attention seq_q=20 seq_k=20 mask=half", {&fused(), &fused()});
  EXPECT_EQ(hidden[0].rate_unit, "") << "what a mask hides is not counted";
}

TEST(Comparison, WhatIsNotOfferedIsALineAndAFinding) {
  oddtile_implementation none = fused();
  none.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const auto entries = compared(kSoftmax, {&fused(), &none, &fused()}, kParts);
  EXPECT_EQ(entries[1].problem, "does not offer this case");
  EXPECT_EQ(finding(entries[1], 0), "not compared");
  EXPECT_EQ(entries[2].baseline, "a");
  const auto alone = compared(kSoftmax, {&none, &fused(), &fused()}, kParts);
  for (const ComparedEntry& entry : std::span(alone).subspan(1)) {
    EXPECT_EQ(entry.problem, "");
    EXPECT_EQ(entry.verdict, "pass");
    EXPECT_EQ(entry.baseline, "") << "there is nothing to compare with";
    EXPECT_TRUE(entry.bits.empty());
  }
  EXPECT_EQ(compared("softmax rows=0 columns=8", {&fused()})[0].problem,
            "there is nothing to compute");
}

TEST(Comparison, AFailedLaunchIsALineAndAFinding) {
  oddtile_implementation fails = fused();
  fails.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) {
    return oddtile_launch_failed;
  };
  const auto entries = compared(kSoftmax, {&fused(), &fails}, kParts);
  EXPECT_EQ(entries[1].problem, fused().status_text(oddtile_launch_failed));
  EXPECT_EQ(entries[0].verdict, "pass");
  StandIn machine({&fused()});
  machine.is_lost = true;
  for (const ComparedEntry& entry : compared(kSoftmax, {&fused(), &fused()}, kParts, machine)) {
    EXPECT_EQ(entry.problem, "the device is lost after an error");
  }
}

int launches_left = 0;

TEST(Comparison, ALaunchThatFailsWhileItIsTimedIsALineAndAFinding) {
  oddtile_implementation tires = fused();
  tires.softmax = [](const oddtile_softmax_problem* problem, int32_t id, void* space,
                     void* stream) {
    if (launches_left-- <= 0) return oddtile_launch_failed;
    return fused().softmax(problem, id, space, stream);
  };
  launches_left = 3;
  const auto entries = compared(kSoftmax, {&tires, &fused()}, kParts);
  EXPECT_EQ(entries[0].problem, "a launch failed while it was timed");
  EXPECT_EQ(entries[1].baseline, "");
  EXPECT_EQ(entries[1].verdict, "pass");
}

// A device that says after a launch, once, that something went wrong.
class Complaining : public StandIn {
 public:
  Complaining() : StandIn({&fused()}) {}
  std::string synchronise() override { return std::exchange(pending, ""); }
  static inline std::string pending;
};

TEST(Comparison, AnErrorOfTheDeviceIsALineAndAFinding) {
  oddtile_implementation errs = fused();
  errs.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) {
    Complaining::pending = "misaligned address";
    return oddtile_ok;
  };
  Complaining machine;
  const auto entries = compared(kSoftmax, {&fused(), &errs}, kParts, machine);
  EXPECT_EQ(entries[0].verdict, "pass");
  EXPECT_EQ(entries[1].problem, "misaligned address");
}

TEST(Comparison, AConfigurationIsTheBaselinesAndHasItsNameElsewhere) {
  // The same configurations, the other way round.
  oddtile_implementation reversed = fused();
  reversed.configurations = [](const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
    const int32_t count = fused().configurations(problem, ids, capacity);
    std::reverse(ids, ids + count);
    return count;
  };
  const std::vector<Library> libraries = {{"a", &fused()}, {"b", &reversed}};
  MadeUpClock clock = clock_of(2);
  Case subject = case_named("softmax rows=5 columns=8");
  const auto configurations = [&] {
    int32_t offered = 0;
    const auto entries =
        compare(subject, libraries, properties::sim_machine(), clock, {.rounds = 6}, &offered);
    EXPECT_GT(offered, 3);
    return std::pair(entries[0].configuration, entries[1].configuration);
  };
  const auto preferred = configurations();
  EXPECT_NE(preferred.first, preferred.second);
  subject.configuration = 2;
  const auto third = configurations();
  EXPECT_EQ(third.first, third.second);
  EXPECT_NE(third.first, preferred.first);
}

TEST(Comparison, RepeatsAreDividedOut) {
  const auto entries =
      compared(kSoftmax, {&fused(), &fused()}, {.repeats = 5, .elements_made = 512});
  EXPECT_EQ(entries[0].us_median, 2);
  EXPECT_EQ(entries[1].us_median, 4);
  EXPECT_EQ(entries[1].copy_us, 1);
}

}  // namespace
}  // namespace oddtile::reports
