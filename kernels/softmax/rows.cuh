// The two forms of the fused softmax.
//
// A row belongs to `lanes` lanes: part of a warp, a warp, or a block. In the register form every
// lane loads all its vectors at once, the lanes agree on the maximum, then on the sum, and the row
// is written: each byte moves once. fp32 keeps the weights where the input was; 16-bit types keep
// the packed input and compute the weights twice, since as floats they would not fit.
//
// The online form serves rows that do not fit: each lane follows its own maximum and rescales its
// own sum, the block brings them into one frame at the end, and the row is read again, backwards,
// so that what the L2 still holds is met first.
#pragma once

#include "kernels/tile/covered_row.cuh"
#include "kernels/tile/row_reduction.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
struct SoftmaxParameters {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  int64_t x_row_stride;
  int64_t y_row_stride;
  int64_t mask_row_stride;
  int64_t rows;
  int64_t columns;
  int32_t lanes;        // that share a row
  int32_t lane_bits;    // lanes = 2^lane_bits, where they are part of a warp
  int32_t frame_bytes;  // see SoftmaxFrame
};

template <class T, int width, bool masked, class Index>
ODDTILE_DEVICE CoveredRow<T, width, Index> row_of(const SoftmaxParameters<T>& p, int64_t row) {
  const Global<const T> x = p.x + row * p.x_row_stride;
  const auto lead = int64_t(address_modulo(x, uint32_t(p.frame_bytes)) / sizeof(T));
  const Global<T> y = p.y + (row * p.y_row_stride - lead);
  CoveredRow<T, width, Index> result;
  result.x = x + -lead;
  result.y = y;
  if constexpr (masked) result.mask = p.mask + (row * p.mask_row_stride - lead);
  result.lead = Index(lead);
  result.columns = Index(p.columns);
  result.ragged = lead % width != 0 || (lead + p.columns) % width != 0;
  result.y_has_frame = address_modulo(y, uint32_t(sizeof(Packed<T, width>))) == 0;
  return result;
}

// Replaces fp32 inputs by their weights, and returns the weights' sum.
template <class T, int width>
ODDTILE_DEVICE float weigh(const RowWeights<T>& weight, Packed<T, width>* vector) {
  float w[width];
  ODDTILE_UNROLL
  for (int i = 0; i < width; ++i) {
    w[i] = weight(to_float(unpack<T>(*vector, i)));
    if constexpr (sizeof(T) == 4) vector->element[i] = std::bit_cast<uint32_t>(w[i]);
  }
  return tree_sum(w);
}

template <class T, int width>
ODDTILE_DEVICE float largest(const Packed<T, width>& vector, float so_far) {
  ODDTILE_UNROLL
  for (int i = 0; i < width; ++i) so_far = maximum(so_far, to_float(unpack<T>(vector, i)));
  return so_far;
}

// The same position, of which the compiler knows nothing: what follows from it is computed anew
// instead of being kept in registers that the row needs.
template <class Index>
ODDTILE_DEVICE Index again(Index position) {
  const uint32_t low = opaque(uint32_t(position));
  if constexpr (sizeof(Index) == 4) return Index(low);
  return Index(uint64_t(position) >> 32 << 32 | low);
}

// This lane's vectors of one step: vector number first + v * lanes.
template <class T, int width, int vectors, bool masked, class Index>
struct LaneVectors {
  using Row = CoveredRow<T, width, Index>;

  typename Row::Vec vector[vectors];
  uint32_t visible_bits[(vectors * width + 31) / 32];  // `width` of each vector, packed

  ODDTILE_DEVICE uint32_t visible(int v) const {
    return visible_bits[v * width / 32] >> (v * width % 32) & Row::kAll;
  }

  // All loads are under way before the first is needed. Vectors without a visible column cost none.
  ODDTILE_DEVICE void load(const Row& row, Index first, Index lanes) {
    if constexpr (masked) load_visibility(row, first, lanes);
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const Index at = first + v * lanes;
      const bool wanted = masked ? visible(v) != 0 : row.touches(at);
      vector[v] = wanted ? row.read(at) : Row::nothing();
    }
    if constexpr (masked) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        if (visible(v) != Row::kAll) Row::hide(&vector[v], visible(v));
      }
    } else if (row.ragged) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) hide_outside(row, again(first) + v * lanes, &vector[v]);
    }
  }

  static ODDTILE_DEVICE void hide_outside(const Row& row, Index at, typename Row::Vec* values) {
    const uint32_t columns = row.inside(at);
    if (columns != 0 && columns != Row::kAll) Row::hide(values, columns);
  }

  ODDTILE_DEVICE void load_visibility(const Row& row, Index first, Index lanes) {
    typename Row::MaskWords words[vectors];
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) words[v] = row.read_mask(first + v * lanes);
    ODDTILE_UNROLL
    for (uint32_t& bits : visible_bits) bits = 0;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      visible_bits[v * width / 32] |= row.visible(words[v], first + v * lanes) << (v * width % 32);
    }
    ODDTILE_UNROLL
    for (uint32_t& bits : visible_bits) bits = opaque(bits);
  }

  ODDTILE_DEVICE void store(const Row& row, Index first, Index lanes) const {
    if (!row.ragged && row.y_has_frame) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const Index at = first + v * lanes;
        if (row.touches(at)) store_as(row.y, at, vector[v]);
      }
    } else {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) row.write(again(first) + v * lanes, vector[v]);
    }
  }

  ODDTILE_DEVICE float maximum_of_all() const {
    float result = kNegativeInfinity;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) result = largest<T, width>(vector[v], result);
    return result;
  }

  // 16-bit inputs stay packed from one use to the next.
  ODDTILE_DEVICE void keep_packed() {
    if constexpr (sizeof(T) == 2) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        ODDTILE_UNROLL
        for (uint32_t& word : vector[v].element) word = opaque(word);
      }
    }
  }

  // Replaces every element by value(element) * scale, and hidden ones by +0, whatever became of the
  // row.
  template <class Value>
  ODDTILE_DEVICE void finish(float scale, Value value) {
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      float result[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) {
        result[i] = value(to_float(unpack<T>(vector[v], i))) * scale;
      }
      vector[v] = pack_all<T>(result);
      if constexpr (masked) Row::clear(&vector[v], visible(v));
    }
  }

  ODDTILE_DEVICE float weigh_all(const RowWeights<T>& weight) {
    float sum = 0.0f;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) sum += weigh<T, width>(weight, &vector[v]);
    return sum;
  }
};

template <class T, int width, int vectors, bool masked>
ODDTILE_KERNEL(vectors <= 3 ? 256 : 1024, 1)
softmax_in_registers(SoftmaxParameters<T> p) {
  const bool shares_warp = p.lanes <= 32;
  const int64_t row_number =
      shares_warp ? (block() * threads() + thread()) >> p.lane_bits : block();
  const int32_t index = shares_warp ? thread() & (p.lanes - 1) : thread();
  // Lanes beyond the last row stay for the reductions, with a row of no columns.
  const bool exists = row_number < p.rows;
  auto row = row_of<T, width, masked, int32_t>(p, exists ? row_number : 0);
  if (!exists) row.columns = 0;

  LaneVectors<T, width, vectors, masked, int32_t> mine;
  mine.load(row, index, p.lanes);
  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const float max = reduce_row<Maximum>(mine.maximum_of_all(), p.lanes, exchange);
  mine.keep_packed();
  const RowWeights<T> weight(frame_at(max, kLog2E));
  const float sum = reduce_row<Sum>(mine.weigh_all(weight), p.lanes, exchange + 32);
  mine.keep_packed();
  const float scale = divide(1.0f, sum);  // inf or NaN in the rows that are to become NaN

  mine.finish(scale, [&](float kept) { return sizeof(T) == 4 ? kept : weight(kept); });
  mine.store(row, again(index), p.lanes);
}

template <class T, int width, int vectors, bool masked>
ODDTILE_KERNEL(1024, 1)
softmax_online(SoftmaxParameters<T> p) {
  const auto row = row_of<T, width, masked, int64_t>(p, block());
  const int64_t step = int64_t(p.lanes) * vectors;
  const int64_t steps = (row.vectors() + step - 1) / step;

  LaneVectors<T, width, vectors, masked, int64_t> mine;
  RowFrame frame;
  float sum = 0.0f;
  for (int64_t s = 0; s < steps; ++s) {
    mine.load(row, s * step + thread(), p.lanes);
    const float max = mine.maximum_of_all();
    if (max > frame.max) {
      const RowFrame now = frame_at(max, kLog2E);
      sum *= rescale_factor(frame, now, kLog2E);
      frame = now;
    }
    mine.keep_packed();
    sum += mine.weigh_all(RowWeights<T>(frame));
  }

  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const RowFrame own = frame;
  frame = frame_at(reduce_row<Maximum>(own.max, p.lanes, exchange), kLog2E);
  sum = reduce_row<Sum>(sum * rescale_factor(own, frame, kLog2E), p.lanes, exchange + 32);
  const float scale = divide(1.0f, sum);  // inf or NaN in the rows that are to become NaN

  const RowWeights<T> weight(frame);
  for (int64_t s = steps - 1; s >= 0; --s) {
    const int64_t first = s * step + thread();
    mine.load(row, first, p.lanes);
    mine.finish(scale, weight);
    mine.store(row, first, p.lanes);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
