// Words by their place: counted, and switched off.
#include "kernels/sim/sites.h"

#include <gtest/gtest.h>

#include <memory>

#include "kernels/dialect/dialect.cuh"

namespace oddtile::sim {
namespace {

struct alignas(128) Memory {
  float in[64];
  float out[64];
};
struct Parameters {
  Global<const float> in;
  Global<float> out;
};

ODDTILE_KERNEL(64, 1) exchange_twice(Parameters p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * (thread() / 4), p.in + 4 * (thread() / 4), 16);
  commit_copies();
  wait_copies<0>();
  sync_block();
  sync_warp();
  for (int round = 0; round < 2; ++round) sync_block();
  store(p.out, thread(), values[63 - thread()]);
}

class SitesTest : public testing::Test {
 protected:
  void run(uint64_t seed = 0) {
    for (int i = 0; i < 64; ++i) memory->in[i] = float(i);
    machine.begin(seed);
    machine.allow(memory->in, sizeof(memory->in), "in");
    machine.allow(memory->out, sizeof(memory->out), "out");
    launch(exchange_twice, "exchange_twice", {1, 64, 256}, &machine,
           Parameters{Global<const float>(memory->in), Global<float>(memory->out)});
  }
  const SynchronisationSite* site_of(const std::string& word, size_t nth = 0) {
    sites = machine.synchronisation_sites();
    for (const SynchronisationSite& site : sites) {
      if (site.word == word && nth-- == 0) return &site;
    }
    return nullptr;
  }
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  Machine machine;
  std::vector<SynchronisationSite> sites;
};

TEST_F(SitesTest, are_listed_in_order_with_counts) {
  run();
  EXPECT_TRUE(machine.synchronisation_sites().empty());
  machine.list_synchronisation(true);
  run();
  ASSERT_EQ(machine.synchronisation_sites().size(), 5u);
  const char* kWords[] = {"commit_copies", "wait_copies", "sync_block", "sync_warp", "sync_block"};
  const int64_t kCounts[] = {64, 64, 64, 64, 128};
  int line = 0;
  for (size_t i = 0; i < 5; ++i) {
    const SynchronisationSite site = machine.synchronisation_sites()[i];
    EXPECT_EQ(site.word, kWords[i]);
    EXPECT_EQ(site.count, kCounts[i]);
    EXPECT_EQ(site.file, "kernels/sim/sites_test.cc");
    EXPECT_GT(site.line, line);
    EXPECT_FALSE(site.without);
    line = site.line;
  }
}

TEST_F(SitesTest, do_nothing_when_switched_off) {
  machine.list_synchronisation(true);
  run();
  const int wait = site_of("wait_copies")->line;
  machine.without("sim/sites_test.cc", wait);
  EXPECT_TRUE(site_of("wait_copies")->without);
  EXPECT_FALSE(site_of("sync_block")->without);
  run();  // begin() does not bring it back
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(int(machine.hazards()[0].kind), int(HazardKind::pending_copies_at_exit));
  machine.with_everything();
  run();
  EXPECT_TRUE(machine.hazards().empty());
  machine.without("other.cc", wait);
  run();
  EXPECT_TRUE(machine.hazards().empty());
}

TEST_F(SitesTest, a_missing_barrier_changes_the_result_under_some_schedule) {
  machine.list_synchronisation(true);
  run();
  const int first = site_of("sync_block", 0)->line;
  const int later = site_of("sync_block", 1)->line;
  machine.without("sites_test.cc", first);
  machine.without("sites_test.cc", later);
  bool wrong = false;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    run(seed);
    for (int i = 0; i < 64; ++i) wrong = wrong || memory->out[i] != float(63 - i);
  }
  EXPECT_TRUE(wrong);
  machine.with_everything();
  machine.without("sites_test.cc", first);  // the later ones suffice
  for (uint64_t seed = 0; seed < 100; ++seed) {
    run(seed);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(memory->out[i], float(63 - i));
  }
}

}  // namespace
}  // namespace oddtile::sim
