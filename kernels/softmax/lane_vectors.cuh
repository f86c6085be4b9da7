// The vectors of a row that one lane holds in registers, from the loads to the stores.
//
// fp32 keeps the weights where the input was. 16-bit types keep them as floats where they fit, else
// the packed input, and compute the weights twice.
#pragma once

#include "kernels/softmax/shifted_vectors.cuh"
#include "kernels/tile/row_reduction.cuh"

namespace oddtile::ODDTILE_MACHINE {

// This lane's vectors of one step: vector number first + v * lanes.
template <class T, int width, int vectors, RowKind kind, class Index>
struct LaneVectors {
  using Row = CoveredRow<T, width, kind, Index>;
  static constexpr bool kMasked = Row::kMasked;
  static constexpr bool kKeepsFloats = sizeof(T) == 2 && vectors <= 4;

  // Where instructions are short, a row's ends are sought in one place (see at_ends) and whatever
  // can be is computed once for all vectors, of which only the first one holds the row's first
  // column.
  static constexpr bool kSeeksEnds = (sizeof(T) == 2 || kMasked) && vectors >= 8;

  typename Row::Vec vector[vectors];
  float kept[kKeepsFloats ? vectors : 1][width];  // weights

  uint32_t cleared = 0;  // bit v: vector v holds nothing visible, and is written

  // All loads are under way before the first is needed. Vectors without a visible column cost none.
  // `clears`: those of which the whole warp sees nothing are written at once.
  template <bool clears = false>
  ODDTILE_DEVICE void load(const Row& row, Index first, Index lanes) {
    Elements visible;
    if constexpr (kMasked) visible = load_visibility(row, first, lanes);
    const auto is_wanted = [&](int v) {
      return kMasked ? visible.of(v) != 0 : row.touches(first + v * lanes);
    };
    if (row.is_framed()) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        vector[v] = is_wanted(v) ? row.read(first + v * lanes) : Row::nothing();
      }
    } else {
      load_shifted<kSeeksEnds>(row, first, lanes, is_wanted, vector);
    }
    if constexpr (kMasked) {
      if constexpr (clears) cleared = clear_unseen(row, first, lanes, visible);
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        if (visible.of(v) != Row::kAll) Row::hide(&vector[v], visible.of(v));
      }
    } else {
      hide_ends(row, first, lanes);
    }
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
    ODDTILE_DEVICE void remove(int v, uint32_t elements) {
      bits[v * width / 32] &= ~(elements << (v * width % 32));
    }
    ODDTILE_DEVICE void settle() {
      ODDTILE_UNROLL
      for (uint32_t& word : bits) word = opaque(word);
    }
  };

  // Which elements are visible columns. Which are columns is computed once, and packed.
  static ODDTILE_DEVICE Elements load_visibility(const Row& row, Index first, Index lanes) {
    if constexpr (kSeeksEnds) return load_visibility_of_many(row, first, lanes);
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

  static ODDTILE_DEVICE Elements load_visibility_of_many(const Row& row, Index first, Index lanes) {
    const typename Row::Reach reach = settled(row.mask_reach());
    typename Row::MaskWords words[vectors];
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      words[v] = row.read_mask(first + v * lanes, reach, v == 0);
    }
    Elements result;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      result.add(v, row.visible(words[v]));
    }
    const auto hidden_in = [&](Index at) { return ~row.inside(at) & Row::kAll; };
    at_ends(
        row, first, lanes, [&](Index at) { result.remove(0, hidden_in(at)); },
        [&](Index at) {
          const uint32_t hidden = hidden_in(at);
          ODDTILE_UNROLL
          for (int v = 0; v < vectors; ++v) {
            if (first + v * lanes == at) result.remove(v, hidden);
          }
        });
    result.settle();
    return result;
  }

  // Writes +0 to the vectors of which no lane of the warp sees anything, and returns a bit for
  // each.
  static ODDTILE_DEVICE uint32_t clear_unseen(const Row& row, Index first, Index lanes,
                                              const Elements& visible) {
    uint32_t result = 0;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) result |= vote_any(visible.of(v) != 0) ? 0u : 1u << v;
    if (result == 0) return 0;
    ODDTILE_NO_UNROLL
    for (int v = 0; v < vectors; ++v) {
      if (result >> v & 1u) row.write(again(first) + v * lanes, typename Row::Vec{});
    }
    return result;
  }

  ODDTILE_DEVICE void store(const Row& row, Index first, Index lanes) const {
    store_each(row, first, lanes, [](int, Index) {});
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
    store_each(row, first, lanes, [&](int v, Index at) {
      vector[v] = next.touches(at) ? next.read(at) : Row::nothing();
    });
  }

  ODDTILE_DEVICE void hide_ends(const Row& row, Index first, Index lanes) {
    if (!row.ragged) return;
    if constexpr (kSeeksEnds) {
      at_ends(
          row, again(first), lanes, [&](Index at) { Row::hide(&vector[0], row.inside(at)); },
          [&](Index at) {
            const typename Row::Vec keep = Row::spread_all(row.inside(at));
            ODDTILE_UNROLL
            for (int v = 0; v < vectors; ++v) {
              if (first + v * lanes == at) Row::hide_by(&vector[v], keep);
            }
          });
    } else {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const uint32_t columns = row.inside(again(first) + v * lanes);
        if (columns != 0 && columns != Row::kAll) Row::hide(&vector[v], columns);
      }
    }
  }

  // After `store`: hidden elements become +0 whatever became of the row. Only a row without a
  // finite scale needs it: in any other their weights are 0. The mask is read again rather than
  // kept.
  static ODDTILE_DEVICE void clear_hidden(const Row& row, Index first, Index lanes, float scale) {
    if constexpr (kMasked) {
      if (magnitude(scale) < -kNegativeInfinity) return;
      ODDTILE_NO_UNROLL
      for (int v = 0; v < vectors; ++v) row.write_hidden(first + v * lanes);
    }
  }

 private:
  // The vectors that an end of the row cuts, in the lanes that hold one: calls on_first and on_last
  // with its number. All others pass by with a comparison for each vector, which is why the ends
  // are not found one by one where the vectors are.
  template <class First, class Last>
  static ODDTILE_DEVICE void at_ends(const Row& row, Index first, Index lanes,
                                     const First& on_first, const Last& on_last) {
    const typename Row::Ends ends = row.cut();
    if (first == ends.first) on_first(first);
    bool holds_last = false;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) holds_last |= first + v * lanes == ends.last;
    if (holds_last) on_last(ends.last);
  }

  // Stores the vectors and calls then(v, at) when vector v, number `at` of the row, is on its way.
  template <class Then>
  ODDTILE_DEVICE void store_each(const Row& row, Index first, Index lanes, const Then& then) const {
    if (Row::kWhole || !row.ragged) {
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const Index at = first + v * lanes;
        if (row.touches(at) && !is_cleared(v)) store_as(row.y, at, vector[v]);
        then(v, at);
      }
    } else {
      write_cut_ends(row, first, lanes);
      ODDTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const Index at = again(first) + v * lanes;
        if (!is_cleared(v)) write_rest(row, at, v);
        then(v, at);
      }
    }
  }

  // Of a ragged row: the elements at ends that share a vector with others.
  ODDTILE_DEVICE void write_cut_ends(const Row& row, Index first, Index lanes) const {
    if constexpr (kSeeksEnds) {
      at_ends(
          row, again(first), lanes, [&](Index at) { row.write(at, vector[0]); },
          [&](Index at) {
            typename Row::Vec values = vector[0];
            ODDTILE_UNROLL
            for (int v = 1; v < vectors; ++v) {
              if (first + v * lanes == at) values = vector[v];
            }
            row.write(at, values);
          });
    }
  }

  ODDTILE_DEVICE bool is_cleared(int v) const { return kMasked && (cleared >> v & 1u); }

  // Whether its weights, all 0, are not computed: 16-bit types compute them twice, and twice as
  // many; for fp32 the test costs as much.
  ODDTILE_DEVICE bool is_skipped(int v) const { return sizeof(T) == 2 && is_cleared(v); }

  // All others of them, vector by vector.
  ODDTILE_DEVICE void write_rest(const Row& row, Index at, int v) const {
    if constexpr (kSeeksEnds) {
      if (row.is_whole(at)) store_as(row.y, at, vector[v]);
    } else {
      row.write(at, vector[v]);
    }
  }

  template <class Weight>
  ODDTILE_DEVICE float add_weights(const Weight& weight) const {
    float sum = 0.0f;
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      if (is_skipped(v)) continue;
      float w[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) w[i] = weight(to_float(unpack<T>(vector[v], i)));
      sum += combine_all<Sum>(w);
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
      sum += combine_all<Sum>(w);
    }
    if constexpr (!kKeepsFloats) keep_packed();
    return sum;
  }

  template <class Value>
  ODDTILE_DEVICE void replace(float scale, Value value) {
    ODDTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      if (is_skipped(v)) {
        vector[v] = typename Row::Vec{};
        continue;
      }
      float result[width];
      ODDTILE_UNROLL
      for (int i = 0; i < width; ++i) result[i] = value(v, i) * scale;
      vector[v] = pack_all<T>(result);
    }
  }
};

}  // namespace oddtile::ODDTILE_MACHINE
