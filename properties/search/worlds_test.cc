#include "properties/search/worlds.h"

#include <gtest/gtest.h>

#include <set>

#include "oracles/case/text.h"
#include "properties/search/canary.h"

namespace oddtile::properties {
namespace {

const World& named(const std::vector<World>& worlds, const std::string& name) {
  for (const World& world : worlds)
    if (world.name == name) return world;
  ADD_FAILURE() << "no world " << name;
  return worlds[0];
}

TEST(worlds, hold_every_size_and_no_case_twice) {
  const std::vector<World> worlds = small_worlds(sim_machine());
  const World& attention = named(worlds, "attention");
  EXPECT_EQ(attention.factors[0], 35);  // 0..34: two tiles of 16 + 2
  EXPECT_EQ(attention.factors[1], 35);
  EXPECT_EQ(attention.tile_rows, 16);
  EXPECT_EQ(attention.tile_columns, 16);
  EXPECT_EQ(named(worlds, "softmax").factors[0], 99);  // 0..98: three warps' worth + 2
  for (const World& world : worlds) {
    std::set<std::string> texts;
    for (int64_t index = 0; index < world.size(); index += 997)
      texts.insert(oracles::print(world.at(index)));
    EXPECT_EQ(int64_t(texts.size()), (world.size() + 996) / 997) << world.name;
  }
}

TEST(worlds, a_sample_meets_every_value_of_every_factor) {
  for (const World& world : small_worlds(sim_machine())) {
    std::vector<std::set<int64_t>> met(world.factors.size());
    for (int64_t at = 0; at < world.sample_size(); ++at) {
      int64_t index = world.sampled(at);
      ASSERT_TRUE(index >= 0 && index < world.size());
      for (size_t i = world.factors.size(); i-- > 0; index /= world.factors[i])
        met[i].insert(index % world.factors[i]);
    }
    for (size_t i = 0; i < met.size(); ++i)
      EXPECT_EQ(int64_t(met[i].size()), world.factors[i]) << world.name << " factor " << i;
  }
}

World tiny() {
  World world;
  world.name = "tiny";
  world.product = "0..40 elements";
  world.factors = {41};
  world.sizes = 1;
  world.make = [](const std::vector<int64_t>& digits) {
    return oracles::Case{oracles::VectorAddCase{.dtype = oddtile_fp16, .n = digits[0]}};
  };
  return world;
}

TEST(cover, is_complete_only_when_everything_was_run) {
  const Coverage all = cover(tiny(), sim_machine(), {});
  EXPECT_EQ(all.text(), "covered: complete (41 cases, 820 elements judged)");
  WorldOptions options;
  options.seconds_at_most = 0;
  const Coverage none = cover(tiny(), sim_machine(), options);
  EXPECT_EQ(none.text(), "covered: 0 of 41 cases (0 elements judged)");
}

// Wrong for one size alone.
class CanaryMachine : public Machine {
 public:
  explicit CanaryMachine(Machine& machine) : machine_(machine) {}
  std::string name() const override { return "canary"; }
  std::string description() const override { return machine_.description(); }
  void* allocate(int64_t bytes) override { return machine_.allocate(bytes); }
  void release(void* address) override { machine_.release(address); }
  void copy_in(void* to, const void* from, int64_t bytes) override {
    machine_.copy_in(to, from, bytes);
  }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    machine_.copy_out(to, from, bytes);
  }
  void fill(void* to, int value, int64_t bytes) override { machine_.fill(to, value, bytes); }
  void allow(void* address, int64_t bytes, const std::string& name) override {
    machine_.allow(address, bytes, name);
  }
  void begin(uint64_t schedule) override { machine_.begin(schedule); }
  void* stream() override { return machine_.stream(); }
  std::string synchronise() override { return machine_.synchronise(); }
  std::vector<const oddtile_implementation*> implementations() const override {
    return {&canary()};
  }

 private:
  Machine& machine_;
};

TEST(cover, finds_the_one_size_that_is_wrong) {
  CanaryMachine machine(sim_machine());
  const Coverage coverage = cover(tiny(), machine, {});
  EXPECT_EQ(coverage.failed, 1);
  ASSERT_EQ(coverage.failures.size(), 1u);
  EXPECT_NE(coverage.failures[0].find("n=33"), std::string::npos) << coverage.failures[0];
  EXPECT_NE(coverage.text().find("1 FAILED"), std::string::npos);
  EXPECT_EQ(coverage.text().find("complete"), std::string::npos);
}

}  // namespace
}  // namespace oddtile::properties
