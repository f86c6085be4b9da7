#include "reports/record/record.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace oddtile::reports {
namespace {

using Json = nlohmann::ordered_json;

// Of a field that older records lack; it then keeps its default.
constexpr bool kOptional = true;

// Each struct's fields, listed once; the writer and the reader below walk the same lists.
template <class Visitor>
void fields(MachineInfo& e, Visitor&& visit) {
  visit("name", e.name);
  visit("description", e.description);
}

template <class Visitor>
void fields(Environment& e, Visitor&& visit) {
  visit("commit", e.commit);
  visit("date", e.date);
  visit("compiler", e.compiler);
  visit("build", e.build);
  visit("device", e.device);
  visit("no_device", e.no_device);
  visit("driver", e.driver);
  visit("toolkit", e.toolkit);
  visit("machines", e.machines);
}

template <class Visitor>
void fields(ProfileEntry& e, Visitor&& visit) {
  visit("machine", e.machine);
  visit("implementation", e.implementation);
  visit("kernel", e.kernel);
  visit("name", e.name);
  visit("text", e.text);
}

template <class Visitor>
void fields(QuantityEntry& e, Visitor&& visit) {
  visit("name", e.name);
  visit("worst_share", e.worst_share);
  visit("p99_share", e.p99_share);
  visit("rms_share", e.rms_share);
  visit("signed_mean", e.signed_mean);
  visit("judged", e.judged);
  visit("not_judged", e.not_judged);
}

template <class Visitor>
void fields(Failure& e, Visitor&& visit) {
  visit("tensor", e.tensor);
  visit("index", e.index);
  visit("got", e.got);
  visit("exact", e.exact);
  visit("bound", e.bound);
  visit("ratio", e.ratio);
  visit("report", e.report);
  visit("replay", e.replay);
}

template <class Visitor>
void fields(ErrorEntry& e, Visitor&& visit) {
  visit("machine", e.machine);
  visit("implementation", e.implementation);
  visit("kernel", e.kernel);
  visit("dtype", e.dtype);
  visit("family", e.family);
  visit("size", e.size);
  visit("case", e.case_text);
  visit("verdict", e.verdict);
  visit("broken", e.broken);
  visit("visible_edge_keys", e.visible_edge_keys);
  visit("quantities", e.quantities);
  visit("failure", e.failure, kOptional);
}

template <class Visitor>
void fields(IoEntry& e, Visitor&& visit) {
  visit("kernel", e.kernel);
  visit("implementation", e.implementation);
  visit("series", e.series);
  visit("size", e.size);
  visit("case", e.case_text);
  visit("bytes_read", e.bytes_read);
  visit("bytes_written", e.bytes_written);
  visit("flops", e.flops);
  visit("launches", e.launches);
  visit("minimum_read", e.minimum_read);
  visit("minimum_written", e.minimum_written);
  visit("materialised", e.materialised);
}

template <class Visitor>
void fields(TimingEntry& e, Visitor&& visit) {
  visit("machine", e.machine);
  visit("kernel", e.kernel);
  visit("implementation", e.implementation);
  visit("configuration", e.configuration);
  visit("series", e.series);
  visit("size", e.size);
  visit("case", e.case_text);
  visit("us_median", e.us_median);
  visit("us_lower", e.us_lower);
  visit("us_upper", e.us_upper);
  visit("rounds", e.rounds);
  visit("bytes", e.bytes);
  visit("flops", e.flops);
  visit("rate", e.rate);
  visit("rate_unit", e.rate_unit);
  visit("baseline", e.baseline);
  visit("ratio", e.ratio);
  visit("ratio_low", e.ratio_low);
  visit("ratio_high", e.ratio_high);
  visit("verdict", e.verdict);
  visit("edge_verdict", e.edge_verdict);
  visit("edges_visible", e.edges_visible);
  visit("verified", e.verified);
}

template <class Visitor>
void fields(CriterionCount& e, Visitor&& visit) {
  visit("criterion", e.criterion);
  visit("ours", e.ours);
  visit("rejected", e.rejected);
}

template <class Visitor>
void fields(CriteriaEntry& e, Visitor&& visit) {
  visit("kernel", e.kernel);
  visit("mutant", e.mutant);
  visit("promise", e.promise);
  visit("runs", e.runs);
  visit("differing", e.differing);
  visit("counts", e.counts);
}

template <class Visitor>
void fields(SoundnessContender& e, Visitor&& visit) {
  visit("name", e.name);
  visit("cases", e.cases);
  visit("vacuous", e.vacuous);
  visit("declined", e.declined);
  visit("judged", e.judged);
  visit("not_judged", e.not_judged);
  visit("escalated", e.escalated);
  visit("worst_share", e.worst_share);
}

template <class Visitor>
void fields(SoundnessShare& e, Visitor&& visit) {
  visit("contender", e.contender);
  visit("regime", e.regime);
  visit("family", e.family);
  visit("net", e.net);
  visit("replay", e.replay);
}

template <class Visitor>
void fields(SoundnessClimb& e, Visitor&& visit) {
  visit("contender", e.contender);
  visit("regime", e.regime);
  visit("configuration", e.configuration);
  visit("evaluations", e.evaluations);
  visit("changes", e.changes);
  visit("first", e.first);
  visit("net", e.net);
  visit("case", e.case_text);
  visit("replay", e.replay);
}

template <class Visitor>
void fields(SoundnessQuantity& e, Visitor&& visit) {
  visit("name", e.name);
  visit("judged", e.judged, kOptional);
  visit("worst_share", e.worst_share, kOptional);
  visit("regimes", e.regimes, kOptional);
  visit("families", e.families, kOptional);
  visit("shares", e.shares);
  visit("climbs", e.climbs);
}

template <class Visitor>
void fields(SoundnessCell& e, Visitor&& visit) {
  visit("kernel", e.kernel);
  visit("dtype", e.dtype);
  visit("contenders", e.contenders);
  visit("quantities", e.quantities);
}

template <class Visitor>
void fields(SoundnessEntry& e, Visitor&& visit) {
  visit("machine", e.machine);
  visit("seed", e.seed);
  visit("wanted", e.wanted);
  visit("complete", e.complete);
  visit("violations", e.violations);
  visit("cells", e.cells);
}

template <class Visitor>
void fields(Skip& e, Visitor&& visit) {
  visit("section", e.section);
  visit("what", e.what);
  visit("reason", e.reason);
  visit("broken", e.broken, kOptional);
}

template <class Visitor>
void fields(Ceilings& e, Visitor&& visit) {
  visit("copy_gb_s", e.copy_gb_s);
  visit("matmul_bf16_tflop_s", e.matmul_bf16_tflop_s);
}

template <class Visitor>
void fields(RateEntry& e, Visitor&& visit) {
  visit("build", e.build);
  visit("name", e.name);
  visit("cases", e.cases);
  visit("elements", e.elements);
}

template <class Visitor>
void fields(Record& e, Visitor&& visit) {
  visit("schema_version", e.schema_version);
  visit("environment", e.environment);
  visit("profiles", e.profiles);
  visit("errors", e.errors);
  visit("io", e.io);
  visit("timings", e.timings);
  visit("criteria", e.criteria, kOptional);
  visit("soundness", e.soundness, kOptional);
  visit("rates", e.rates, kOptional);
  visit("skips", e.skips);
  visit("ceilings", e.ceilings);
  visit("beside", e.beside, kOptional);
}

Json write(const std::string& value) {
  return value;
}
Json write(int64_t value) {
  return value;
}
Json write(bool value) {
  return value;
}

// JSON has no infinities, and a worst share of infinity is a finding that must not get lost.
Json write(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

template <class Struct>
Json write(const Struct& value);

template <class Element>
Json write(const std::vector<Element>& values);

template <class Value>
Json write(const std::optional<Value>& value) {
  return value ? write(*value) : Json(nullptr);
}

template <class Element>
Json write(const std::vector<Element>& values) {
  Json array = Json::array();
  for (const Element& value : values) array.push_back(write(value));
  return array;
}

template <class Struct>
Json write(const Struct& value) {
  Json object = Json::object();
  fields(const_cast<Struct&>(value),  // the writer only reads
         [&](const char* name, const auto& field, bool = false) { object[name] = write(field); });
  return object;
}

void read(const Json& json, std::string& value) {
  value = json.get<std::string>();
}
void read(const Json& json, int64_t& value) {
  value = json.get<int64_t>();
}
void read(const Json& json, bool& value) {
  value = json.get<bool>();
}

void read(const Json& json, double& value) {
  if (json.is_number()) {
    value = json.get<double>();
    return;
  }
  const std::string text = json.get<std::string>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "inf" || text == "-inf") {
    value = text == "inf" ? infinity : -infinity;
  } else {
    throw std::invalid_argument("'" + text + "' is not a number");
  }
}

template <class Struct>
void read(const Json& json, Struct& value);

template <class Element>
void read(const Json& json, std::vector<Element>& values);

template <class Value>
void read(const Json& json, std::optional<Value>& value) {
  value.reset();
  if (!json.is_null()) read(json, value.emplace());
}

template <class Element>
void read(const Json& json, std::vector<Element>& values) {
  if (!json.is_array()) throw std::invalid_argument("an array is expected");
  values.clear();
  for (const Json& element : json) read(element, values.emplace_back());
}

template <class Struct>
void read(const Json& json, Struct& value) {
  fields(value, [&](const char* name, auto& field, bool optional = false) {
    const auto found = json.find(name);
    if (found == json.end() && optional) return;
    if (found == json.end()) throw std::invalid_argument(std::string(name) + " is missing");
    try {
      read(*found, field);
    } catch (const std::exception& error) {
      throw std::invalid_argument(std::string(name) + ": " + error.what());
    }
  });
}

}  // namespace

std::string to_json(const Record& record) {
  return write(record).dump(1) + "\n";
}
std::string to_json(const ErrorEntry& entry) {
  return write(entry).dump(1) + "\n";
}

std::string to_json(const std::vector<TimingEntry>& entries) {
  return write(entries).dump(1) + "\n";
}

std::optional<Record> from_json(const std::string& text, std::string* reason) {
  try {
    const Json json = Json::parse(text);
    const int64_t version = json.is_object() ? json.value("schema_version", int64_t(0)) : 0;
    if (version != kSchemaVersion) {
      *reason = "schema version " + std::to_string(version) + ", this program reads version " +
                std::to_string(kSchemaVersion);
      return std::nullopt;
    }
    Record record;
    read(json, record);
    return record;
  } catch (const std::exception& error) {
    *reason = error.what();
    return std::nullopt;
  }
}

}  // namespace oddtile::reports
