// Products of a warpgroup on the matrix unit of sm_90 (wgmma), 64 rows at a time: issued here,
// finished when the caller's wgmma_wait says so; until then neither sums nor operands may be
// touched. A warp's 16 rows lie in its lanes like the accumulators of tile_product.cuh with one
// fragment, so rounded sums are again a left operand.
#pragma once

#include "kernels/tile/panel_tile.cuh"
#include "kernels/tile/tile_product.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kWarpgroupRows = 64;

// scores = Q K^T.
template <class T, int keys, int depth>
ODDTILE_DEVICE void issue_transposed(Accumulator<1, keys>& scores,
                                     const PanelTile<kWarpgroupRows, depth>& q,
                                     const PanelTile<keys, depth>& k) {
  const MatrixDescriptor left = q.along_columns();
  const MatrixDescriptor right = k.along_columns();
  ODDTILE_UNROLL
  for (int step = 0; step < depth / 16; ++step) {
    wgmma<T>(scores.flat(), left + q.column_step(step), right + k.column_step(step), step != 0);
  }
}

// output += P V, P's last `held` steps of 16 keys in registers, which must outlive the wait, the
// others in shared memory.
template <class T, int held, int keys, int stored, int columns>
ODDTILE_DEVICE void issue_accumulate(Accumulator<1, columns>& output,
                                     const PanelTile<kWarpgroupRows, stored>& stored_weights,
                                     const LeftOperand<1, keys>& weights,
                                     const PanelTile<keys, columns>& v) {
  const MatrixDescriptor left = stored_weights.along_columns();
  const MatrixDescriptor right = v.along_rows();
  ODDTILE_UNROLL
  for (int step = 0; step < keys / 16; ++step) {
    if (step < keys / 16 - held) {
      wgmma<T, Major::k, Major::mn>(output.flat(), left + stored_weights.column_step(step),
                                    right + v.row_step(step), true);
    } else {
      wgmma<T, Major::mn>(output.flat(), weights.at[0][step], right + v.row_step(step), true);
    }
  }
}

// Stores this warp's 16 rows of a left operand, from column 16 * from_step on, into the warpgroup's
// tile: as many columns as that has, less its last `held` steps. Whoever lets the matrix unit or a
// copy read them puts a fence_async_proxy_shared behind it.
template <int held = 0, int columns, int depth>
ODDTILE_DEVICE void store_rows(const PanelTile<kWarpgroupRows, columns>& tile,
                               const LeftOperand<1, depth>& values, int from_step = 0) {
  // A step of two chunks changes bits 5 and 6 of the place alone. Opaque, so that no loop around
  // this keeps a register for each step.
  const int row = warp() % 4 * 16 + lane() % 16;
  const uint32_t first = opaque(uint32_t(tile.chunk(row, lane() / 16) - tile.start));
  ODDTILE_UNROLL
  for (int step = 0; step < columns / 16 - held; ++step) {
    store_matrix_4(tile.panel(step / 4) + (first ^ uint32_t(step % 4 * 32)),
                   values.at[0][from_step + step]);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
