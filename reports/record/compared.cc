#include "reports/record/compared.h"

#include <nlohmann/json.hpp>

namespace oddtile::reports {
namespace {

using Json = nlohmann::ordered_json;

Json write(const ComparedBits& bits) {
  return {{"tensor", bits.tensor}, {"elements", bits.elements}, {"differing", bits.differing}};
}

Json write(const ComparedEntry& entry) {
  Json json = {{"case", entry.case_text}, {"library", entry.library}, {"finding", entry.finding}};
  if (!entry.problem.empty()) {
    json["problem"] = entry.problem;
    return json;
  }
  json.update({{"configuration", entry.configuration},
               {"us_median", entry.us_median},
               {"us_lower", entry.us_lower},
               {"us_upper", entry.us_upper},
               {"us", entry.us},
               {"verdict", entry.verdict},
               {"explanation", entry.explanation}});
  if (entry.copy_us > 0) {
    json.update({{"copy_us", entry.copy_us}, {"copy_share", entry.copy_share}});
  }
  if (!entry.rate_unit.empty()) {
    json.update({{"rate", entry.rate}, {"rate_unit", entry.rate_unit}});
  }
  if (entry.baseline.empty()) return json;
  json.update({{"baseline", entry.baseline},
               {"slowdown", entry.slowdown},
               {"slowdown_low", entry.slowdown_low},
               {"slowdown_high", entry.slowdown_high}});
  for (const ComparedBits& bits : entry.bits) json["bits"].push_back(write(bits));
  return json;
}

}  // namespace

std::string to_json(const std::vector<ComparedEntry>& entries) {
  Json json = Json::array();
  for (const ComparedEntry& entry : entries) json.push_back(write(entry));
  return json.dump(1) + "\n";
}

}  // namespace oddtile::reports
