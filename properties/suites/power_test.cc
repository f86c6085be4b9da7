// Generated cases can show a fault: judged on exact outputs, at least 99 in 100 are not vacuous.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "oracles/case/text.h"
#include "oracles/judge/fill.h"
#include "oracles/judge/judge.h"
#include "properties/gen/draw.h"
#include "properties/harness/buffers.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

constexpr int kCases = 2000;
constexpr int64_t kWork = 150'000;  // most cases of a suite are no larger

// The profile that `which` would run the case with; false where it declines the case.
bool profile_of(const oddtile_implementation& which, const Workload& workload,
                oddtile_profile& profile) {
  std::vector<void*> addresses;
  for (const Tensor& tensor : workload.tensors)
    addresses.push_back(const_cast<std::byte*>(tensor.bytes.data()));
  const oddtile_problem problem = oracles::bind(workload, addresses);
  const Choice choice = choose_configuration(which, problem, workload.subject.configuration);
  return choice.id >= 0 && which.describe(&problem, choice.id, &profile) == oddtile_ok;
}

struct Shares {
  int cases = 0, vacuous = 0, suspect = 0, extreme = 0;
  std::string first;  // vacuous case, with the reason
};

bool is_extreme(const Case& subject) {
  const auto* c = std::get_if<AttentionCase>(&subject.problem);
  if (c == nullptr) return false;
  return c->scores == Scores::deep || c->scores == Scores::deeper ||
         c->scores == Scores::fp16_overflow || c->scores == Scores::fused_exponent;
}

void expect_powerful(oddtile_kernel kernel) {
  std::map<std::string, Shares> shares;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const Case subject = draw(kernel, random, kWork);
    const Workload workload = materialise(subject, Poison::nan);
    const Outputs outputs = exact_outputs(workload);
    for (const oddtile_implementation* which : sim_machine().implementations()) {
      oddtile_profile profile = {};
      if (!profile_of(*which, workload, profile)) continue;
      const Judgement judgement = judge(workload, outputs, profile);
      ASSERT_NE(judgement.verdict, Verdict::fail) << print(subject) << judgement.explanation;
      Shares& share = shares[which->name];
      ++share.cases;
      share.suspect += judgement.verdict == Verdict::suspect;
      share.extreme += is_extreme(subject);
      if (judgement.verdict != Verdict::vacuous) continue;
      if (share.vacuous++ == 0) share.first = print(subject) + ": " + judgement.explanation;
    }
  }
  for (const auto& [name, share] : shares) {
    fmt::print("{} of {}: {} of {} cases vacuous, {} suspect, {} extreme\n", kernel_name(kernel),
               name, share.vacuous, share.cases, share.suspect, share.extreme);
    EXPECT_GE(share.cases, kCases / 2) << name;
    EXPECT_LE(100 * share.vacuous, share.cases) << name << ": " << share.first;
    EXPECT_EQ(share.suspect, 0) << name;
    if (kernel == oddtile_kernel_attention) {
      EXPECT_GE(share.extreme, share.cases / 8) << "extremes are drawn";
    }
  }
}

TEST(Power, OfGeneratedAttention) {
  expect_powerful(oddtile_kernel_attention);
}
TEST(Power, OfGeneratedSoftmax) {
  expect_powerful(oddtile_kernel_softmax);
}
TEST(Power, OfGeneratedVectorAdd) {
  expect_powerful(oddtile_kernel_vector_add);
}

}  // namespace
}  // namespace oddtile::properties
