// Attention without a softmax, in small: a producer warp fills two stages of K and of V and the
// slot of Q, a warpgroup multiplies, P goes through shared memory, O leaves from Q's slot. Every
// order that it needs is a word, and each of six can be taken away.
#pragma once

#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

enum class Fault {
  none,
  no_fence_before_store,
  no_fence_after_p,
  no_barrier_before_store,
  v_not_awaited,
  k_released_early,
  q_released_early
};

inline constexpr int kAttentionTiles = 2;
inline constexpr int kAttentionBlocks = 2;  // of 64 keys
inline constexpr LaunchShape kAttentionShape{
    .blocks = 1, .threads = 256, .shared_bytes = 6 * kTileBytes + 128};

struct AttentionMemory {
  std::byte* q;
  std::byte* k;  // two tiles
  std::byte* v;
  std::byte* p;
  Mbarrier* q_full;
  Mbarrier* q_empty;
  Mbarrier* k_full;  // two
  Mbarrier* k_empty;
  Mbarrier* v_full;
  Mbarrier* v_empty;
};

ODDTILE_DEVICE AttentionMemory attention_memory() {
  std::byte* tiles = shared_memory();
  Mbarrier* barriers = reinterpret_cast<Mbarrier*>(tiles + 6 * kTileBytes);
  return {tiles,        tiles + kTileBytes, tiles + 3 * kTileBytes, tiles + 5 * kTileBytes,
          barriers,     barriers + 1,       barriers + 2,           barriers + 4,
          barriers + 6, barriers + 8};
}

ODDTILE_DEVICE void fill_stage(std::byte* to, const TensorMap* map, int row, Mbarrier* full,
                               Mbarrier* empty, int use) {
  mbarrier_wait(empty, uint32_t(use + 1) % 2);
  mbarrier_arrive_expect(full, kTileBytes);
  load_tensor_bulk(to, map, {0, row}, full);
}

ODDTILE_DEVICE void produce(const Litmus& p, const AttentionMemory& m) {
  for (int step = 0; step < kAttentionTiles * kAttentionBlocks; ++step) {
    const int stage = step % 2;
    const int row = 16 * (step % kAttentionBlocks);
    const int at = kTileBytes * stage;
    fill_stage(m.k + at, &p.tile_128, row, m.k_full + stage, m.k_empty + stage, step / 2);
    if (step % kAttentionBlocks == 0) {
      const int tile = step / kAttentionBlocks;
      fill_stage(m.q, &p.tile_128, 8 * tile, m.q_full, m.q_empty, tile);
    }
    fill_stage(m.v + at, &p.tile_128, row, m.v_full + stage, m.v_empty + stage, step / 2);
  }
}

// A warp's 16 x 64 of bfloat16 into rows of a tile with a swizzle of 128 bytes.
template <class Value>
ODDTILE_DEVICE void store_rows(std::byte* tile, Value value) {
  const int row = 16 * (warp() % 4) + lane() % 16;
  ODDTILE_UNROLL
  for (int k = 0; k < 4; ++k) {
    uint32_t held[4];
    for (int i = 0; i < 4; ++i) {
      held[i] = pack<Bfloat16>(value(8 * k + 2 * i), value(8 * k + 2 * i + 1));
    }
    store_matrix_4(tile_element(tile, row, 16 * k + 8 * (lane() / 16), Swizzle::span_128), held);
  }
}

// After wgmma_wait, which all lanes of the warp have passed together.
ODDTILE_DEVICE void release(Mbarrier* empty) {
  if (lane() == 0) mbarrier_arrive(empty);
}

template <Fault fault>
ODDTILE_DEVICE void consume_block(const AttentionMemory& m, int step, float (&o)[32]) {
  const int stage = step % 2;
  const uint32_t parity = uint32_t(step / 2) % 2;
  const Swizzle swizzle = Swizzle::span_128;
  const MatrixDescriptor q = matrix_descriptor(m.q, 16, 1024, swizzle);
  const MatrixDescriptor k = matrix_descriptor(m.k + kTileBytes * stage, 16, 1024, swizzle);
  const MatrixDescriptor left = matrix_descriptor(m.p, 16, 1024, swizzle);
  const MatrixDescriptor v = matrix_descriptor(m.v + kTileBytes * stage, kTileBytes, 1024, swizzle);
  float s[32];
  mbarrier_wait(m.k_full + stage, parity);
  wgmma_fence();
  ODDTILE_UNROLL
  for (int i = 0; i < 4; ++i) wgmma<Bfloat16>(s, q + 32 * i, k + 32 * i, i != 0);
  wgmma_commit();
  if (fault == Fault::k_released_early) release(m.k_empty + stage);
  wgmma_wait<0>();
  wgmma_ready(s);
  if (fault != Fault::k_released_early) release(m.k_empty + stage);
  store_rows(m.p, [&](int i) { return s[i] > 0.0f ? 1.0f : 0.0f; });
  if (fault != Fault::no_fence_after_p) fence_async_proxy_shared();
  sync_warp();
  const bool in_the_loop = step % kAttentionBlocks != 0;
  if (fault != Fault::v_not_awaited || !in_the_loop) mbarrier_wait(m.v_full + stage, parity);
  wgmma_fence();
  ODDTILE_UNROLL
  for (int i = 0; i < 4; ++i) {
    wgmma<Bfloat16, Major::k, Major::mn>(o, left + 32 * i, v + 16 * 128 * i, in_the_loop || i != 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(o);
  release(m.v_empty + stage);
}

template <Fault fault>
ODDTILE_DEVICE void store_tile(const Litmus& p, const AttentionMemory& m, int tile,
                               const float (&o)[32]) {
  store_rows(m.q, [&](int i) { return o[i]; });
  if (fault != Fault::no_fence_before_store) fence_async_proxy_shared();
  if (fault != Fault::no_barrier_before_store) named_barrier_sync<1, 128>();
  if (thread() != 128) return;
  store_tensor_bulk(&p.stored_128, {64 * tile, 0}, m.q);
  commit_bulk();
  if (fault != Fault::q_released_early) wait_bulk_read<0>();
  mbarrier_arrive(m.q_empty);
}

// Element of the output, from the definition.
ODDTILE_DEVICE float attention_element(int tile, int row, int column) {
  float sum = 0.0f;
  for (int block = 0; block < kAttentionBlocks; ++block) {
    for (int key = 16 * block; key < 16 * block + 64; ++key) {
      if (row_times_row(8 * tile + row, key) > 0.0f) sum += tile_value_or_0(key, column);
    }
  }
  return to_float(from_float<Bfloat16>(sum));
}

template <Fault fault>
ODDTILE_DEVICE void attention(const Litmus& p) {
  const AttentionMemory m = attention_memory();
  if (thread() == 0) {
    for (int i = 0; i < 10; ++i) {
      const bool by_warps = i == 4 || i == 5 || i == 8 || i == 9;
      mbarrier_init(m.q_full + i, by_warps ? 4 : 1);
    }
    fence_mbarrier_init();
  }
  sync_block();
  bool right = true;
  if (warpgroup() == 0) {
    if (warp() == 0 && elect_one()) produce(p, m);
  } else {
    for (int tile = 0; tile < kAttentionTiles; ++tile) {
      float o[32];
      mbarrier_wait(m.q_full, uint32_t(tile) % 2);
      for (int block = 0; block < kAttentionBlocks; ++block) {
        consume_block<fault>(m, tile * kAttentionBlocks + block, o);
      }
      store_tile<fault>(p, m, tile, o);
    }
    if (thread() == 128) wait_bulk<0>();
    named_barrier_sync<1, 128>();
    const int row = thread() % 64;
    const int column = thread() % 9 * 8;
    const float expected = attention_element(column / 64, row, column % 64);
    const Global<const Bfloat16> stored(p.stored);
    right = to_float(load(stored, row * kTileColumns + column)) == expected;
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
