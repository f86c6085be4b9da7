#include "properties/gen/simpler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "oracles/case/fields.h"
#include "oracles/case/sizes.h"

namespace oddtile::properties {
namespace {

using namespace oracles;
using Name = std::string_view;

// Fields that are reset together in one bold step.
constexpr Name kMaskFields[] = {"mask", "mask_layout", "mask_offset"};
constexpr Name kBandFields[] = {"band_low", "band_high", "anchor"};
constexpr Name kLayoutFields[] = {"q_layout", "k_layout", "v_layout", "o_layout",
                                  "x_layout", "pad",      "x_pad",    "y_pad"};
constexpr Name kOffsetFields[] = {"x_offset", "y_offset", "out_offset", "mask_offset",
                                  "q_offset", "k_offset", "v_offset",   "o_offset"};
constexpr Name kDataFields[] = {"values", "scores", "contents", "seed"};
constexpr Name kRunFields[] = {"config", "schedule"};
constexpr Name kHeadFields[] = {"batch", "heads_kv", "group"};
constexpr std::span<const Name> kFeatures[] = {
    kMaskFields, kBandFields, kLayoutFields, kOffsetFields, kDataFields, kRunFields, kHeadFields};

// Sets the named fields to their simplest values.
struct Take {
  std::span<const Name> wanted;

  bool wants(Name name) const {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  }
  void operator()(Name name, int64_t& value, Domain domain) {
    if (wants(name)) value = domain.simplest;
  }
  void operator()(Name, double&) {}
  template <class Enum>
  void operator()(Name name, Enum& value, std::span<const Name>) {
    if (wants(name)) value = Enum(0);
  }
};

// A field that must follow another one: outputs that share a buffer share its place.
void repair(Case& subject, const Case& before) {
  if (auto* c = std::get_if<VectorAddCase>(&subject.problem)) {
    const auto& old = std::get<VectorAddCase>(before.problem);
    if (c->alias == Alias::x && old.alias == Alias::y) std::swap(c->x_offset, c->y_offset);
    if (c->alias == Alias::x) c->out_offset = c->x_offset;
    if (c->alias == Alias::y) c->out_offset = c->y_offset;
  } else if (auto* c = std::get_if<SoftmaxCase>(&subject.problem)) {
    if (c->alias == Alias::x) {
      c->y_offset = c->x_offset;
      c->y_pad = c->x_pad;
    }
  }
}

// `target`, then ever smaller steps from `value` towards it.
std::vector<int64_t> towards(int64_t value, int64_t target) {
  std::vector<int64_t> steps;
  if (value == target) return steps;
  for (int64_t distance = value - target; distance != 0; distance /= 2) {
    steps.push_back(value - distance);
  }
  return steps;
}

// Simpler schedules, the simplest first: the plain one; seeds below 1000, which say no more than
// their three policies (kernels/sim/schedule.h): one digit of the seed, two, all three, then any
// single policy; at last the same policies with less behind them.
std::vector<int64_t> simpler_schedules(uint64_t seed) {
  const uint64_t ones = seed % 10;
  const uint64_t tens = seed / 10 % 10 * 10;
  const uint64_t hundreds = seed / 100 % 10 * 100;
  std::vector<uint64_t> order = {0, ones, tens, hundreds};
  for (uint64_t both : {tens + ones, hundreds + ones, hundreds + tens}) order.push_back(both);
  order.push_back(hundreds + tens + ones);
  for (uint64_t unit : {1, 10, 100}) {
    for (uint64_t digit = 1; digit < 10; ++digit) order.push_back(digit * unit);
  }
  for (uint64_t rest = seed / 1000 / 2; rest != 0; rest /= 2)
    order.push_back(rest * 1000 + seed % 1000);
  std::vector<int64_t> simpler;
  for (uint64_t candidate : order) {
    if (candidate < seed) simpler.push_back(int64_t(candidate));
  }
  return simpler;
}

// Walks to one field and sets it to its `choice`-th simpler value.
struct Step {
  int field;
  size_t choice;
  int at = -1;
  bool exists = false;  // the field
  bool taken = false;   // the choice

  template <class Value>
  void take(Value& value, std::span<const Value> choices) {
    exists = true;
    taken = choice < choices.size();
    if (taken) value = choices[choice];
  }

  void operator()(Name name, int64_t& value, Domain domain) {
    if (++at != field) return;
    std::vector<int64_t> choices;
    if (name == "schedule") {
      choices = simpler_schedules(uint64_t(value));
    } else if (domain.lowest ==
               std::numeric_limits<int64_t>::min()) {  // seeds have no order: a few tries
      for (int64_t seed = 0; seed < 4 && uint64_t(seed) < uint64_t(value); ++seed) {
        choices.push_back(seed);
      }
    } else if (domain.lowest == -kUnbounded) {  // unbounded, else towards the diagonal
      if (value != domain.simplest) {
        choices = towards(value, 0);
        choices.insert(choices.begin(), domain.simplest);
      }
    } else {
      choices = towards(value, domain.simplest);
    }
    take<int64_t>(value, choices);
  }
  void operator()(Name, double& value) {
    if (++at != field) return;
    constexpr double kRanked[] = {0.25, 1, 0.125, -1, 0};
    const auto* rank = std::find(std::begin(kRanked), std::end(kRanked), value);
    take<double>(value, std::span<const double>(std::begin(kRanked), rank));
  }
  template <class Enum>
  void operator()(Name, Enum& value, std::span<const Name>) {
    if (++at != field) return;
    std::vector<Enum> choices;
    for (int64_t earlier = 0; earlier < int64_t(value); ++earlier) {
      choices.push_back(Enum(earlier));
    }
    take<Enum>(value, choices);
  }
};

}  // namespace

std::vector<Case> simpler(const Case& subject) {
  std::vector<Case> found;
  const auto offer = [&](Case candidate) {
    repair(candidate, subject);
    if (candidate == subject || !impossible(candidate).empty()) return;
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  };
  Case bare = subject;
  for (std::span<const Name> feature : kFeatures) for_each_field(bare, Take{feature});
  offer(bare);
  for (std::span<const Name> feature : kFeatures) {
    Case candidate = subject;
    for_each_field(candidate, Take{feature});
    offer(candidate);
  }
  for (int field = 0;; ++field) {
    Step probe{field, 0};
    for (size_t choice = 0;; ++choice) {
      Case candidate = subject;
      probe = Step{field, choice};
      for_each_field(candidate, probe);
      if (!probe.taken) break;
      offer(candidate);
    }
    if (!probe.exists) break;
  }
  return found;
}

}  // namespace oddtile::properties
