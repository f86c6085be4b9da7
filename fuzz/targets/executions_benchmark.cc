// Executions per second of the fuzz targets' body: bytes -> case -> two runs -> oracle and judge ->
// every property. Run by hand: build/<preset>/benchmark_executions; with the fuzz preset its
// kernels carry what they carry under libFuzzer (coverage, ASan, UBSan), and libFuzzer is linked
// in; race_executions has kernels whose accesses are watched.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/codec/codec.h"
#include "fuzz/targets/case_list.h"
#include "fuzz/targets/fuzz_body.h"
#include "oracles/case/text.h"

namespace oddtile::fuzz {
namespace {

// One iteration is one execution, of the next of these cases; they must not prove nothing.
void execute(benchmark::State& state, const std::vector<oracles::Case>& cases) {
  std::vector<std::vector<uint8_t>> bytes;
  for (const oracles::Case& subject : cases) bytes.push_back(encode(subject));
  const Tally before = tally();
  size_t turn = 0;
  for (auto _ : state) {
    const std::vector<uint8_t>& input = bytes[turn];
    check_bytes(cases[turn].kernel(), input.data(), input.size());
    if (++turn == bytes.size()) turn = 0;
  }
  const Tally& after = tally();
  if (after.vacuous != before.vacuous) state.SkipWithError("vacuous cases are among them");
  using benchmark::Counter;
  state.counters["cases"] = Counter(double(after.cases - before.cases), Counter::kIsRate);
  state.counters["elements"] = Counter(double(after.judged - before.judged), Counter::kIsRate);
}

void add(const char* name, std::vector<oracles::Case> cases) {
  if (cases.empty()) return;
  // A pass over a list has to be complete, or its average would be that of its first cases.
  benchmark::RegisterBenchmark(name, [cases](benchmark::State& state) { execute(state, cases); })
      ->Iterations(int64_t(cases.size()) * (cases.size() > 1 ? 8 : 200))
      ->Unit(benchmark::kMicrosecond);
}

void add_case(const char* name, const char* text) {
  add(name, {std::get<oracles::Case>(oracles::parse(text))});
}

const bool registered = [] {
  benchmark::AddCustomContext("build", ODDTILE_BUILD_KIND);  // read by `oddtile report --rates`
  add_case("vector_add_tail", "vector_add n=1025 x_offset=1 mask=half values=noise");
  add_case("softmax_tail", "softmax rows=3 columns=1025 values=last_max");
  add_case("attention_one_block",
           "attention batch=1 heads_kv=1 group=1 seq_q=64 seq_k=64 head_dim=64 scale=0.125 "
           "scores=ties contents=coded");
  add_case("attention_odd_70x130",
           "attention batch=1 heads_kv=1 group=1 seq_q=70 seq_k=130 head_dim=64 scale=0.125 "
           "scores=ties contents=coded config=8");
  add_case("attention_small_tiles",
           "attention batch=1 heads_kv=1 group=1 seq_q=32 seq_k=32 head_dim=64 scale=0.125 "
           "band_high=0 scores=ties contents=coded config=11");
  std::string complaint;
  std::vector<oracles::Case> small, odd;
  for (const auto& subject :
       read_case_list(CORPUS_FOLDER "/benchmark/attention.cases", &complaint)) {
    const auto& c = std::get<oracles::AttentionCase>(subject.problem);
    (c.seq_q <= 32 && c.seq_k <= 32 ? small : odd).push_back(subject);
  }
  if (!complaint.empty()) std::fprintf(stderr, "%s\n", complaint.c_str());
  add("attention_list_up_to_32x32", small);
  add("attention_list_up_to_70x130", odd);
  return true;
}();

}  // namespace
}  // namespace oddtile::fuzz
