// The choice among the shapes of hopper.cuh.
#include <algorithm>
#include <climits>

#include "kernels/attention/hopper_launch.cuh"
#include "kernels/attention/parameters.h"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// What a tensor map can say of one of q, k, v, o.
bool has_tensor_map(const oddtile_tensor& tensor, int64_t batch, int64_t heads, int64_t rows) {
  constexpr int64_t kMost = int64_t(1) << 39;  // elements of 2 bytes: strides below 2^40 bytes
  const auto takes = [](int64_t stride, int64_t count) {
    return count == 1 || (stride >= 0 && stride < kMost && stride % 8 == 0);
  };
  if (rows == 0) return true;  // and none is asked for
  return rows <= kHopperSequenceMost && reinterpret_cast<uintptr_t>(tensor.data) % 16 == 0 &&
         takes(tensor.batch_stride, batch) && takes(tensor.head_stride, heads) &&
         takes(tensor.row_stride, rows);
}

bool is_general(const oddtile_attention_problem& problem) {
  return problem.mask != nullptr || split_scale(problem.scale).multiplier != 1.0f;
}

// Keys that a query can see at most, of the longest item that there may be.
int64_t keys_seen_at_most(const oddtile_attention_problem& p) {
  const auto clamped = [](int64_t end) {
    return std::clamp<int64_t>(end, -kHopperBandMost, kHopperBandMost);
  };
  const bool bottom_right = p.anchor == oddtile_bottom_right;
  const int64_t last = std::min(bottom_right ? p.seq_k : p.seq_q, kHopperSequenceMost) - 1;
  return std::min(
      {p.seq_k, clamped(p.band_high) - clamped(p.band_low) + 1, last + clamped(p.band_high) + 1});
}

}  // namespace

bool is_banded(const oddtile_attention_problem& problem) {
  return problem.band_high < problem.seq_k - 1 || problem.band_low > 1 - problem.seq_q;
}

bool hopper_takes(const oddtile_attention_problem& p, int shape) {
  if (shape < 0 || shape >= kHopperShapeCount || p.head_dim > kHopperShapes[shape].head_size) {
    return false;
  }
  if (is_general(p) && !kHopperShapes[shape].general) return false;
  // A copy to global memory cuts rows by whole 16 bytes.
  if (p.head_dim % 8 != 0) return false;
  int64_t tiles = ceil_div(p.seq_q, int64_t(kHopperShapes[shape].rows()));
  if (__builtin_mul_overflow(tiles, p.heads_q, &tiles) ||
      __builtin_mul_overflow(tiles, p.batch, &tiles) || tiles > INT32_MAX / 2) {
    return false;
  }
  return has_tensor_map(p.q, p.batch, p.heads_q, p.seq_q) &&
         has_tensor_map(p.k, p.batch, p.heads_kv, p.seq_k) &&
         has_tensor_map(p.v, p.batch, p.heads_kv, p.seq_k) &&
         has_tensor_map(p.o, p.batch, p.heads_q, p.seq_q) && hopper_runs();
}

int hopper_preferred(const oddtile_attention_problem& p) {
  const int by_size = p.head_dim <= 64 ? 0 : p.head_dim <= 128 ? 1 : 2;
  constexpr int kGeneral[] = {5, 6, 7};
  constexpr int kFull[] = {0, 2, 4};
  constexpr int kBanded[] = {1, 2, 4};
  constexpr int64_t kFewKeys = 4096;
  if (is_general(p)) return kGeneral[by_size];
  if (!is_banded(p)) return kFull[by_size];
  return by_size == 1 && keys_seen_at_most(p) <= kFewKeys ? 3 : kBanded[by_size];
}

}  // namespace oddtile::ODDTILE_MACHINE
