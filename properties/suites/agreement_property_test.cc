// A kernel on a GPU beside the same configuration on the simulator, which computes as that GPU does
// where its arithmetic has been measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "oracles/case/text.h"
#include "properties/checks/agreement.h"
#include "properties/gen/gen.h"
#include "properties/suites/suite.h"

namespace oddtile::properties {
namespace {

struct Sum {
  int64_t cases = 0, not_compared = 0;
  std::map<std::string, Bits> outputs;  // by name

  void add(const oracles::Case& subject, const Agreement& agreement) {
    ++cases;
    not_compared += !agreement.compared;
    for (const Bits& bits : agreement.outputs) {
      Bits& sum = outputs[std::string(oracles::role_name(bits.role))];
      sum.elements += bits.elements;
      sum.others += bits.others;
      if (sum.first.empty() && bits.others > 0) {
        sum.first = fmt::format("{}: {}", oracles::print(subject), bits.first);
      }
    }
  }
  void print() const {
    fmt::print("{}: {} cases, {} of them not offered by both\n", suite_options().name, cases,
               not_compared);
    for (const auto& [name, bits] : outputs) {
      fmt::print("  {}: {} of {} elements have other bits{}{}\n", name, bits.others, bits.elements,
                 bits.first.empty() ? "" : "; the first: ", bits.first);
    }
  }
};

// The simulator then computes all that our kernels use as the GPU does.
bool has_its_bits(const oracles::HardwareProfile* hardware) {
  return hardware != nullptr && hardware->exp2.simulated && hardware->log2.simulated;
}

// The fused kernel of each, since only that has the same source. Where the simulator has the GPU's
// arithmetic they have the same bits, too.
void both_stay_within_their_bounds(const rc::Gen<oracles::Case>& cases) {
  const std::unique_ptr<Machine> simulator = make_sim_machine();
  simulator->imitate(suite_machine().hardware());
  const bool same_bits = has_its_bits(suite_machine().hardware());
  const Runner device = {suite_implementation(), suite_machine()};
  const Runner simulated = {*simulator->implementations().front(), *simulator};
  Sum sum;
  EXPECT_TRUE(rc::check(suite_options().name, [&] {
    const oracles::Case subject = *cases;
    const Agreement agreement = compare_runs(subject, device, simulated);
    sum.add(subject, agreement);
    if (!agreement.broken.empty()) RC_FAIL(agreement.broken);
    const std::string difference = first_difference(agreement);
    if (same_bits && !difference.empty()) RC_FAIL("other bits: " + difference);
  }));
  EXPECT_GT(sum.cases, sum.not_compared) << "nothing was compared";
  sum.print();
}

}  // namespace

TEST(agreement, attention) {
  both_stay_within_their_bounds(any_attention());
}
TEST(agreement, softmax) {
  both_stay_within_their_bounds(any_softmax());
}
TEST(agreement, vector_add) {
  both_stay_within_their_bounds(any_vector_add());
}

}  // namespace oddtile::properties
