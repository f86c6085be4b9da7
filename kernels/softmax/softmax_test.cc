// Softmax on the simulator: a sweep of widths, alignments, masks and configurations against a
// double loop. (properties/ has the thorough runs with proved bounds; these are the first to fail.)
#include "kernels/softmax/softmax.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/sim/machine.h"
#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr SoftmaxMachine kMachine = {227 * 1024, 16};
constexpr int64_t kGuard = 64;  // elements in front of the first row

struct Shape {
  int64_t rows, columns;
  int64_t x_offset, y_offset, mask_offset;
  int64_t x_pad, y_pad, mask_pad;
  bool masked, in_place;
  int recipe;
};

// A matrix whose first element stands `offset` elements behind a 128-byte boundary.
template <class T>
class Matrix {
 public:
  Matrix(int64_t rows, int64_t columns, int64_t offset, int64_t pad, T fill)
      : stride_(columns + pad), rows_(rows), columns_(columns), first_(kGuard + offset) {
    storage_.resize(size_t(first_ + rows * stride_ + kGuard) * sizeof(T) / 128 + 1);
    std::fill(begin(), begin() + size(), fill);
  }
  T* data() { return begin() + first_; }
  T& at(int64_t row, int64_t column) { return data()[row * stride_ + column]; }
  int64_t stride() const { return stride_; }
  void allow(sim::Machine& machine, const char* name) {
    machine.allow(data(), ((rows_ - 1) * stride_ + columns_) * int64_t(sizeof(T)), name);
  }
  // Bytes other than those of the columns, for comparing before and after.
  std::vector<T> outside() {
    std::vector<T> all(begin(), begin() + size());
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t c = 0; c < columns_; ++c) all[first_ + r * stride_ + c] = T{};
    }
    return all;
  }

 private:
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  T* begin() { return reinterpret_cast<T*>(storage_.data()); }
  int64_t size() const { return int64_t(storage_.size() * sizeof(Line) / sizeof(T)); }

  std::vector<Line> storage_;
  int64_t stride_, rows_, columns_, first_;
};

double draw(Random& random, int recipe, int64_t column) {
  switch (recipe) {
    case 0:
      return random.normal();
    case 1:
      return -200.0;
    case 2:
      return column % 7 - 3.0 * double(column % 2);
    case 3:
      return 0.25 * double(column);  // rising: every step rescales
    case 4:
      return random.below(2) ? 3e38 : -3e38;
    case 5:
      return random.below(3) ? -kInfinity : random.normal();
    case 6:
      return random.below(40) ? random.normal() : kInfinity;
    case 7:
      return random.below(40) ? random.normal() : std::nan("");
    case 8:
      return -kInfinity;
    case 9:
      return -6e4 + double(random.below(16)) * 64;
    default:
      return 1e10 * random.normal();
  }
}
constexpr int kRecipes = 11;

// Unit roundoff and half the smallest subnormal of the output.
double roundoff(oddtile_dtype dtype) {
  return dtype == oddtile_fp32 ? 0x1p-24 : (dtype == oddtile_fp16 ? 0x1p-11 : 0x1p-8);
}
double half_subnormal(oddtile_dtype dtype) {
  return dtype == oddtile_fp16 ? 0x1p-25 : 0x1p-126;  // fp32, bf16: exp2 flushes
}

template <class T>
std::string compare_row(oddtile_dtype dtype, const std::vector<T>& x, const std::vector<bool>& seen,
                        T* got) {
  double max = -kInfinity;
  bool is_nan = false, any = false;
  for (size_t c = 0; c < x.size(); ++c) {
    if (!seen[c]) continue;
    const double value = sim::to_float(x[c]);
    any = true;
    is_nan = is_nan || std::isnan(value) || value == kInfinity;
    max = std::fmax(max, value);
  }
  is_nan = is_nan || (any && max == -kInfinity);
  double sum = 0;
  for (size_t c = 0; c < x.size() && !is_nan; ++c) {
    if (seen[c]) sum += std::exp(sim::to_float(x[c]) - max);
  }
  for (size_t c = 0; c < x.size(); ++c) {
    const float y = sim::to_float(got[c]);
    const std::string place = " at column " + std::to_string(c);
    if (!seen[c]) {
      if (y != 0.0f || std::signbit(y)) return "hidden column is " + std::to_string(y) + place;
    } else if (is_nan) {
      if (!std::isnan(y)) return "should be NaN, is " + std::to_string(y) + place;
    } else {
      const double spread = max - sim::to_float(x[c]);
      const double exact = std::exp(-spread) / sum;
      const double relative =
          0x1p-24 * (60 + double(x.size()) / 32 + 6 * std::fmin(spread, 800)) + roundoff(dtype);
      if (!(std::fabs(y - exact) <= exact * relative + half_subnormal(dtype))) {
        return std::to_string(y) + " instead of " + std::to_string(exact) + place;
      }
    }
  }
  return "";
}

sim::Machine& machine() {
  static sim::Machine machine;  // one for all: its fibers are worth keeping
  return machine;
}

int64_t runs = 0;

// Runs every admissible configuration for which `wanted(index)`, and the baseline.
template <class T, class Wanted>
void check(oddtile_dtype dtype, const Shape& shape, uint64_t seed, Wanted wanted) {
  Random random(seed);
  const T poison = sim::from_float<T>(__builtin_nanf(""));
  Matrix<T> x(shape.rows, shape.columns, shape.x_offset, shape.x_pad, poison);
  Matrix<uint8_t> mask(shape.rows, shape.columns, shape.mask_offset, shape.mask_pad, 1);
  std::vector<std::vector<T>> inputs(shape.rows);
  std::vector<std::vector<bool>> seen(shape.rows);
  for (int64_t r = 0; r < shape.rows; ++r) {
    const int density = int(random.below(5));
    // Often nothing is visible but within a stretch: whole warps see nothing of some vectors.
    const int64_t first = random.below(4) == 0 ? random.between(0, shape.columns) : 0;
    const int64_t end = random.below(2) == 0 ? random.between(first, shape.columns) : shape.columns;
    for (int64_t c = 0; c < shape.columns; ++c) {
      x.at(r, c) = sim::from_float<T>(float(draw(random, shape.recipe, c)));
      const bool visible = c >= first && c < end && random.below(4) < uint32_t(density);
      mask.at(r, c) = visible ? uint8_t(1u << random.below(8)) : 0;
      inputs[r].push_back(x.at(r, c));
      seen[r].push_back(!shape.masked || mask.at(r, c) != 0);
    }
  }
  const auto run = [&](int32_t id, bool eager) {
    Matrix<T> copy = x;
    Matrix<T> own(shape.rows, shape.columns, shape.y_offset, shape.y_pad, poison);
    Matrix<T>& y = shape.in_place ? copy : own;
    const std::vector<T> before = y.outside();
    const oddtile_softmax_problem problem = {
        dtype,         shape.rows, shape.columns, copy.data(),
        copy.stride(), y.data(),   y.stride(),    shape.masked ? mask.data() : nullptr,
        mask.stride()};
    if (!eager && !softmax_admits(problem, id, kMachine)) return;
    ++runs;
    machine().begin(seed);
    copy.allow(machine(), "x");
    if (!shape.in_place) y.allow(machine(), "y");
    if (shape.masked) mask.allow(machine(), "mask");
    std::vector<std::byte> space(sim::eager_softmax_workspace_bytes(problem, 0) + 256);
    void* room = space.data() + (256 - reinterpret_cast<uintptr_t>(space.data()) % 256) % 256;
    machine().allow(room, int64_t(space.size()) - 256, "workspace");
    id = eager ? 0 : softmax_id(problem, id);
    ASSERT_EQ(eager ? sim::eager_softmax_launch(&problem, id, room, &machine())
                    : sim::softmax_launch(&problem, id, nullptr, &machine()),
              oddtile_ok);
    for (const sim::Hazard& hazard : machine().hazards()) ADD_FAILURE() << hazard.text();
    const std::vector<T> after = y.outside();
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(T)), 0);
    for (int64_t r = 0; r < shape.rows; ++r) {
      EXPECT_EQ(compare_row(dtype, inputs[r], seen[r], &y.at(r, 0)), "") << "row " << r;
    }
  };
  for (int32_t index = -1; index < kSoftmaxCount && !testing::Test::HasFailure(); ++index) {
    if (index >= 0 && !wanted(index)) continue;
    SCOPED_TRACE("dtype " + std::to_string(dtype) + " rows " + std::to_string(shape.rows) +
                 " columns " + std::to_string(shape.columns) + " recipe " +
                 std::to_string(shape.recipe) + " configuration " +
                 (index < 0 ? "eager" : kSoftmaxConfigurations[index].name) +
                 (shape.masked ? " masked" : "") + (shape.in_place ? " in place" : ""));
    run(index, index < 0);
  }
}

template <class Wanted>
void check_any(int dtype, const Shape& shape, uint64_t seed, Wanted wanted) {
  if (dtype == 0) return check<float>(oddtile_fp32, shape, seed, wanted);
  if (dtype == 1) return check<Half>(oddtile_fp16, shape, seed, wanted);
  return check<Bfloat16>(oddtile_bf16, shape, seed, wanted);
}

Shape any_shape(Random& random, int64_t rows, int64_t columns) {
  return {.rows = rows,
          .columns = columns,
          .x_offset = random.below(2) ? random.between(0, 70) : 0,
          .y_offset = random.below(2) ? random.between(0, 12) : 0,
          .mask_offset = random.between(0, 12),
          .x_pad = random.below(2) ? random.between(0, 9) : 0,
          .y_pad = random.below(2) ? random.between(0, 9) : 0,
          .mask_pad = random.between(0, 3),
          .masked = random.below(2) == 0,
          .in_place = random.below(4) == 0,
          .recipe = int(random.below(kRecipes))};
}

TEST(Softmax, EveryWidthUpTo200InEveryForm) {
  Random random(1);
  for (int64_t round = 0; round < 400; ++round) {
    const Shape shape = any_shape(random, random.between(1, 9), round % 201);
    if (shape.columns == 0) continue;
    const uint32_t rare = random.below(10);
    check_any(int(random.below(3)), shape, uint64_t(round), [&](int32_t index) {
      return kSoftmaxConfigurations[index].threads <= 128 || rare == 0;
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Softmax, TilesWithEveryGapAndShift) {
  Random random(4);
  const int64_t before = runs;
  for (int64_t round = 0; round < 600; ++round) {
    Shape shape = any_shape(random, random.between(2, 140), random.between(1, 300));
    shape.x_pad = shape.y_pad = shape.mask_pad = round % 9;
    check_any(int(random.below(3)), shape, uint64_t(round), [&](int32_t index) {
      return kSoftmaxConfigurations[index].form == SoftmaxForm::tile;
    });
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(runs - before, 1000);
}

// Sectors of 32 bytes that rows cover in part, the first of them at a sector's beginning.
int64_t cut_sectors(int64_t rows, int64_t row_bytes, int64_t step_bytes) {
  std::map<int64_t, int64_t> covered;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t at = row * step_bytes; at < row * step_bytes + row_bytes; ++at) ++covered[at / 32];
  }
  return std::count_if(covered.begin(), covered.end(),
                       [](const auto& sector) { return sector.second < 32; });
}

// Every form that asks for them, as many rows of `columns` elements.
template <class T>
void expect_cut_sectors_asked_for(oddtile_dtype dtype, int64_t rows, int64_t columns, int64_t gap) {
  Matrix<T> x(rows, columns, 0, gap, {}), y(rows, columns, 0, gap, {});
  const oddtile_softmax_problem p = {dtype,    rows,       columns, x.data(), x.stride(),
                                     y.data(), y.stride(), nullptr, 0};
  const int64_t size = sizeof(T);
  for (int32_t index = 0; index < kSoftmaxCount; ++index) {
    const SoftmaxForm form = kSoftmaxConfigurations[index].form;
    const bool asks =
        form == SoftmaxForm::tile || form == SoftmaxForm::lanes || form == SoftmaxForm::words;
    if (!asks || !softmax_admits(p, index, kMachine)) continue;
    machine().begin(1);
    x.allow(machine(), "x");
    y.allow(machine(), "y");
    const int64_t before = machine().counters().prefetches;
    ASSERT_EQ(sim::softmax_launch(&p, softmax_id(p, index), nullptr, &machine()), oddtile_ok);
    EXPECT_EQ(machine().counters().prefetches - before,
              cut_sectors(rows, size * columns, size * (columns + gap)))
        << kSoftmaxConfigurations[index].name << ", " << columns << " columns, gap " << gap;
  }
}

TEST(Softmax, EachCutSectorIsAskedForOnce) {
  constexpr int64_t kRows = 71;
  for (const int64_t columns : {17, 33, 64, 100, 129, 250}) {
    for (int64_t gap = 1; gap < 8; ++gap) {
      expect_cut_sectors_asked_for<Bfloat16>(oddtile_bf16, kRows, columns, gap);
      expect_cut_sectors_asked_for<float>(oddtile_fp32, kRows, columns, gap);
    }
  }
}

TEST(Softmax, LongRowsInEveryForm) {
  Random random(2);
  for (const int64_t columns : {1023, 4096, 4097, 16389, 33001, 70000, 140001}) {
    for (int dtype = 0; dtype < 3; ++dtype) {
      const Shape shape = any_shape(random, 2, columns);
      check_any(dtype, shape, uint64_t(columns), [&](int32_t index) {
        const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
        // Thousands of lanes take a second each: some clusters of them in each type.
        const bool is_rare = it.cluster * it.threads > 1024;
        return !it.narrow && (!is_rare || index % 3 == dtype);
      });
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Softmax, XLiesAnywhereAgainstY) {
  // Each of the ways in which x is read where it does not lie as y does, at both ends of a row, by
  // the forms whose lanes hold many vectors.
  Random random(4);
  for (int64_t x_offset = 0; x_offset < 8; ++x_offset) {
    for (const int64_t columns : {513, 776, 2050}) {
      for (const bool masked : {false, true}) {
        const Shape shape = {.rows = 3,
                             .columns = columns,
                             .x_offset = x_offset,
                             .y_offset = random.between(0, 8),
                             .mask_offset = random.between(0, 8),
                             .x_pad = columns % 8 == 0 ? 8 : 0,
                             .y_pad = columns % 8 == 0 ? 8 : 0,
                             .mask_pad = random.between(0, 3),
                             .masked = masked,
                             .in_place = false,
                             .recipe = int(random.below(kRecipes))};
        check_any(int(random.below(3)), shape, uint64_t(columns + x_offset), [](int32_t index) {
          return kSoftmaxConfigurations[index].form == SoftmaxForm::block;
        });
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Softmax, TheSameBitsWhereverXLies) {
  // So many elements that an fp16 one shows when a row's sum takes its vectors in another order.
  constexpr int64_t kRows = 64, kColumns = 3000;
  for (int32_t index : {33, 34, 62, 66}) {
    std::vector<Half> first;
    for (int64_t x_offset : {0, 3, 9}) {
      Random random(5);
      Matrix<Half> x(kRows, kColumns, x_offset, 0, {}), y(kRows, kColumns, 0, 0, {});
      for (int64_t i = 0; i < kRows * kColumns; ++i)
        x.data()[i] = sim::from_float<Half>(float(random.normal()));
      const oddtile_softmax_problem p = {oddtile_fp16, kRows,    kColumns, x.data(), kColumns,
                                         y.data(),     kColumns, nullptr,  0};
      machine().begin(1);
      x.allow(machine(), "x");
      y.allow(machine(), "y");
      ASSERT_EQ(sim::softmax_launch(&p, index, nullptr, &machine()), oddtile_ok) << index;
      if (first.empty()) first.assign(y.data(), y.data() + kRows * kColumns);
      EXPECT_EQ(std::memcmp(y.data(), first.data(), 2 * first.size()), 0) << index;
    }
  }
}

TEST(Softmax, TheSameIdGivesTheSameBits) {
  // Rows alone and in a batch, in other memory: wherever the id is the same, so are the bits.
  Random random(3);
  constexpr int64_t kColumns = 40;
  alignas(128) static float x[1024], together[1024], alone[1024];
  for (float& value : x) value = float(random.normal());
  int64_t compared = 0;
  for (int64_t stride : {40, 44, 64, 72}) {
    const oddtile_softmax_problem all = {oddtile_fp32, 8,      kColumns, x, stride,
                                         together,     stride, nullptr,  0};
    for (int32_t index : {1, 4, 9, 30, 31, 32, 33, 34, 36, 37, 47, 59, 60, 61, 66, 67, 68, 76}) {
      if (!softmax_admits(all, index, kMachine)) continue;
      const int32_t id = softmax_id(all, index);
      machine().begin(1);
      machine().allow(x, sizeof(x), "x");
      machine().allow(together, sizeof(together), "y");
      machine().allow(alone, sizeof(alone), "y alone");
      ASSERT_EQ(sim::softmax_launch(&all, id, nullptr, &machine()), oddtile_ok);
      for (int64_t row = 0; row < 8; ++row) {
        const oddtile_softmax_problem one = {
            oddtile_fp32, 1, kColumns, x + row * stride, 0, alone + 32, 0, nullptr, 0};
        if (softmax_id(one, index) != id) continue;
        ++compared;
        ASSERT_EQ(sim::softmax_launch(&one, id, nullptr, &machine()), oddtile_ok);
        EXPECT_EQ(std::memcmp(alone + 32, together + row * stride, kColumns * sizeof(float)), 0);
      }
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace oddtile
