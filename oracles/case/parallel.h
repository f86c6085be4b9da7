// parallel_for: independent chunks on all cores. What a chunk computes must not depend on the
// split, so that a case means the same data on every machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace oddtile::oracles {

// Calls body(begin, end) over [0, count) in pieces of at most `grain`. `work` is the rough number
// of elements touched in all: little work stays on the calling thread (a fuzz run makes thousands
// of tiny cases a second).
template <class Body>
void parallel_for(int64_t count, int64_t grain, int64_t work, const Body& body) {
  constexpr int64_t kWorthThreads = 1 << 19;
  const int64_t threads =
      work < kWorthThreads ? 1 : std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::atomic<int64_t> next = 0;
  const auto run = [&] {
    for (;;) {
      const int64_t begin = next.fetch_add(grain);
      if (begin >= count) return;
      body(begin, std::min(count, begin + grain));
    }
  };
  std::vector<std::thread> helpers;
  for (int64_t thread = 1; thread < threads; ++thread) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace oddtile::oracles
