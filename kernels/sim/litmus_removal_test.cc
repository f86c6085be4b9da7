// Every synchronisation word of attention in small and of exchanges within a cluster is needed:
// each is switched off alone, and a hazard or a wrong result must follow. Needs instrumented
// kernels.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/sim/litmus/memory.h"
#include "kernels/sim/litmus_cases.h"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

constexpr uint64_t kSchedules = 100;
constexpr uint64_t kStride = 11;  // meets every policy

// What the run shows: the first hazard, "wrong result", or nothing.
std::string run(Machine& machine, const LitmusCase& litmus, uint64_t schedule) {
  const auto memory = std::make_unique<LitmusMemory>();
  fill(*memory);
  machine.begin(schedule);
  machine.allow(memory.get(), sizeof(LitmusMemory), "memory");
  Litmus parameters;
  EXPECT_TRUE(describe(*memory, encode_tensor_map, &parameters));
  EXPECT_TRUE(launch(litmus.kernel, litmus.name.c_str(), litmus.shape, &machine, parameters));
  if (!machine.hazards().empty()) return machine.hazards().front().text();
  for (int thread = 0; thread < litmus.shape.threads; ++thread) {
    if (memory->out[thread] != 1.0f) return "wrong result";
  }
  return "";
}

// At least so many words, each of which something misses.
void expect_all_needed(const std::string& name, size_t words_min) {
  const LitmusCase* kernel = nullptr;
  for (const LitmusCase& litmus : litmus_cases()) {
    if (litmus.name == name) kernel = &litmus;
  }
  ASSERT_NE(kernel, nullptr) << name;
  Machine machine;
  machine.list_synchronisation(true);
  ASSERT_EQ(run(machine, *kernel, 0), "");
  const std::vector<SynchronisationSite> sites = machine.synchronisation_sites();
  EXPECT_GE(sites.size(), words_min);
  machine.list_synchronisation(false);
  for (const SynchronisationSite& site : sites) {
    machine.with_everything();
    machine.without(site.file, site.line);
    std::string shown;
    uint64_t tried = 0;
    while (shown.empty() && tried < kSchedules) shown = run(machine, *kernel, kStride * tried++);
    std::printf("  %s, %s:%d: %s after %llu\n", site.word.c_str(), site.file.c_str(), site.line,
                shown.empty() ? "not missed" : shown.c_str(), (unsigned long long)tried);
    EXPECT_FALSE(shown.empty()) << site.word << " at " << site.file << ":" << site.line;
  }
}

TEST(LitmusRemoval, every_word_of_attention_in_small_is_needed) {
  expect_all_needed("pass/attention_in_small", 20);
}

TEST(LitmusRemoval, every_word_between_the_blocks_of_a_cluster_is_needed) {
  expect_all_needed("pass/cluster_exchange", 4);
  expect_all_needed("pass/cluster_reduction", 4);
  expect_all_needed("pass/cluster_arrives_early", 4);
}

}  // namespace
}  // namespace oddtile::sim
