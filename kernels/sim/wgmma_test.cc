// Descriptors against the tiles that copies write: for each layout that kernels use, every element
// is where operand_address looks for it. And products of several warpgroups of a fresh machine.
#include "kernels/sim/wgmma.h"

#include <gtest/gtest.h>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"
#include "kernels/sim/tensor_map.h"

namespace oddtile::simulator {
namespace {

// Panels as wide as the swizzle's span, one behind the other, each filled by box_pieces.
struct TileInPanels {
  int rows;
  int columns;
  Swizzle swizzle;
  uint32_t start;

  uint32_t span() const { return swizzle_span(swizzle); }
  uint32_t panel_bytes() const { return uint32_t(rows) * span(); }
  uint32_t address(int row, int column) const {
    const int panel_columns = int(span()) / 2;
    TensorLayout layout;
    layout.element = TensorElement::bfloat16;
    layout.swizzle = swizzle;
    layout.rank = 2;
    layout.extent[0] = layout.box[0] = panel_columns;
    layout.extent[1] = layout.box[1] = rows;
    layout.stride_bytes[1] = span();
    const int32_t origin[] = {0, 0};
    const auto pieces =
        box_pieces(layout, origin, start + uint32_t(column / panel_columns) * panel_bytes());
    const int within = column % panel_columns;
    return pieces[size_t(row * panel_columns / 8 + within / 8)].shared + uint32_t(within % 8 * 2);
  }
};

const TileInPanels kTiles[] = {
    {64, 64, Swizzle::span_128, 0},      {128, 128, Swizzle::span_128, 1024},
    {176, 128, Swizzle::span_128, 2048}, {80, 256, Swizzle::span_128, 1024},
    {144, 96, Swizzle::span_64, 512},    {64, 48, Swizzle::span_32, 256},
};

TEST(Descriptor, k_major_finds_what_a_copy_has_written) {
  for (const TileInPanels& tile : kTiles) {
    const MatrixDescriptor base = matrix_descriptor(tile.start, 16, 8 * tile.span(), tile.swizzle);
    const int panel_columns = int(tile.span()) / 2;
    for (int k = 0; k < tile.columns; k += 16) {
      const MatrixDescriptor step =
          base + uint32_t(k / panel_columns) * tile.panel_bytes() + uint32_t(k % panel_columns * 2);
      EXPECT_EQ(descriptor_refusal(step), nullptr);
      for (int row = 0; row < tile.rows; row += 7) {
        for (int i = 0; i < 16; i += 3) {
          ASSERT_EQ(operand_address(step, Major::k, row, i), tile.address(row, k + i));
        }
      }
    }
  }
}

TEST(Descriptor, mn_major_finds_what_a_copy_has_written) {
  for (const TileInPanels& tile : kTiles) {
    const MatrixDescriptor base =
        matrix_descriptor(tile.start, tile.panel_bytes(), 8 * tile.span(), tile.swizzle);
    for (int k = 0; k < tile.rows; k += 16) {
      const MatrixDescriptor step = base + uint32_t(k) * tile.span();
      EXPECT_EQ(descriptor_refusal(step), nullptr);
      for (int column = 0; column < tile.columns; column += 5) {
        for (int i = 0; i < 16; i += 3) {
          ASSERT_EQ(operand_address(step, Major::mn, column, i), tile.address(k + i, column));
        }
      }
    }
  }
}

TEST(Descriptor, fields_come_back_from_their_bits) {
  const MatrixDescriptor one = matrix_descriptor(0x2A400, 0x1230, 0x400, Swizzle::span_64);
  EXPECT_EQ(one.start(), 0x2A400u);
  EXPECT_EQ(one.leading(), 0x1230u);
  EXPECT_EQ(one.stride(), 0x400u);
  EXPECT_EQ(one.swizzle(), Swizzle::span_64);
  EXPECT_EQ(one.bits >> 62, 2u);
  EXPECT_EQ(matrix_descriptor(0, 0, 0, Swizzle::span_128).bits >> 62, 1u);
  EXPECT_EQ(matrix_descriptor(0, 0, 0, Swizzle::span_32).bits >> 62, 3u);
  EXPECT_EQ(matrix_descriptor(0, 0, 0, Swizzle::none).bits >> 62, 0u);
}

TEST(Descriptor, a_start_within_the_pattern_and_a_base_offset_are_refused) {
  EXPECT_NE(descriptor_refusal(matrix_descriptor(128, 16, 1024, Swizzle::span_128)), nullptr);
  EXPECT_EQ(descriptor_refusal(matrix_descriptor(96, 16, 1024, Swizzle::span_128)), nullptr);
  EXPECT_NE(descriptor_refusal({uint64_t(1) << 49}), nullptr);
}

TEST(Swizzle, is_its_own_inverse_and_keeps_to_its_span) {
  for (const Swizzle swizzle :
       {Swizzle::none, Swizzle::span_32, Swizzle::span_64, Swizzle::span_128}) {
    for (uint32_t address = 0; address < 4096; address += 2) {
      EXPECT_EQ(swizzled(swizzled(address, swizzle), swizzle), address);
      EXPECT_EQ(swizzled(address, swizzle) / swizzle_span(swizzle),
                address / swizzle_span(swizzle));
    }
  }
}

}  // namespace
}  // namespace oddtile::simulator

namespace oddtile::sim {
namespace {

constexpr int kTileBytes = 64 * 128;  // of 64 x 64 elements: Q, and 8 keys more than are used

// All warpgroups multiply the same two tiles of zeros.
ODDTILE_KERNEL(512, 1) multiply_zeros(Global<float> out) {
  std::byte* const tile = shared_memory();
  for (int i = thread(); i < kTileBytes / 16; i += threads()) {
    reinterpret_cast<Vector<uint32_t, 4>*>(tile)[i] = {};
  }
  fence_async_proxy_shared();
  sync_block();
  const MatrixDescriptor rows = matrix_descriptor(tile, 16, 1024, Swizzle::span_128);
  float sum[4];
  wgmma_fence();
  wgmma<Bfloat16>(sum, rows, rows, false);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  if (thread() == 0) store(out, 0, sum[0]);
}

// What the lanes of a warp have filed is kept while later warps ask for a place for the first time.
TEST(Wgmma, warpgroups_of_a_fresh_machine_do_not_disturb_one_another) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    float out = 1.0f;
    Machine machine;
    machine.begin(seed);
    machine.allow(&out, sizeof out, "out");
    ASSERT_TRUE(launch(multiply_zeros, "multiply_zeros", {1, 512, kTileBytes}, &machine,
                       Global<float>(&out)));
    for (const Hazard& hazard : machine.hazards()) FAIL() << seed << ": " << hazard.text();
    ASSERT_EQ(out, 0.0f);
  }
}

}  // namespace
}  // namespace oddtile::sim
