// Vector add on the simulator: a sweep of lengths, alignments and masks against the obvious loop,
// and the argument checks. (properties/ has the thorough runs; these are the first to fail.)
#include "kernels/vector_add/vector_add.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/sim/machine.h"
#include "kernels/vector_add/parameters.h"

namespace oddtile {
namespace {

constexpr int64_t kGuard = 64;  // elements on either side

template <class T>
T element(Random& random) {
  return sim::from_float<T>(float(random.between(-3000, 3000)) / 16.0f);
}

// An aligned buffer of n elements that start `offset` elements behind a 128-byte boundary.
template <class T>
class Buffer {
 public:
  Buffer(int64_t n, int64_t offset, T fill)
      : storage_((n + offset + 2 * kGuard) * sizeof(T) / 128 + 1), first_(kGuard + offset), n_(n) {
    std::fill(begin(), begin() + size(), fill);
  }
  T* data() { return begin() + first_; }
  T& operator[](int64_t i) { return data()[i]; }
  void allow(sim::Machine& machine, const char* name) {
    machine.allow(data(), n_ * int64_t(sizeof(T)), name);
  }
  std::vector<T> everything() { return {begin(), begin() + size()}; }
  int64_t first() const { return first_; }

 private:
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  T* begin() { return reinterpret_cast<T*>(storage_.data()); }
  int64_t size() const { return int64_t(storage_.size() * sizeof(Line) / sizeof(T)); }

  std::vector<Line> storage_;
  int64_t first_, n_;
};

enum class Implementation { fused, eager };

struct Shape {
  int64_t n, x_offset, y_offset, out_offset, mask_offset;
  int mask_kind;  // 0: none; to 5: every element is visible with probability (mask_kind - 1) / 4;
                  // 6: every 16 bytes of out, with 1 / 2
  int32_t id;
};

template <class T>
void check(oddtile_dtype dtype, Implementation which, const Shape& shape, uint64_t seed) {
  Random random(seed);
  const T poison = sim::from_float<T>(__builtin_nanf(""));
  Buffer<T> x(shape.n, shape.x_offset, poison), y(shape.n, shape.y_offset, poison);
  Buffer<T> out(shape.n, shape.out_offset, poison);
  Buffer<uint8_t> mask(shape.n, shape.mask_offset, 1);
  bool is_visible = false;
  for (int64_t i = 0; i < shape.n; ++i) {
    x[i] = element<T>(random);
    y[i] = element<T>(random);
    out[i] = element<T>(random);
    const bool starts = i == 0 || (out.first() + i) * int64_t(sizeof(T)) % 16 == 0;
    if (shape.mask_kind < 6) is_visible = random.below(4) < uint32_t(shape.mask_kind - 1);
    if (shape.mask_kind == 6 && starts) is_visible = random.below(2) != 0;
    mask[i] = is_visible ? uint8_t(1u << random.below(8)) : 0;
  }
  std::vector<T> expected = out.everything();
  for (int64_t i = 0; i < shape.n; ++i) {
    if (shape.mask_kind > 0 && mask[i] == 0) continue;
    expected[out.first() + i] = sim::from_float<T>(sim::to_float(x[i]) + sim::to_float(y[i]));
  }

  const oddtile_vector_add_problem problem = {.dtype = dtype,
                                              .n = shape.n,
                                              .x = x.data(),
                                              .y = y.data(),
                                              .mask = shape.mask_kind > 0 ? mask.data() : nullptr,
                                              .out = out.data()};
  std::vector<std::byte> space(sim::eager_vector_add_workspace_bytes(problem, 0) + 256);
  void* aligned = space.data() + (256 - reinterpret_cast<uintptr_t>(space.data()) % 256) % 256;
  static sim::Machine machine;  // one for all: its fibers are worth keeping
  machine.begin(seed);
  x.allow(machine, "x");
  y.allow(machine, "y");
  out.allow(machine, "out");
  if (shape.mask_kind > 0) mask.allow(machine, "mask");
  machine.allow(aligned, int64_t(space.size()) - 256, "workspace");
  const oddtile_status status =
      which == Implementation::fused
          ? sim::vector_add_launch(&problem, shape.id, nullptr, &machine)
          : sim::eager_vector_add_launch(&problem, shape.id, aligned, &machine);
  ASSERT_EQ(status, oddtile_ok);
  for (const sim::Hazard& hazard : machine.hazards()) ADD_FAILURE() << hazard.text();
  const std::vector<T> got = out.everything();
  ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0)
      << "n=" << shape.n << " offsets " << shape.x_offset << " " << shape.y_offset << " "
      << shape.out_offset << " " << shape.mask_offset << " mask " << shape.mask_kind << " id "
      << shape.id << " dtype " << dtype;
}

void check_any(int dtype, Implementation which, const Shape& shape, uint64_t seed) {
  if (dtype == 0) return check<float>(oddtile_fp32, which, shape, seed);
  if (dtype == 1) return check<Half>(oddtile_fp16, which, shape, seed);
  return check<Bfloat16>(oddtile_bf16, which, shape, seed);
}

TEST(VectorAdd, EveryLengthAndAlignmentGivesTheSumAndNothingElse) {
  Random random(1);
  for (int64_t round = 0; round < 3000; ++round) {
    const int dtype = int(random.below(3));
    const auto which = random.below(4) == 0 ? Implementation::eager : Implementation::fused;
    const auto offset = [&] { return random.between(0, dtype == 0 ? 5 : 11); };
    const Shape shape = {
        .n = random.below(20) == 0 ? random.between(500, 20000) : round % 101,
        .x_offset = offset(),
        .y_offset = offset(),
        .out_offset = offset(),
        .mask_offset = random.between(0, 17),
        .mask_kind = int(random.below(7)),
        .id = which == Implementation::fused ? int32_t(random.below(kVectorAddCount)) : 0};
    check_any(dtype, which, shape, uint64_t(round));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(VectorAdd, AMaskOfZerosCostsTheMaskAlone) {
  alignas(128) static float x[4096], y[4096], out[4096];
  alignas(128) static uint8_t mask[4096];
  const oddtile_vector_add_problem problem = {oddtile_fp32, 4096, x, y, mask, out};
  sim::Machine machine;
  machine.begin(1);
  machine.allow(mask, sizeof(mask), "mask");  // and nothing else
  ASSERT_EQ(sim::vector_add_launch(&problem, 0, nullptr, &machine), oddtile_ok);
  EXPECT_TRUE(machine.hazards().empty());
  EXPECT_EQ(machine.counters().bytes_read, 4096);
  EXPECT_EQ(machine.counters().bytes_written, 0);
}

// What a launch asks for: lines and sectors, counted. Of out only runs of visible elements may
// be touched: a prefetch of something else would be a hazard.
template <class T, class IsVisible>
int64_t prefetches(oddtile_dtype dtype, int32_t id, IsVisible is_visible, int64_t n = 2048,
                   int64_t offset = 0) {
  Buffer<T> x(n, 0, T{}), y(n, 0, T{}), out(n, offset, T{});
  Buffer<uint8_t> mask(n, 0, 0);
  sim::Machine machine;
  machine.begin(1);
  int64_t visible = 0, run = 0;
  for (int64_t i = 0; i < n; ++i) {
    mask[i] = is_visible(i);
    visible += mask[i];
    run = mask[i] != 0 ? run + 1 : 0;
    const bool ends = run > 0 && (i + 1 == n || !is_visible(i + 1));
    if (ends) machine.allow(&out[i + 1 - run], run * int64_t(sizeof(T)), "out");
  }
  x.allow(machine, "x");
  y.allow(machine, "y");
  mask.allow(machine, "mask");
  const oddtile_vector_add_problem problem = {dtype,    n,           x.data(),
                                              y.data(), mask.data(), out.data()};
  EXPECT_EQ(sim::vector_add_launch(&problem, id, nullptr, &machine), oddtile_ok);
  for (const sim::Hazard& hazard : machine.hazards()) ADD_FAILURE() << hazard.text();
  EXPECT_EQ(machine.counters().bytes_written, visible * int64_t(sizeof(T))) << "each once";
  return machine.counters().prefetches;
}

constexpr int32_t kAsks = 5;  // however short the vector

// Which elements of out are visible, or which are not.
auto only(std::initializer_list<int64_t> elements) {
  return [seen = std::vector<int64_t>(elements)](int64_t i) {
    return std::count(seen.begin(), seen.end(), i) != 0;
  };
}
auto all_but(std::initializer_list<int64_t> elements) {
  return [seen = only(elements)](int64_t i) { return !seen(i); };
}

TEST(VectorAdd, AsksForTheSectorsThatItCutsWhereThatPays) {
  const auto alternating = [](int64_t i) { return i % 2 == 0; };
  const auto rare = [](int64_t i) { return i % 100 == 0; };
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, kAsks, all_but({5, 14, 800}))), 2) << "sectors";
  EXPECT_EQ((prefetches<float>(oddtile_fp32, kAsks, all_but({5, 14, 800}))), 3);
  EXPECT_EQ((prefetches<float>(oddtile_fp32, kAsks, all_but({2, 8, 17, 25, 2047}))), 2)
      << "four sectors of a line: the line";
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, kAsks, alternating)), 2 * 2048 / 128) << "lines";
  EXPECT_EQ((prefetches<float>(oddtile_fp32, kAsks, alternating)), 0);
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, kAsks, rare)), 0);
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, 2, alternating)), 0) << "short";
}

// A sector that is visible as a whole, which makes a chunk ask; one element of another; one each of
// the four of a line. In a chunk of each place in its row.
TEST(VectorAdd, AsksForNoSectorsButThose) {
  for (const int64_t chunk : {0, 256, 512, 1792}) {
    const auto floats = [=](int64_t i) {
      return (i >= chunk && i < chunk + 8) || only({44, 96, 104, 112, 120})(i - chunk);
    };
    EXPECT_EQ((prefetches<float>(oddtile_fp32, kAsks, floats)), 2) << chunk;
  }
  for (const int64_t chunk : {0, 512, 1536}) {
    const auto halves = [=](int64_t i) {
      return (i >= chunk + 16 && i < chunk + 32) || only({37, 128, 144, 160, 176})(i - chunk);
    };
    EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, kAsks, halves)), 2) << chunk;
  }
}

TEST(VectorAdd, AsksByTheLinesOfOut) {
  // Begins 32 bytes into a line: the second line holds elements 24 to 55.
  EXPECT_EQ((prefetches<float>(oddtile_fp32, kAsks, all_but({24, 33, 42, 51}), 2048, 8)), 1);
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, kAsks, all_but({48, 66, 84, 102}), 2048, 16)), 1);
}

TEST(VectorAdd, AsksFrom16MiBOfOutOn) {
  constexpr int64_t kElements = int64_t(4) << 20;
  const auto cut = [](int64_t i) { return i < 8 || i == 44; };
  EXPECT_EQ((prefetches<float>(oddtile_fp32, 2, cut, kElements)), 1);
  EXPECT_EQ((prefetches<float>(oddtile_fp32, 2, cut, kElements - 1)), 0);
  const auto cut_halves = [](int64_t i) { return i < 16 || i == 44; };
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, 2, cut_halves, 2 * kElements)), 1);
  EXPECT_EQ((prefetches<Bfloat16>(oddtile_bf16, 2, cut_halves, 2 * kElements - 1)), 0);
}

TEST(VectorAdd, MovesEveryByteOnce) {
  alignas(128) static float x[4096], y[4096], out[4096];
  const oddtile_vector_add_problem problem = {oddtile_fp32, 4096, x, y, nullptr, out};
  sim::Machine machine;
  machine.begin(1);
  machine.allow(x, sizeof(x), "x");
  machine.allow(y, sizeof(y), "y");
  machine.allow(out, sizeof(out), "out");
  ASSERT_EQ(sim::vector_add_launch(&problem, 0, nullptr, &machine), oddtile_ok);
  EXPECT_EQ(machine.counters().bytes_read, 2 * 4096 * 4);
  EXPECT_EQ(machine.counters().bytes_written, 4096 * 4);
}

TEST(VectorAdd, ShortVectorsPreferSmallBlocks) {
  alignas(16) static float memory[4] = {};
  int32_t ids[8];
  oddtile_vector_add_problem problem = {oddtile_fp32, 1, memory, memory + 1, nullptr, memory + 2};
  EXPECT_EQ(preferred_vector_add(problem), 2);
  EXPECT_EQ(sim::vector_add_configurations(problem, ids, 8), kVectorAddCount);
  EXPECT_EQ(ids[0], 2);
  EXPECT_EQ(sim::vector_add_configurations(problem, ids, 1), 1) << "no more than there is room for";
  problem.dtype = oddtile_bf16;
  EXPECT_EQ(preferred_vector_add(problem), 2);
  problem.n = 100000;
  EXPECT_EQ(preferred_vector_add(problem), 4) << "whole vectors";
  problem.n = 200000;
  EXPECT_EQ(preferred_vector_add(problem), 2);
  problem.n = int64_t(1) << 26;
  EXPECT_EQ(preferred_vector_add(problem), 6);
  static uint8_t mask[4];
  problem.mask = mask;
  EXPECT_EQ(preferred_vector_add(problem), 2);
}

TEST(VectorAdd, BadArgumentsGetAStatus) {
  alignas(16) static float memory[64];
  float* const x = memory;
  float* const y = memory + 16;
  float* const out = memory + 32;
  auto* const mask = reinterpret_cast<uint8_t*>(memory + 48);
  auto* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(out) + 2);
  const oddtile_vector_add_problem good = {oddtile_fp32, 16, x, y, mask, out};
  EXPECT_EQ(check_vector_add(good), oddtile_ok);
  const auto status_with = [&](auto change) {
    oddtile_vector_add_problem problem = good;
    change(problem);
    return check_vector_add(problem);
  };
  EXPECT_EQ(status_with([](auto& p) { p.dtype = oddtile_dtype(7); }), oddtile_bad_dtype);
  EXPECT_EQ(status_with([](auto& p) { p.n = -1; }), oddtile_bad_shape);
  EXPECT_EQ(status_with([](auto& p) { p.n = INT64_MAX; }), oddtile_bad_shape);
  EXPECT_EQ(status_with([](auto& p) { p.x = nullptr; }), oddtile_null_pointer);
  EXPECT_EQ(status_with([](auto& p) { p.n = 0, p.x = nullptr, p.out = nullptr; }), oddtile_ok);
  EXPECT_EQ(status_with([&](auto& p) { p.out = odd; }), oddtile_misaligned);
  EXPECT_EQ(status_with([&](auto& p) { p.out = x; }), oddtile_ok);
  EXPECT_EQ(status_with([&](auto& p) { p.out = y; }), oddtile_ok);
  EXPECT_EQ(status_with([&](auto& p) { p.out = x + 1; }), oddtile_overlap);
  EXPECT_EQ(status_with([&](auto& p) { p.out = y + 15; }), oddtile_overlap);
  EXPECT_EQ(status_with([&](auto& p) { p.out = memory + 33; }), oddtile_overlap);  // the mask

  sim::Machine machine;
  machine.begin(1);
  EXPECT_EQ(sim::vector_add_launch(&good, kVectorAddCount, nullptr, &machine),
            oddtile_bad_configuration);
  EXPECT_EQ(sim::vector_add_launch(&good, -1, nullptr, &machine), oddtile_bad_configuration);
  EXPECT_EQ(sim::eager_vector_add_launch(&good, 0, nullptr, &machine), oddtile_bad_workspace);
  EXPECT_EQ(sim::eager_vector_add_launch(&good, 0, memory + 1, &machine), oddtile_bad_workspace);
  EXPECT_EQ(machine.counters().launches, 0);
}

}  // namespace
}  // namespace oddtile
