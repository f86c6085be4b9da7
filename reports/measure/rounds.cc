#include "reports/measure/rounds.h"

#include <numeric>
#include <utility>

namespace oddtile::reports {

std::vector<int> random_order(int count, Random& random) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(uint32_t(i) + 1)]);
  return order;
}

std::vector<std::vector<double>> timed_rounds(std::span<const Launch> launches, Timer& timer,
                                              int rounds, const std::function<void(int)>& before) {
  std::vector<std::vector<double>> us(launches.size());
  Random random{uint64_t(rounds)};
  for (int round = 0; round < rounds; ++round) {
    before(round);
    const std::vector<double> now =
        timer.round(launches, random_order(int(launches.size()), random));
    for (size_t i = 0; i < launches.size(); ++i) us[i].push_back(now[i]);
  }
  return us;
}

}  // namespace oddtile::reports
