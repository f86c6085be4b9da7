// `oddtile worlds`: small worlds in full. What was not run is said, never passed over.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>

#include "properties/search/additions.h"
#include "reports/cli/selection.h"

namespace oddtile::reports {
namespace {

using properties::Coverage;
using properties::World;
using properties::WorldOptions;

constexpr const char* kSums = "fp16_sums";

std::atomic<bool> interrupted = false;

void interrupt(int) {
  interrupted = true;
}

void show(const Coverage& coverage, double seconds) {
  fmt::print("{}: {}\n  {}\n  {:.1f} s, {} elements outside the domain of their bound\n",
             coverage.world, coverage.text(), coverage.product, seconds, coverage.not_judged);
  for (const std::string& failure : coverage.failures) fmt::print("FAILED: {}\n", failure);
  std::fflush(stdout);
}

WorldOptions options_of(const WorldsOptions& options) {
  WorldOptions result;
  result.sample = options.sample;
  result.stop = &interrupted;
  if (options.seconds_at_most > 0) result.seconds_at_most = options.seconds_at_most;
  if (isatty(STDERR_FILENO) == 1) {
    result.progress = [](int64_t done, int64_t total) {
      fmt::print(stderr, "\r\033[K{} of {} cases\r", done, total);
      std::fflush(stderr);
    };
  }
  return result;
}

// All pairs of fp16 numbers on a GPU; the simulator would take days, and gets some of each sign.
Coverage cover_sums(properties::Machine& machine, const WorldOptions& options, bool all) {
  const oddtile_implementation& fused = *machine.implementations()[0];
  return properties::cover_additions(fused, machine, all ? 0 : 0x3BFE, all ? 65536 : 0x3C02,
                                     options);
}

}  // namespace

int worlds_command(const WorldsOptions& options) {
  properties::Machine& machine = machine_named(options.machine);
  const std::vector<World> worlds = properties::small_worlds(machine);
  const bool gpu = machine.name() != "sim";
  std::string known;
  for (const World& world : worlds) known += world.name + ", ";
  bool found = options.world.empty() || options.world == kSums;
  for (const World& world : worlds) found |= options.world == world.name;
  if (!found)
    throw WrongUse(fmt::format("unknown world '{}'; worlds: {}{}", options.world, known, kSums));
  std::signal(SIGINT, interrupt);
  const WorldOptions limits = options_of(options);
  int64_t failed = 0;
  const auto run = [&](const auto& cover) {
    const auto begin = std::chrono::steady_clock::now();
    const Coverage coverage = cover();
    show(coverage, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    failed += coverage.failed;
  };
  for (const World& world : worlds)
    if (options.world.empty() || options.world == world.name)
      run([&] { return properties::cover(world, machine, limits); });
  if (options.world.empty() || options.world == kSums)
    run([&] { return cover_sums(machine, limits, gpu && !options.sample); });
  return failed > 0 ? 1 : 0;
}

}  // namespace oddtile::reports
