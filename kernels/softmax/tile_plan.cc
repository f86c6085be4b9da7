// How the rows of a softmax problem are cut into tiles, and which of them a warp takes at once.
#include <algorithm>
#include <iterator>

#include "kernels/api/arguments.h"
#include "kernels/base/bits.h"
#include "kernels/softmax/plan.h"

namespace oddtile {
namespace {

constexpr int64_t kTileBytes = 17408;      // of x; as many for y
constexpr int64_t kShortTileBytes = 9856;  // where a warp takes one short row at once
constexpr int64_t kMaskedShortTileBytes = 12544;

// Words that a warp reads in one bank of shared memory, at most, where it reads rows `step` bytes
// apart at once; a word of two rows counts twice. Rows of 16 bits may start with half a word.
int32_t words_in_a_bank(int64_t step, int64_t size, const SoftmaxConfiguration& it) {
  int32_t words_of_bank[32] = {};
  for (int64_t row = 0; row < 32 / it.lanes; ++row) {
    const int64_t first = row * step + size % 4;
    const int64_t last = first + it.lanes * size - 1;
    for (int64_t word = first / 4; word <= last / 4; ++word) ++words_of_bank[word % 32];
  }
  return *std::max_element(std::begin(words_of_bank), std::end(words_of_bank));
}

// Rows of a tile from one that a warp takes to the next that it takes at the same time: as few as
// keep them in different banks, if a tile has so many.
int32_t rows_apart(int64_t row_bytes, int64_t size, const SoftmaxConfiguration& it) {
  if (it.narrow || it.lanes == 32) return 1;
  const int64_t most = kTileBytes / (32 / it.lanes * row_bytes);
  int32_t best = 1;
  int32_t fewest = words_in_a_bank(row_bytes, size, it);
  for (int32_t apart = 2; fewest > 1 && apart <= most; apart *= 2) {
    const int32_t words = words_in_a_bank(apart * row_bytes, size, it);
    if (words >= fewest) continue;
    best = apart;
    fewest = words;
  }
  return best;
}

}  // namespace

SoftmaxPlan softmax_tile_plan(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it) {
  // As staged in shared memory, the bytes before and after a run included.
  const auto staged = [](int64_t bytes) { return round_up(bytes + 15, int64_t(16)); };
  const int64_t row_bytes = p.y_row_stride * element_bytes(p.dtype);
  const int32_t apart = rows_apart(row_bytes, element_bytes(p.dtype), it);
  const int64_t together = int64_t(32 / it.lanes) * apart;
  // Tiles then start on a vector of y if the first does, and all warps have as much to do.
  const int64_t multiple =
      std::max({together, int64_t(it.threads / it.lanes), 16 / element_bytes(p.dtype)});
  const bool is_short = it.lanes == 32 && it.vectors <= 8;
  const int64_t short_bytes = p.mask == nullptr ? kShortTileBytes : kMaskedShortTileBytes;
  const int64_t fit = (is_short ? short_bytes : kTileBytes) / row_bytes;
  const int64_t many = std::max(fit / multiple * multiple, multiple);
  const int64_t rows = it.narrow ? together : many;  // for fuzzing: tiles enough in a few rows
  return {.blocks = ceil_div(p.rows, rows),
          .threads = it.threads,
          .tile_rows = int32_t(rows),
          .rows_apart = apart,
          .shared_bytes = 2 * staged(rows * row_bytes)};
}

}  // namespace oddtile
