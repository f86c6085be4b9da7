// The forms of the fused softmax that hold a row in registers, and the online form.
//
// A row belongs to `lanes` lanes: part of a warp, a warp, or (lanes = 0) a block. Every lane loads
// all its vectors at once, the lanes agree on the maximum, then on the sum, and the row is written:
// each byte moves once.
//
// The online form serves rows that no other form holds: each lane follows its own maximum and
// rescales its own sum, the block brings them into one frame at the end, and the row is read again,
// backwards, so that what the L2 still holds is met first.
#pragma once

#include "kernels/softmax/lane_vectors.cuh"
#include "kernels/tile/cut_sectors.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class Operation, int lanes>
ODDTILE_DEVICE float reduce_over(float value, float* exchange) {
  if constexpr (lanes == 0) return reduce_block<Operation>(value, exchange);
  return reduce_lanes<Operation, lanes>(value);
}

template <class T, int width, int lanes, int vectors, RowKind kind>
ODDTILE_KERNEL(lanes == 0 ? 1024 : 128, 1)
softmax_in_registers(SoftmaxParameters<T> p) {
  constexpr int kRowsOfWarp = lanes == 0 ? 1 : 32 / lanes;
  const int32_t index = lanes == 0 ? thread() : thread() % (32 / kRowsOfWarp);
  const int32_t step = lanes == 0 ? threads() : lanes;
  const int64_t number =
      lanes == 0 ? block() : (block() * threads() + thread()) / (32 / kRowsOfWarp);
  // Lanes beyond the last row stay for the reductions, with a row of no columns.
  const bool exists = lanes == 0 || number < p.rows;
  auto row = row_of<T, width, kind, int32_t>(p, exists ? number : 0);
  if (!exists) row.columns = 0;

  prefetch_mask(p, row, number, index, step);
  if (p.cuts_sectors && index == 0 && exists) {
    constexpr bool kByLine = sizeof(T) == 2 && kRowsOfWarp > 1;
    prefetch_cut_sectors(row.y + row.lead, p.columns, p.y_row_stride, kByLine);
  }
  LaneVectors<T, width, vectors, kind, int32_t> mine;
  // Rows of fewer vectors a lane, which are shorter, gain nothing from what is cleared early.
  constexpr bool kClears = lanes == 0 && vectors == 5;
  mine.template load<kClears>(row, index, step);
  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const float max = reduce_over<Maximum, lanes>(mine.maximum_of_all(), exchange);
  mine.keep_packed();
  const RowFrame frame = frame_at(max, kLog2E);
  const float sum = reduce_over<Sum, lanes>(mine.weigh(frame), exchange + 32);
  const float scale = divide(1.0f, sum);  // inf or NaN in the rows that are to become NaN

  mine.finish(frame, scale);
  mine.store(row, again(index), step);
  mine.clear_hidden(row, again(index), step, scale);
}

template <class T, int width, int vectors, RowKind kind>
ODDTILE_KERNEL(1024, 1)
softmax_online(SoftmaxParameters<T> p) {
  const auto row = row_of<T, width, kind, int64_t>(p, block());
  const int64_t step = int64_t(threads()) * vectors;
  const int64_t steps = (row.vectors() + step - 1) / step;

  LaneVectors<T, width, vectors, kind, int64_t> mine;
  RowFrame frame;
  float sum = 0.0f;
  for (int64_t s = 0; s < steps; ++s) {
    mine.load(row, s * step + thread(), threads());
    const float max = mine.maximum_of_all();
    if (max > frame.max) {
      const RowFrame now = frame_at(max, kLog2E);
      sum *= rescale_factor(frame, now, kLog2E);
      frame = now;
    }
    mine.keep_packed();
    sum += mine.weigh(frame);
  }

  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const RowFrame own = frame;
  frame = frame_at(reduce_block<Maximum>(own.max, exchange), kLog2E);
  sum = reduce_block<Sum>(sum * rescale_factor(own, frame, kLog2E), exchange + 32);
  const float scale = divide(1.0f, sum);  // inf or NaN in the rows that are to become NaN

  for (int64_t s = steps - 1; s >= 0; --s) {
    const int64_t first = s * step + thread();
    mine.load(row, first, threads());
    mine.finish_anew(frame, scale);
    mine.store(row, first, threads());
    mine.clear_hidden(row, first, threads(), scale);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
