// What litmus kernels of stages that are filled again share: the same ring with another way to
// release its stage.
#pragma once

#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

// One lane of warp 0 fills a row four times; warp 1 waits for it, and after `meet` one lane looks
// and releases it.
template <class Meet>
ODDTILE_DEVICE void row_released_by_one(const Litmus& p, Meet meet) {
  float* row = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 512, 2, 1);
  Mbarrier* empty = full + 1;
  bool right = true;
  if (warp() == 0) {
    for (int step = 0; step < 4 && lane() == 0; ++step) {
      mbarrier_wait(empty, uint32_t(step + 1) % 2);
      mbarrier_arrive_expect(full, 256);
      load_bulk(row, p.in + 64 * step, 256, full);
    }
  } else {
    for (int step = 0; step < 4; ++step) {
      mbarrier_wait(full, uint32_t(step) % 2);
      meet();
      if (lane() != 0) continue;
      right = right && row[5] == float(64 * step + 5);
      fence_async_proxy_shared();
      mbarrier_arrive(empty);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

// One lane of warp 0 fills a row four times for warps 1 and 2. Warp 2 reads only those with an even
// number; before it releases another one, it does `pass(full, step)`.
template <class Pass>
ODDTILE_DEVICE void rows_passed_over(const Litmus& p, Pass pass) {
  float* row = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  Mbarrier* empty = ready_barriers(shared_memory() + 520, 1, 2);
  bool right = true;
  for (int step = 0; step < 4; ++step) {
    if (warp() == 0) {
      if (lane() != 0) break;
      mbarrier_wait(empty, uint32_t(step + 1) % 2);
      mbarrier_arrive_expect(full, 256);
      load_bulk(row, p.in + 64 * step, 256, full);
      continue;
    }
    if (warp() == 1 || step % 2 == 0) {
      mbarrier_wait(full, uint32_t(step) % 2);
      right = right && row[lane()] == float(64 * step + lane());
      fence_async_proxy_shared();
    } else {
      pass(full, step);
    }
    sync_warp();
    if (lane() == 0) mbarrier_arrive(empty);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

// Two blocks of 64 lanes take turns to copy a tile for both. Before it copies, or lets the other
// one, a block's first lane does `wait(empty, step, issues)`; every lane that has read does
// `release(empty, step)`.
template <class Wait, class Release>
ODDTILE_DEVICE void tile_by_turns(const Litmus& p, Wait wait, Release release) {
  Mbarrier* full = ready_barriers(shared_memory() + kTileBytes, 1, 1);
  Mbarrier* empty = ready_barriers(shared_memory() + kTileBytes + 8, 1, 2 * 64);
  cluster_arrive();
  cluster_wait();
  bool right = true;
  for (int step = 0; step < 4; ++step) {
    const bool issues = cluster_rank() == step % 2;
    if (thread() == 0) {
      mbarrier_arrive_expect(full, kTileBytes);
      wait(empty, step, issues);
      if (issues) {
        load_tensor_multicast(shared_memory(), &p.tile_128, {0, step}, full, 0b11,
                              cache_policy(CacheHint::evict_normal));
      }
    }
    mbarrier_wait_cluster(full, uint32_t(step) % 2);
    right = right && tile_is(shared_memory(), step, 0, 64, 64, Swizzle::span_128);
    fence_async_proxy_shared();
    release(empty, step);
  }
  cluster_arrive();
  cluster_wait();
  store(p.out, 64 * block() + thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
