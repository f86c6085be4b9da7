// Actual output against exact value and bound: verdict, worst element, share of the bound used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracles/case/workload.h"

namespace oddtile::oracles {

enum class Verdict { pass, vacuous, suspect, fail };
std::string_view verdict_name(Verdict verdict);

// One judged quantity: the output tensor `role` of the workload, or the LSE.
struct Quantity {
  Role role = Role::out;
  int64_t judged = 0;      // elements compared with a bound or as a class
  int64_t not_judged = 0;  // outside the domain of the bound, or without one
  int64_t failed = 0;
  double worst_ratio = 0;  // max |error| / bound, infinity for a class mismatch
  double p99_ratio = 0;
  double rms_ratio = 0;
  double signed_mean = 0;  // of error / bound
  // max of (|error| - u_o |exact| - eta_o - eta_w)+ over the bound without these terms: the share
  // that the output's own rounding and flush cannot hide. By the number of live keys or columns of
  // the row: <= 16, <= 256, more.
  std::array<double, 3> worst_net = {0, 0, 0};
  // Whether any element of such a row was a number with a bound: else its 0 says nothing.
  std::array<bool, 3> net_drawn = {false, false, false};
  int64_t worst_index[4] = {0, 0, 0, 0};
  double got = 0, exact = 0, bound = 0;  // of the worst element
};

// The statistical form on a sample of attention's rows (suspicion.h): ratios above 1 are suspect.
struct Suspicion {
  int64_t rows = 0, elements = 0;  // 0: too few rows or keys to mean anything
  int64_t exceeding = 0;
  Role role = Role::o;
  double worst_ratio = 0;
  int64_t worst_index[4] = {0, 0, 0, 0};
  double got = 0, exact = 0, bound = 0;  // of the worst element
  // Mean of error / bound over its standard error, rows as clusters: of O away from 0, of LSE.
  // 0 below 8 rows. Reported, no verdict.
  double z_o = 0, z_lse = 0;
};

struct Judgement {
  Verdict verdict = Verdict::fail;
  std::vector<Quantity> quantities;
  double visible_edge_keys = 1;   // share of edge keys with visibility > 2 (attention)
  double zero_output_factor = 0;  // worst ratio that an all-zero output would have had
  int64_t escalated = 0;          // elements recomputed in multiprecision
  int64_t fully_bounded = 0;      // elements whose bound was computed in full, not from below
  Suspicion suspicion;
  std::string explanation;  // empty on pass; else one line per finding, worst first
};

// How much of each bound is computed (README.md says which numbers are then what). Verdict,
// failures and the worst element are the same either way.
enum class Effort {
  enough,  // most elements are accepted by a cheap lower estimate of their bound
  full     // every bound in full: all numbers are those of the bound itself
};

// Which rows to judge: all of them up to `rows_at_most`, else a seeded sample that holds the first,
// the last and every tile edge of the profile.
struct Sampling {
  int64_t rows_at_most = INT64_MAX;
  uint64_t seed = 0;
  Effort effort = Effort::enough;
};

// `outputs[i]` are the bytes of workload.tensors[i] after the run (only outputs are read).
// Judging nothing where there is something to judge is a failure.
Judgement judge(const Workload& workload, std::span<const std::vector<std::byte>> outputs,
                const oddtile_profile& profile, const Sampling& sampling = {});

}  // namespace oddtile::oracles
