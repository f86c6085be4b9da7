// The vectors of a row that one lane holds in registers, from the loads to the stores.
//
// fp32 keeps the weights where the input was. 16-bit types keep them as floats where they fit, else
// the packed input, and compute the weights twice.
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
  int32_t frame_bytes;     // see SoftmaxFrame
  int32_t shared_slots;    // vectors of a lane in shared memory
  int32_t cluster_blocks;  // that share a row
  int64_t rows_ahead;      // distance to the row whose mask is brought to L2
  bool cuts_sectors;       // gaps of y cut sectors that nothing else brings to L2
  int32_t start_delay;     // ns between the starts of clusters that stay
};

template <class T, int width, RowKind kind, class Index>
ODDTILE_DEVICE CoveredRow<T, width, kind, Index> row_of(const SoftmaxParameters<T>& p,
                                                        int64_t row) {
  CoveredRow<T, width, kind, Index> result;
  Global<const T> x = p.x + row * p.x_row_stride;
  Global<T> y = p.y + row * p.y_row_stride;
  int64_t lead = 0;
  if constexpr (kind != RowKind::whole) {
    lead = int64_t(address_modulo(y, uint32_t(p.frame_bytes)) / sizeof(T));
    x = x + -lead;
    y = y + -lead;
    result.x_has_frame = address_modulo(x, uint32_t(sizeof(Packed<T, width>))) == 0;
    result.x_is_odd = address_modulo(x, 4) != 0;
    if (result.x_is_odd) x = x + -1;
  }
  result.x = x;
  result.y = y;
  if constexpr (kind == RowKind::masked) result.mask = p.mask + (row * p.mask_row_stride - lead);
  result.lead = Index(lead);
  result.columns = Index(p.columns);
  result.ragged = kind != RowKind::whole && (lead % width != 0 || (lead + p.columns) % width != 0);
  return result;
}

// Brings this lane's part of a later row's mask to L2: whoever takes that row reads its mask before
// anything else and would wait for memory twice.
template <int vectors, class T, class Row, class Index>
ODDTILE_DEVICE void prefetch_mask(const SoftmaxParameters<T>& p, const Row& row, int64_t number,
                                  Index first, Index lanes) {
  if constexpr (Row::kMasked) {
    if (number + p.rows_ahead >= p.rows) return;
    const Global<const uint8_t> ahead = row.mask + p.rows_ahead * p.mask_row_stride;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const Index at = first + v * lanes;
      if (row.touches(at)) prefetch(ahead, int64_t(at) * Row::kWidth);
    }
  }
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
template <class T, int width, int vectors, RowKind kind, class Index>
struct LaneVectors {
  using Row = CoveredRow<T, width, kind, Index>;
  static constexpr bool kMasked = Row::kMasked;
  static constexpr bool kKeepsFloats = sizeof(T) == 2 && vectors <= 4;

  typename Row::Vec vector[vectors];
  float kept[kKeepsFloats ? vectors : 1][width];  // weights

  // All loads are under way before the first is needed. Vectors without a visible column cost none.
  ODDTILE_DEVICE void load(const Row& row, Index first, Index lanes) {
    Elements visible;
    if constexpr (kMasked) visible = load_visibility(row, first, lanes);
    const auto is_wanted = [&](int v) {
      return kMasked ? visible.of(v) != 0 : row.touches(first + v * lanes);
    };
    if (Row::kWhole || row.x_has_frame) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        vector[v] = is_wanted(v) ? row.read(first + v * lanes) : Row::nothing();
      }
    } else if (sizeof(T) == 2 && row.x_is_odd) {
      // Nothing is computed of a vector between two loads: it would have to arrive first.
      uint32_t next[vectors];
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        vector[v] = Row::nothing();
        next[v] = kNegativeInfinityWord<T>;
        if (is_wanted(v)) {
          row.template read_words<sizeof(T) == 2>(first + v * lanes, &vector[v], &next[v]);
        }
      }
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) Row::shift_by_half(&vector[v], next[v]);
    } else {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        vector[v] = Row::nothing();
        if (is_wanted(v)) {
          row.template read_words<false>(first + v * lanes, &vector[v], nullptr);
        }
      }
    }
    if constexpr (kMasked) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        if (visible.of(v) != Row::kAll) Row::hide(&vector[v], visible.of(v));
      }
    } else {
      hide_ends(row, first, lanes);
    }
  }

  static ODDTILE_DEVICE void hide_outside(const Row& row, Index at, typename Row::Vec* values) {
    const uint32_t columns = row.inside(at);
    if (columns != 0 && columns != Row::kAll) Row::hide(values, columns);
  }

  // A bit for each element of each vector.
  struct Elements {
    uint32_t bits[(vectors * width + 31) / 32] = {};
    ODDTILE_DEVICE uint32_t of(int v) const {
      return bits[v * width / 32] >> (v * width % 32) & Row::kAll;
    }
    ODDTILE_DEVICE void add(int v, uint32_t elements) {
      bits[v * width / 32] |= elements << (v * width % 32);
    }
    ODDTILE_DEVICE void settle() {
      ODDTILE_UNROLL
      for (uint32_t& word : bits) word = opaque(word);
    }
  };

  // Which elements are visible columns. Which are columns is computed once, and packed.
  static ODDTILE_DEVICE Elements load_visibility(const Row& row, Index first, Index lanes) {
    Elements columns, result;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) columns.add(v, row.inside(first + v * lanes));
    columns.settle();
    typename Row::MaskWords words[vectors];
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      words[v] = row.read_mask(first + v * lanes, columns.of(v));
    }
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) result.add(v, row.visible(words[v]) & columns.of(v));
    result.settle();
    return result;
  }

  ODDTILE_DEVICE void store(const Row& row, Index first, Index lanes) const {
    if (Row::kWhole || !row.ragged) {
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
    if constexpr (sizeof(T) == 2) {
      uint32_t pair = kNegativeInfinityWord<T>;
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        ODDTILE_UNROLL
        for (uint32_t word : vector[v].element) pair = maximum_of_pairs<T>(pair, word);
      }
      return maximum(to_float(T{uint16_t(pair)}), to_float(T{uint16_t(pair >> 16)}));
    } else {
      float result = kNegativeInfinity;
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        ODDTILE_UNROLL
        for (int i = 0; i < width; ++i) result = maximum(result, unpack<T>(vector[v], i));
      }
      return result;
    }
  }

  // 16-bit inputs stay packed from one use to the next.
  ODDTILE_DEVICE void keep_packed() {
    if constexpr (sizeof(T) == 2) keep();
  }

  // What follows from the elements is computed anew from one use to the next.
  ODDTILE_DEVICE void keep() {
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      ODDTILE_UNROLL
      for (uint32_t& word : vector[v].element) word = opaque(word);
    }
  }

  // The weights' sum in the row's frame; the weights stay for `finish` where they fit.
  ODDTILE_DEVICE float weigh(const RowFrame& frame) {
    return takes_difference<T>(frame) ? weigh_by(RowWeights(frame)) : weigh_by(FusedWeights(frame));
  }

  // The same, but the elements stay, for `finish_anew`.
  ODDTILE_DEVICE float weigh_only(const RowFrame& frame) {
    const float sum = takes_difference<T>(frame) ? add_weights(RowWeights(frame))
                                                 : add_weights(FusedWeights(frame));
    keep();
    return sum;
  }

  // Replaces every element by its weight times `scale`, after `weigh`.
  ODDTILE_DEVICE void finish(const RowFrame& frame, float scale) {
    if constexpr (sizeof(T) == 4) {
      replace(scale, [&](int v, int i) { return unpack<T>(vector[v], i); });
    } else if constexpr (kKeepsFloats) {
      replace(scale, [&](int v, int i) { return kept[v][i]; });
    } else {
      finish_anew(frame, scale);
    }
  }

  // The same from the input.
  ODDTILE_DEVICE void finish_anew(const RowFrame& frame, float scale) {
    const auto finish_by = [&](const auto& weight) {
      replace(scale, [&](int v, int i) { return weight(to_float(unpack<T>(vector[v], i))); });
    };
    if (takes_difference<T>(frame)) {
      finish_by(RowWeights(frame));
    } else {
      finish_by(FusedWeights(frame));
    }
  }

  // Writes the row anew from its input and starts to read the vectors of `next` where this row's
  // were. Its ends are hidden by `hide_ends`, later: nothing here waits for what is read.
  ODDTILE_DEVICE void give_way(const Row& row, const Row& next, Index first, Index lanes,
                               const RowFrame& frame, float scale) {
    finish_anew(frame, scale);
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const Index at = again(first) + v * lanes;
      if (row.ragged) {
        row.write(at, vector[v]);
      } else if (row.touches(at)) {
        store_as(row.y, at, vector[v]);
      }
      vector[v] = next.touches(at) ? next.read(at) : Row::nothing();
    }
  }

  ODDTILE_DEVICE void hide_ends(const Row& row, Index first, Index lanes) {
    if (!row.ragged) return;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) hide_outside(row, again(first) + v * lanes, &vector[v]);
  }

  // After `store`: hidden elements become +0 whatever became of the row. Only a row without a
  // finite scale needs it: in any other their weights are 0. The mask is read again rather than
  // kept.
  static ODDTILE_DEVICE void clear_hidden(const Row& row, Index first, Index lanes, float scale) {
    if constexpr (kMasked) {
      if (magnitude(scale) < -kNegativeInfinity) return;
      for (int v = 0; v < vectors; ++v) row.write_hidden(first + v * lanes);
    }
  }

 private:
  template <class Weight>
  ODDTILE_DEVICE float add_weights(const Weight& weight) const {
    float sum = 0.0f;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      float w[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) w[i] = weight(to_float(unpack<T>(vector[v], i)));
      sum += tree_sum(w);
    }
    return sum;
  }

  template <class Weight>
  ODDTILE_DEVICE float weigh_by(const Weight& weight) {
    float sum = 0.0f;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      float w[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) {
        w[i] = weight(to_float(unpack<T>(vector[v], i)));
        if constexpr (sizeof(T) == 4) vector[v].element[i] = std::bit_cast<uint32_t>(w[i]);
        if constexpr (kKeepsFloats) kept[v][i] = w[i];
      }
      sum += tree_sum(w);
    }
    if constexpr (!kKeepsFloats) keep_packed();
    return sum;
  }

  template <class Value>
  ODDTILE_DEVICE void replace(float scale, Value value) {
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      float result[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) result[i] = value(v, i) * scale;
      vector[v] = pack_all<T>(result);
    }
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
