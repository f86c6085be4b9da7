// How the rows of a softmax problem are cut into tiles.
#include <algorithm>
#include <numeric>

#include "kernels/api/arguments.h"
#include "kernels/base/bits.h"
#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kTileBytes = 17408;      // of x; as many for y
constexpr int64_t kShortTileBytes = 9856;  // where a warp takes one short row at once
constexpr int64_t kMaskedShortTileBytes = 12544;

// Rows that 8 lanes each of a warp take at once lie an odd multiple of 32 bytes apart, a quarter of
// the banks of shared memory. (Those of a multiple of 64 bytes cannot.)
int32_t rows_apart(int64_t row_bytes, const SoftmaxConfiguration& it) {
  constexpr int64_t kQuarter = 32;  // bytes
  return it.narrow || it.lanes == 32 ? 1 : int32_t(kQuarter / std::gcd(kQuarter, row_bytes));
}

}  // namespace

SoftmaxPlan softmax_tile_plan(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it) {
  // As staged in shared memory, the bytes before and after a run included.
  const auto staged = [](int64_t bytes) { return round_up(bytes + 15, int64_t(16)); };
  const int64_t row_bytes = p.y_row_stride * element_bytes(p.dtype);
  const int32_t apart = rows_apart(row_bytes, it);
  const int64_t together = int64_t(32 / it.lanes) * apart;
  // Tiles then start on a vector of y if the first does.
  const int64_t multiple = std::max(together, 16 / element_bytes(p.dtype));
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
