// A block, or a cluster of blocks, per row, where the registers of one block do not hold it: each
// lane may have further vectors in shared memory. A cluster that stays takes one row after another.
//
// A lane reads only what it has brought there itself, of shifted rows what its warp has, so no
// barrier is needed; the copies are asynchronous and take no registers while they are under way.
// With 128 KiB in registers and 227 KiB of shared memory one multiprocessor holds 355 KiB of rows,
// and each byte moves once.
#pragma once

#include "kernels/softmax/rows.cuh"
#include "kernels/softmax/shifted_slots.cuh"

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
  // Whether x may lie otherwise than y: it is read by its own vectors then, which move afterwards.
  static constexpr bool kShifts = kind == RowKind::ragged && sizeof(T) == 2;

  ODDTILE_DEVICE SharedVectors(std::byte* memory, int32_t first, int32_t step, int32_t slots)
      : memory_(reinterpret_cast<Vec*>(memory) + thread() +
                (kShifts ? warp() * kVectorsBehind : 0)),
        visible_(reinterpret_cast<uint8_t*>(memory) + slots * threads() * sizeof(Vec) + thread()),
        first_(first),
        step_(step),
        slots_(slots) {}

  // The row as it is read.
  ODDTILE_DEVICE Row by_vectors_of_x(const Row& row) {
    shift_ = row.x_offset();
    return row.by_vectors_of_x();
  }

  // Starts all loads, a quarter after the other. What cannot be copied as it is goes through
  // registers, a few at a time. `held`: a lane's vectors in registers, which come before.
  template <int held>
  ODDTILE_DEVICE void start(const Row& row) const {
    if (Row::kMasked && row.x_has_frame) return start_visible(row);
    if (!kShifts && !row.is_framed()) {
      for (int32_t s = 0; s < slots_; s += kBatch) load_batch(row, s);
      return;
    }
    const int32_t whole_end = row.whole_end();
    if (kShifts) copy_behind<held>(row, whole_end);
    for (int32_t quarter = 0; quarter < 4; ++quarter) {
      const int32_t end = begin(quarter + 1);
      for (int32_t s = begin(quarter); s < end; ++s) copy(row, whole_end, s);
      commit_copies();
    }
  }

  // Adds the weights of each quarter as it arrives, and moves all vectors, those in registers, too,
  // to where they belong.
  template <int held>
  ODDTILE_DEVICE void weigh(LanePart* part, Vec (&vectors)[held]) const {
    if constexpr (kShifts) {
      with_words_of(shift_, [&](auto words) {
        weigh_by<words, true>(part);
        wait_copies<0>();
        shift_held<T, words>(places<held>(), shift_, vectors);
      });
    } else {
      weigh_by<0, sizeof(T) == 2 && (held > 2)>(part);
    }
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
    const int32_t whole_end = row.whole_end();
    for (int32_t s = 0; s < slots_; ++s) finish_slot(row, whole_end, s, frame, scale);
  }

  // The same, and starts the copies of `next` where this row's vectors were.
  ODDTILE_DEVICE void give_way(const Row& row, const Row& next, const RowFrame& frame,
                               float scale) const {
    const int32_t whole_end = row.whole_end(), next_end = next.whole_end();
    for (int32_t quarter = 0; quarter < 4; ++quarter) {
      const int32_t end = begin(quarter + 1);
      for (int32_t s = begin(quarter); s < end; ++s) {
        finish_slot(row, whole_end, s, frame, scale);
        copy(next, next_end, s);
      }
      commit_copies();
    }
  }

 private:
  static constexpr int kBatch = 4;
  static constexpr int kMaskBatch = 8;
  using One = LaneVectors<T, width, 1, kind, int32_t>;

  // `loops`: by one piece of code for all quarters, where there is much of it.
  template <int words, bool loops>
  ODDTILE_DEVICE void weigh_by(LanePart* part) const {
    int32_t s = 0;
    const auto weigh_quarter = [&](int32_t quarter) {
      wait_for(quarter);
      if (kShifts) sync_warp();
      const int32_t end = begin(quarter + 1);
      for (; s + 2 <= end; s += 2) weigh_slots<words, 2>(s, part);
      if (s < end) weigh_slots<words, 1>(s++, part);
    };
    if constexpr (loops) {
      ODDTILE_NO_UNROLL
      for (int32_t quarter = 0; s < slots_; ++quarter) weigh_quarter(quarter);
    } else {
      ODDTILE_UNROLL
      for (int32_t quarter = 0; quarter < 4; ++quarter) weigh_quarter(quarter);
    }
  }
  static ODDTILE_DEVICE void wait_for(int32_t quarter) {
    if (quarter == 0) return wait_copies<3>();
    if (quarter == 1) return wait_copies<2>();
    if (quarter == 2) return wait_copies<1>();
    wait_copies<0>();
  }

  // Quarters start at even slots: two are weighed at a time.
  ODDTILE_DEVICE int32_t begin(int32_t quarter) const {
    return quarter < 4 ? int32_t(uint32_t(slots_ * quarter) / 8 * 2) : slots_;
  }

  template <int words, int count>
  ODDTILE_DEVICE void weigh_slots(int32_t s, LanePart* part) const {
    LaneVectors<T, width, count, kind, int32_t> some;
    if constexpr (kShifts) {
      shift_slots<T, words>(slot(s), slot_vectors(), shift_, some.vector);
    } else {
      ODDTILE_UNROLL
      for (int i = 0; i < count; ++i) some.vector[i] = *slot(s + i);
    }
    part->add(&some);
  }

  ODDTILE_DEVICE void finish_slot(const Row& row, int32_t whole_end, int32_t s,
                                  const RowFrame& frame, float scale) const {
    if (is_cleared(s)) return;
    One one = held(s);
    one.finish_anew(frame, scale);
    const int32_t at = vector(s);
    if constexpr (Row::kMasked) {
      one.store(row, at, 0);
      one.clear_hidden(row, at, 0, scale);
    } else if (at < whole_end) {
      store_as(row.y, at, one.vector[0]);
    } else {
      row.write(at, one.vector[0]);
    }
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

  // Those of a warp lie one behind the other; what it shifts, with those behind them.
  ODDTILE_DEVICE int32_t slot_vectors() const {
    return kShifts ? threads() / 32 * (32 + kVectorsBehind) : threads();
  }
  ODDTILE_DEVICE Vec* slot(int32_t s) const { return memory_ + s * slot_vectors(); }
  // For a vector of each lane, and those behind what the warp has in registers.
  template <int held>
  ODDTILE_DEVICE Vec* places() const {
    return slot(slots_) - lane() + warp() * (32 + held * kVectorsBehind - 32 - kVectorsBehind);
  }
  ODDTILE_DEVICE int32_t vector(int32_t s) const { return first_ + s * step_; }
  ODDTILE_DEVICE void copy(const Row& row, int32_t whole_end, int32_t s) const {
    copy_to(slot(s), row, whole_end, vector(s));
  }
  // Only the row's end is met here: its first vectors are in registers.
  ODDTILE_DEVICE void copy_to(Vec* place, const Row& row, int32_t whole_end, int32_t at) const {
    if (at < whole_end) {
      copy_async_16(place, row.x + int64_t(at) * width, 16);
    } else {
      const uint32_t columns = row.inside(at);
      Vec values = columns != 0 ? row.read(at) : Row::nothing();
      Row::hide(&values, columns);
      *place = values;
    }
  }

  // The vectors behind those of the warp, in registers and in slots.
  template <int held>
  ODDTILE_DEVICE void copy_behind(const Row& row, int32_t whole_end) const {
    for (int32_t i = lane(); i < (held + slots_) * kVectorsBehind; i += 32) {
      const int32_t s = i / kVectorsBehind - held, ahead = 32 - lane() + i % kVectorsBehind;
      Vec* const place = s < 0 ? places<held>() + 32 + i : slot(s) + ahead;
      copy_to(place, row, whole_end, vector(s) + ahead);
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
  uint32_t shift_ = 0;  // bytes from a vector of x's grid to one of y's
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
    more.weigh(&part, mine->vector);
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
  SharedVectors<T, width, kind> more(shared_memory() + kSharedRowExchangeBytes,
                                     vectors * step + first, step, p.shared_slots);
  prefetch_mask(p, row, number, first, step);
  auto source = row;
  if constexpr (more.kShifts) source = more.by_vectors_of_x(row);
  more.template start<vectors>(source);
  LaneVectors<T, width, vectors, kind, int32_t> mine;
  mine.template load<true>(source, first, step);
  if (is_cluster) cluster_wait();  // the others have started

  for (int32_t turn = 0;; ++turn) {
    // Weights are not kept but made anew in the end, so that the blocks of a cluster meet but once.
    RowPart part = weigh_block(&mine, more, exchange);
    if (is_cluster) part = cluster.merge(part, turn);
    const RowFrame frame = part.frame;
    const float scale = divide(1.0f, part.sum);  // inf or NaN in rows that are to become NaN

    if constexpr (!stays) {
      if (more.kShifts)
        row = row_of<T, width, kind, int32_t>(p, again(number));  // not kept till now
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
