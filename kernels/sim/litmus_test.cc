// Runs every litmus kernel under many schedules and holds it to the verdict of its first line.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include "kernels/sim/litmus/memory.h"
#include "kernels/sim/litmus_cases.h"
#include "kernels/sim/machine.h"

namespace oddtile::sim {

void PrintTo(const LitmusCase& litmus, std::ostream* stream) {
  *stream << litmus.name;
}

namespace {

constexpr uint64_t kSchedules = 200;

struct Observed {
  std::vector<Hazard> hazards;
  bool result_right = true;
};

struct Expected {
  bool pass = false;
  std::string what;  // name of a hazard, or "result"
  bool every_schedule = true;
};

Expected parse(const std::string& verdict) {
  Expected expected;
  expected.pass = verdict.rfind("// pass:", 0) == 0;
  if (expected.pass) return expected;
  const std::string fail = "// fail ";
  EXPECT_EQ(verdict.rfind(fail, 0), 0u) << verdict;
  const std::string rest = verdict.substr(fail.size(), verdict.find(':') - fail.size());
  expected.what = rest.substr(0, rest.find(' '));
  expected.every_schedule = rest.find(" under some schedule") == std::string::npos;
  return expected;
}

Observed observe(Machine& machine, const LitmusCase& litmus, uint64_t schedule) {
  const auto memory = std::make_unique<LitmusMemory>();
  fill(*memory);
  machine.begin(schedule);
  machine.allow(memory->in, sizeof(memory->in), "in");
  machine.allow(memory->out, sizeof(memory->out), "out");
  machine.allow(memory->tile, sizeof(memory->tile), "tile");
  machine.allow(memory->stored, sizeof(memory->stored), "stored");
  machine.allow(&memory->counter, sizeof(memory->counter), "counter");
  Litmus parameters;
  EXPECT_TRUE(describe(*memory, encode_tensor_map, &parameters));
  EXPECT_TRUE(launch(litmus.kernel, litmus.name.c_str(), litmus.shape, &machine, parameters));
  Observed observed{machine.hazards()};
  const int64_t threads = litmus.shape.blocks * litmus.shape.threads;
  for (int64_t t = 0; t < threads; ++t) observed.result_right &= memory->out[t] == 1.0f;
  return observed;
}

bool shows(const Observed& observed, const std::string& what) {
  if (what == "result") return !observed.result_right;
  for (const Hazard& hazard : observed.hazards) {
    if (hazard.text().rfind(what + " in ", 0) == 0) return true;
  }
  return false;
}

class LitmusTest : public testing::TestWithParam<LitmusCase> {};

TEST_P(LitmusTest, gives_the_verdict_of_its_first_line) {
  const LitmusCase& litmus = GetParam();
  const Expected expected = parse(litmus.verdict);
  ASSERT_EQ(expected.pass, litmus.name.rfind("pass/", 0) == 0) << "the folder says otherwise";
  Machine machine;
  uint64_t shown = 0;
  std::optional<uint64_t> first;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const Observed observed = observe(machine, litmus, schedule);
    if (expected.pass) {
      for (const Hazard& hazard : observed.hazards) {
        ADD_FAILURE() << "schedule " << schedule << ": " << hazard.text();
      }
      ASSERT_TRUE(observed.result_right) << "schedule " << schedule;
      ASSERT_TRUE(observed.hazards.empty());
    } else if (shows(observed, expected.what)) {
      ++shown;
      if (!first) first = schedule;
    }
    if (schedule == 0 && !observed.hazards.empty()) {
      std::printf("  %s\n", observed.hazards.front().text().c_str());
    }
  }
  if (expected.pass) return;
  if (expected.every_schedule) {
    EXPECT_EQ(shown, kSchedules);
  } else {
    EXPECT_GT(shown, 0u);
    EXPECT_LT(shown, kSchedules) << "shown under every schedule: let the first line say so";
    if (first) std::printf("  first under schedule %llu\n", (unsigned long long)*first);
  }
}

std::string test_name(const testing::TestParamInfo<LitmusCase>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '/' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(all, LitmusTest, testing::ValuesIn(litmus_cases()), test_name);

TEST(LitmusCases, both_folders_are_there) {
  int pass = 0;
  for (const LitmusCase& litmus : litmus_cases()) pass += litmus.name.rfind("pass/", 0) == 0;
  EXPECT_GE(pass, 10);
  EXPECT_GE(int(litmus_cases().size()) - pass, 10);
}

}  // namespace
}  // namespace oddtile::sim
