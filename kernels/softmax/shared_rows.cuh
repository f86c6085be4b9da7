// A block, or a cluster of blocks, per row that registers alone do not hold: each lane has further
// vectors in shared memory.
//
// A lane reads only what it has brought there itself, so no barrier is needed; the copies are
// asynchronous and take no registers while they are under way. With 128 KiB in registers and as
// much in shared memory one multiprocessor holds 256 KiB of a row, and each byte still moves once.
#pragma once

#include "kernels/softmax/rows.cuh"

namespace oddtile::ODDTILE_MACHINE {

// This lane's vectors in shared memory: slot s is vector number first + s * threads() of the row.
template <class T, int width, RowKind kind>
class SharedVectors {
 public:
  using Row = CoveredRow<T, width, kind, int32_t>;
  using Vec = typename Row::Vec;

  ODDTILE_DEVICE SharedVectors(std::byte* memory, int32_t first, int32_t slots)
      : memory_(reinterpret_cast<Vec*>(memory) + thread()), first_(first), slots_(slots) {}

  // Starts all loads. What cannot be copied as it is goes through registers, a few at a time.
  ODDTILE_DEVICE void start(const Row& row) {
    const bool copied = !Row::kMasked && row.x_has_frame;
    if (copied) {
      for (int32_t s = 0; s < slots_; ++s) copy(row, s);
    } else {
      for (int32_t s = 0; s < slots_; s += kBatch) load_batch(row, s);
    }
    commit_copies();
  }

  ODDTILE_DEVICE float maximum_of_all() {
    wait_copies<0>();
    float result = kNegativeInfinity;
    for (int32_t s = 0; s < slots_; ++s) result = maximum(result, held(s).maximum_of_all());
    return result;
  }

  ODDTILE_DEVICE float weigh_only(const RowFrame& frame) const {
    float sum = 0.0f;
    for (int32_t s = 0; s < slots_; ++s) sum += held(s).weigh_only(frame);
    return sum;
  }

  ODDTILE_DEVICE void write(const Row& row, const RowFrame& frame, float scale) const {
    for (int32_t s = 0; s < slots_; ++s) {
      One one = held(s);
      one.finish_anew(frame, scale);
      one.store(row, vector(s), 0);
      one.clear_hidden(row, vector(s), 0, scale);
    }
  }

 private:
  static constexpr int kBatch = 4;
  using One = LaneVectors<T, width, 1, kind, int32_t>;

  ODDTILE_DEVICE Vec* slot(int32_t s) const { return memory_ + s * threads(); }
  ODDTILE_DEVICE int32_t vector(int32_t s) const { return first_ + s * threads(); }
  ODDTILE_DEVICE One held(int32_t s) const {
    One one;
    one.vector[0] = *slot(s);
    return one;
  }

  ODDTILE_DEVICE void copy(const Row& row, int32_t s) {
    const int32_t at = vector(s);
    const uint32_t columns = row.inside(at);
    if (columns == Row::kAll) {
      copy_async_16(slot(s), row.x + int64_t(at) * width, 16);
    } else {
      Vec values = columns != 0 ? row.read(at) : Row::nothing();
      Row::hide(&values, columns);
      *slot(s) = values;
    }
  }

  ODDTILE_DEVICE void load_batch(const Row& row, int32_t s) {
    LaneVectors<T, width, kBatch, kind, int32_t> batch;
    batch.load(row, vector(s), threads());
    ODDTILE_UNROLL
    for (int i = 0; i < kBatch; ++i) {
      if (s + i < slots_) *slot(s + i) = batch.vector[i];
    }
  }

  Vec* memory_;
  int32_t first_;
  int32_t slots_;
};

// The exchanges of two reductions over a block, and pairs of the blocks of a cluster.
inline constexpr int32_t kSharedRowExchangeBytes = 4 * kExchangeBytes;

// Blocks take equal shares of the row's vectors, in whole lines of 128 bytes.
template <class Row>
ODDTILE_DEVICE Row share_of_block(const Row& row, int32_t blocks) {
  constexpr int32_t kLine = 128 / int32_t(sizeof(typename Row::Vec));
  const int32_t lines = (row.vectors() + kLine - 1) / kLine;
  const int32_t count = (lines + blocks - 1) / blocks * kLine;
  return row.share(cluster_rank() * count, count);
}

// This block's part of a row: all of it where the row has one block.
template <class T, int width, RowKind kind>
ODDTILE_DEVICE auto part_of_row(const SoftmaxParameters<T>& p, int64_t number) {
  const auto row = row_of<T, width, kind, int32_t>(p, number);
  return p.cluster_blocks > 1 ? share_of_block(row, p.cluster_blocks) : row;
}

template <class T, int width, int vectors, RowKind kind>
ODDTILE_KERNEL(1024, 1)
softmax_in_shared_memory(SoftmaxParameters<T> p) {
  const bool is_cluster = p.cluster_blocks > 1;
  if (is_cluster) cluster_arrive();
  const auto row = part_of_row<T, width, kind>(p, block() / p.cluster_blocks);
  auto* exchange = reinterpret_cast<float*>(shared_memory());
  SharedVectors<T, width, kind> more(shared_memory() + kSharedRowExchangeBytes,
                                     vectors * threads() + thread(), p.shared_slots);
  more.start(row);
  LaneVectors<T, width, vectors, kind, int32_t> mine;
  mine.load(row, thread(), threads());

  // Weights are not kept but made anew in the end, so that the blocks of a cluster need to meet but
  // once: each has a frame and a sum of its own until then.
  float max = maximum(mine.maximum_of_all(), more.maximum_of_all());
  max = reduce_block<Maximum>(max, exchange);
  mine.keep();
  RowFrame frame = frame_at(max, kLog2E);
  float sum = mine.weigh_only(frame) + more.weigh_only(frame);
  sum = reduce_block<Sum>(sum, exchange + 32);
  if (is_cluster) {
    cluster_wait();  // the others have started
    auto* pairs = reinterpret_cast<Vector<float, 2>*>(exchange + 64);
    const RowPart whole = merge_cluster({frame, sum}, pairs, p.cluster_blocks);
    frame = whole.frame;
    sum = whole.sum;
  }
  const float scale = divide(1.0f, sum);  // inf or NaN in the rows that are to become NaN

  mine.finish_anew(frame, scale);
  mine.store(row, again(thread()), threads());
  mine.clear_hidden(row, again(thread()), threads(), scale);
  more.write(row, frame, scale);
}

}  // namespace oddtile::ODDTILE_MACHINE
