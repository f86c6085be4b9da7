// Attention forward for sm_90: the same mathematics as forward.cuh, with copies and products that
// run by themselves. A block stays on its multiprocessor and takes query tiles until none is left.
//
//   producer (one warp)         draws a tile; K, Q, then K and V alternately, as stages fall free
//   consumers (64 rows each)    S = Q K^T of block n is multiplied while O += P V of block n + 1
//                               is; the softmax of block n runs beside the latter
//
// Blocks of keys go from the last visible one to the first. What is handed over, and how:
//
//   Q, tile     q_full  (bytes)      producer -> one consumer     q_empty  consumer -> producer,
//                                    two of them where they fit, so that Q of the next tile is
//                                    early
//   K, V stage  k_full, v_full       producer -> all consumers    k_empty, v_empty, by each warp
//   the turn    named barrier 1 ...  consumer -> the next one, where the shape takes turns
//
// Obligations: contract in kernels/api/kernels.h; error within the bound of oracles/bounds for the
// profile that attention_describe declares.
#pragma once

#include "kernels/attention/hopper_producer.cuh"

namespace oddtile::ODDTILE_MACHINE {

// ---- consumer ----

template <HopperShape s, class T>
struct Consumer {
  using Rows = WarpgroupRows<s.rule>;
  using Scores = Accumulator<1, s.keys>;
  using Output = Accumulator<1, s.head_size>;
  using Weights = LeftOperand<1, s.keys>;
  using QueryPlace = typename HopperMemory<s>::QueryPlace;

  const HopperParameters<T>& p;
  const HopperMemory<s>& memory;
  int group;                  // number of this warpgroup among the consumers
  QueryPlace queries{group};  // of its tile
  // The lane that hands back for its warp. To tell the elected one takes no register, and the
  // shape with weights in shared memory has none left; d = 64 was 1 % slower with it.
  bool leads = s.weights_in_registers ? lane() == 0 : elect_one();

  // ---- handing over ----
  // After something that all lanes of the warp do together, such as a wait for products: what is
  // released may be filled again at once, and a lane that had not seen it full would miss it.
  ODDTILE_DEVICE void release(Mbarrier* empty) const {
    if (leads) mbarrier_arrive(empty);
  }
  // Where O is stored from Q's place, that is later.
  ODDTILE_DEVICE void release_queries() const {
    if constexpr (s.staging != Staging::queries) {
      release(memory.barriers->q_empty + queries.index);
    }
  }
  // Where turns are taken, the first warpgroup has seen what the others multiply later.
  ODDTILE_DEVICE void await(Mbarrier* full, uint32_t parity) const {
    if (!s.take_turns || group == 0) mbarrier_wait(full, parity);
  }
  ODDTILE_DEVICE void await_turn() const {
    if constexpr (s.take_turns) TurnBarrier::sync(group);
  }
  ODDTILE_DEVICE void pass_turn() const {
    if constexpr (s.take_turns) TurnBarrier::arrive(group == s.consumers - 1 ? 0 : group + 1);
  }
  ODDTILE_DEVICE bool first_thread() const { return thread() % 128 == 0; }

  // Until the last store has read the staging buffer.
  ODDTILE_DEVICE void await_staging() const {
    if (first_thread()) wait_bulk_read<0>();
    OwnBarrier::sync(group);
  }

  // ---- one query tile ----
  ODDTILE_DEVICE void multiply_scores_of(Scores& scores, const Stage<s>& at) const {
    wgmma_fence();
    issue_transposed<T>(scores, memory.q(queries), memory.k(at.index));
    wgmma_commit();
  }
  ODDTILE_DEVICE void multiply_values(Output& output, const Weights& weights,
                                      const Stage<s>& at) const {
    wgmma_fence();
    issue_accumulate<T, s.held_steps()>(output, memory.weights(group), weights, memory.v(at.index));
    wgmma_commit();
  }

  // Hides keys that the block's queries do not see.
  ODDTILE_DEVICE void hide(Scores& scores, const WorkItem& work, int block) const {
    if constexpr (s.general) {
      const float multiplier = p.problem.scale.multiplier;
      if (multiplier != 1.0f) multiply_scores(scores, multiplier);
    }
    hide_outside_band(scores, hopper_band(p, work.key_length), warp_query(work), block * s.keys);
    if constexpr (s.general) {
      if (!p.problem.mask.data) return;
      const QueryTile tile = {work.batch, work.head, work.first_query};
      hide_by_mask(scores, p.problem, tile, warp_query(work), block * s.keys);
    }
  }
  // One comparison tests both ends.
  ODDTILE_DEVICE static bool is_whole(const WorkItem& work, int block) {
    return uint32_t(block - work.whole.first) < uint32_t(work.whole.end - work.whole.first);
  }
  ODDTILE_DEVICE static int32_t warp_query(const WorkItem& work) {
    return work.first_query + 16 * (warp() % 4);
  }

  // Weights to where the next product finds them.
  ODDTILE_DEVICE void hand_to_product(Weights& weights, const Scores& scores) const {
    weights = rounded<T>(scores);
    if constexpr (!s.weights_in_registers) {
      store_rows<s.held_steps()>(memory.weights(group), weights);
      fence_async_proxy_shared();
      sync_warp();
    }
  }

  // ---- blocks that other warpgroups of the tile need and this one does not ----
  ODDTILE_DEVICE void pass(Mbarrier* full, Mbarrier* empty, const Stage<s>& at) const {
    mbarrier_wait(full + at.index, at.parity);
    sync_warp();
    release(empty + at.index);
  }
  // Where turns are taken that is none or all of them, and each but the first has its turn.
  ODDTILE_DEVICE void pass_over(int count, Stage<s>& at) const {
    ODDTILE_NO_UNROLL
    for (int n = 0; n < count; ++n) {
      if (n > 0) {
        await_turn();
        pass_turn();
      }
      mbarrier_wait(memory.barriers->k_full + at.index, at.parity);
      pass(memory.barriers->v_full, memory.barriers->v_empty, at);
      release(memory.barriers->k_empty + at.index);
      at.advance();
    }
  }
  // Those before its own. With two stages V comes later than K: the first product does not wait for
  // the last V, which is left to pass_last_before. (With more, that costs 1 %.)
  static constexpr bool kLeavesLast = s.stages == 2 && !s.take_turns;
  ODDTILE_DEVICE void pass_before(int count, Stage<s>& at) const {
    if constexpr (!kLeavesLast) return pass_over(count, at);
    ODDTILE_NO_UNROLL
    for (int n = 0; n < count; ++n) {
      if (n > 0) pass(memory.barriers->v_full, memory.barriers->v_empty, at.previous());
      pass(memory.barriers->k_full, memory.barriers->k_empty, at);
      at.advance();
    }
  }
  ODDTILE_DEVICE void pass_last_before(int count, const Stage<s>& at) const {
    if constexpr (!kLeavesLast) return;
    if (count > 0) pass(memory.barriers->v_full, memory.barriers->v_empty, at.previous());
  }

  // One more block of keys. `weights` are those of the block before, whose values are multiplied
  // while this one's scores are weighed. `whole`: none of the scores is hidden.
  ODDTILE_DEVICE void step(const WorkItem& work, int n, bool whole, Rows& rows, Scores& scores,
                           Weights& weights, Output& output, Stage<s>& at) const {
    const Stage<s> before = at;
    at.advance();
    await(memory.barriers->k_full + at.index, at.parity);
    await_turn();
    multiply_scores_of(scores, at);
    await(memory.barriers->v_full + before.index, before.parity);
    multiply_values(output, weights, before);
    pass_turn();

    wgmma_wait<1>();
    wgmma_ready(scores.flat());
    release(memory.barriers->k_empty + at.index);
    if (!whole) hide(scores, work, work.own.first + n);
    float factor[2];
    rows.weigh(scores, s.weights_in_registers && !whole, factor, p.frame);

    wgmma_wait<0>();
    wgmma_ready(output.flat());
    release(memory.barriers->v_empty + before.index);
    hand_to_product(weights, scores);
    rows.rescale(output, factor);
  }

  // Leaves sums of weighted values in `output`, to be multiplied by `inverse`.
  ODDTILE_DEVICE void attend(const WorkItem& work, Output& output, float (&inverse)[2],
                             Stage<s>& at) const {
    Rows rows;
    rows.clear();
    Scores scores;
    Weights weights;
    float factor[2];
    int n = work.own.end - work.own.first - 1;  // blocks count from the first
    const int before = work.of_tile.end - work.own.end;
    pass_before(before, at);
    mbarrier_wait(memory.barriers->k_full + at.index, at.parity);
    multiply_scores_of(scores, at);
    wgmma_wait<0>();
    wgmma_ready(scores.flat());
    release(memory.barriers->k_empty + at.index);
    if (!is_whole(work, n)) hide(scores, work, work.own.first + n);
    rows.weigh(scores, true, factor, p.frame);
    if constexpr (s.staging == Staging::weights) await_staging();
    hand_to_product(weights, scores);
    output.clear();
    pass_last_before(before, at);

    ODDTILE_NO_UNROLL
    for (--n; n >= 0;) {
      // Whole blocks in a loop of their own: code that is jumped over costs time too. With weights
      // in shared memory the shapes have no registers for two loops.
      if (s.weights_in_registers && is_whole(work, n)) {
        const int last = larger(0, work.whole.first);
        ODDTILE_NO_UNROLL
        for (; n >= last; --n) step(work, n, true, rows, scores, weights, output, at);
      } else {
        step(work, n, !s.weights_in_registers && is_whole(work, n), rows, scores, weights, output,
             at);
        --n;
      }
    }

    release_queries();
    mbarrier_wait(memory.barriers->v_full + at.index, at.parity);
    wgmma_ready(output.flat());
    multiply_values(output, weights, at);
    finish_sums(work, rows, inverse);
    wgmma_wait<0>();
    wgmma_ready(output.flat());
    release(memory.barriers->v_empty + at.index);
    at.advance();
  }

  // The LSE, and what the output is multiplied by: 1 / sum. A row without live keys has sum 0: O =
  // +0, LSE = -inf.
  ODDTILE_DEVICE void finish_sums(const WorkItem& work, const Rows& rows,
                                  float (&inverse)[2]) const {
    const AttentionParameters<T>& problem = p.problem;
    ODDTILE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float sum = rows.row_sum(half);
      inverse[half] = sum == 0.0f ? 0.0f : divide(1.0f, sum);
      const int64_t query = warp_query(work) + 8 * half + lane() / 4;
      if (problem.lse.data && lane() % 4 == 0 && query < problem.seq_q) {
        const RowFrame frame = frame_at(rows.max[half], problem.scale.c);
        const float lse = sum == 0.0f ? kNegativeInfinity : log_sum(frame, sum);
        store(problem.lse.data,
              work.batch * problem.lse.batch_stride + work.head * problem.lse.head_stride +
                  query * problem.lse.row_stride,
              lse);
      }
    }
  }

  // Where no query of the warpgroup sees a key.
  ODDTILE_DEVICE void see_nothing(const WorkItem& work, Output& output, float (&inverse)[2]) const {
    Rows rows;
    rows.clear();
    output.clear();
    finish_sums(work, rows, inverse);
    if constexpr (s.staging == Staging::weights) await_staging();
    sync_warp();  // all lanes have seen Q's barrier full
    release_queries();
  }

  // A sum of zeros is +0: a hidden value times weight 0 has no say, not even its sign.
  ODDTILE_DEVICE static void normalise(Output& output, const float (&inverse)[2]) {
    ODDTILE_UNROLL
    for (int n = 0; n < s.head_size / 8; ++n) {
      ODDTILE_UNROLL
      for (int i = 0; i < 4; ++i) {
        output.at[0][n][i] = fma(output.at[0][n][i], inverse[i / 2], 0.0f);
      }
    }
  }

  ODDTILE_DEVICE void store_output(const WorkItem& work, const Output& output) const {
    const auto staging = memory.staging(group, queries);
    const LeftOperand<1, s.head_size> values = rounded<T>(output);
    constexpr int kColumns = HopperMemory<s>::kStagedColumns;
    ODDTILE_UNROLL
    for (int from = 0; from < s.head_size; from += kColumns) {
      if constexpr (HopperMemory<s>::kStagingOfItsOwn) await_staging();
      store_rows(staging, values, from / 16);
      fence_async_proxy_shared();
      OwnBarrier::sync(group);
      if (!first_thread()) continue;
      ODDTILE_UNROLL
      for (int panel = 0; panel < staging.kPanels; ++panel) {
        store_tensor_bulk(&p.o,
                          {from + kPanelColumns * panel, work.first_query, work.head, work.batch},
                          staging.panel(panel));
      }
      commit_bulk();
    }
    if constexpr (s.staging == Staging::queries) {
      if (!first_thread()) return;
      wait_bulk_read<0>();
      mbarrier_arrive(memory.barriers->q_empty + queries.index);
    }
  }

  ODDTILE_DEVICE void run() {
    Stage<s> at;
    if constexpr (s.take_turns) {
      if (group == 0) TurnBarrier::arrive(0);
    }
    for (;; queries.advance(s.consumers)) {
      mbarrier_wait(memory.barriers->q_full + queries.index, queries.parity);
      const WorkItem& work = memory.work(queries);
      if (work.first_query == kNoWork) break;
      Output output;
      float inverse[2];
      if (work.own.first < work.own.end) {
        attend(work, output, inverse, at);
      } else {
        see_nothing(work, output, inverse);
      }
      pass_over(work.own.first - work.of_tile.first, at);
      normalise(output, inverse);
      store_output(work, output);
    }
    if constexpr (s.take_turns) {
      if (group == 0) TurnBarrier::sync(0);
    }
    if (first_thread()) wait_bulk_read<0>();
  }
};

template <HopperShape s, class T>
ODDTILE_DEVICE void take_role(const HopperParameters<T>& p) {
  const HopperMemory<s> memory = HopperMemory<s>::of_block();
  if (thread() == 0) memory.barriers->init();
  sync_block();
  const int group = warpgroup() - 1;
  if (group < 0) {
    setmaxnreg_decrease<s.producer_registers>();
    if (warp() != 0) return;
    const Producer<s, T> producer = {p, memory, cache_policy(CacheHint::evict_first),
                                     cache_policy(CacheHint::evict_last), lane() == 0};
    producer.run();
  } else {
    setmaxnreg_increase<s.consumer_registers>();
    Consumer<s, T> consumer = {p, memory, group};
    consumer.run();
  }
}

// The shape by its index: nvcc 13.0 cannot launch a kernel whose template argument is an object.
template <int shape, class T>
ODDTILE_KERNEL(kHopperShapes[shape].threads(), 1)
attention_hopper(ODDTILE_GRID_CONSTANT HopperParameters<T> p) {
  if constexpr (kHopperCode) take_role<kHopperShapes[shape]>(p);
}

}  // namespace oddtile::ODDTILE_MACHINE
