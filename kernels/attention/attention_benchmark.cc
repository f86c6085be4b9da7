// How long the simulator takes for the attention kernel: what a fuzz campaign's speed rests on.
// build/<preset>/benchmark_attention
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/attention/attention.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

// One head of `queries` x `keys`, head size 64, fp16, in the configuration with this id.
void attention_on_simulator(benchmark::State& state) {
  const int64_t queries = state.range(0), keys = state.range(1), head_dim = 64;
  const auto id = int32_t(state.range(2));
  std::vector<uint16_t> q(queries * head_dim, 0x3400), k(keys * head_dim, 0x3000), v = k, o = q;
  oddtile_attention_problem problem = {};
  problem.dtype = oddtile_fp16;
  problem.batch = problem.heads_q = problem.heads_kv = 1;
  problem.seq_q = queries;
  problem.seq_k = keys;
  problem.head_dim = head_dim;
  problem.scale = 0.125f;
  problem.band_low = INT64_MIN;
  problem.band_high = INT64_MAX;
  problem.q = {q.data(), 0, 0, head_dim};
  problem.k = {k.data(), 0, 0, head_dim};
  problem.v = {v.data(), 0, 0, head_dim};
  problem.o = {o.data(), 0, 0, head_dim};
  Machine machine;
  machine.use_threads(int(state.range(3)));
  for (auto _ : state) {
    machine.begin(0);
    for (auto* tensor : {&q, &k, &v, &o}) {
      machine.allow(tensor->data(), int64_t(tensor->size()) * 2, "tensor");
    }
    if (attention_launch(&problem, id, nullptr, &machine) != oddtile_ok) {
      state.SkipWithError("the launch was refused");
    }
  }
  if (!machine.hazards().empty()) state.SkipWithError(machine.hazards()[0].text().c_str());
  state.counters["flops"] = double(machine.counters().flops);
}
BENCHMARK(attention_on_simulator)
    ->ArgNames({"queries", "keys", "configuration", "threads"})
    ->Args({64, 64, 2, 1})    // one production block of 4 warps
    ->Args({128, 128, 1, 1})  // one of 128 x 128
    ->Args({70, 130, 9, 1})   // as under the fuzzer: 32 x 16 tiles
    ->Unit(benchmark::kMillisecond);
BENCHMARK(attention_on_simulator)
    ->Name("attention_on_threads")
    ->ArgNames({"queries", "keys", "configuration", "threads"})
    ->ArgsProduct({{128, 256, 1024}, {256}, {2, 9}, {1, 2, 4, 8}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oddtile::sim
