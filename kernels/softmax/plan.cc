// The launch that a configuration means for a softmax problem, its id, and which configurations a
// problem may have.
#include "kernels/softmax/plan.h"

#include <algorithm>

#include "kernels/api/arguments.h"
#include "kernels/base/bits.h"

namespace oddtile {
namespace {

constexpr int32_t kWideFrame = 128;     // bytes
constexpr int64_t kExchange = 640;      // bytes of shared memory for reductions over a block
constexpr int32_t kFewestThreads = 64;  // of a block that holds one row, 4 vectors a lane

bool is_shared(const SoftmaxConfiguration& it) {
  return it.form == SoftmaxForm::shared || it.form == SoftmaxForm::staying;
}

int64_t threads_of_block(int64_t vectors, const SoftmaxConfiguration& it) {
  return softmax_block_threads(vectors, it.vectors) + 32 * it.spare;
}

// The blocks that share a row.
int64_t cluster_blocks(int64_t vectors, const SoftmaxConfiguration& it) {
  if (it.cluster > 0) return it.cluster;
  return std::max<int64_t>(1, ceil_div(vectors, int64_t(it.threads) * it.vectors));
}

bool is_plain_fp32(const oddtile_softmax_problem& p) {
  return p.dtype == oddtile_fp32 && p.mask == nullptr;
}

// Whether a warp reads by vectors of x and moves what it has read to those of y.
bool moves_in_shared_memory(const oddtile_softmax_problem& p) {
  return p.mask == nullptr && element_bytes(p.dtype) == 2 && softmax_moves(p);
}

// Equal strides, and gaps between rows that are less than a vector of rows that are more.
bool suits_tiles(const oddtile_softmax_problem& p) {
  if (p.rows <= 1 || p.columns == 0) return false;  // strides may be anything
  const int64_t width = softmax_width(p.dtype, false);
  const int64_t gap = p.y_row_stride - p.columns;
  const bool masked = p.mask != nullptr;
  return (element_bytes(p.dtype) == 2 || masked) && p.x_row_stride == p.y_row_stride &&
         (!masked || p.mask_row_stride == p.y_row_stride) &&
         (gap == 0 || (gap > 0 && gap < width && p.columns >= 2 * width));
}

bool holds(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it) {
  const int64_t vectors = softmax_row_vectors(p, it);
  const int64_t cluster = cluster_blocks(vectors, it);
  switch (it.form) {
    case SoftmaxForm::lanes:
      return vectors <= int64_t(it.lanes) * it.vectors;
    case SoftmaxForm::block:
      if (it.vectors == 2 && !it.narrow && !is_plain_fp32(p)) return false;
      return threads_of_block(vectors, it) <= kSoftmaxMostThreads;
    case SoftmaxForm::staying:
      if (!softmax_can_stay(p)) return false;
      [[fallthrough]];
    case SoftmaxForm::shared:
      // Not for rows that would leave most of its lanes idle, but for fuzzing.
      return (it.threads == 32 || vectors >= int64_t(it.threads) * it.vectors * cluster / 2) &&
             vectors < int64_t(1) << 20 && p.rows <= kMostBlocks / cluster;
    case SoftmaxForm::tile:
      return suits_tiles(p) && p.columns >= int64_t(it.lanes) * it.least &&
             p.columns <= int64_t(it.lanes) * it.vectors;
    case SoftmaxForm::words:
      return is_plain_fp32(p) && p.columns >= int64_t(it.lanes) * it.least &&
             p.columns <= int64_t(it.lanes) * it.vectors;
    case SoftmaxForm::online:
      return true;
    case SoftmaxForm::few:
      return p.mask == nullptr && softmax_rows_are_whole(p, it.narrow) &&
             vectors <= int64_t(it.threads) * it.vectors;
  }
  return false;
}

}  // namespace

int64_t softmax_row_vectors(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it) {
  const SoftmaxFrame frame = softmax_frame(p, it);
  const int64_t lead =
      frame.step != 0 ? frame.bytes / element_bytes(p.dtype) - 1 : int64_t(frame.lead);
  return ceil_div(p.columns + lead, int64_t(softmax_width(p.dtype, it.narrow)));
}

int64_t softmax_block_threads(int64_t vectors, int32_t of_a_lane) {
  const int64_t fewest = of_a_lane == 4 ? kFewestThreads : 32;
  return std::max(fewest, round_up(ceil_div(vectors, int64_t(of_a_lane)), int64_t(32)));
}

SoftmaxRowAddresses softmax_row_addresses(const oddtile_softmax_problem& p, const void* data,
                                          int64_t stride) {
  // An unsigned product may wrap; where there is one row its stride does not matter.
  const uint64_t step = uint64_t(p.rows > 1 ? stride : 0) * uint64_t(element_bytes(p.dtype));
  return {int64_t(reinterpret_cast<uintptr_t>(data) & 0xFFFu), int64_t(step & 0xFFFu)};
}

int32_t softmax_width(oddtile_dtype dtype, bool narrow) {
  return narrow ? 2 : 16 / int32_t(element_bytes(dtype));
}

SoftmaxFrame softmax_frame(const oddtile_softmax_problem& p, const SoftmaxConfiguration& it) {
  const int64_t size = element_bytes(p.dtype);
  const SoftmaxRowAddresses y = softmax_row_addresses(p, p.y, p.y_row_stride);
  const int64_t vector_bytes = softmax_width(p.dtype, it.narrow) * size;
  const bool aligned = y.are_multiples_of(vector_bytes);
  const int64_t bytes = aligned || it.narrow || it.close ? vector_bytes : kWideFrame;
  return {int32_t(bytes), int32_t(y.first % bytes / size), int32_t(y.step % bytes / size)};
}

bool softmax_rows_are_whole(const oddtile_softmax_problem& p, bool narrow) {
  const int64_t width = softmax_width(p.dtype, narrow);
  const int64_t vector_bytes = width * element_bytes(p.dtype);
  return p.columns % width == 0 &&
         softmax_row_addresses(p, p.x, p.x_row_stride).are_multiples_of(vector_bytes) &&
         softmax_row_addresses(p, p.y, p.y_row_stride).are_multiples_of(vector_bytes);
}

bool softmax_moves(const oddtile_softmax_problem& p) {
  const SoftmaxRowAddresses x = softmax_row_addresses(p, p.x, p.x_row_stride);
  const SoftmaxRowAddresses y = softmax_row_addresses(p, p.y, p.y_row_stride);
  return (y.first - x.first) % 16 != 0 || (y.step - x.step) % 16 != 0;
}

bool softmax_cuts_sectors(const oddtile_softmax_problem& p) {
  return p.rows > 1 && p.y_row_stride > p.columns && p.x != p.y;
}

bool softmax_can_stay(const oddtile_softmax_problem& p) {
  return p.mask == nullptr && !softmax_moves(p);
}

int32_t softmax_id(const oddtile_softmax_problem& p, int32_t index) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  if (softmax_sums_by_columns(it)) return index;  // wherever they lie
  const SoftmaxFrame frame = softmax_frame(p, it);
  return index | frame.lead << 8 | frame.step << 16;
}

SoftmaxPlan softmax_plan(const oddtile_softmax_problem& p, int32_t index) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  const int64_t vectors = softmax_row_vectors(p, it);
  if (it.form == SoftmaxForm::tile) return softmax_tile_plan(p, it);
  if (it.form == SoftmaxForm::lanes || it.form == SoftmaxForm::words) {
    const int64_t rows = int64_t(it.threads / it.lanes) * it.rows;
    return {.blocks = ceil_div(p.rows, rows), .threads = it.threads};
  }
  const int64_t cluster = cluster_blocks(vectors, it);
  SoftmaxPlan plan = {.blocks = p.rows * cluster,
                      .threads = it.threads,
                      .shared_bytes = kExchange,
                      .cluster_blocks = int32_t(cluster)};
  if (it.form == SoftmaxForm::block) plan.threads = int32_t(threads_of_block(vectors, it));
  if (is_shared(it)) {
    // The blocks of a cluster take turns with its vectors.
    const int64_t of_a_lane = ceil_div(vectors, int64_t(it.threads) * cluster);
    plan.shared_slots = int32_t(std::max<int64_t>(0, of_a_lane - it.vectors));
    const int64_t lanes = int64_t(plan.shared_slots) * it.threads;
    plan.shared_bytes += lanes * 16;
    if (p.mask != nullptr) {
      plan.shared_bytes += lanes;  // which elements are visible
    } else if (moves_in_shared_memory(p)) {
      // Two vectors behind those of each warp; a place for one of each lane, and two behind each
      // of those in registers.
      const int64_t warps = it.threads / 32;
      plan.shared_bytes += warps * (2 * plan.shared_slots + 32 + 2 * it.vectors) * 16;
    }
  }
  return plan;
}

bool softmax_admits(const oddtile_softmax_problem& p, int32_t index,
                    const SoftmaxMachine& machine) {
  if (index < 0 || index >= kSoftmaxCount) return false;
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  if (!holds(p, it)) return false;
  const SoftmaxPlan plan = softmax_plan(p, index);
  return plan.cluster_blocks <= machine.cluster_blocks && plan.blocks <= kMostBlocks &&
         plan.shared_bytes <= machine.shared_bytes;
}

int64_t softmax_rescales(const oddtile_softmax_problem& p, int32_t index) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  if (is_shared(it)) {
    // After each pair of a lane's slots, into the block's frame, into that of the row.
    const SoftmaxPlan plan = softmax_plan(p, index);
    const int64_t pairs = ceil_div(int64_t(plan.shared_slots), int64_t(2));
    // Each that changes a sum has met another vector of the row.
    const int64_t width = softmax_width(p.dtype, it.narrow);
    const int64_t others = (p.columns + width - 2) / width;
    return std::min(pairs + 1 + (plan.cluster_blocks > 1 ? 1 : 0), others);
  }
  if (it.form != SoftmaxForm::online) return 0;
  // Between two steps of a lane, and once more into the row's own frame.
  return ceil_div(softmax_row_vectors(p, it), int64_t(it.threads) * it.vectors);
}

}  // namespace oddtile
