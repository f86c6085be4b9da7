// Runs every litmus kernel under many schedules and holds it to the verdict of its first line.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <sstream>
#include <vector>

#include "kernels/sim/litmus/memory.h"
#include "kernels/sim/litmus_cases.h"
#include "kernels/sim/machine.h"

namespace oddtile::sim {

void PrintTo(const LitmusCase& litmus, std::ostream* stream) {
  *stream << litmus.name;
}

namespace {

// Seeds name policies by their last three digits (schedule.h): all with all, or, where a run takes
// long, every policy in 100 combinations.
struct Seeds {
  uint64_t count;
  uint64_t stride;
};
Seeds seeds_of(const LitmusCase& litmus) {
  const bool large = litmus.shape.threads > 64 || litmus.shape.shared_bytes > 2048;
  return large ? Seeds{100, 11} : Seeds{1000, 1};
}

struct Observed {
  std::vector<Hazard> hazards;
  bool result_right = true;
};

struct Verdict {
  std::string what;  // name of a hazard, or "result"
  bool every_schedule = true;
  uint64_t shown = 0;
};

// None for a kernel that passes.
std::vector<Verdict> parse(const std::string& line) {
  std::vector<Verdict> verdicts;
  if (line.rfind("// pass:", 0) == 0) return verdicts;
  const std::string fail = "// fail ";
  EXPECT_EQ(line.rfind(fail, 0), 0u) << line;
  std::stringstream all(line.substr(fail.size(), line.find(':') - fail.size()));
  for (std::string one; std::getline(all >> std::ws, one, ',');) {
    const bool every = one.find(" under some schedule") == std::string::npos;
    verdicts.push_back({one.substr(0, one.find(' ')), every});
  }
  return verdicts;
}

// Whether this program can see it: without instrumented kernels no machine looks for races.
bool visible(const Machine& machine, const std::string& what) {
  const bool race = what.find("_race") != std::string::npos || what == "uninitialised_shared_read";
  return !race || machine.detects_races();
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
  std::vector<Verdict> verdicts = parse(litmus.verdict);
  ASSERT_EQ(verdicts.empty(), litmus.name.rfind("pass/", 0) == 0) << "the folder says otherwise";
  Machine machine;
  const Seeds seeds = seeds_of(litmus);
  for (uint64_t schedule = 0; schedule < seeds.count * seeds.stride; schedule += seeds.stride) {
    const Observed observed = observe(machine, litmus, schedule);
    for (Verdict& verdict : verdicts) verdict.shown += shows(observed, verdict.what);
    if (schedule == 0 && !observed.hazards.empty()) {
      std::printf("  %s\n", observed.hazards.front().text().c_str());
    }
    if (!verdicts.empty()) continue;
    for (const Hazard& hazard : observed.hazards) {
      ADD_FAILURE() << "schedule " << schedule << ": " << hazard.text();
    }
    ASSERT_TRUE(observed.result_right) << "schedule " << schedule;
    ASSERT_TRUE(observed.hazards.empty());
  }
  for (const Verdict& verdict : verdicts) {
    if (!visible(machine, verdict.what)) continue;
    std::printf("  %s under %llu of %llu schedules\n", verdict.what.c_str(),
                (unsigned long long)verdict.shown, (unsigned long long)seeds.count);
    if (verdict.every_schedule) {
      EXPECT_EQ(verdict.shown, seeds.count) << verdict.what;
    } else {
      EXPECT_GT(verdict.shown, 0u) << verdict.what;
      EXPECT_LT(verdict.shown, seeds.count) << "under every schedule: let the first line say so";
    }
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
