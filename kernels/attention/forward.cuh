// Attention forward with a tiled online softmax: O = softmax(scale Q K^T) V without a score ever
// leaving the registers. One block per (batch, head, query tile); key tiles from the last visible
// one to the first, K and V alternately in flight by cp.async while the other is multiplied:
//
//   K tile arrives    | copy of V starts, S = Q K^T, hide keys, online softmax: S becomes weights
//   V tile arrives    | copy of the next K starts, O += P V
//
// Only tiles that the band or the key length cuts, or that a byte mask covers, compare keys with
// queries; tiles without a visible key are never loaded. Mathematics, bounds and choices:
// README.md.
//
// Obligations: contract in kernels/api/kernels.h; error within the bound of oracles/bounds for the
// profile that attention_describe declares.
#pragma once

#include "kernels/attention/visible.cuh"
#include "kernels/tile/online_rows.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Blocks of one head follow one another, so that they share its K and V in the cache; the last
// query tile comes first, because under a causal band it is the longest.
template <class T>
ODDTILE_DEVICE QueryTile query_tile(const AttentionParameters<T>& p, int tile_rows) {
  const int64_t row_tile = p.row_tiles - 1 - block() % p.row_tiles;
  const int64_t head_and_batch = block() / p.row_tiles;
  return {head_and_batch / p.heads_q, head_and_batch % p.heads_q, row_tile * tile_rows};
}

template <class T, class Pointer>
ODDTILE_DEVICE GlobalRows<T> rows_of(const StridedTensor<Pointer>& tensor, int64_t batch,
                                     int64_t head, int64_t rows, int32_t columns) {
  return {tensor.data + batch * tensor.batch_stride + head * tensor.head_stride, tensor.row_stride,
          rows, columns, tensor.aligned};
}

// Divides by the row sum and stores the warp's rows of O (through its own rows of the Q tile, for
// whole 16-byte stores) and of the LSE. A row without live keys has sum 0: O = +0, LSE = -inf.
template <class Tile, class T, class QTile>
ODDTILE_DEVICE void store_rows(Accumulator<Tile::kFragments, Tile::kHeadSize>& output,
                               const OnlineRows<Tile::kFragments>& rows,
                               const AttentionParameters<T>& p, const QueryTile& tile,
                               const QTile& staging) {
  const int warp_row = warp() * Tile::kWarpRows;
  ODDTILE_UNROLL
  for (int f = 0; f < Tile::kFragments; ++f) {
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float sum = rows.row_sum(f, half);
      const float inverse = sum == 0.0f ? 0.0f : divide(1.0f, sum);
      const int row = warp_row + 16 * f + 8 * half + lane() / 4;
      ODDTILE_UNROLL
      for (int n = 0; n < Tile::kHeadSize / 8; ++n) {
        const float* value = &output.at[f][n][2 * half];
        // A sum of zeros is +0: a hidden value times weight 0 has no say, not even its sign.
        const uint32_t packed = pack<T>((value[0] + 0.0f) * inverse, (value[1] + 0.0f) * inverse);
        *reinterpret_cast<uint32_t*>(staging.chunk(row, n) + lane() % 4 * 2) = packed;
      }
      const int64_t query = tile.first_query + row;
      if (p.lse.data && lane() % 4 == 0 && query < p.seq_q) {
        const float lse = sum == 0.0f ? kNegativeInfinity : log_sum(rows.frame[f][half], sum);
        store(p.lse.data,
              tile.batch * p.lse.batch_stride + tile.head * p.lse.head_stride +
                  query * p.lse.row_stride,
              lse);
      }
    }
  }
  sync_warp();
  copy_out_by_warp<Tile::kWarpRows>(staging, warp_row,
                                    rows_of<T>(p.o, tile.batch, tile.head, p.seq_q, p.head_dim),
                                    tile.first_query + warp_row);
}

template <class Tile, class T>
ODDTILE_KERNEL(Tile::kThreads, Tile::kMinBlocks)
attention_forward(const AttentionParameters<T> p) {
  constexpr int kKeys = Tile::kTileKeys;
  T* const memory = reinterpret_cast<T*>(shared_memory());
  const SharedTile<T, Tile::kTileRows, Tile::kHeadSize> q_tile = {memory};
  const SharedTile<T, kKeys, Tile::kHeadSize> k_tile = {memory + Tile::kTileRows * Tile::kHeadSize};
  const SharedTile<T, kKeys, Tile::kHeadSize> v_tile = {k_tile.data + kKeys * Tile::kHeadSize};

  const QueryTile tile = query_tile(p, Tile::kTileRows);
  const Band band = band_of(p, key_length_of(p, tile.batch));
  const int64_t last_query = smaller(tile.first_query + Tile::kTileRows, p.seq_q) - 1;
  const Range keys = keys_of_queries(band, tile.first_query, last_query);
  const int64_t kv_head = tile.head / p.group;
  const auto q = rows_of<const T>(p.q, tile.batch, tile.head, p.seq_q, p.head_dim);
  const auto k = rows_of<const T>(p.k, tile.batch, kv_head, band.key_length, p.head_dim);
  const auto v = rows_of<const T>(p.v, tile.batch, kv_head, band.key_length, p.head_dim);
  const int warp_row = warp() * Tile::kWarpRows;
  const int64_t first_query = tile.first_query + warp_row;  // of the warp

  OnlineRows<Tile::kFragments> rows;
  Accumulator<Tile::kFragments, Tile::kHeadSize> output;
  rows.clear();
  output.clear();
  if (keys.begin < keys.end) {
    const int64_t first_tile = keys.begin / kKeys;
    const int64_t last_tile = (keys.end - 1) / kKeys;
    copy_in<Tile::kThreads>(q_tile, q, tile.first_query);
    copy_in<Tile::kThreads>(k_tile, k, last_tile * kKeys);
    commit_copies();
    for (int64_t key_tile = last_tile; key_tile >= first_tile; --key_tile) {
      const int64_t first_key = key_tile * kKeys;
      wait_copies<0>();
      sync_block();  // K has arrived for every warp, and every warp is done with the old V
      copy_in<Tile::kThreads>(v_tile, v, first_key);
      commit_copies();

      Accumulator<Tile::kFragments, kKeys> scores;
      multiply_transposed(scores, q_tile, warp_row, k_tile);
      if (p.scale.multiplier != 1.0f) multiply_scores(scores, p.scale.multiplier);
      if (!sees_all(band, tile.first_query, last_query, {first_key, first_key + kKeys})) {
        hide_outside_band(scores, band, first_query, first_key);
      }
      if (p.mask.data) hide_by_mask(scores, p, tile, first_query, first_key);
      rows.add_tile(scores, output, p.scale.c);
      const LeftOperand<Tile::kFragments, kKeys> weights = rounded<T>(scores);

      wait_copies<0>();
      sync_block();  // V has arrived for every warp, and every warp is done with K
      if (key_tile > first_tile) {
        copy_in<Tile::kThreads>(k_tile, k, first_key - kKeys);
        commit_copies();
      }
      multiply_accumulate(output, weights, v_tile);
    }
  }
  store_rows<Tile>(output, rows, p, tile, q_tile);
}

}  // namespace oddtile::ODDTILE_MACHINE
