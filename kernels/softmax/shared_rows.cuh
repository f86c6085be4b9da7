// A block, or a cluster of blocks, per row, where the registers of one block do not hold it: each
// lane may have further vectors in shared memory. A cluster that stays takes one row after another.
//
// A lane reads only what it has brought there itself, so no barrier is needed; the copies are
// asynchronous and take no registers while they are under way. With 128 KiB in registers and
// 227 KiB of shared memory one multiprocessor holds 355 KiB of rows, and each byte moves once.
#pragma once

#include "kernels/softmax/rows.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Clusters that stay start in so many phases: in step all would compute, and memory wait, at once.
inline constexpr int32_t kStartPhases = 4;

// A lane's share of the sum, in a frame of its own that follows the vectors as they come.
struct LanePart {
  RowFrame frame;
  float sum = 0.0f;

  template <class Vectors>
  ODDTILE_DEVICE void add(Vectors* some) {
    const float max = some->maximum_of_all();
    if (max > frame.max) {
      const RowFrame now = frame_at(max, kLog2E);
      sum *= rescale_factor(frame, now, kLog2E);
      frame = now;
    }
    some->keep();
    sum += some->weigh_only(frame);
  }
};

// This lane's vectors in shared memory: slot s is vector number first + s * step of the row.
template <class T, int width, RowKind kind>
class SharedVectors {
 public:
  using Row = CoveredRow<T, width, kind, int32_t>;
  using Vec = typename Row::Vec;

  ODDTILE_DEVICE SharedVectors(std::byte* memory, int32_t first, int32_t step, int32_t slots)
      : memory_(reinterpret_cast<Vec*>(memory) + thread()),
        visible_(reinterpret_cast<uint8_t*>(memory) + slots * threads() * sizeof(Vec) + thread()),
        first_(first),
        step_(step),
        slots_(slots) {}

  // Starts all loads, a quarter after the other. What cannot be copied as it is goes through
  // registers, a few at a time.
  ODDTILE_DEVICE void start(const Row& row) const {
    if (Row::kMasked && row.x_has_frame) return start_visible(row);
    if (!row.x_has_frame) {
      for (int32_t s = 0; s < slots_; s += kBatch) load_batch(row, s);
      return;
    }
    for (int32_t quarter = 0; quarter < 4; ++quarter) {
      const int32_t end = begin(quarter + 1);
      for (int32_t s = begin(quarter); s < end; ++s) copy(row, s);
      commit_copies();
    }
  }

  // Adds the weights of each quarter as it arrives.
  ODDTILE_DEVICE void weigh(LanePart* part) const {
    wait_copies<3>();
    weigh_quarter(0, part);
    wait_copies<2>();
    weigh_quarter(1, part);
    wait_copies<1>();
    weigh_quarter(2, part);
    wait_copies<0>();
    weigh_quarter(3, part);
  }

  // The same in two steps, of all slots. What a mask hides becomes -inf.
  ODDTILE_DEVICE float maximum_of_all() const {
    wait_copies<0>();
    float result = kNegativeInfinity;
    for (int32_t s = 0; s < slots_; ++s) {
      if (is_cleared(s)) continue;
      One one = held(s);
      if constexpr (Row::kMasked) {
        const uint32_t visible = visible_[s * threads()];
        if (visible != Row::kAll) {
          Row::hide(&one.vector[0], visible);
          *slot(s) = one.vector[0];
        }
      }
      result = maximum(result, one.maximum_of_all());
    }
    return result;
  }
  ODDTILE_DEVICE float weigh_only(const RowFrame& frame) const {
    float sum = 0.0f;
    for (int32_t s = 0; s < slots_; ++s) {
      if (!is_cleared(s)) sum += held(s).weigh_only(frame);
    }
    return sum;
  }

  // Writes the row.
  ODDTILE_DEVICE void finish(const Row& row, const RowFrame& frame, float scale) const {
    for (int32_t s = 0; s < slots_; ++s) finish_slot(row, s, frame, scale);
  }

  // The same, and starts the copies of `next` where this row's vectors were.
  ODDTILE_DEVICE void give_way(const Row& row, const Row& next, const RowFrame& frame,
                               float scale) const {
    for (int32_t quarter = 0; quarter < 4; ++quarter) {
      const int32_t end = begin(quarter + 1);
      for (int32_t s = begin(quarter); s < end; ++s) {
        finish_slot(row, s, frame, scale);
        copy(next, s);
      }
      commit_copies();
    }
  }

 private:
  static constexpr int kBatch = 4;
  static constexpr int kMaskBatch = 8;
  using One = LaneVectors<T, width, 1, kind, int32_t>;

  // Quarters start at even slots: two are weighed at a time.
  ODDTILE_DEVICE int32_t begin(int32_t quarter) const {
    return quarter < 4 ? slots_ * quarter / 4 / 2 * 2 : slots_;
  }

  template <int count>
  ODDTILE_DEVICE void weigh_slots(int32_t s, LanePart* part) const {
    LaneVectors<T, width, count, kind, int32_t> some;
    ODDTILE_UNROLL
    for (int i = 0; i < count; ++i) some.vector[i] = *slot(s + i);
    part->add(&some);
  }

  ODDTILE_DEVICE void weigh_quarter(int32_t quarter, LanePart* part) const {
    int32_t s = begin(quarter);
    for (; s + 2 <= begin(quarter + 1); s += 2) weigh_slots<2>(s, part);
    if (s < begin(quarter + 1)) weigh_slots<1>(s, part);
  }

  ODDTILE_DEVICE void finish_slot(const Row& row, int32_t s, const RowFrame& frame,
                                  float scale) const {
    if (is_cleared(s)) return;
    One one = held(s);
    one.finish_anew(frame, scale);
    one.store(row, vector(s), 0);
    one.clear_hidden(row, vector(s), 0, scale);
  }

  // By `start_visible`.
  ODDTILE_DEVICE bool is_cleared(int32_t s) const {
    if constexpr (!Row::kMasked) return false;
    return !vote_any(visible_[s * threads()] != 0);
  }

  ODDTILE_DEVICE One held(int32_t s) const {
    One one;
    one.vector[0] = *slot(s);
    return one;
  }

  ODDTILE_DEVICE Vec* slot(int32_t s) const { return memory_ + s * threads(); }
  ODDTILE_DEVICE int32_t vector(int32_t s) const { return first_ + s * step_; }
  ODDTILE_DEVICE void copy(const Row& row, int32_t s) const {
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

  ODDTILE_DEVICE void load_batch(const Row& row, int32_t s) const {
    LaneVectors<T, width, kBatch, kind, int32_t> batch;
    batch.load(row, vector(s), step_);
    ODDTILE_UNROLL
    for (int i = 0; i < kBatch; ++i) {
      if (s + i < slots_) *slot(s + i) = batch.vector[i];
      if (Row::kMasked && s + i < slots_) visible_[(s + i) * threads()] = Row::kAll;
    }
  }

  // Reads the mask, and starts to copy the vectors that hold something visible: what else they hold
  // is hidden when they are there. Those of which a warp sees nothing are cleared at once.
  ODDTILE_DEVICE void start_visible(const Row& row) const {
    using Batch = LaneVectors<T, width, kMaskBatch, kind, int32_t>;
    for (int32_t s = 0; s < slots_; s += kMaskBatch) {
      const typename Batch::Elements visible = Batch::load_visibility(row, vector(s), step_);
      ODDTILE_UNROLL
      for (int i = 0; i < kMaskBatch; ++i) {
        if (s + i < slots_) copy_visible(row, s + i, visible.of(i));
      }
      Batch::clear_unseen(row, vector(s), step_, visible);
    }
    commit_copies();
  }
  ODDTILE_DEVICE void copy_visible(const Row& row, int32_t s, uint32_t visible) const {
    const int32_t at = vector(s);
    visible_[s * threads()] = uint8_t(visible);
    if (visible != 0 && row.is_whole(at)) {
      copy_async_16(slot(s), row.x + int64_t(at) * width, 16);
    } else {
      *slot(s) = visible != 0 ? row.read(at) : Row::nothing();
    }
  }

  Vec* memory_;
  uint8_t* visible_;  // with a mask: the elements of each slot that are
  int32_t first_;
  int32_t step_;
  int32_t slots_;
};

// The exchanges of two reductions over a block, and pairs of the blocks of a cluster.
inline constexpr int32_t kSharedRowExchangeBytes = 5 * kExchangeBytes;

// How the blocks of a cluster agree on each row: each sends its pair to all, which need not meet.
class ClusterExchange {
 public:
  // Before the cluster's barrier, by all lanes.
  ODDTILE_DEVICE ClusterExchange(std::byte* memory, int32_t blocks)
      : pairs_(reinterpret_cast<Vector<float, 2>*>(memory)),
        arrived_(reinterpret_cast<Mbarrier*>(pairs_ + 2 * kMostBlocks)),
        blocks_(blocks) {
    if (blocks > 1 && thread() == 0) {
      mbarrier_init(arrived_, 1);
      mbarrier_init(arrived_ + 1, 1);
      fence_mbarrier_init();
    }
  }

  // Rows take turns with two places: whoever sends for the row after next has this row's pairs.
  ODDTILE_DEVICE RowPart merge(const RowPart& own, int32_t row) const {
    Vector<float, 2>* const pairs = pairs_ + row % 2 * kMostBlocks;
    Mbarrier* const arrived = arrived_ + row % 2;
    const Vector<float, 2> pair = {own.frame.max, own.sum};
    if (thread() == 0) mbarrier_arrive_expect(arrived, blocks_ * int32_t(sizeof(pair)));
    if (thread() < blocks_) {
      store_async(map_shared_rank(pairs + cluster_rank(), thread()), pair,
                  map_shared_rank(arrived, thread()));
    }
    mbarrier_wait_cluster(arrived, uint32_t(row / 2) % 2);
    return merge_pairs(pairs, blocks_);
  }

 private:
  static constexpr int32_t kMostBlocks = 16;
  Vector<float, 2>* pairs_;
  Mbarrier* arrived_;
  int32_t blocks_;
};

// What the lanes of a block hold of a row: each lane has a frame and a sum of its own until the
// block agrees, so that the first quarters are weighed while the rest is under way. Masked rows are
// there as a whole, since their mask has come before them: the block agrees on its frame first.
template <class Mine, class More>
ODDTILE_DEVICE RowPart weigh_block(Mine* mine, const More& more, float* exchange) {
  if constexpr (Mine::kMasked) {
    const float max = maximum(mine->maximum_of_all(), more.maximum_of_all());
    const RowFrame frame = frame_at(reduce_block<Maximum>(max, exchange), kLog2E);
    mine->keep();
    const float sum = mine->weigh_only(frame) + more.weigh_only(frame);
    return {frame, reduce_block<Sum>(sum, exchange + 32)};
  } else {
    LanePart part;
    more.weigh(&part);
    part.add(mine);
    const RowFrame frame = frame_at(reduce_block<Maximum>(part.frame.max, exchange), kLog2E);
    const float sum = part.sum * rescale_factor(part.frame, frame, kLog2E);
    return {frame, reduce_block<Sum>(sum, exchange + 32)};
  }
}

template <class T, int width, int vectors, RowKind kind, bool stays>
ODDTILE_KERNEL(1024, 1)
softmax_in_shared_memory(SoftmaxParameters<T> p) {
  const bool is_cluster = p.cluster_blocks > 1;
  auto* exchange = reinterpret_cast<float*>(shared_memory());
  const ClusterExchange cluster(shared_memory() + 2 * kExchangeBytes, p.cluster_blocks);
  if (is_cluster) cluster_arrive_relaxed();
  const int64_t clusters = blocks() / p.cluster_blocks;
  int64_t number = block() / p.cluster_blocks;
  if (stays) pause(int32_t(number % kStartPhases) * p.start_delay);
  auto row = row_of<T, width, kind, int32_t>(p, number);
  // The blocks of a cluster take turns with the row's vectors: together they read and write one
  // stretch of memory, and as much of a row's visible part is in each. Constants of the launch
  // wherever they are used: registers are short.
  const int32_t step = p.lanes;
  const int32_t first = thread() + (step > threads() ? cluster_rank() * threads() : 0);
  const SharedVectors<T, width, kind> more(shared_memory() + kSharedRowExchangeBytes,
                                           vectors * step + first, step, p.shared_slots);
  prefetch_mask(p, row, number, first, step);
  more.start(row);
  LaneVectors<T, width, vectors, kind, int32_t> mine;
  mine.template load<true>(row, first, step);
  if (is_cluster) cluster_wait();  // the others have started

  for (int32_t turn = 0;; ++turn) {
    // Weights are not kept but made anew in the end, so that the blocks of a cluster meet but once.
    RowPart part = weigh_block(&mine, more, exchange);
    if (is_cluster) part = cluster.merge(part, turn);
    const RowFrame frame = part.frame;
    const float scale = divide(1.0f, part.sum);  // inf or NaN in rows that are to become NaN

    if constexpr (!stays) {
      mine.finish_anew(frame, scale);
      mine.store(row, again(first), step);
      mine.clear_hidden(row, again(first), step, scale);
      more.finish(row, frame, scale);
      return;
    } else {
      number += clusters;
      const bool follows = number < p.rows;
      auto next = row_of<T, width, kind, int32_t>(p, follows ? number : 0);
      if (!follows) next.lead = next.columns = 0;  // no vector of it is read
      more.give_way(row, next, frame, scale);
      mine.give_way(row, next, first, step, frame, scale);
      if (!follows) return;
      row = next;
      mine.hide_ends(row, first, step);
    }
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
