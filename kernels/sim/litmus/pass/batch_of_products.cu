// pass: loads and products of a batch, each operand loaded while the one before is in use.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape batch_of_products_shape{.blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_DEVICE void add_one_by_one(float (&sum)[2][4], const Half* rows, int step) {
  uint32_t a[4];
  uint32_t b[4];
  load_matrix_4(a, rows + 256 * step + 8 * lane());
  load_matrix_4_transposed(b, rows + 256 * step + 8 * (lane() ^ step));
  mma_16x8x16<Half>(sum[0], a, b[0], b[1]);
  mma_16x8x16<Half>(sum[1], a, b[2], b[3]);
}

ODDTILE_KERNEL(64, 1) batch_of_products(Litmus p) {
  Half* rows = reinterpret_cast<Half*>(shared_memory()) + 2048 * warp();
  for (int i = lane(); i < 2048; i += 32) rows[i] = from_float<Half>(float(i * 7 % 13 - 6));
  sync_warp();
  float sum[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  uint32_t a[2][4];
  uint32_t b[2][4];
  matrix_batch([&] {
    ODDTILE_UNROLL
    for (int step = 0; step <= 8; ++step) {
      if (step < 8) load_matrix_4(a[step % 2], rows + 256 * step + 8 * lane());
      if (step < 8) load_matrix_4_transposed(b[step % 2], rows + 256 * step + 8 * (lane() ^ step));
      if (step > 0) mma_16x16x16<Half>(sum[0], sum[1], a[(step - 1) % 2], b[(step - 1) % 2]);
    }
  });
  float expected[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  for (int step = 0; step < 8; ++step) add_one_by_one(expected, rows, step);
  bool right = true;
  for (int i = 0; i < 8; ++i) right = right && sum[i / 4][i % 4] == expected[i / 4][i % 4];
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
