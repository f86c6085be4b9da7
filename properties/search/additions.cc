#include "properties/search/additions.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>

#include "kernels/base/bits.h"
#include "oracles/case/parallel.h"
#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

using oracles::Role;
using oracles::Tensor;
using oracles::Workload;

constexpr int64_t kNumbers = 65536;
constexpr int64_t kAtOnce = 256;  // values of x in one launch on a GPU
constexpr int64_t kAtOnceSimulated = 1;

bool is_nan(uint16_t bits) {
  return (bits & 0x7FFFu) > 0x7C00u;
}

Tensor& tensor_of(Workload& workload, Role role) {
  return workload.tensors[size_t(workload.index_of(role))];
}

uint16_t* elements(Workload& workload, Role role) {
  Tensor& tensor = tensor_of(workload, role);
  return reinterpret_cast<uint16_t*>(tensor.bytes.data()) + tensor.offset;
}

void set_x(Workload& workload, int64_t first, int64_t count) {
  uint16_t* x = elements(workload, Role::x);
  oracles::parallel_for(count, 1, count * kNumbers, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::fill_n(x + i * kNumbers, kNumbers, uint16_t(first + i));
  });
}

// `count` values of x, each with every y.
Workload pairs(int64_t count) {
  oracles::VectorAddCase c;
  c.dtype = oddtile_fp16;
  c.n = count * kNumbers;
  c.values = oracles::Values::zeros;
  Workload workload = oracles::materialise({.problem = c}, oracles::Poison::nan);
  uint16_t* y = elements(workload, Role::y);
  for (int64_t i = 0; i < c.n; ++i) y[i] = uint16_t(i % kNumbers);
  return workload;
}

struct Wrong {
  std::atomic<int64_t> count = 0;
  std::atomic<int64_t> first = -1;  // x * 65536 + y
};

// The outputs of x = first...; `wrong` gets what differs.
void compare(const std::vector<std::byte>& bytes, int64_t offset, int64_t first, int64_t count,
             Wrong* wrong) {
  const auto* got = reinterpret_cast<const uint16_t*>(bytes.data()) + offset;
  oracles::parallel_for(count, 1, count * kNumbers, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto x = uint16_t(first + i);
      for (int64_t y = 0; y < kNumbers; ++y) {
        const uint16_t is = got[i * kNumbers + y], should = fp16_sum(x, uint16_t(y));
        if (is == should || (is_nan(is) && is_nan(should))) continue;
        ++wrong->count;
        int64_t none = -1;
        wrong->first.compare_exchange_strong(none, int64_t(x) * kNumbers + y);
      }
    }
  });
}

std::string describe(const Wrong& wrong) {
  const int64_t pair = wrong.first;
  const auto x = uint16_t(pair / kNumbers), y = uint16_t(pair % kNumbers);
  return fmt::format("{} sums are wrong, among them 0x{:04x} + 0x{:04x}, which is 0x{:04x}",
                     wrong.count.load(), x, y, fp16_sum(x, y));
}

}  // namespace

uint16_t fp16_sum(uint16_t x, uint16_t y) {
  return float_to_half(half_to_float({x}) + half_to_float({y})).bits;
}

Coverage cover_additions(const oddtile_implementation& which, Machine& machine, int64_t first,
                         int64_t last, const WorldOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Coverage coverage = {.world = "fp16 sums",
                       .product = "all 2^32 pairs of fp16 numbers through vector_add, bit for bit",
                       .size = kNumbers * kNumbers,
                       .wanted = (last - first) * kNumbers};
  const int64_t at_once =
      std::min(last - first, machine.name() == "sim" ? kAtOnceSimulated : kAtOnce);
  if (at_once <= 0) return coverage;
  Workload workload = pairs(at_once);
  const auto out = size_t(workload.index_of(Role::out));
  Wrong wrong;
  std::future<void> comparing;  // of the last launch, while the next one runs
  for (int64_t x = first; x < last; x += at_once) {
    x = std::min(x, last - at_once);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (seconds > options.seconds_at_most || (options.stop != nullptr && *options.stop)) break;
    set_x(workload, x, at_once);
    Outcome outcome = run_workload(workload, which, machine, 0);
    if (!outcome.clean()) {
      ++coverage.failed;
      coverage.failures.push_back(fmt::format("x from 0x{:04x}: {}", x,
                                              !outcome.violations.empty() ? outcome.violations[0]
                                              : !outcome.hazards.empty()
                                                  ? outcome.hazards[0].text
                                                  : which.status_text(outcome.status)));
      break;
    }
    if (comparing.valid()) comparing.get();
    comparing = std::async(std::launch::async, [&, x, bytes = std::move(outcome.buffers[out])] {
      compare(bytes, workload.tensors[out].offset, x, at_once, &wrong);
    });
    coverage.run = (x + at_once - first) * kNumbers;
    if (options.progress) options.progress(coverage.run, coverage.wanted);
  }
  if (comparing.valid()) comparing.get();
  coverage.judged = coverage.run;
  coverage.failed += wrong.count;
  if (wrong.count > 0) coverage.failures.push_back(describe(wrong));
  return coverage;
}

}  // namespace oddtile::properties
