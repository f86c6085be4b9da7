// ldmatrix, for the whole warp at once.
#include <immintrin.h>

#include <cstring>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRowBytes = 16;
// Each row is read for the whole warp: a lane's own row, too, must have been seen by the others.
void watch_rows(sim::Machine::State& machine, Site site) {
  const int first = machine.first_lane(machine.current_warp);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const auto row = reinterpret_cast<uintptr_t>(machine.warp().matrix_row[lane]);
    machine.races->access_row(first + lane, row, kRowBytes, first, kWarpLanes, site);
  }
}

// rows[r] holds eight 16-bit elements; afterwards rows[c] holds column c.
void transpose_8x8(__m128i (&rows)[8]) {
  __m128i pairs[8];
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm_unpacklo_epi16(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm_unpackhi_epi16(rows[2 * i], rows[2 * i + 1]);
  }
  __m128i quads[8];
  for (int i = 0; i < 2; ++i) {
    for (int half = 0; half < 2; ++half) {
      const __m128i low = pairs[4 * i + half];
      const __m128i high = pairs[4 * i + 2 + half];
      quads[4 * i + 2 * half] = _mm_unpacklo_epi32(low, high);
      quads[4 * i + 2 * half + 1] = _mm_unpackhi_epi32(low, high);
    }
  }
  for (int i = 0; i < 4; ++i) {
    rows[2 * i] = _mm_unpacklo_epi64(quads[i], quads[4 + i]);
    rows[2 * i + 1] = _mm_unpackhi_epi64(quads[i], quads[4 + i]);
  }
}

// Lane 4r+t receives elements 2t, 2t+1 of row r: in the order of the lanes, the matrix itself.
void read_matrices(Warp& warp, bool transposed) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    __m128i rows[8];
    for (int row = 0; row < 8; ++row) {
      std::memcpy(&rows[row], warp.matrix_row[8 * matrix + row], kRowBytes);
    }
    if (transposed) transpose_8x8(rows);
    std::memcpy(warp.matrix[matrix], rows, sizeof(rows));
  }
}

}  // namespace

const std::byte* checked_row(sim::Machine::State& machine, const void* row, Site site) {
  if (!machine.block->shared.contains(row, kRowBytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "reads a matrix row outside the block's shared memory");
  } else if (reinterpret_cast<uintptr_t>(row) % kRowBytes != 0) {
    machine.report(sim::HazardKind::misaligned, site, "matrix row is not 16-byte aligned");
  } else {
    return static_cast<const std::byte*>(row);
  }
  return kBadBytes;
}

void read_rows(sim::Machine::State& machine, bool transposed, Site site) {
  if (machine.races) watch_rows(machine, site);
  read_matrices(machine.warp(), transposed);
}

void read_matrix_4(uint32_t (&to)[4], const void* shared_row, bool transposed, Site site) {
  sim::Machine::State& machine = *running;
  if (machine.lane().batched >= 0) return file_load(machine, to, shared_row, transposed, site);
  Warp& warp = machine.warp();
  const int self = machine.current_lane;
  warp.matrix_row[self] = checked_row(machine, shared_row, site);
  if (machine.arrive(Word::load_matrix, site)) {
    read_rows(machine, transposed, site);
    machine.release();
  }
  for (int matrix = 0; matrix < 4; ++matrix) to[matrix] = warp.matrix[matrix][self];
}

}  // namespace oddtile::simulator
