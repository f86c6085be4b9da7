// How long it takes to judge softmax against reading, exponentiating and writing the same numbers
// in double, on the same threads and in turn.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "oracles/case/parallel.h"
#include "oracles/judge/planting.h"
#include "oracles/judge/stopwatch.h"

namespace oddtile::oracles {
namespace {

void read_exp_write(const std::vector<double>& x, std::vector<double>& y, int64_t rows,
                    int64_t columns) {
  using Row = Eigen::Map<Eigen::ArrayXd>;
  using ConstRow = Eigen::Map<const Eigen::ArrayXd>;
  parallel_for(
      rows, std::max<int64_t>(1, rows / 64), rows * columns * 8, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          Row(y.data() + r * columns, columns) = ConstRow(x.data() + r * columns, columns).exp();
      });
}

void against_exp(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  const char* types[] = {"fp32", "fp16", "bf16"};
  const std::string text =
      "softmax rows=" + std::to_string(rows) + " columns=" + std::to_string(columns) +
      " values=noise dtype=" + types[state.range(2)] + (state.range(3) ? " mask=half" : "");
  const Workload workload = made(text);
  const Outputs outputs = exact_outputs(workload);
  std::vector<double> x(size_t(rows * columns)), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = -double(i % 4099) / 512;
  oddtile_profile profile = fused_profile(std::get<SoftmaxCase>(workload.subject.problem).dtype);
  profile.tile_columns = 0;  // one step, 256 partial sums
  profile.sum_lanes = 256;
  Race race;
  Judgement judgement;
  for (auto _ : state) {
    race.first([&] { read_exp_write(x, y, rows, columns); });
    race.second([&] { judgement = judge(workload, outputs, profile); });
    benchmark::DoNotOptimize(y.data());
  }
  if (judgement.verdict == Verdict::fail) state.SkipWithError(judgement.explanation.c_str());
  const double elements = double(rows * columns);
  state.counters["exp_ns"] = race.first_median() / elements * 1e9;
  state.counters["judge_ns"] = race.second_median() / elements * 1e9;
  state.counters["times_exp"] = 1 / race.median_ratio();
  state.counters["escalated"] = double(judgement.escalated) / elements;
}
BENCHMARK(against_exp)
    ->ArgNames({"rows", "columns", "type", "mask"})
    ->Args({4096, 4096, 0, 0})
    ->Args({4096, 4096, 1, 0})
    ->Args({4096, 4096, 0, 1})
    ->Args({4, 1 << 22, 0, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(4);

}  // namespace
}  // namespace oddtile::oracles
