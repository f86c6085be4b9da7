// stmatrix: the inverse of ldmatrix. Lane 4r+t holds elements 2t, 2t+1 of row r of each matrix.
#include <cstring>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kRowBytes = 16;

bool is_writable_row(sim::Machine::State& machine, const void* row, Site site) {
  if (!machine.block->shared.contains(row, kRowBytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   "writes a matrix row outside the block's shared memory");
    return false;
  }
  if (reinterpret_cast<uintptr_t>(row) % kRowBytes == 0) return true;
  machine.report(sim::HazardKind::misaligned, site, "matrix row is not 16-byte aligned");
  return false;
}

void write_row(const Warp& warp, int matrix, int row, bool transposed, std::byte* to) {
  uint16_t elements[8];
  const auto* held = reinterpret_cast<const uint16_t*>(warp.matrix[matrix]);  // row major
  for (int column = 0; column < 8; ++column) {
    elements[column] = transposed ? held[8 * column + row] : held[8 * row + column];
  }
  std::memcpy(to, elements, kRowBytes);
}

}  // namespace

void write_matrix_4(void* shared_row, const uint32_t (&from)[4], bool transposed, Site site) {
  sim::Machine::State& machine = *running;
  Warp& warp = machine.warp();
  const int self = machine.current_lane;
  const bool writable = is_writable_row(machine, shared_row, site);
  warp.matrix_row[self] = writable ? static_cast<std::byte*>(shared_row) : nullptr;
  for (int matrix = 0; matrix < 4; ++matrix) warp.matrix[matrix][self] = from[matrix];
  if (!machine.arrive(Word::store_matrix, site)) return;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    auto* row = const_cast<std::byte*>(warp.matrix_row[lane]);
    if (row == nullptr) continue;
    write_row(warp, lane / 8, lane % 8, transposed, row);
    if (!machine.races) continue;
    machine.races->access_shared(machine.first_lane(machine.current_warp) + lane,
                                 reinterpret_cast<uintptr_t>(row), kRowBytes, Access::write,
                                 machine.races->where(site));
  }
  machine.release();
}

}  // namespace oddtile::simulator
