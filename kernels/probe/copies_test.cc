// The copies on the simulator: every element, nothing beyond them, and no more bytes than a softmax
// would have to read.
#include "kernels/probe/copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/base/bits.h"
#include "kernels/base/random.h"
#include "kernels/sim/machine.h"

namespace oddtile {
namespace {

constexpr int64_t kGuard = 256;  // bytes on either side

// Bytes at a 256-byte boundary, between others that nobody may touch.
class Buffer {
 public:
  explicit Buffer(int64_t bytes) : lines_(size_t(bytes + 2 * kGuard) / 256 + 1), bytes_(bytes) {}
  uint8_t* data() { return reinterpret_cast<uint8_t*>(lines_.data()) + kGuard; }
  void allow(sim::Machine& machine, const char* name) { machine.allow(data(), bytes_, name); }
  std::vector<uint8_t> everything() { return {data() - kGuard, data() + bytes_ + kGuard}; }
  void draw(Random& random) {
    for (auto& line : lines_) {
      for (uint8_t& byte : line.bytes) byte = uint8_t(random.below(256));
    }
  }

 private:
  struct alignas(256) Line {
    uint8_t bytes[256];
  };
  std::vector<Line> lines_;
  int64_t bytes_;
};

struct Shape {
  oddtile_dtype dtype;
  int64_t rows, columns;
  bool masked;
  uint32_t shown_of_10;

  int64_t element_bytes() const { return dtype == oddtile_fp32 ? 4 : 2; }
  int64_t stride() const { return columns + (masked ? 0 : 1); }
  int64_t elements() const { return (rows - 1) * stride() + columns; }
};

oddtile_problem problem_of(const Shape& shape, Buffer& x, Buffer& y, Buffer& mask) {
  oddtile_problem problem = {};
  problem.kernel = oddtile_kernel_softmax;
  problem.softmax = {.dtype = shape.dtype,
                     .rows = shape.rows,
                     .columns = shape.columns,
                     .x = x.data(),
                     .x_row_stride = shape.stride(),
                     .y = y.data(),
                     .y_row_stride = shape.stride(),
                     .mask = shape.masked ? mask.data() : nullptr,
                     .mask_row_stride = shape.masked ? shape.columns : 0};
  return problem;
}

// What y and its surroundings must hold.
std::vector<uint8_t> expected_of(const Shape& shape, Buffer& x, Buffer& y, Buffer& mask) {
  std::vector<uint8_t> all = y.everything();
  const int64_t size = shape.element_bytes();
  for (int64_t i = 0; i < shape.elements(); ++i) {
    if (i % shape.stride() == shape.columns) continue;  // a gap
    uint8_t* to = all.data() + kGuard + i * size;
    const bool hidden = shape.masked && mask.data()[i] == 0;
    if (hidden) std::memset(to, 0, size_t(size));
    if (!hidden) std::memcpy(to, x.data() + i * size, size_t(size));
  }
  return all;
}

// Bytes of x and of the mask that a copy may read.
int64_t readable_bytes(const Shape& shape, Buffer& mask) {
  const int64_t bytes = shape.elements() * shape.element_bytes();
  if (!shape.masked) return bytes;
  const int64_t width = 16 / shape.element_bytes();
  int64_t seen = shape.elements();  // of the mask
  for (int64_t first = 0; first < shape.elements(); first += width) {
    bool any = false;
    for (int64_t i = first; i < std::min(first + width, shape.elements()); ++i) {
      any = any || mask.data()[i] != 0;
    }
    seen += any ? 16 : 0;
  }
  return seen;
}

void check(const Shape& shape, uint64_t seed) {
  SCOPED_TRACE("dtype " + std::to_string(shape.dtype) + " rows " + std::to_string(shape.rows) +
               " columns " + std::to_string(shape.columns) + (shape.masked ? " masked" : ""));
  Random random(seed);
  Buffer x(shape.elements() * shape.element_bytes()), y(shape.elements() * shape.element_bytes());
  Buffer mask(shape.elements());
  x.draw(random);
  y.draw(random);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    mask.data()[i] = random.below(10) < shape.shown_of_10 ? uint8_t(1u << random.below(8)) : 0;
  }
  const oddtile_problem problem = problem_of(shape, x, y, mask);
  const std::vector<uint8_t> expected = expected_of(shape, x, y, mask);
  static sim::Machine machine;
  machine.begin(seed);
  x.allow(machine, "x");
  y.allow(machine, "y");
  mask.allow(machine, "mask");
  const oddtile_implementation& table = sim::copies();
  int32_t id = -1;
  ASSERT_EQ(table.configurations(&problem, &id, 1), 1);
  oddtile_profile profile = {};
  ASSERT_EQ(table.describe(&problem, id, &profile), oddtile_ok);
  EXPECT_STREQ(profile.name, shape.masked ? "copy of visible sectors" : "copy with gaps");
  ASSERT_EQ(table.softmax(&problem.softmax, id, nullptr, &machine), oddtile_ok);
  for (const sim::Hazard& hazard : machine.hazards()) ADD_FAILURE() << hazard.text();
  EXPECT_TRUE(y.everything() == expected);
  EXPECT_LE(machine.counters().bytes_read, readable_bytes(shape, mask));
}

TEST(Copies, MoveTheRowsAndNothingElse) {
  uint64_t seed = 0;
  for (const oddtile_dtype dtype : {oddtile_fp32, oddtile_fp16, oddtile_bf16}) {
    for (const int64_t columns : {16, 17, 31, 64, 128, 129, 1000, 4097}) {
      for (const int64_t rows : {1, 2, 7, 33}) {
        check({dtype, rows, columns, false, 0}, ++seed);
        for (const uint32_t shown : {0u, 1u, 9u, 10u}) {
          check({dtype, rows, columns, true, shown}, ++seed);
        }
      }
    }
  }
}

TEST(Copies, OtherProblemsAreNotOffered) {
  const Shape gaps = {oddtile_fp32, 5, 64, false, 0}, masked = {oddtile_fp32, 5, 64, true, 0};
  Buffer x(4096), y(4096), mask(4096);
  const oddtile_implementation& table = sim::copies();
  sim::Machine machine;
  const auto refused = [&](oddtile_problem problem) {
    int32_t id = -1;
    oddtile_profile profile = {};
    return table.configurations(&problem, &id, 1) == 0 &&
           table.describe(&problem, 0, &profile) != oddtile_ok &&
           table.softmax(&problem.softmax, 0, nullptr, &machine) == oddtile_unsupported;
  };
  const auto changed = [&](const Shape& shape, auto change) {
    oddtile_problem problem = problem_of(shape, x, y, mask);
    change(problem.softmax);
    return problem;
  };
  using Problem = oddtile_softmax_problem;
  EXPECT_FALSE(refused(problem_of(gaps, x, y, mask)));
  EXPECT_FALSE(refused(problem_of(masked, x, y, mask)));
  EXPECT_TRUE(refused(changed(gaps, [](Problem& p) { p.x_row_stride = p.y_row_stride = 64; })));
  EXPECT_TRUE(refused(changed(gaps, [](Problem& p) { p.x_row_stride = 66; })));
  EXPECT_TRUE(refused(changed(gaps, [](Problem& p) { p.rows = int64_t(1) << 26; })));
  EXPECT_TRUE(refused(changed(gaps, [&](Problem& p) { p.x = x.data() + 4; })));
  EXPECT_TRUE(refused(changed(masked, [&](Problem& p) { p.mask = mask.data() + 1; })));
  EXPECT_TRUE(refused(changed(masked, [](Problem& p) { p.mask_row_stride = 65; })));
  EXPECT_TRUE(refused(changed(masked, [](Problem& p) { p.columns = 8; })));
  const oddtile_problem offered = problem_of(gaps, x, y, mask);
  EXPECT_EQ(table.softmax(&offered.softmax, 1, nullptr, &machine), oddtile_bad_configuration);
  EXPECT_EQ(table.vector_add(nullptr, 0, nullptr, &machine), oddtile_unsupported);
  EXPECT_EQ(table.attention(nullptr, 0, nullptr, &machine), oddtile_unsupported);
}

}  // namespace
}  // namespace oddtile
