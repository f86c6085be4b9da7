// What a product computes: operands by their descriptors, sums in the machine's arithmetic.
#include <immintrin.h>

#include <bit>
#include <cstring>
#include <vector>

#include "kernels/sim/product.h"
#include "kernels/sim/state.h"
#include "kernels/sim/wgmma.h"

namespace oddtile::simulator {

namespace {

constexpr int kRows = 16;  // of one warp
constexpr int kProducts = 16;
constexpr int kChunk = 8;
constexpr int kChunkBytes = 16;

double widen(uint16_t bits, bool bfloat16) {
  if (bfloat16) return double(std::bit_cast<float>(uint32_t(bits) << 16));
  return double(_cvtsh_ss(bits));
}

// to[index][k], from shared memory; what lies outside was reported when the product was issued.
void gather(const sim::Machine::State& machine, MatrixDescriptor descriptor, Major major, int first,
            int indices, bool bfloat16, double (*to)[kProducts]) {
  for_each_chunk(major, first, indices, [&](int index, int k) {
    uint16_t chunk[kChunk];
    const std::byte* from =
        machine.block->shared.begin() + operand_address(descriptor, major, index, k);
    std::memcpy(chunk, machine.block->shared.contains(from, kChunkBytes) ? from : kBadBytes,
                kChunkBytes);
    for (int i = 0; i < kChunk; ++i) {
      const double value = widen(chunk[i], bfloat16);
      if (major == Major::k) {
        to[index - first][k + i] = value;
      } else {
        to[index - first + i][k] = value;
      }
    }
  });
}

// Lane 4r+t holds elements 2t, 2t+1 of rows r and r+8: registers 0, 1 the left half, 2, 3 the
// right.
void unpack_fragment(const uint32_t (&a)[4][kGroupLanes], bool bfloat16, double (*to)[kProducts]) {
  for (int lane = 0; lane < kGroupLanes; ++lane) {
    for (int part = 0; part < 4; ++part) {
      const int row = lane / 4 + 8 * (part & 1);
      const int k = 2 * (lane % 4) + 8 * (part >> 1);
      to[row][k] = widen(uint16_t(a[part][lane]), bfloat16);
      to[row][k + 1] = widen(uint16_t(a[part][lane] >> 16), bfloat16);
    }
  }
}

}  // namespace

uint32_t operand_address(MatrixDescriptor descriptor, Major major, int index, int k) {
  const uint32_t start = descriptor.start();
  const uint32_t i = uint32_t(index);
  const uint32_t j = uint32_t(k);
  if (descriptor.swizzle() == Swizzle::none) {  // core matrices of 8 x 16 bytes
    const uint32_t within = major == Major::k ? i % 8 * 16 + j % 8 * 2 : j % 8 * 16 + i % 8 * 2;
    return start + i / 8 * descriptor.stride() + j / 8 * descriptor.leading() + within;
  }
  const uint32_t span = swizzle_span(descriptor.swizzle());
  if (major == Major::k) {
    return swizzled(start + i / 8 * descriptor.stride() + i % 8 * span + j * 2,
                    descriptor.swizzle());
  }
  const uint32_t columns = span / 2;  // of a panel
  return swizzled(start + i / columns * descriptor.leading() + i % columns * 2 +
                      j / 8 * descriptor.stride() + j % 8 * span,
                  descriptor.swizzle());
}

const char* descriptor_refusal(MatrixDescriptor descriptor) {
  if (descriptor.base_offset() != 0) return "a base offset, which is not modelled";
  const uint32_t within = descriptor.start() % swizzle_period(descriptor.swizzle());
  if (within >= swizzle_span(descriptor.swizzle())) {
    return "an operand that starts in the middle of the swizzle's pattern";
  }
  return nullptr;
}

namespace {

// sums of all four warps += a b, eight columns at a time.
void multiply(const Product& product, const std::vector<double>& b, std::vector<ProductTile>& tiles,
              const sim::Arithmetic& arithmetic) {
  for (int column = 0; column < 2 * product.operands.length; column += ProductTile::kColumns) {
    for (int n = 0; n < ProductTile::kColumns; ++n) {
      const double* row = &b[size_t((column + n) * kProducts)];
      for (int k = 0; k < kProducts; ++k) tiles[0].b[k][n] = row[k];
    }
    for (size_t warp = 0; warp < tiles.size(); ++warp) {
      std::vector<Accumulator::Tile>& sums = product.accumulator[warp]->tiles;
      const size_t tile = size_t(column / ProductTile::kColumns);
      if (tile >= sums.size()) continue;  // a warp with another shape, which was reported
      if (warp != 0) std::memcpy(tiles[warp].b, tiles[0].b, sizeof(tiles[0].b));
      if (!product.operands.accumulate) sums[tile] = {};
      add_products(tiles[warp], arithmetic, sums[tile].at);
    }
  }
}

}  // namespace

void Warpgroup::execute(sim::Machine::State& machine, int64_t end) {
  for (; executed < end; ++executed) {
    const Product& now = product(executed);
    const WgmmaOperands& operands = now.operands;
    const int columns = 2 * operands.length;
    std::vector<double> b(size_t(columns * kProducts));
    gather(machine, operands.b, operands.b_major, 0, columns, operands.bfloat16,
           reinterpret_cast<double(*)[kProducts]>(b.data()));
    std::vector<ProductTile> tiles(kWarpgroupWarps);
    for (int warp = 0; warp < kWarpgroupWarps; ++warp) {
      ProductTile& tile = tiles[size_t(warp)];
      tile.smallest_exponent =
          operands.bfloat16 ? kBfloat16SmallestExponent : kHalfSmallestExponent;
      if (operands.a_registers != nullptr) {
        unpack_fragment(now.a[warp], operands.bfloat16, tile.a);
      } else {
        gather(machine, operands.a, operands.a_major, kRows * warp, kRows, operands.bfloat16,
               tile.a);
      }
    }
    multiply(now, b, tiles, machine.arithmetic);
    machine.counters.flops += int64_t(2) * 64 * columns * kProducts;
  }
}

}  // namespace oddtile::simulator
