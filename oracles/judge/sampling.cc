#include <algorithm>

#include "kernels/base/random.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

// Tiles of fewer rows have edges everywhere: a sample that held them all would not be one.
constexpr int64_t kSmallestTile = 8;

// Offsets within a stretch that are the first or the last row of a tile, or of the stretch.
std::vector<int64_t> tile_edges(int64_t stretch, int64_t period) {
  std::vector<int64_t> edges = {0};
  if (stretch > 1) edges.push_back(stretch - 1);
  if (period < kSmallestTile) return edges;
  for (int64_t first = period; first < stretch; first += period) {
    edges.push_back(first - 1);
    edges.push_back(first);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::vector<int64_t> sampled_rows(int64_t rows, int64_t stretch, int64_t period,
                                  const Sampling& sampling) {
  std::vector<int64_t> chosen;
  if (rows <= 0) return chosen;
  if (rows <= sampling.rows_at_most) {
    chosen.resize(size_t(rows));
    for (int64_t row = 0; row < rows; ++row) chosen[size_t(row)] = row;
    return chosen;
  }
  Random random = Random(sampling.seed).split(0x726f7773);
  const int64_t stretches = rows / stretch;
  const std::vector<int64_t> edges = tile_edges(stretch, period);
  chosen = {0, rows - 1};
  const bool all = int64_t(edges.size()) * stretches <= sampling.rows_at_most;
  for (const int64_t edge : edges) {
    if (!all) {
      chosen.push_back(random.between(0, stretches - 1) * stretch + edge);
      continue;
    }
    for (int64_t s = 0; s < stretches; ++s) chosen.push_back(s * stretch + edge);
  }
  const auto distinct = [&chosen] {
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  };
  distinct();
  // rows > rows_at_most, so that random draws find new rows in the end; a few may be repeats.
  for (int round = 0; round < 8 && int64_t(chosen.size()) < sampling.rows_at_most; ++round) {
    const int64_t missing = sampling.rows_at_most - int64_t(chosen.size());
    for (int64_t draw = 0; draw < missing; ++draw) chosen.push_back(random.between(0, rows - 1));
    distinct();
  }
  return chosen;
}

}  // namespace oddtile::oracles
