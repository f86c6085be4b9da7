#include "reports/measure/error_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "oracles/case/text.h"
#include "reports/measure/amounts.h"
#include "reports/measure/progress.h"

namespace oddtile::reports {
namespace {

using oracles::AttentionCase;
using oracles::Case;
using oracles::Contents;
using oracles::Scores;
using oracles::SoftmaxCase;
using oracles::Values;
using oracles::VectorAddCase;

// Rows that one case is judged on, at most: enough for every tile edge of the sizes below.
constexpr oracles::Sampling kSampling = {.rows_at_most = 256, .seed = 1};

void add_vector_adds(bool gpu, Effort effort, std::vector<Case>& cases) {
  std::vector<int64_t> sizes = {1, 33, 1025, 8191};
  if (gpu) sizes.insert(sizes.end(), {65537, 1048577});
  if (effort == Effort::quick) sizes.resize(3);
  for (const int64_t n : sizes) {
    for (const Values values : {Values::noise, Values::specials, Values::bits}) {
      for (const oddtile_dtype dtype : {oddtile_fp32, oddtile_fp16, oddtile_bf16}) {
        VectorAddCase c;
        c.dtype = dtype;
        c.n = n;
        c.values = values;
        c.mask = values == Values::noise ? oracles::MaskKind::none : oracles::MaskKind::half;
        c.x_offset = n % 3;
        cases.push_back({.problem = c, .seed = cases.size()});
      }
    }
  }
}

void add_softmaxes(bool gpu, Effort effort, std::vector<Case>& cases) {
  std::vector<int64_t> sizes = {7, 64, 257, 1000, 4099, 16385, 40000};
  if (gpu) sizes.insert(sizes.end(), {65536, 262147});
  if (effort == Effort::quick) sizes.resize(3);
  const auto families = {Values::noise, Values::level,  Values::deep,    Values::deeper,
                         Values::high,  Values::rising, Values::falling, Values::last_max,
                         Values::ties,  Values::tiny,   Values::huge,    Values::specials};
  for (const int64_t columns : sizes) {
    for (const Values values : families) {
      for (const oddtile_dtype dtype : {oddtile_fp32, oddtile_fp16, oddtile_bf16}) {
        SoftmaxCase c;
        c.dtype = dtype;
        c.rows = 3;
        c.columns = columns;
        c.values = values;
        c.x_offset = columns % 2;
        cases.push_back({.problem = c, .seed = cases.size()});
      }
    }
  }
}

struct AttentionFamily {
  Scores scores;
  Contents contents;
};

constexpr AttentionFamily kAttentionFamilies[] = {
    {Scores::noise, Contents::noise},
    {Scores::level, Contents::noise},
    {Scores::deep, Contents::noise},
    {Scores::deeper, Contents::noise},
    {Scores::high, Contents::one_hot},
    {Scores::rising, Contents::noise},
    {Scores::falling, Contents::coded},
    {Scores::last_max, Contents::one_hot},
    {Scores::ties, Contents::coded},
    {Scores::peaked, Contents::one_hot},
    {Scores::fp16_overflow, Contents::large},
    {Scores::cancelling, Contents::cancelling},
    {Scores::negative_infinities, Contents::one_hot},
    {Scores::specials, Contents::specials},
};

// Families differ in shape, too (masks, anchors, grouped heads, head sizes), but keep theirs over
// the sizes: a curve shows what size does. The property suites mix shapes.
AttentionCase attention_shape(int64_t seq, int family) {
  AttentionCase c;
  c.seq_q = family % 3 == 1 ? seq / 2 + 1 : seq;
  c.seq_k = seq;
  constexpr int64_t kHeadDims[] = {64, 128, 72, 64, 40};
  c.head_dim = kHeadDims[family % 5];
  c.scale = c.head_dim == 128 ? double(0.088388346f) : 0.125;
  if (family % 4 >= 2) c.band_high = 0;
  if (family % 8 == 7) c.band_low = -40;
  c.anchor = family % 5 == 1 ? oddtile_bottom_right : oddtile_top_left;
  if (family % 7 == 3) c.mask = oracles::MaskKind::half;
  if (family % 7 == 5) c.lengths = oracles::KeyLengths::mixed;
  if (family % 9 == 4) c.group = 2;
  return c;
}

void add_attentions(bool gpu, Effort effort, std::vector<Case>& cases) {
  std::vector<int64_t> sizes = {17, 65, 130, 257, 600, 1030};
  if (gpu) sizes.insert(sizes.end(), {2048, 4097});
  if (effort == Effort::quick) sizes.resize(2);
  for (const int64_t seq : sizes) {
    int index = 0;
    for (const AttentionFamily& family : kAttentionFamilies) {
      AttentionCase c = attention_shape(seq, index++);
      c.scores = family.scores;
      c.contents = family.contents;
      for (const oddtile_dtype dtype : {oddtile_bf16, oddtile_fp16}) {
        if (dtype == oddtile_fp16 && seq > 300 && !gpu) continue;
        c.dtype = dtype;
        cases.push_back({.problem = c, .seed = cases.size()});
      }
    }
  }
}

// The baseline's products are a plain kernel on the simulator: quadratic work, a second at 400
// keys.
bool too_slow(const Case& subject, const oddtile_implementation& which,
              const std::string& machine) {
  const auto* c = std::get_if<AttentionCase>(&subject.problem);
  return machine == "sim" && c != nullptr && c->seq_k > 700 && std::string(which.name) == "eager";
}

std::string share_name(const oracles::Quantity& quantity) {
  return std::string(oracles::role_name(quantity.role));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) {
    lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  }
  return lines;
}

Failure failure_of(const properties::CheckResult& result) {
  Failure failure;
  const oracles::Quantity* worst = nullptr;
  for (const oracles::Quantity& q : result.judgement.quantities) {
    if (q.judged > 0 && (worst == nullptr || q.worst_ratio > worst->worst_ratio)) worst = &q;
  }
  if (worst != nullptr) {
    failure.tensor = share_name(*worst);
    failure.index.assign(worst->worst_index, worst->worst_index + 4);
    failure.got = worst->got;
    failure.exact = worst->exact;
    failure.bound = worst->bound;
    failure.ratio = worst->worst_ratio;
  }
  failure.report = lines_of(result.report);
  if (!failure.report.empty()) {  // the report's last line
    failure.replay = failure.report.back();
    failure.report.pop_back();
  }
  return failure;
}

void add_profile(const ProfileEntry& entry, Record* record) {
  const bool known =
      std::any_of(record->profiles.begin(), record->profiles.end(), [&](const ProfileEntry& other) {
        return other.machine == entry.machine && other.implementation == entry.implementation &&
               other.kernel == entry.kernel && other.name == entry.name;
      });
  if (!known) record->profiles.push_back(entry);
}

std::vector<QuantityEntry> quantity_entries(const oracles::Judgement& judgement) {
  std::vector<QuantityEntry> entries;
  for (const oracles::Quantity& q : judgement.quantities) {
    entries.push_back({share_name(q), q.worst_ratio, q.p99_ratio, q.rms_ratio, q.signed_mean,
                       q.judged, q.not_judged});
  }
  return entries;
}

}  // namespace

std::vector<Case> error_cases(const std::string& machine, Effort effort) {
  std::vector<Case> cases;
  const bool gpu = machine == "cuda";
  add_vector_adds(gpu, effort, cases);
  add_softmaxes(gpu, effort, cases);
  add_attentions(gpu, effort, cases);
  return cases;
}

ErrorEntry judged_entry(const Case& subject, const oracles::Judgement& judgement) {
  ErrorEntry entry;
  entry.kernel = std::string(oracles::kernel_name(subject.kernel()));
  entry.dtype = dtype_name(subject);
  entry.family = family(subject);
  entry.size = size(subject);
  entry.case_text = oracles::print(subject);
  entry.verdict = std::string(oracles::verdict_name(judgement.verdict));
  entry.visible_edge_keys = judgement.visible_edge_keys;
  entry.quantities = quantity_entries(judgement);
  return entry;
}

ErrorEntry error_entry(const Case& subject, const oddtile_implementation& which,
                       const properties::Machine& machine, const properties::CheckResult& result) {
  ErrorEntry entry = judged_entry(subject, result.judgement);
  entry.machine = machine.name();
  entry.implementation = which.name;
  entry.verdict = std::string(oracles::verdict_name(result.verdict));
  entry.broken = result.broken;
  if (result.verdict == oracles::Verdict::fail) entry.failure = failure_of(result);
  return entry;
}

std::string profile_text(oddtile_kernel kernel, const oddtile_profile& p) {
  constexpr const char* kDtypes[] = {"fp32", "fp16", "bf16"};
  if (kernel == oddtile_kernel_vector_add) return "one rounding";
  std::string text = kernel == oddtile_kernel_softmax
                         ? fmt::format("{} columns a step", p.tile_columns)
                         : fmt::format("tile {}x{}", p.tile_rows, p.tile_columns);
  text += fmt::format(", {} partial sums, exp2 {:.3g}{}, division {:g} u", p.sum_lanes,
                      p.exp2_error, p.exp2_flushes != 0 ? " flushing" : "", p.division_error_u);
  if (p.extra_frame_u != 0) text += fmt::format(", frame {:g} u", p.extra_frame_u);
  if (p.lazy_threshold_log2 != 0) text += fmt::format(", lazy 2^{:g}", p.lazy_threshold_log2);
  if (kernel != oddtile_kernel_attention) return text;
  return text + fmt::format(", products K={} F={}, weights {}{}, log2 {:.3g}", p.mma_products,
                            p.mma_fraction_bits, kDtypes[p.weight_dtype],
                            p.weight_normalised != 0 ? " normalised" : "", p.log2_error);
}

bool is_fused(const oddtile_implementation& which) {
  return std::string(which.name) == "fused";
}

void error_sweep(properties::Machine& machine, Effort effort, Record* record) {
  const std::vector<Case> cases = error_cases(machine.name(), effort);
  const auto implementations = machine.implementations();
  Progress progress("errors on " + machine.name(), int64_t(cases.size() * implementations.size()));
  for (const oddtile_implementation* which : implementations) {
    std::map<std::string, std::vector<std::string>> declined;  // cases by kernel
    int64_t slow = 0;
    for (const Case& subject : cases) {
      progress.step(fmt::format("{} {}", which->name, oracles::print(subject)));
      if (too_slow(subject, *which, machine.name())) {
        ++slow;
        continue;
      }
      const properties::CheckResult result =
          properties::check_case(subject, *which, machine, kSampling);
      const std::string kernel(oracles::kernel_name(subject.kernel()));
      if (!result.offered) {
        declined[kernel].push_back(oracles::print(subject));
        continue;
      }
      record->errors.push_back(error_entry(subject, *which, machine, result));
      add_profile({machine.name(), which->name, kernel, result.profile.name,
                   profile_text(subject.kernel(), result.profile)},
                  record);
      if (machine.lost()) {
        record->skips.push_back({"errors", "everything after " + oracles::print(subject),
                                 "the device is lost after an error", true});
        return;
      }
    }
    for (const auto& [kernel, texts] : declined) {
      record->skips.push_back({"errors",
                               fmt::format("{} cases of {} {} on {}, first {}", texts.size(),
                                           which->name, kernel, machine.name(), texts[0]),
                               "the implementation does not offer them", is_fused(*which)});
    }
    if (slow > 0) {
      record->skips.push_back({"errors",
                               fmt::format("{} {} attention cases above 700 keys on {}", slow,
                                           which->name, machine.name()),
                               "too slow there; the smaller ones are judged"});
    }
  }
}

}  // namespace oddtile::reports
