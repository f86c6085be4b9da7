#include "properties/search/worlds.h"

#include <fmt/format.h>

#include <vector>

#include "kernels/base/assert.h"
#include "oracles/case/fields.h"
#include "oracles/case/layout.h"
#include "oracles/case/text.h"
#include "properties/checks/checks.h"
#include "properties/harness/buffers.h"
#include "properties/search/crew.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

constexpr size_t kReports = 5;
constexpr double kProgressSeconds = 5;

// ---- attention ----

// What hides keys.
struct Hiding {
  int64_t band_low = -kUnbounded, band_high = kUnbounded;
  oddtile_anchor anchor = oddtile_top_left;
  MaskKind mask = MaskKind::none;
  MaskLayout layout = MaskLayout::dense;
  KeyLengths lengths = KeyLengths::none;
};
constexpr Hiding kHidings[] = {
    {},
    {.band_high = 0},                                  // causal
    {.band_high = 0, .anchor = oddtile_bottom_right},  // causal, other anchor
    {.band_low = -3, .band_high = 0},                  // windows
    {.band_low = -17, .band_high = 0, .anchor = oddtile_bottom_right},
    {.band_low = -2, .band_high = 5, .anchor = oddtile_bottom_right},
    {.band_low = 15, .band_high = 16},
    {.mask = MaskKind::half},  // byte masks
    {.mask = MaskKind::sparse, .layout = MaskLayout::padded},
    {.mask = MaskKind::dense, .layout = MaskLayout::transposed},
    {.band_high = 0, .mask = MaskKind::runs, .layout = MaskLayout::row_broadcast},
    {.lengths = KeyLengths::random},  // key lengths
    {.lengths = KeyLengths::outside},
    {.band_high = 0, .anchor = oddtile_bottom_right, .lengths = KeyLengths::mixed},
};
constexpr int64_t kHidingCount = int64_t(std::size(kHidings));

Case attention_case(const std::vector<int64_t>& digits, int64_t position) {
  const Hiding& hiding = kHidings[digits[2]];
  AttentionCase c;
  c.seq_q = digits[0];
  c.seq_k = digits[1];
  c.band_low = hiding.band_low;
  c.band_high = hiding.band_high;
  c.anchor = hiding.anchor;
  c.mask = hiding.mask;
  c.mask_layout = hiding.layout;
  c.lengths = hiding.lengths;
  if (c.lengths != KeyLengths::none) c.batch = 2;
  c.scores = Scores(digits[3]);
  // A column of V for each recipe of the scores; both families rotate against the sizes.
  const auto contents = int64_t(names(Contents::one_hot).size());
  c.contents = Contents((digits[3] + digits[0] + digits[1]) % contents);
  c.dtype = digits[4] == 0 ? oddtile_fp16 : oddtile_bf16;
  return {.problem = c, .configuration = position, .seed = uint64_t(digits[0] * 64 + digits[1])};
}

// The position of the smallest tile in the order of preference, and that tile.
struct Smallest {
  int64_t position = 0;
  oddtile_profile profile = {};
};
Smallest smallest_tile(const oddtile_implementation& which) {
  const oddtile_problem problem = oracles::bind_nowhere({AttentionCase{.seq_q = 20, .seq_k = 20}});
  const std::vector<int32_t> ids = configurations_of(which, problem);
  Smallest best;
  for (size_t i = 0; i < ids.size(); ++i) {
    oddtile_profile profile = {};
    if (which.describe(&problem, ids[i], &profile) != oddtile_ok) continue;
    const int64_t area = int64_t(profile.tile_rows) * profile.tile_columns;
    const int64_t least = int64_t(best.profile.tile_rows) * best.profile.tile_columns;
    if (least == 0 || area < least) best = {int64_t(i), profile};
  }
  return best;
}

World attention_world(const Machine& machine) {
  const Smallest smallest = smallest_tile(*machine.implementations()[0]);
  World world;
  world.name = "attention";
  world.tile_rows = smallest.profile.tile_rows;
  world.tile_columns = smallest.profile.tile_columns;
  const int64_t queries = 2 * world.tile_rows + 3, keys = 2 * world.tile_columns + 3;
  const auto families = int64_t(names(Scores::integers).size());
  world.factors = {queries, keys, kHidingCount, families, 2};
  world.sizes = 3;
  world.product = fmt::format(
      "seq_q 0..{} x seq_k 0..{} on tiles of {} x {}, head size 16, x {} ways to hide keys (none, "
      "causal and windows with both anchors, byte masks, key lengths) x {} score recipes (contents "
      "of V in turn) x fp16, bf16",
      queries - 1, keys - 1, world.tile_rows, world.tile_columns, kHidingCount, families);
  world.make = [position = smallest.position](const std::vector<int64_t>& digits) {
    return attention_case(digits, position);
  };
  return world;
}

// ---- softmax ----

constexpr int64_t kSoftmaxColumns = 3 * 32 + 2;

World softmax_world() {
  const auto masks = int64_t(names(MaskKind::none).size());
  const auto families = int64_t(names(Values::integers).size());
  World world;
  world.name = "softmax";
  world.factors = {kSoftmaxColumns + 1, masks, 3, families, 8};
  world.sizes = 3;
  world.product = fmt::format(
      "0..{} columns (three warps' worth + 2), four rows of different kinds, x {} masks x fp32, "
      "fp16, bf16 x {} recipes x 8 of the configurations, in turn all of them",
      kSoftmaxColumns, masks, families);
  world.make = [](const std::vector<int64_t>& digits) {
    SoftmaxCase c;
    c.rows = 4;
    c.columns = digits[0];
    c.mask = MaskKind(digits[1]);
    c.mask_layout = c.mask == MaskKind::none ? MaskLayout::dense : MaskLayout::padded;
    c.dtype = oddtile_dtype(digits[2]);
    c.values = Values(digits[3]);
    return Case{.problem = c,
                .configuration = digits[4] + 8 * ((digits[0] + digits[3]) % 3),
                .seed = uint64_t(digits[0])};
  };
  return world;
}

// ---- vector add ----

constexpr int64_t kAdditions = 40;  // two vectors of 16 bytes in the narrowest type, and the rest

World vector_add_world() {
  constexpr Values kRecipes[] = {Values::integers, Values::noise, Values::zeros, Values::specials,
                                 Values::bits};
  constexpr MaskKind kMasks[] = {MaskKind::none, MaskKind::half, MaskKind::runs, MaskKind::first};
  constexpr auto recipes = int64_t(std::size(kRecipes)), masks = int64_t(std::size(kMasks));
  World world;
  world.name = "vector_add";
  world.factors = {kAdditions + 1, 3, 8, 8, 8, masks, recipes};
  world.sizes = 4;
  world.product = fmt::format(
      "n 0..{} x fp32, fp16, bf16 x 8 x 8 x 8 offsets of x, y and out x {} masks x {} recipes "
      "(offset of the mask and configuration in turn)",
      kAdditions, masks, recipes);
  world.make = [=](const std::vector<int64_t>& digits) {
    VectorAddCase c;
    c.n = digits[0];
    c.dtype = oddtile_dtype(digits[1]);
    c.x_offset = digits[2];
    c.y_offset = digits[3];
    c.out_offset = digits[4];
    c.mask = kMasks[digits[5]];
    c.mask_offset = (digits[2] + digits[3] + 2 * digits[4]) % 16;
    if (c.mask == MaskKind::none) c.mask_offset = 0;
    c.values = kRecipes[digits[6]];
    return Case{.problem = c,
                .configuration = (digits[0] + digits[6]) % 3,
                .seed = uint64_t(digits[0] * 8 + digits[2])};
  };
  return world;
}

int64_t product_of(const std::vector<int64_t>& factors, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= factors[i];
  return product;
}

// Empty, or what is wrong with a case that was run.
std::string failure_of(const CheckResult& result, const World& world) {
  if (!result.offered) return "not offered";
  if (result.verdict == Verdict::fail) return result.report;
  const bool other = world.tile_rows > 0 && (result.profile.tile_rows != world.tile_rows ||
                                             result.profile.tile_columns != world.tile_columns);
  if (other) return fmt::format("ran in another configuration, {}", result.profile.name);
  return {};
}

}  // namespace

int64_t World::size() const {
  return product_of(factors, 0, factors.size());
}

Case World::at(int64_t index) const {
  ODDTILE_ASSERT(index >= 0 && index < size());
  std::vector<int64_t> digits(factors.size());
  for (size_t i = factors.size(); i-- > 0;) {
    digits[i] = index % factors[i];
    index /= factors[i];
  }
  const Case subject = make(digits);
  ODDTILE_ASSERT(impossible(subject).empty());
  return subject;
}

int64_t World::sample_size() const {
  return product_of(factors, 0, sizes);
}

int64_t World::sampled(int64_t index) const {
  const int64_t others = product_of(factors, sizes, factors.size());
  // A prime that divides none of the products: neighbours differ and all of them come by.
  return index * others + index * 7919 % others;
}

std::vector<World> small_worlds(const Machine& machine) {
  return {attention_world(machine), softmax_world(), vector_add_world()};
}

std::string Coverage::text() const {
  if (complete())
    return fmt::format("covered: complete ({} cases, {} elements judged)", run, judged);
  return fmt::format("covered: {} of {} cases ({} elements judged){}", run, size, judged,
                     failed > 0 ? fmt::format(", {} FAILED", failed) : "");
}

Coverage cover(const World& world, Machine& machine, const WorldOptions& options) {
  Coverage coverage = {.world = world.name, .product = world.product, .size = world.size()};
  coverage.wanted = options.sample ? world.sample_size() : coverage.size;
  SearchOptions limits;
  limits.seconds_at_most = options.seconds_at_most;
  limits.threads = options.threads;
  limits.stop = options.stop;
  Crew crew(machine, limits);
  std::mutex counting;
  double told = 0;
  crew.run(coverage.wanted, [&](int64_t at, Machine& own, std::mutex* turn) {
    const Case subject = world.at(options.sample ? world.sampled(at) : at);
    CheckResult result;
    {
      std::unique_lock<std::mutex> lock;
      if (turn != nullptr) lock = std::unique_lock(*turn);
      result = check_case(subject, *own.implementations()[0], own);
    }
    const std::string failure = failure_of(result, world);
    const std::lock_guard<std::mutex> lock(counting);
    ++coverage.run;
    for (const Quantity& quantity : result.judgement.quantities) {
      coverage.judged += quantity.judged;
      coverage.not_judged += quantity.not_judged;
    }
    coverage.failed += !failure.empty();
    if (!failure.empty() && coverage.failures.size() < kReports)
      coverage.failures.push_back(failure + "\n" + print(subject));
    if (!options.progress || crew.seconds() - told < kProgressSeconds) return;
    told = crew.seconds();
    options.progress(coverage.run, coverage.wanted);
  });
  return coverage;
}

}  // namespace oddtile::properties
