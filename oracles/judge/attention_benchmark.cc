// How long it takes to judge attention, every element with its bound, against the two matrix
// products that hold its flops: build/<preset>/benchmark_judge. Both are timed in turn, in one
// program and on the same threads, so that the ratio survives a busy machine.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "oracles/case/elements.h"
#include "oracles/case/parallel.h"
#include "oracles/judge/parts.h"
#include "oracles/judge/planting.h"
#include "oracles/judge/stopwatch.h"

namespace oddtile::oracles {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Exact values with what a right 16-bit kernel does to them: each weight rounded, then the output.
void round_weights(const Workload& workload, Outputs& outputs) {
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const AttentionOracle oracle(workload);
  AttentionRow row;
  const Tensor& o = *workload.find(Role::o);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads_q(); ++h) {
      const KeysAndValues kv = oracle.load(b, h / c.group);
      for (int64_t i = 0; i < c.seq_q; ++i) {
        oracle.row(kv, b, h, i, Precision::standard, row);
        if (row.row_class != RowClass::live) continue;
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(c.head_dim);
        for (size_t j = 0; j < row.keys.size(); ++j) {
          const float w = rounded_to(c.dtype, row.weight[j] * row.sum);
          sum += double(w) * Eigen::Map<const Eigen::RowVectorXd>(
                                 &kv.v[size_t(row.keys[j] * c.head_dim)], c.head_dim);
        }
        for (int64_t x = 0; x < c.head_dim; ++x)
          put(outputs, workload, Role::o, o.index(b, h, i, x), sum[x] / row.sum);
      }
    }
}

// S = Q K^T and O = S V in double, rows over all threads.
void two_products(const Matrix& q, const Matrix& k, const Matrix& v, Matrix& o) {
  constexpr int64_t grain = 128;
  const int64_t work = q.rows() * k.rows() * q.cols();
  parallel_for(q.rows(), grain, work, [&](int64_t begin, int64_t end) {
    thread_local Matrix s;
    s.noalias() = q.middleRows(begin, end - begin) * k.transpose();
    o.middleRows(begin, end - begin).noalias() = s * v;
  });
}

void against_products(benchmark::State& state) {
  const int64_t seq_q = state.range(0), seq_k = state.range(1), head_dim = state.range(2);
  const auto effort = Effort(state.range(3));
  const Workload workload =
      made("attention seq_q=" + std::to_string(seq_q) + " seq_k=" + std::to_string(seq_k) +
           " head_dim=" + std::to_string(head_dim) + " scale=0.125 scores=noise contents=noise" +
           (state.range(4) ? " band_high=0" : "") + " dtype=" + (state.range(5) ? "bf16" : "fp16"));
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  Outputs outputs = exact_outputs(workload);
  round_weights(workload, outputs);
  oddtile_profile profile = fused_profile(c.dtype);
  profile.tile_columns = 64;
  const Matrix q = Matrix::Random(seq_q, head_dim), k = Matrix::Random(seq_k, head_dim),
               v = Matrix::Random(seq_k, head_dim);
  Matrix o(seq_q, head_dim);
  const Sampling sampling = {.effort = effort};
  const Evidence evidence = {workload, outputs, profile, sampling};
  Race whole, bounds;  // the judgement as it is; without the suspect line's sample
  Judgement judgement;
  for (auto _ : state) {
    whole.first([&] { two_products(q, k, v, o); });
    whole.second([&] { judgement = judge(workload, outputs, profile, sampling); });
    bounds.first([&] { two_products(q, k, v, o); });
    bounds.second([&] { judge_attention(evidence); });
    benchmark::DoNotOptimize(o.data());
  }
  if (judgement.verdict == Verdict::fail) state.SkipWithError(judgement.explanation.c_str());
  const double flops = 4.0 * double(seq_q) * double(seq_k) * double(head_dim);
  const double elements = double(seq_q * head_dim);
  state.counters["product_gflops"] = flops / whole.first_median() * 1e-9;
  state.counters["judge_gflops"] = flops / whole.second_median() * 1e-9;
  state.counters["share_of_product"] = whole.median_ratio();
  state.counters["without_suspect_line"] = bounds.median_ratio();
  state.counters["in_full"] = double(judgement.fully_bounded) / elements;
  state.counters["escalated"] = double(judgement.escalated) / elements;
  state.counters["worst_o"] = judgement.quantities[0].worst_ratio;
}
BENCHMARK(against_products)
    ->ArgNames({"seq_q", "seq_k", "head_dim", "full", "causal", "bf16"})
    ->Args({2048, 2048, 128, 0, 0, 0})
    ->Args({2048, 2048, 128, 1, 0, 0})
    ->Args({2048, 2048, 128, 0, 0, 1})
    ->Args({2048, 2048, 128, 0, 1, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(5);

// What a fuzz run does thousands of times a second.
void small_case(benchmark::State& state) {
  const Workload workload =
      made("attention seq_q=" + std::to_string(state.range(0)) +
           " seq_k=" + std::to_string(state.range(1)) + " head_dim=64 scores=noise contents=noise");
  const Outputs outputs = exact_outputs(workload);
  for (auto _ : state) benchmark::DoNotOptimize(judged(workload, outputs));
}
BENCHMARK(small_case)
    ->ArgNames({"seq_q", "seq_k"})
    ->Args({17, 33})
    ->Args({70, 70})
    ->Args({130, 130})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// One row path in 50 digits against the same in double: what escalating everything would cost.
void all_multiprecision(benchmark::State& state) {
  const Workload workload = made("attention seq_q=8 seq_k=128 head_dim=64 scores=noise");
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  const Outputs outputs = exact_outputs(workload);
  AttentionRow row;
  Race race;
  for (auto _ : state) {
    race.first([&] { judged(workload, outputs); });
    race.second([&] {
      for (int64_t i = 0; i < 8; ++i) oracle.row(kv, 0, 0, i, Precision::wide, row);
    });
  }
  state.counters["mflops"] = 4.0 * 8 * 128 * 64 / race.second_median() * 1e-6;
  state.counters["slower_than_judge"] = 1 / race.median_ratio();
}
BENCHMARK(all_multiprecision)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace oddtile::oracles
