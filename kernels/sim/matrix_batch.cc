#include "kernels/sim/matrix_batch.h"

#include <immintrin.h>

#include <cstring>
#include <string>

#include "kernels/sim/product.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kFlops = 2 * ProductTile::kRows * 2 * ProductTile::kColumns * ProductTile::kProducts;

// Four registers each of 32 lanes, from where they lie to register by register, and back.
void gather(const uint32_t* const (&from)[kWarpLanes], uint32_t (&to)[4][kWarpLanes]) {
  for (int lane = 0; lane < kWarpLanes; lane += 4) {
    __m128 row[4];
    for (int i = 0; i < 4; ++i) {
      row[i] = _mm_loadu_ps(reinterpret_cast<const float*>(from[lane + i]));
    }
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int i = 0; i < 4; ++i) _mm_store_ps(reinterpret_cast<float*>(&to[i][lane]), row[i]);
  }
}
void scatter(const uint32_t (&from)[4][kWarpLanes], uint32_t* const (&to)[kWarpLanes]) {
  for (int lane = 0; lane < kWarpLanes; lane += 4) {
    __m128 row[4];
    for (int i = 0; i < 4; ++i) {
      row[i] = _mm_load_ps(reinterpret_cast<const float*>(&from[i][lane]));
    }
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int i = 0; i < 4; ++i) _mm_storeu_ps(reinterpret_cast<float*>(to[lane + i]), row[i]);
  }
}

// A lane's four sums: two of the upper, two of the lower half of the tile.
void gather_sums(float* const (&from)[kWarpLanes], Warp& warp) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const __m128 four = _mm_loadu_ps(from[lane]);
    _mm_storel_pi(reinterpret_cast<__m64*>(&warp.sum[0][2 * lane]), four);
    _mm_storeh_pi(reinterpret_cast<__m64*>(&warp.sum[1][2 * lane]), four);
  }
}
void scatter_sums(const Warp& warp, float* const (&to)[kWarpLanes]) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    __m128 four = _mm_setzero_ps();
    four = _mm_loadl_pi(four, reinterpret_cast<const __m64*>(&warp.sum[0][2 * lane]));
    four = _mm_loadh_pi(four, reinterpret_cast<const __m64*>(&warp.sum[1][2 * lane]));
    _mm_storeu_ps(to[lane], four);
  }
}

void compute_load(sim::Machine::State& machine, Warp& warp, const MatrixBatch::Entry& entry) {
  std::memcpy(warp.matrix_row, entry.load.row, sizeof(warp.matrix_row));
  read_rows(machine, entry.variant, entry.site);
  scatter(warp.matrix, entry.load.to);
}

void compute_product(sim::Machine::State& machine, Warp& warp, const MatrixBatch::Entry& entry) {
  gather(entry.product.a, warp.a);
  gather(entry.product.b, warp.b);
  ProductTile tile;
  begin_product(warp, entry.variant, &tile);
  for (int block = 0; block < 2; ++block) {
    gather_sums(entry.product.sum[block], warp);
    add_product(warp, block, entry.variant, machine.arithmetic, &tile);
    scatter_sums(warp, entry.product.sum[block]);
  }
  machine.counters.flops += kFlops;
}

// By the last lane of the warp. Copies may land between any two words, as everywhere else.
void compute(sim::Machine::State& machine, Warp& warp) {
  MatrixBatch& batch = *warp.batch;
  for (int i = 0; i < batch.count; ++i) {
    const MatrixBatch::Entry& entry = batch.entry[i];
    if (machine.pending_copies != 0 || !machine.in_flight.empty()) machine.land_something();
    if (entry.word == Word::load_matrix) {
      compute_load(machine, warp, entry);
    } else {
      compute_product(machine, warp, entry);
    }
  }
  batch.count = 0;
  batch.closed = false;
}

void diverge(sim::Machine::State& machine, Word word, Site site) {
  machine.report(sim::HazardKind::collective_divergence, site,
                 std::string("lane is at ") + word_name(word) +
                     ", where other lanes of its warp are at another word of the batch, or have "
                     "reached its end");
  machine.abandon_block();
}

// What the running lane has filed so far is computed.
void finish(sim::Machine::State& machine, Site site) {
  Warp& warp = machine.warp();
  Lane& lane = machine.lane();
  if (lane.batched == 0 && warp.batch->count == 0) return;
  if (lane.batched != warp.batch->count) diverge(machine, Word::matrix_batch, site);
  warp.batch->closed = true;
  lane.batched = 0;
  if (!machine.arrive(Word::matrix_batch, site)) return;
  compute(machine, warp);
  machine.release();
}

// The entry for the next word of the running lane.
MatrixBatch::Entry& file(sim::Machine::State& machine, Word word, bool variant, Site site) {
  if (machine.lane().batched == MatrixBatch::kWordsMax) finish(machine, site);
  machine.step(word);
  MatrixBatch& batch = *machine.warp().batch;
  const int number = machine.lane().batched++;
  MatrixBatch::Entry& entry = batch.entry[number];
  if (number == batch.count && !batch.closed) {
    ++batch.count;
    entry.word = word;
    entry.variant = variant;
    entry.site = site;
  } else if (number == batch.count || entry.word != word || entry.variant != variant ||
             !same_site(entry.site, site)) {
    diverge(machine, word, site);
  }
  return entry;
}

}  // namespace

void file_load(sim::Machine::State& machine, uint32_t (&to)[4], const void* row, bool transposed,
               Site site) {
  MatrixBatch::Load& load = file(machine, Word::load_matrix, transposed, site).load;
  load.row[machine.current_lane] = checked_row(machine, row, site);
  load.to[machine.current_lane] = to;
}

void multiply_16x16x16(float (&left)[4], float (&right)[4], const uint32_t (&a)[4],
                       const uint32_t (&b)[4], bool bfloat16, Site site) {
  sim::Machine::State& machine = *running;
  const bool alone = machine.lane().batched < 0;
  if (alone) begin_matrix_batch();
  MatrixBatch::Product& product = file(machine, Word::mma, bfloat16, site).product;
  const int self = machine.current_lane;
  product.sum[0][self] = left;
  product.sum[1][self] = right;
  product.a[self] = a;
  product.b[self] = b;
  if (alone) end_matrix_batch(site);
}

void begin_matrix_batch() {
  sim::Machine::State& machine = *running;
  Warp& warp = machine.warp();
  if (warp.batch == nullptr) warp.batch = std::make_unique<MatrixBatch>();
  machine.lane().batched = 0;
}

void end_matrix_batch(Site site) {
  sim::Machine::State& machine = *running;
  finish(machine, site);
  machine.lane().batched = -1;
}

}  // namespace oddtile::simulator
