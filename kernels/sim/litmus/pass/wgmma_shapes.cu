// pass: every number of columns that attention uses, in both 16-bit types.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape wgmma_shapes_shape{
    .blocks = 1, .threads = 128, .shared_bytes = kScratch + 256 * 64 * 4};

ODDTILE_DEVICE float row_times_row_of_16(int row, int other) {
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k) sum += tile_value(row, k) * tile_value(other, k);
  return sum;
}
// 256 rows of 16 in a swizzle of 32 bytes.
template <class T>
ODDTILE_DEVICE void fill_rows(std::byte* to) {
  for (int i = thread(); i < 256 * 16; i += threads()) {
    const T value = from_float<T>(tile_value(i / 16, i % 16));
    *reinterpret_cast<uint16_t*>(tile_element(to, i / 16, i % 16, Swizzle::span_32)) = value.bits;
  }
  fence_async_proxy_shared();
  sync_block();
}
template <class T, int columns>
ODDTILE_DEVICE bool shape_is_right() {
  const MatrixDescriptor rows = matrix_descriptor(shared_memory(), 16, 256, Swizzle::span_32);
  float sum[columns / 2];
  clear(sum);
  wgmma_fence();
  wgmma<T>(sum, rows, rows, false);
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_ready(sum);
  return sums_are(sum, row_times_row_of_16);
}

ODDTILE_KERNEL(128, 1) wgmma_shapes(ODDTILE_GRID_CONSTANT Litmus p) {
  fill_rows<Half>(shared_memory());
  bool right = shape_is_right<Half, 8>() && shape_is_right<Half, 16>();
  right = right && shape_is_right<Half, 32>() && shape_is_right<Half, 80>();
  right = right && shape_is_right<Half, 128>() && shape_is_right<Half, 192>();
  sync_block();
  fill_rows<Bfloat16>(shared_memory());
  right = right && shape_is_right<Bfloat16, 64>() && shape_is_right<Bfloat16, 96>();
  right = right && shape_is_right<Bfloat16, 176>() && shape_is_right<Bfloat16, 256>();
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
