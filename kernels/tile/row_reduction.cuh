// Reductions over the lanes that share a row, and the weights of a row in its frame.
#pragma once

#include <type_traits>

#include "kernels/dialect/dialect.cuh"
#include "kernels/tile/online_softmax.cuh"

namespace oddtile::ODDTILE_MACHINE {

struct Maximum {
  static constexpr float kIdentity = kNegativeInfinity;
  ODDTILE_DEVICE static float combine(float a, float b) { return maximum(a, b); }
};
struct Sum {
  static constexpr float kIdentity = 0.0f;
  ODDTILE_DEVICE static float combine(float a, float b) { return a + b; }
};

// Combines an array by a tree; its length is a power of two.
template <class Operation, int count>
ODDTILE_DEVICE float combine_all(const float (&values)[count]) {
  if constexpr (count == 1) {
    return values[0];
  } else {
    float half[count / 2];
    ODDTILE_UNROLL
    for (int i = 0; i < count / 2; ++i) {
      half[i] = Operation::combine(values[i], values[i + count / 2]);
    }
    return combine_all<Operation>(half);
  }
}

inline constexpr int kExchangeBytes = 32 * int(sizeof(float));  // of one reduction over a block

// Combines `value` over `lanes` neighbouring lanes, a power of two up to a warp, by a tree; every
// one of them gets the result. All lanes of the warp take part.
template <class Operation, int lanes>
ODDTILE_DEVICE float reduce_lanes(float value) {
  ODDTILE_UNROLL
  for (int32_t step = 1; step < lanes; step *= 2) {
    value = Operation::combine(value, shuffle_xor(value, step));
  }
  return value;
}

// The same over the whole block. `exchange`: 32 floats of shared memory that nothing else uses
// between two barriers.
template <class Operation>
ODDTILE_DEVICE float reduce_block(float value, float* exchange) {
  value = reduce_lanes<Operation, 32>(value);
  if (lane() == 0) exchange[warp()] = value;
  sync_block();
  value = lane() < threads() / 32 ? exchange[lane()] : Operation::kIdentity;
  return reduce_lanes<Operation, 32>(value);
}

// A partial sum of a row's weights, in the frame of its part.
struct RowPart {
  RowFrame frame;
  float sum;
};

// The whole row's frame and sum from the maxima and sums of its `count` parts, at most 32: each
// part is moved once into the row's frame.
ODDTILE_DEVICE RowPart merge_pairs(const Vector<float, 2>* pairs, int32_t count) {
  const bool exists = lane() < count;
  const float max = exists ? pairs[lane()].element[0] : kNegativeInfinity;
  const float sum = exists ? pairs[lane()].element[1] : 0.0f;
  const RowFrame frame = frame_at(reduce_lanes<Maximum, 32>(max), kLog2E);
  const float factor = rescale_factor(frame_at(max, kLog2E), frame, kLog2E);
  return {frame, reduce_lanes<Sum, 32>(sum * factor)};
}

// The same for a number of lanes that only the launch knows: a power of two up to a warp, or the
// whole block.
template <class Operation>
ODDTILE_DEVICE float reduce_row(float value, int32_t lanes, float* exchange) {
  if (lanes > 32) return reduce_block<Operation>(value, exchange);
  for (int32_t step = 1; step < lanes; step *= 2) {
    value = Operation::combine(value, shuffle_xor(value, step));
  }
  return value;
}

// Whether weights of a row of T are exp2((s - max) * c). The largest finite fp16 times log2(e) is
// far below 2^22, and an infinite maximum makes the row NaN in either form.
template <class T>
ODDTILE_DEVICE bool takes_difference(const RowFrame& frame) {
  return !std::is_same_v<T, Half> && takes_difference(frame);
}

// weight_in(frame, s, kLog2E, takes_difference(frame)) for many s: both forms in one expression
// without a branch, (s - shift) * c - reference where one of the two constants is 0.
class RowWeights {
 public:
  ODDTILE_DEVICE explicit RowWeights(const RowFrame& frame)
      : shift_(takes_difference(frame) ? frame.max : 0.0f),
        reference_(takes_difference(frame) ? 0.0f : subtrahend(frame)) {}

  ODDTILE_DEVICE float operator()(float s) const {
    return exp2_approx(fma(s - shift_, kLog2E, -reference_));
  }

 private:
  float shift_;
  float reference_;
};

// The same for rows of which none takes the difference.
class FusedWeights {
 public:
  ODDTILE_DEVICE explicit FusedWeights(const RowFrame& frame) : reference_(subtrahend(frame)) {}
  ODDTILE_DEVICE float operator()(float s) const {
    return exp2_approx(fma(s, kLog2E, -reference_));
  }

 private:
  float reference_;
};

}  // namespace oddtile::ODDTILE_MACHINE
