// Which keys the queries of a tile see: the band, cut by the batch item's key length, and the byte
// mask; and the scores of all others set to -inf.
#pragma once

#include "kernels/attention/parameters.h"
#include "kernels/tile/online_rows.cuh"
#include "kernels/tile/visibility.cuh"

namespace oddtile::ODDTILE_MACHINE {

// The query tile of one block.
struct QueryTile {
  int64_t batch;
  int64_t head;
  int64_t first_query;
};

// Keys of a batch item: its key length, within 0 ... seq_k.
template <class T>
ODDTILE_DEVICE int64_t key_length_of(const AttentionParameters<T>& p, int64_t batch) {
  int64_t length = p.seq_k;
  if (p.key_length) length = smaller(larger(load(p.key_length, batch), 0), p.seq_k);
  return length;
}

// The band of an item with that many keys.
template <class T>
ODDTILE_DEVICE Band band_of(const AttentionParameters<T>& p, int64_t length) {
  const int64_t shift = p.bottom_right ? length - p.seq_q : 0;
  return {length, p.band_low + shift, p.band_high + shift};
}

// Sets scores of keys outside the band or beyond the key length to -inf. `first_query` is that of
// the warp's first row. A test of a constant bit costs nvcc a seventh of an instruction (R2P), the
// select one more.
template <int fragments, int keys, class Integer>
ODDTILE_DEVICE void hide_outside_band(Accumulator<fragments, keys>& scores,
                                      const BandOf<Integer>& band, Integer first_query,
                                      Integer first_key) {
  ODDTILE_UNROLL
  for (int f = 0; f < fragments; ++f) {
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Integer query = first_query + 16 * f + 8 * half + lane() / 4;
      const uint32_t seen = own_keys_seen<keys>(band, query, first_key + lane() % 4 * 2);
      ODDTILE_UNROLL
      for (int n = 0; n < keys / 8; ++n) {
        ODDTILE_UNROLL
        for (int i = 0; i < 2; ++i) {
          const bool hidden = (seen & uint32_t(1) << (2 * n + i)) == 0;
          if (hidden) scores.at[f][n][2 * half + i] = kNegativeInfinity;
        }
      }
    }
  }
}

// Sets scores whose mask byte is zero to -inf; what the band hides anyway is not read.
template <class T, int fragments, int keys>
ODDTILE_DEVICE void hide_by_mask(Accumulator<fragments, keys>& scores,
                                 const AttentionParameters<T>& p, const QueryTile& tile,
                                 int64_t first_query, int64_t first_key) {
  ODDTILE_UNROLL
  for (int f = 0; f < fragments; ++f) {
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int64_t query = first_query + 16 * f + 8 * half + lane() / 4;
      if (query >= p.seq_q) continue;
      const Global<const uint8_t> row =
          p.mask.data + (tile.batch * p.mask.batch_stride + tile.head * p.mask.head_stride +
                         query * p.mask.row_stride);
      ODDTILE_UNROLL
      for (int n = 0; n < keys / 8; ++n) {
        ODDTILE_UNROLL
        for (int i = 0; i < 2; ++i) {
          float& score = scores.at[f][n][2 * half + i];
          if (score == kNegativeInfinity) continue;
          const int64_t key = first_key + 8 * n + lane() % 4 * 2 + i;
          if (load(row, key * p.mask.column_stride) == 0) score = kNegativeInfinity;
        }
      }
    }
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
